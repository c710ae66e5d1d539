"""Layouts that hold a hull for sure: a regular pattern of equal items, as wide as it must be.

Random layouts are tried first; where none will do, this one does, whatever the look and index of
the picture. Whether there is one is arithmetic: the hull of equal items around a pattern f times
as wide is f² P + f r M + r² C, for the hulls P of the pattern, C of an item of radius 1, and what
is between both, M. So a whole run is checked without placing a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from subitize.stimuli import art, patterns
from subitize.stimuli.geometry import Points, convex_hull, nearest, signed_area
from subitize.stimuli.placing import GAP, MARGIN, SMALLEST

_SAFE = 0.03
"""share by which the hull must be reached and undercut: painted pixels are no outlines"""
_RIM = 0.9
"""pixels by which painted pixels reach beyond the outline, about"""
_USUAL = 0.15
"""diameter to begin with, as a share of the picture's side"""
_STEP = 1.05


class Orderly(NamedTuple):
    """Places around the origin, to be spread, and the diameter of all items."""

    points: Points
    diameter: int


@lru_cache(maxsize=4096)
def orderly(kind: str, n: int, size: int, target: float) -> Orderly | None:
    """A pattern that can take the hull `target` (square pixels) in a picture of this side."""
    item = art.outline(kind)
    own = signed_area(item)
    if n == 1:
        diameter = round(2 * (math.sqrt(target / own) - _RIM))
        fits = SMALLEST <= diameter < size - 2 * MARGIN
        return Orderly(np.zeros((1, 2)), diameter) if fits else None
    for points in _patterns(n):
        around = signed_area(convex_hull(points)) if n > 2 else 0.0
        both = convex_hull((points[:, None] + item[None]).reshape(-1, 2))
        between = signed_area(both) - around - own
        for diameter in _diameters(size):
            low, high = _limits(points, diameter, size)
            smallest, largest = (
                f * f * around + f * r * between + r * r * own
                for f, r in ((low, diameter / 2 + 1.5 * _RIM), (high, diameter / 2))
            )
            if low <= high and smallest * (1 + _SAFE) <= target <= largest * (1 - _SAFE):
                return Orderly(points, diameter)
    return None


def _patterns(n: int) -> Iterator[Points]:
    """From the one whose hull is easiest to change."""
    if n == 2:
        for x, y in ((1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (1.0, 0.0)):
            yield np.array([[-x, -y], [x, y]])
        return
    for name in patterns.patterns_for(n, flat=False):
        yield patterns.pattern(name, n)


def _diameters(size: int) -> list[int]:
    """All that are worth a look, from the usual one to smaller and larger ones."""
    steps = int(np.log(size / SMALLEST) / np.log(_STEP)) + 1
    ladder = {round(SMALLEST * _STEP**k) for k in range(steps)} | {size - 2 * MARGIN - 1}
    return sorted(
        (d for d in ladder if SMALLEST <= d <= size), key=lambda d: abs(np.log(d / (_USUAL * size)))
    )


def _limits(points: Points, diameter: int, size: int) -> tuple[float, float]:
    """Smallest and largest factor at which equal items keep apart and stay inside."""
    free = size - 2 * MARGIN - 3 - diameter
    wide = points.max(axis=0) - points.min(axis=0)
    return (diameter + GAP + 3) / nearest(points), free / float(wide.max())
