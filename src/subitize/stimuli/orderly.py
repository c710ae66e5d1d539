"""Layouts that hold a hull for sure: a regular pattern of equal items, as wide as it must be.

Random layouts are tried first; where none will do, this one does, whatever the look and index of
the picture. Whether there is one is arithmetic: the hull of equal items around a pattern f times
as wide is f² P + f r M + r² C, for the hulls P of the pattern, C of an item of radius 1, and what
is between both, M. So a whole run is checked without placing a picture.
"""

from __future__ import annotations

import math
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
    for pattern in _patterns(n):
        points, corners = pattern.points, pattern.corners
        around = signed_area(corners) if n > 2 else 0.0
        both = convex_hull((corners[:, None] + item[None]).reshape(-1, 2))
        between = signed_area(both) - around - own
        for diameter in _diameters(size):
            low, high = _limits(pattern, diameter, size)
            smallest, largest = (
                f * f * around + f * r * between + r * r * own
                for f, r in ((low, diameter / 2 + 1.5 * _RIM), (high, diameter / 2))
            )
            if low <= high and smallest * (1 + _SAFE) <= target <= largest * (1 - _SAFE):
                return Orderly(points, diameter)
    return None


class _Pattern(NamedTuple):
    """Places around the origin, with what every kind and diameter of items needs of them."""

    points: Points
    corners: Points
    """of their hull"""
    nearest: float
    """smallest distance of two"""
    widest: float
    """largest extent along an axis"""


@lru_cache(maxsize=1024)
def _patterns(n: int) -> tuple[_Pattern, ...]:
    """From the one whose hull is easiest to change."""
    if n == 2:
        ends = ((1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (1.0, 0.0))
        laid = [np.array([[-x, -y], [x, y]]) for x, y in ends]
    else:
        laid = [patterns.pattern(name, n) for name in patterns.patterns_for(n, flat=False)]
    return tuple(
        _Pattern(
            one, one if n == 2 else convex_hull(one), nearest(one), float(np.ptp(one, 0).max())
        )
        for one in laid
    )


@lru_cache
def _diameters(size: int) -> list[int]:
    """All that are worth a look, from the usual one to smaller and larger ones."""
    steps = int(np.log(size / SMALLEST) / np.log(_STEP)) + 1
    ladder = {round(SMALLEST * _STEP**k) for k in range(steps)} | {size - 2 * MARGIN - 1}
    return sorted(
        (d for d in ladder if SMALLEST <= d <= size), key=lambda d: abs(np.log(d / (_USUAL * size)))
    )


def _limits(pattern: _Pattern, diameter: int, size: int) -> tuple[float, float]:
    """Smallest and largest factor at which equal items keep apart and stay inside."""
    free = size - 2 * MARGIN - 3 - diameter
    return (diameter + GAP + 3) / pattern.nearest, free / pattern.widest
