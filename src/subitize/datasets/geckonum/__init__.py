"""GeckoNum (Kajić et al. 2024): prompts, questions and people's answers."""
