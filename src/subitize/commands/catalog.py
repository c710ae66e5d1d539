"""What a command needs only sometimes, and loads then: a line each.

Counting captions starts in a third of the time without what draws reports and opens models.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

PARTS: dict[str, str] = {
    "captions beside": ".captions_more:beside",
    "captions judgements": ".captions_more:judge_images",
    "captions pictures": ".captions_more:pictures",
    "captions pictures told": ".captions_more:pictures_told",
    "captions ray": ".captions_more:on_ray",
    "captions sample": ".captions_more:sample_pairs",
}
"""functions, as module:name; a dot at the start is this package"""


def get_part(name: str) -> Callable[..., Any]:
    """A function that is loaded when it is called for."""
    module, _, function = PARTS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module, __package__), function)
    return found
