"""Where the black square lies: as published, or so that the pattern can still be told."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.stimuli import generator
from subitize.stimuli.capture.arrangements import PUBLISHED, SHIFTS, Layout, places
from subitize.stimuli.capture.completing import completions
from subitize.stimuli.geometry import Points

MOST_HIDDEN = 6
"""objects that a fair square may hide at most"""
LEAST_SEEN = 4
"""objects that it leaves visible at least, and half of them, since version 2 of the layout"""
VERSIONS = (1, 2)
"""of the layout: in the first a square might leave one object, or hide more than half"""
_SIDES = (6.0, 12.0)
"""side of a published square, in radii"""
_FAIR_SIDES = (0.05, 0.4)
"""side of a fair square, in shares of the picture's"""
_TILT = {1: 0.14, 2: 0.22}
"""numbers hidden weigh exp(tilt * number); by version, what gives the paper's mean of 2.73"""
_THROWS = 12_000
"""squares thrown at a pattern"""
_POOL = 8
"""good squares kept per pattern and number hidden"""
_TRIES = 60
"""squares looked at before a number hidden is given up"""
_CLEARANCE = 0.25
"""a fair square keeps this share of a radius from every object, inside and outside"""
_MARGIN = 0.005
_REACH = 0.5 - max(abs(shift) for pair in SHIFTS for shift in pair) - _MARGIN
"""how far from the pattern's middle a square may reach and yet be inside at all five places"""

Mask = NDArray[np.bool_]


class Square(NamedTuple):
    """A square around the picture's middle, in shares of its side, before the shift."""

    x: float
    y: float
    side: float

    def box(self, right: float, down: float) -> tuple[float, float, float, float]:
        """Its corners x0, y0, x1, y1 after a shift."""
        x, y, half = self.x + right, self.y + down, self.side / 2
        return x - half, y - half, x + half, y + half


def published_square(layout: Layout, rng: np.random.Generator, side: float | None) -> Square:
    """Centred on a random object; may leave the picture and hide nearly everything."""
    x, y = layout.points[rng.integers(len(layout.points))].tolist()
    drawn = layout.radius * float(rng.uniform(*_SIDES))
    return Square(x, y, drawn if side is None else side)


def fair_square(
    arrangement: str,
    count: int,
    nth: int,
    seed: int,
    side: float | None = None,
    *,
    version: int = VERSIONS[-1],
) -> Square:
    """The square of the nth of the 50 pictures of a pattern.

    It hides 1 to 6 whole objects, at most half and all but four, touches no other, and leaves one
    completion. How many of the 50 hide how many is fixed; the seed only deals them out. Numbers
    that the pattern does not allow are left out.
    """
    most = min(MOST_HIDDEN, count - LEAST_SEEN, count // 2) if version > 1 else MOST_HIDDEN
    pools = {
        hidden: squares
        for hidden in range(1, most + 1)
        if (squares := _pool(arrangement, count, hidden, seed, side))
    }
    if not pools:
        raise BadInput(
            f"No square hides a part of a {arrangement} of {count} so that it can still be told"
            + (f" when its side is {side:g} of the picture's" if side else "")
            + ": choose another count"
            + (", or leave the side open." if side else ".")
        )
    dealt = int(generator("capture", "deal", seed, arrangement, count).permutation(50)[nth % 50])
    squares = pools[_quota(tuple(pools), _TILT[version])[dealt]]
    return squares[dealt % len(squares)]


@lru_cache(maxsize=64)
def _quota(possible: tuple[int, ...], tilt: float) -> tuple[int, ...]:
    """Fifty numbers hidden, in shares as near to the weights as whole numbers can be."""
    weights = np.exp(tilt * np.array(possible))
    ends = np.rint(50 * np.cumsum(weights) / weights.sum()).astype(int)
    return tuple(np.repeat(possible, np.diff(ends, prepend=0)).tolist())


@lru_cache(maxsize=4096)
def _pool(
    arrangement: str, count: int, hidden: int, seed: int, side: float | None
) -> tuple[Square, ...]:
    """Squares that hide so many objects of a pattern and leave one completion, the true one."""
    layout = places(arrangement, count, "fair")
    squares, covered = _thrown(arrangement, count, seed, side)
    families = PUBLISHED if arrangement in PUBLISHED else (*PUBLISHED, arrangement)

    def told(square: Square, covers: Mask) -> bool:
        shown = layout.points[~covers]
        only = completions(shown, square.box(0, 0), layout.radius, families).only
        return only is not None and len(only) == hidden

    tried = np.flatnonzero(covered.sum(axis=1) == hidden)[:_TRIES]
    known = ((Square(*squares[index].tolist()), covered[index]) for index in tried)
    return tuple(islice((square for square, covers in known if told(square, covers)), _POOL))


@lru_cache(maxsize=256)
def _thrown(arrangement: str, count: int, seed: int, side: float | None) -> tuple[Points, Mask]:
    """Random squares (x, y, side) that cover or spare each object whole, and which they cover."""
    layout = places(arrangement, count, "fair")
    rng = generator("capture", "throw", seed, arrangement, count)
    sides = rng.uniform(*_FAIR_SIDES, _THROWS) if side is None else np.full(_THROWS, side)
    low, high = layout.points.min(axis=0), layout.points.max(axis=0)
    centres = rng.uniform(low - layout.radius, high + layout.radius, (_THROWS, 2))
    inside = np.abs(centres).max(axis=1) + sides / 2 <= _REACH
    centres, sides = centres[inside], sides[inside]
    away = np.maximum(*np.abs(centres.T[:, :, None] - layout.points.T[:, None, :]))
    rim = layout.radius * (1 + _CLEARANCE)
    covered = away <= (sides / 2 - rim)[:, None]
    spared = away >= (sides / 2 + rim)[:, None]
    keeps = (covered | spared).all(axis=1) & _ends_show(arrangement, layout, covered)
    return np.column_stack([centres, sides])[keeps], covered[keeps]


def _ends_show(arrangement: str, layout: Layout, covered: Mask) -> Mask:
    """A single line must show both its ends."""
    if arrangement == "rectangle" and math.isclose(float(np.ptp(layout.points[:, 0])), 0.0):
        return ~(covered[:, 0] | covered[:, -1])
    return np.ones(len(covered), bool)
