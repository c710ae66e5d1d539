"""subitize: the number sense of multimodal AI, measured."""

__all__ = ["__version__"]

__version__ = "0.1.0"
