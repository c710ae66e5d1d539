"""What answers: a lazy table of models, each of one or more kinds."""

from subitize.models.base import Item, Model, ModelOptions, Reply

__all__ = ["Item", "Model", "ModelOptions", "Reply"]
