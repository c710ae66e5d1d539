"""The lazy table of counters: a line each; third parties by entry point."""

from __future__ import annotations

from importlib import import_module

from subitize.models.base import Model, ModelOptions
from subitize.models.names import ModelName

__all__ = ["COUNTERS", "open_counter"]

COUNTERS: dict[str, str] = {
    "blobs": "subitize.counters.blobs:open_blobs",
    "pattern": "subitize.counters.pattern:open_pattern",
}


def open_counter(name: ModelName, options: ModelOptions) -> Model:
    """Open a built-in counter by its name."""
    module, _, function = COUNTERS[name.rest].partition(":")
    model: Model = getattr(import_module(module), function)(name, options)
    return model
