"""Number, size and spacing varied independently (DeWind, Adams, Platt and Brannon 2015).

Size is total area x item area, spacing is field x sparsity (field per item). Both come from the
same grid of levels for every number, so that neither tells the number: item area = √(size / n),
total area = √(size n), field = √(spacing n). The field is the circle in which items are placed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.stimuli import art, generator
from subitize.stimuli.geometry import Points, nearest
from subitize.stimuli.placing import GAP, MARGIN, SMALLEST, Centres, Diameters

CUES = ("orthogonal",)
LEVELS = 5
OCTAVES = 3
"""log₂ of the largest size (spacing) to the smallest"""
LARGEST_R = 0.05
"""of two of log₂ n, log₂ size and log₂ spacing over a set"""
_FIELD = 0.66
"""share of the picture that the largest field takes"""
_COVERED = 0.1
"""share of its field that a picture's items paint at most: even the thinnest leave room then"""
_PLANS = 400
"""tried before a set is too small for levels that hang together this little"""
_TRIES, _DARTS = 8, 256
_SAFE = 0.85
"""of a diameter: small tiles paint more of their circle, so that their diameters are smaller"""


class Cues(NamedTuple):
    """What a picture is to be, in pixels to the fourth."""

    size: int
    spacing: int
    middle: int
    """the size in the middle of the grid"""
    largest: int
    """n of the set"""

    def total_area(self, n: int) -> float:
        return math.sqrt(self.size * n)

    def field(self, n: int) -> float:
        return math.sqrt(self.spacing * n)

    def radius(self, n: int) -> float:
        """Of the field."""
        return math.sqrt(self.field(n) / math.pi)


def cues_at(level: tuple[int, int], largest: int, side: int) -> Cues:
    """Size and spacing at these levels of the grid, 0 being the smallest."""
    spacings = _ladder((_FIELD * side * side) ** 2 / largest)
    sizes = _ladder(_COVERED**2 * spacings[0])
    size, spacing = sizes[level[0]], spacings[level[1]]
    return Cues(round(size), round(spacing), round(sizes[LEVELS // 2]), largest)


def _ladder(top: float) -> list[float]:
    return [top * 2 ** (OCTAVES * (k / (LEVELS - 1) - 1)) for k in range(LEVELS)]


@lru_cache(maxsize=8)
def levels(categories: int, highest: int, per_cell: int, seed: int) -> NDArray[np.int64]:
    """Levels of size and spacing for every category, number (from 1) and index of a set.

    Whole grids for each number, and for what is left the first drawing that hangs together little
    enough.
    """
    many = categories * per_cell
    grid = np.stack(np.divmod(np.arange(LEVELS**2), LEVELS), axis=1)
    for plan in range(_PLANS):
        rng = generator("naming", seed, "cues", plan)
        dealt = [
            np.concatenate([rng.permutation(grid) for _ in range(-(-many // len(grid)))])[:many]
            for _ in range(highest)
        ]
        found = np.array(dealt).reshape(highest, categories, per_cell, 2)
        # pixels are whole: what is drawn may hang together a little more
        if largest_correlation(found) < 0.8 * LARGEST_R:
            return found.transpose(1, 0, 2, 3)
    raise BadInput(
        f"{many * highest} pictures are too few for sizes and spacings that don't tell the number "
        f"(|r| < {LARGEST_R:g}): use a larger --per-cell, best so that each number has a multiple "
        f"of {LEVELS**2} pictures over all categories."
    )


def largest_correlation(found: NDArray[np.int64]) -> float:
    """Largest |r| of log₂ n, size and spacing; found[n - 1, …] are levels."""
    rows = found.reshape(len(found), -1, 2)
    numbers = np.repeat(np.log2(np.arange(1, len(found) + 1)), rows.shape[1])
    columns = [numbers, *rows.reshape(-1, 2).T]
    varied = [column for column in columns if np.ptp(column) > 0]
    if len(varied) < (3 if len(found) > 1 else 2):
        return 1.0
    r = np.abs(np.corrcoef(varied))
    return float(r[~np.eye(len(r), dtype=bool)].max())


def is_sure(kind: str, n: int, cues: Cues) -> bool:
    """Whether a picture can be placed, by arithmetic."""
    diameter = math.sqrt(cues.total_area(n) / n / art.least_area(kind))
    dense = math.sqrt(cues.total_area(n) / n / art.most_area(kind))
    # small tiles paint more of their circle than wide ones, so that their diameters are smaller
    if dense * _SAFE < SMALLEST + 1:
        return False
    reach = cues.radius(n) - diameter / 2 - 2
    return reach * _orderly(n)[1] >= diameter + GAP + 3 and reach >= 0


def places(diameters: Diameters, cues: Cues, side: int, rng: np.random.Generator) -> Centres | None:
    """Random places in a circle somewhere in the picture, in order where darts find none."""
    n = len(diameters)
    radius = cues.radius(n)
    near, far = radius + MARGIN, side - radius - MARGIN
    middle = rng.uniform(near, max(near, far), 2)
    for _ in range(_TRIES):
        found = _thrown(diameters, radius, rng)
        if found is not None:
            return np.rint(found + middle).astype(np.int64)
    widest = float(diameters.max())
    points, apart = _orderly(n)
    reach = radius - widest / 2 - 1
    if reach * apart < widest + GAP + 2:
        return None
    turn = rng.uniform(0, 2 * math.pi)
    turned = points @ [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
    return np.rint(turned * reach + middle).astype(np.int64)


def _thrown(diameters: Diameters, radius: float, rng: np.random.Generator) -> Points | None:
    """Places around the origin, a pixel farther apart than they must be; for rounding."""
    found = np.zeros((len(diameters), 2))
    for item, diameter in enumerate(diameters.tolist()):
        reach = radius - diameter / 2 - 1
        if reach < 0:
            return None
        far, turn = np.sqrt(rng.random(_DARTS)) * reach, rng.random(_DARTS) * 2 * math.pi
        darts = np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)
        away = ((darts[:, None] - found[None, :item]) ** 2).sum(axis=2)
        apart = (diameters[:item] + diameter) / 2 + GAP + 2
        free = np.flatnonzero((away >= apart**2).all(axis=1))
        if not len(free):
            return None
        found[item] = darts[free[0]]
    return found


@lru_cache(maxsize=512)
def _orderly(n: int) -> tuple[Points, float]:
    """n places in a circle of radius 1, far from each other, and how far."""
    if n == 1:
        return np.zeros((1, 2)), math.inf
    turns = np.arange(n) * math.pi * (3 - math.sqrt(5))
    far = np.sqrt((np.arange(n) + 0.5) / (n - 0.5))
    sunflower = np.stack([far * np.cos(turns), far * np.sin(turns)], axis=1)
    choices = [sunflower, _ring(n), np.concatenate([np.zeros((1, 2)), _ring(n - 1)])]
    return max(((points, nearest(points)) for points in choices), key=lambda one: one[1])


def _ring(n: int) -> Points:
    turns = 2 * math.pi * np.arange(n) / n
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def facts(cues: Mapping[str, Any], n: int, area: int) -> dict[str, float]:
    """What the manifest tells of a picture's size and spacing, as painted."""
    field = Cues(**cues).field(n)
    return {
        "item_area": area / n,
        "field": field,
        "size": area * area / n,
        "spacing": field * field / n,
    }
