"""Where the objects of a pattern stand, in shares of the picture's side.

Every function gives (count, 2) places around the picture's middle, x to the right, y down. The
first three arrangements are the paper's; the others extend it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from subitize.errors import BadInput, UnknownName
from subitize.stimuli.geometry import Points, nearest

PUBLISHED = ("circle", "triangle", "rectangle")
SHIFTS = ((0.0, 0.0), (-0.13, -0.13), (0.13, -0.13), (-0.13, 0.13), (0.13, 0.13))
"""the five places: the middle, then shifted along both axes"""
_RING = 0.25
_WIDE, _HIGH = 0.2, 0.4
_TRIANGLE_TOP = 0.3 - 0.5
_LINE = {"published": 0.8, "fair": 0.68}
"""length of a single line; the longer one leaves the picture when it is shifted"""
_RADIUS = {"published": 0.025, "fair": 0.02}
_CROWDED = 0.35
"""a fair object's radius is at most this share of the distance to its neighbour, along one axis:
a square's edge has to pass between them"""
_SQRT3 = math.sqrt(3)
MOST = 1000
"""objects of a pattern; more of them would be dust"""


class Layout(NamedTuple):
    """A pattern before it is shifted and drawn."""

    points: Points
    """(count, 2) centres around the middle of the picture"""
    radius: float
    """of a dot; half the side of a square"""


@lru_cache(maxsize=512)
def places(arrangement: str, count: int, layout: str) -> Layout:
    """The pattern of `count` objects; an impossible count is an error."""
    if arrangement not in ARRANGEMENTS:
        raise UnknownName("arrangement", arrangement, ARRANGEMENTS)
    if layout not in _RADIUS:
        raise UnknownName("layout", layout, _RADIUS)
    if layout == "published" and arrangement not in PUBLISHED:
        raise BadInput(
            f"The published layout has no {arrangement}: it has {', '.join(PUBLISHED)}. "
            "Use the layout 'fair'."
        )
    placed, rule = ARRANGEMENTS[arrangement]
    points = placed(count, layout) if 0 < count <= MOST else None
    if points is None:
        why = f"no picture shows more than {MOST}" if count > MOST else rule
        raise BadInput(f"There is no {arrangement} of {count} objects: {why}.")
    radius = _RADIUS[layout]
    if layout == "fair":
        radius = min(radius, _CROWDED * nearest(points, math.inf))
    points.flags.writeable = False  # it is kept and handed out again
    return Layout(points, radius)


def _ring(count: int, radius: float) -> Points:
    """Clockwise on the screen from the right."""
    turns = np.arange(count) / count * 2 * math.pi
    return radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)


def _circle(count: int, _layout: str) -> Points | None:
    return _ring(count, _RING) if count >= 5 else None


def _triangle(count: int, _layout: str) -> Points | None:
    rows = (math.isqrt(8 * count + 1) - 1) // 2
    if rows < 3 or rows * (rows + 1) // 2 != count:
        return None
    step = _HIGH / rows
    return np.array(
        [
            ((column - row / 2) * step, _TRIANGLE_TOP + row * step * _SQRT3 / 2)
            for row in range(rows)
            for column in range(row + 1)
        ]
    )


def _grid_shape(count: int) -> tuple[int, int]:
    """Columns and rows: columns are the largest divisor up to the root; a prime is one column."""
    columns = next(c for c in range(math.isqrt(count), 0, -1) if count % c == 0)
    return columns, count // columns


def _rectangle(count: int, layout: str) -> Points | None:
    if count < 4:
        return None
    columns, rows = _grid_shape(count)
    if columns == 1:
        ys = (np.arange(rows) / (rows - 1) - 0.5) * _LINE[layout]
        return np.stack([np.zeros(rows), ys], axis=1)
    xs = (np.arange(columns) / (columns - 1) - 0.5) * _WIDE
    ys = (np.arange(rows) / (rows - 1) - 0.5) * _HIGH
    return np.stack([np.tile(xs, rows), np.repeat(ys, columns)], axis=1)


def centred_hexagon(shells: int) -> Points:
    """A point and `shells` hexagons around it, neighbours one apart, row by row."""
    rows = []
    for row in range(-shells, shells + 1):
        length = 2 * shells + 1 - abs(row)
        xs = np.arange(length) - (length - 1) / 2
        rows.append(np.stack([xs, np.full(length, row * _SQRT3 / 2)], axis=1))
    return np.concatenate(rows)


def _hexagon(count: int, _layout: str) -> Points | None:
    shells = next((s for s in range(1, 40) if 3 * s * (s + 1) + 1 == count), None)
    return None if shells is None else centred_hexagon(shells) * (_RING / shells)


def staggered_rows(columns: int, rows: int) -> Points:
    """Rows of equal length, every second one shifted by half a step; neighbours one apart."""
    shifted = np.arange(rows) % 2 / 2 - 0.25
    xs = np.arange(columns) - (columns - 1) / 2
    ys = (np.arange(rows) - (rows - 1) / 2) * _SQRT3 / 2
    return np.stack([(xs + shifted[:, None]).ravel(), np.repeat(ys, columns)], axis=1)


def _staggered(count: int, _layout: str) -> Points | None:
    columns, rows = _grid_shape(count)
    if columns < 2 or rows < 3:
        return None
    points = staggered_rows(columns, rows)
    return points * (_HIGH / float(np.ptp(points, axis=0).max()))


def ring_in_ring(inner: int) -> Points:
    """`inner` objects on a ring of radius 1/2 and twice as many on a ring of radius 1."""
    return np.concatenate([_ring(2 * inner, 1.0), _ring(inner, 0.5)])


def _rings(count: int, _layout: str) -> Points | None:
    return None if count < 12 or count % 3 else ring_in_ring(count // 3) * _RING


ARRANGEMENTS: Mapping[str, tuple[Callable[[int, str], Points | None], str]] = {
    "circle": (_circle, "it takes 5 or more to tell a circle"),
    "triangle": (_triangle, "its rows hold 1, 2, 3 … : use 6, 10, 15, 21, …"),
    "rectangle": (_rectangle, "it takes 4 or more"),
    "hexagon": (_hexagon, "use 7, 19, 37, 61, …"),
    "staggered": (_staggered, "it needs two or more columns and three or more rows"),
    "rings": (_rings, "a third stands on the inner ring: use 12, 15, 18, …"),
}
"""what places so many objects (None where there is no such pattern), and which numbers it takes"""
