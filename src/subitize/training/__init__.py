"""Fine-tuning: a right/foil head on any matcher, answers of any model that writes."""
