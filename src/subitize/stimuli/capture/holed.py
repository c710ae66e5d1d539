"""The drawer of pictures for inpainters: an occluded picture's recipe in, a hole for its square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subitize.pictures.decode import decode
from subitize.pictures.editing import with_hole
from subitize.records import Stimulus
from subitize.stimuli import Picture, render

__all__ = ["DRAWING_VERSION", "draw"]

DRAWING_VERSION = 1
"""goes up with every change that alters a single pixel"""


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of the recipe `of` with its occluder's place transparent."""
    covered = render(Stimulus("drawn", recipe["of"]))
    return Picture(with_hole(decode(covered.png), covered.facts["occluder"]), covered.facts)
