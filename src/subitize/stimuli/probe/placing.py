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


class Layout(NamedTuple):
    """Centres and diameters of all things, the tree first where there is one."""

    centres: Numbers
    diameters: Numbers


def place_things(
    regions: Sequence[str], tree: bool, same_size: Sequence[bool], wanted: Mapping[str, float],
    rng: np.random.Generator,
) -> Layout:  # fmt: skip
    """Places for things of these regions (keys of PLACES, or empty for anywhere).

    Things overlap by at most the share `overlap` of their diameters; none overlaps the tree.
    """
    size, overlap = int(wanted["size"]), float(wanted["overlap"])
    ladder = WIDEST * size * STEP ** np.arange(STEPS + ROUNDS)
    steps = rng.integers(0, STEPS, len(regions))
    steps[np.asarray(same_size, bool)] = STEPS // 2
    for smaller in range(ROUNDS):
        diameters = np.maximum(np.rint(ladder[steps + smaller]), SMALLEST).astype(np.int64)
        found = _throw(regions, tree, diameters, (size, overlap), rng)
        if found is not None:
            return found
    raise BadInput(
        f"{len(regions)} things do not fit in a {size} x {size} scene: use a larger size, fewer "
        "things or more overlap."
    )


def _throw(
    regions: Sequence[str],
    tree: bool,
    diameters: Numbers,
    room: tuple[int, float],
    rng: np.random.Generator,
) -> Layout | None:
    size, overlap = room
    centres = np.zeros((len(regions) + tree, 2), np.int64)
    wide = np.concatenate([[round(TREE * size)], diameters]) if tree else diameters
    if tree:
        centres[0] = rng.integers(round(0.4 * size), round(0.6 * size), 2, endpoint=True)
    keep = 1.0 - overlap
    luck = rng.random((len(centres), DARTS, 2))
    order = (np.argsort(-diameters, kind="stable") + tree).tolist()
    placed = [0] if tree else []
    for item in order:
        diameter = int(wide[item])
        low, high = _region(regions[item - tree], diameter, size, centres[0], int(wide[0]))
        if (high < low).any():
            return None
        apart = (wide[placed] + diameter).astype(np.float64) * (keep / 2)
        apart += 0 if overlap else GAP
        if tree:
            apart[0] = (wide[0] + diameter) / 2 + GAP
        spot = _dart((low, high), centres[placed], apart, luck[item], near=overlap > 0)
        if spot is None:
            return None
        centres[item] = spot
        placed.append(item)
    return Layout(centres, wide)


def _region(
    place: str, diameter: int, size: int, tree: Numbers, wide: int
) -> tuple[Numbers, Numbers]:
    """First and last place of a centre: a thing left of the tree ends before the tree begins."""
    near = MARGIN + (diameter + 1) // 2
    low, high = np.array([near, near]), np.array([size - near, size - near])
    beyond = (wide + diameter) // 2 + GAP
    axis = 0 if place in ("left", "right") else 1
    if place in ("left", "above"):
        high[axis] = min(high[axis], tree[axis] - beyond)
    elif place:
        low[axis] = max(low[axis], tree[axis] + beyond)
    return low, high


def _dart(
    region: tuple[Numbers, Numbers],
    centres: Numbers,
    apart: NDArray[np.float64],
    luck: NDArray[np.float64],
    *,
    near: bool,
) -> Numbers | None:
    """The first free place of the darts that fell by `luck` (shares of the region), or the one
    nearest to another thing, so that overlap is used."""
    low, high = region
    darts = low + (luck * (high - low + 1)).astype(np.int64)
    if not len(centres):
        first: Numbers = darts[0]
        return first
    across = darts[:, :1] - centres[:, 0]
    down = darts[:, 1:] - centres[:, 1]
    gaps = across * across + down * down
    free = np.asarray((gaps >= apart * apart).all(axis=1))
    best = int(free.argmax())
    if not free[best]:
        return None
    if near:
        nearest = (gaps / (apart * apart)).min(axis=1)
        best = int(np.where(free, nearest, np.inf).argmin())
    spot: Numbers = darts[best]
    return spot
