"""Where the things of a generated scene go: darts inside regions, overlapping as far as allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput

MARGIN, GAP, SMALLEST = 2, 2, 8
TREE = 0.2
"""diameter of the tree, as a share of the picture's side"""
WIDEST, STEP, STEPS = 0.15, 0.89, 4
"""largest diameter, as a share of the picture's side; each is the next larger one's share of it, so
that tiles can be used again; things come in so many sizes"""
ROUNDS, DARTS = 24, 48

Numbers = NDArray[np.int64]
Spot = tuple[int, int]
Other = tuple[int, int, float]
"""a thing that is there: its centre, and the square of how far another must stay from it"""


class Layout(NamedTuple):
    """Centres and diameters of all things, the tree first where there is one."""

    centres: Numbers
    diameters: Numbers


def place_things(
    regions: Sequence[str], tree: bool, sizes: Sequence[str], wanted: Mapping[str, float],
    rng: np.random.Generator,
) -> Layout:  # fmt: skip
    """Places for things of these regions (keys of PLACES, or empty for anywhere).

    `sizes` says of each thing: any, same (all of these have one) or differ (not all have one).
    Things overlap by at most the share `overlap` of their diameters; none overlaps the tree.
    """
    side, overlap = int(wanted["size"]), float(wanted["overlap"])
    ladder = WIDEST * side * STEP ** np.arange(STEPS + ROUNDS)
    steps = rng.integers(0, STEPS, len(regions))
    steps[[one == "same" for one in sizes]] = STEPS // 2
    differ = np.flatnonzero([one == "differ" for one in sizes])
    if len(differ) > 1 and len(set(steps[differ].tolist())) == 1:
        steps[differ[-1]] = (steps[differ[-1]] + 1) % STEPS
    for smaller in range(ROUNDS):
        diameters = np.maximum(np.rint(ladder[steps + smaller]), SMALLEST).astype(np.int64)
        found = _throw(regions, tree, diameters, (side, overlap), rng)
        if found is not None:
            return found
    raise BadInput(
        f"{len(regions)} things do not fit in a {side} x {side} scene: use a larger size, fewer "
        "things or more overlap."
    )


def _throw(
    regions: Sequence[str],
    tree: bool,
    diameters: Numbers,
    room: tuple[int, float],
    rng: np.random.Generator,
) -> Layout | None:
    """All things at once, or none: the largest first, each by darts that fall by chance.

    With plain numbers: for a dozen things arrays cost several times as much.
    """
    size, overlap = room
    wide: list[int] = diameters.tolist()
    centres: list[Spot] = [(0, 0)] * (len(regions) + tree)
    if tree:
        wide.insert(0, round(TREE * size))
        x, y = rng.integers(round(0.4 * size), round(0.6 * size), 2, endpoint=True).tolist()
        centres[0] = (x, y)
    keep = 1.0 - overlap
    luck = rng.random((len(centres), DARTS, 2))
    order = (np.argsort(-diameters, kind="stable") + tree).tolist()
    placed = [0] if tree else []
    for item in order:
        diameter = wide[item]
        low, high = _region(regions[item - tree], diameter, size, centres[0], wide[0])
        if high[0] < low[0] or high[1] < low[1]:
            return None
        more = 0 if overlap else GAP
        apart = [(wide[other] + diameter) * (keep / 2) + more for other in placed]
        if tree:
            apart[0] = (wide[0] + diameter) / 2 + GAP
        others = [(*centres[one], far * far) for one, far in zip(placed, apart, strict=True)]
        spot = (_nearest if overlap and others else _first)((low, high), others, luck[item])
        if spot is None:
            return None
        centres[item] = spot
        placed.append(item)
    return Layout(np.array(centres, np.int64).reshape(-1, 2), np.array(wide, np.int64))


def _region(place: str, diameter: int, size: int, tree: Spot, wide: int) -> tuple[Spot, Spot]:
    """First and last place of a centre: a thing left of the tree ends before the tree begins."""
    near = MARGIN + (diameter + 1) // 2
    low, high = [near, near], [size - near, size - near]
    beyond = (wide + diameter) // 2 + GAP
    axis = 0 if place in ("left", "right") else 1
    if place in ("left", "above"):
        high[axis] = min(high[axis], tree[axis] - beyond)
    elif place:
        low[axis] = max(low[axis], tree[axis] + beyond)
    return (low[0], low[1]), (high[0], high[1])


def _first(
    region: tuple[Spot, Spot], others: Sequence[Other], luck: NDArray[np.float64]
) -> Spot | None:
    """The first free place of the darts that fell by `luck` (shares of the region)."""
    (left, top), (right, bottom) = region
    for across, down in luck.tolist():
        x = left + int(across * (right - left + 1))
        y = top + int(down * (bottom - top + 1))
        if all((x - a) * (x - a) + (y - b) * (y - b) >= far for a, b, far in others):
            return x, y
    return None


def _nearest(
    region: tuple[Spot, Spot], others: Sequence[Other], luck: NDArray[np.float64]
) -> Spot | None:
    """The free place that is nearest to another thing, so that overlap is used."""
    low, high = np.array(region)
    darts = low + (luck * (high - low + 1)).astype(np.int64)
    across, down, apart = np.array(others, np.float64).T
    gaps = (darts[:, :1] - across) ** 2 + (darts[:, 1:] - down) ** 2
    free = (gaps >= apart).all(axis=1)
    if not free.any():
        return None
    x, y = darts[int(np.where(free, (gaps / apart).min(axis=1), np.inf).argmin())].tolist()
    return x, y
