"""Checkpoints by transformers' own classes: `hf/ID-or-path`; see `opening` for who is who."""
