"""GeckoNum (Kajić et al. 2024): people's answers to labels, labels to the paper's tables."""
