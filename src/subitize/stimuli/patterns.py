"""Regular arrangements for fast cards: rows, dice faces, a line, a ring."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from subitize.stimuli.geometry import Points, nearest
from subitize.stimuli.placing import GAP, MARGIN, SMALLEST

_LONGEST_LINE, _LARGEST_RING = 5, 12

_DICE = {
    1: (".....", "..x.."),
    2: ("x...", "....", "...x"),
    3: ("x....", "..x..", "....x"),
    4: ("x.x", "...", "x.x"),
    5: ("x...x", "..x..", "x...x"),
    6: ("x.x", "x.x", "x.x"),
    7: ("x.x", "xxx", "x.x"),
    8: ("xxx", "x.x", "xxx"),
    9: ("xxx", "xxx", "xxx"),
    10: ("x.x.x.x", ".......", ".x...x.", ".......", "x.x.x.x"),
}


def patterns_for(n: int, *, flat: bool = True) -> tuple[str, ...]:
    """Which patterns n items can make; `flat` allows a single line, which has hardly a hull."""
    names = ["rows"]
    if n in _DICE:
        names.append("dice")
    if flat and 2 <= n <= _LONGEST_LINE:
        names.append("line")
    if 3 <= n <= _LARGEST_RING:
        names.append("ring")
    return tuple(names)


@lru_cache(maxsize=128)
def pattern(name: str, n: int) -> Points:
    """Places of n items around the origin, the farthest coordinate being 1."""
    places: list[tuple[float, float]]
    if name == "dice":
        rows = enumerate(_DICE[n])
        places = [(x, y) for y, row in rows for x, mark in enumerate(row) if mark == "x"]
    elif name == "line":
        places = [(float(k), 0.0) for k in range(n)]
    elif name == "ring":
        turns = [2 * math.pi * k / n for k in range(n)]
        places = [(math.sin(turn), -math.cos(turn)) for turn in turns]
    else:
        places = _rows(n)
    points = np.array(places, np.float64).reshape(-1, 2)
    if len(points):
        points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    reach = float(np.abs(points).max(initial=0.0))
    made: Points = points / reach if reach else points
    made.flags.writeable = False
    return made


@lru_cache(maxsize=128)
def apart(name: str, n: int) -> float:
    """Distance of the pattern's two nearest places."""
    return nearest(pattern(name, n))


def _rows(n: int) -> list[tuple[float, float]]:
    """Rows of equal length around the middle, the last one shorter and centred."""
    long = math.isqrt(max(n - 1, 0)) + 1
    places = []
    for k in range(n):
        row = k // long
        in_row = min(long, n - row * long)
        places.append((k % long - (in_row - 1) / 2, float(row)))
    return places


def room_for(name: str, n: int, size: int) -> float:
    """Largest diameter with which the pattern fits; a pixel is kept for rounding."""
    reach = size / 2 - MARGIN - 1
    if n < 2:
        return 2 * reach
    return (apart(name, n) * reach - GAP - 2) / (1 + apart(name, n) / 2)


def card_capacity(size: int) -> int:
    """Largest n whose rows leave room for the smallest items."""
    side = 1 + max(size - 2 * MARGIN - 2 - SMALLEST, 0) // (SMALLEST + GAP + 2)
    return side * side
