"""Holding a non-numerical cue constant over n: painted area, convex hull or density.

With a cue held, a model that judges it instead of counting can't tell the numbers apart.
Pixels are whole, so a cue is met within a few per cent, not exactly (less than 3 % from
256 x 256 upwards with up to ten things; a single thing of a set of 25 with its density held may be
6 % off there).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.stimuli.art import Tile
from subitize.stimuli.geometry import Points, convex_hull, signed_area
from subitize.stimuli.placing import GAP, MARGIN, SMALLEST, Centres, Diameters

HOLDS = ("area", "hull", "density")
AREA_SHARE = 0.05
"""share of the picture that is painted under hold=area"""
HULL_SHARE = 0.25
"""share of the picture that the hull takes under hold=hull"""
DENSITY_SHARE = 0.5
"""share that the hull of the largest n takes under hold=density"""

_DENSER = 0.85
"""crowds begin denser than they shall be: places can be moved apart freely, together hardly"""

TilesOf = Callable[[Diameters], Sequence[Tile]]


def hull_target(recipe: Mapping[str, Any]) -> float:
    """Hull in square pixels: the same for every n, or growing with n so that density stays."""
    size = recipe["size"]
    if recipe["hold"] == "density":
        return float(DENSITY_SHARE * size * size * recipe["n"] / recipe["largest"])
    return float(HULL_SHARE * size * size)


def region(target: float, n: int, size: int) -> int:
    """Side of a square in which n random places have about this hull, at most `size`.

    The hull of n uniform points takes about 1 - (8/3) ln(n) / n of their square; few items get
    the whole picture, since each of them decides much.
    """
    share = 1 - 8 / 3 * math.log(n) / n if n > 8 else 0.0
    if share <= 0:
        return size
    return min(size, math.ceil(_DENSER * math.sqrt(target / share)))


def hull_area(centres: Points | Centres, tiles: Sequence[Tile]) -> float:
    """Area of the convex hull around all painted pixels."""
    if not tiles:
        return 0.0
    corners = [tile.corners + centre for tile, centre in zip(tiles, centres, strict=True)]
    return abs(signed_area(convex_hull(np.concatenate(corners))))


def same_area(relative: Points, target: float, tiles_of: TilesOf) -> Diameters:
    """Diameters in about these proportions whose tiles paint the area `target` together."""
    scale = math.sqrt(target / max(float(np.sum(relative**2)) * 0.5, 1e-9))
    for _ in range(8):
        diameters = np.maximum(np.rint(relative * scale).astype(np.int64), 1)
        area = sum(tile.area for tile in tiles_of(diameters))
        if abs(area / target - 1) < 0.002:
            break
        scale *= math.sqrt(target / area)
    # nudging makes none larger by more than a pixel, and what is no pixel wide can't be drawn
    if not len(diameters) or int(diameters.min()) >= SMALLEST - 1:
        diameters = _nudged(diameters, target, tiles_of)
    if len(diameters) and int(diameters.min()) < SMALLEST:
        raise BadInput(
            f"{len(diameters)} items can't share {target:.0f} painted pixels: the smallest would "
            f"be {diameters.min()} pixels wide. Use a larger --size or fewer items."
        )
    return diameters


def _nudged(diameters: Diameters, target: float, tiles_of: TilesOf) -> Diameters:
    """Single items made a pixel larger or smaller while that brings the area nearer."""
    areas = [tile.area for tile in tiles_of(diameters)]
    for item in np.argsort(diameters, kind="stable"):
        missing = target - sum(areas)
        changed = diameters.copy()
        changed[item] += 1 if missing > 0 else -1
        area = tiles_of(changed)[item].area
        if abs(missing - (area - areas[item])) < abs(missing):
            diameters, areas[item] = changed, area
    return diameters


def spread(
    points: Points, diameters: Diameters, tiles: Sequence[Tile], size: int, target: float
) -> tuple[Points | None, float]:
    """The points moved apart or together until the hull has the target area.

    Gives places around the origin, or None with the nearest area that could be reached.
    """
    low, high = _limits(points, diameters, size)
    if low > high:
        return None, math.inf
    smallest, largest = (hull_area(points * factor, tiles) for factor in (low, high))
    if not smallest <= target <= largest:
        return None, smallest if smallest > target else largest
    for _ in range(16):
        middle = (low + high) / 2
        if hull_area(points * middle, tiles) < target:
            low = middle
        else:
            high = middle
    return points * high, target


def _limits(points: Points, diameters: Diameters, size: int) -> tuple[float, float]:
    """Smallest and largest factor at which items keep apart and stay inside.

    Two pixels more than the gap are kept for rounding the places.
    """
    radii = diameters / 2
    away = points[:, None, :] - points[None, :, :]
    distance = np.sqrt(np.sum(away * away, axis=2))
    np.fill_diagonal(distance, np.inf)
    low = float(np.max((radii[:, None] + radii[None, :] + GAP + 2) / distance))
    free = size - 2 * MARGIN - 2 - radii[None, :] - radii[:, None]
    if free.min() < 0:
        return math.inf, 0.0
    # a pair that stands in a line has no limit on the other axis
    apart = np.abs(away)
    high = np.where(apart > 1e-9, free[:, :, None] / np.maximum(apart, 1e-9), np.inf)
    return low, float(high.min())
