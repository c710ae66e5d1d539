"""The drawer of inpainted patterns: an occluded picture's recipe in, its continuation out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subitize.counters.pattern import continue_pattern
from subitize.records import Stimulus
from subitize.stimuli import Picture, render

__all__ = ["DRAWING_VERSION", "draw"]

DRAWING_VERSION = 1
"""goes up with every change that alters a single pixel"""


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of the recipe `of`, its black square replaced by what the pattern needs there."""
    covered = render(Stimulus("drawn", recipe["of"]))
    return Picture(continue_pattern(covered.png), covered.facts)
