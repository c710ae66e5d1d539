"""Where things go: random places that can't touch, with bounded work.

An item is a circle. Two circles keep GAP pixels apart; a painted pixel's centre lies at most
√½ from its circle, so two items' pixels keep at least two white ones between them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput

GAP = 5
"""pixels between two circles"""
MARGIN = 3
"""pixels between a circle and the border"""
SMALLEST = 8
"""diameter below which a thing is no longer recognisable"""
FILL = 0.42
"""share of the picture that darts can fill with circles without much searching"""
_SHRINK, _ROUNDS = 0.88, 5
_DARTS, _BATCHES = 64, 24
_AHEAD = 64
"""items of which the first darts are thrown together"""
_FEW = 16
"""placed items up to which darts are looked at one by one: mostly the first hits nothing"""
_FIRST = 4
"""darts that are looked at first among many items"""

Centres = NDArray[np.int64]
Diameters = NDArray[np.int64]


def capacity(size: int) -> int:
    """How many of the smallest items surely fit: those of a square grid."""
    return max((size - 2 * MARGIN + GAP) // (SMALLEST + GAP), 0) ** 2


def check_room(n: int, size: int, largest: int) -> None:
    """Raise when n items can't be placed."""
    if n > largest:
        raise BadInput(
            f"{n} items do not fit in a {size} x {size} picture: largest n is about {largest}; "
            "use a larger --size or fewer items."
        )


def _fitted(wished: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The wished diameters, all made smaller by one factor where they would crowd the picture."""
    if not len(wished):
        return wished
    inner = size - 2 * MARGIN
    room = FILL * inner * inner
    low, high = 0.0, min(1.0, inner / float(wished.max()))

    def crowded(factor: float) -> bool:
        return float(np.sum((wished * factor + GAP) ** 2)) * math.pi / 4 > room

    if len(wished) == 1 or not crowded(high):
        return wished * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if crowded(middle) else (middle, high)
    return wished * low


def scatter(
    wished: NDArray[np.float64], size: int, rng: np.random.Generator
) -> tuple[Centres, Diameters]:
    """Random places for items of about the wished diameters, smaller where they must be.

    Darts first; where they find no room even for smaller items, a grid with jitter, which always
    has room up to `capacity(size)`.
    """
    n = len(wished)
    check_room(n, size, capacity(size))
    factor = 1.0
    fit = _fitted(wished, size)
    for _ in range(_ROUNDS):
        diameters = np.maximum(np.rint(fit * factor), SMALLEST).astype(np.int64)
        centres = throw_darts(diameters, size, rng)
        if centres is not None:
            return centres, diameters
        factor *= _SHRINK
    return _jittered_grid(fit, size, rng)


def throw_darts(diameters: Diameters, size: int, rng: np.random.Generator) -> Centres | None:
    """Places for circles of exactly these diameters, the largest first; None if not found."""
    wide = diameters.tolist()
    order = sorted(range(len(wide)), key=wide.__getitem__, reverse=True)
    # first whole coordinates at which circles keep the margin; the last ones lie opposite
    nears = [MARGIN + (wide[item] + 1) // 2 for item in order]
    ahead = _thrown_ahead(nears, size, rng)
    placed: list[tuple[int, int, int]] = []
    others = np.empty((len(wide), 3), np.int64)  # the same as an array, for when they are many
    for place, (item, near) in enumerate(zip(order, nears, strict=True)):
        if size - near < near:
            return None
        for _ in range(_BATCHES):
            if ahead is None:
                darts = rng.integers(near, size - near, (_DARTS, 2), endpoint=True)
            else:
                darts = ahead[place]
            if place <= _FEW:
                free = _first_of_few(darts, wide[item], placed)
            else:
                free = _first_free(darts, wide[item], others[:place])
            if free is not None:
                placed.append((*free, wide[item]))
                others[place] = placed[-1]
                break
            if ahead is not None:  # more are needed: give back those of the items to come
                rng.bit_generator.advance(-_DARTS * (len(order) - place - 1))  # type: ignore[attr-defined]
                ahead = None
        else:
            return None
    centres = np.empty((len(wide), 2), np.int64)
    centres[order] = np.array(placed).reshape(-1, 3)[:, :2]
    return centres


def _thrown_ahead(
    nears: list[int], size: int, rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """The first darts of all items, as `rng.integers` would throw them for one item after another
    in ten times the time; None where it can't be told without it.

    NumPy makes two numbers below k from 64 bits, the lower half first: the half × k // 2³². Where
    the rest of it is small a number may be thrown anew, which happens once in 10,000 pictures.
    """
    source = rng.bit_generator
    many, least = len(nears), min(nears, default=0)
    if not 0 < many <= _AHEAD or size - 2 * max(nears) < 1 or size - 2 * least >= 1 << 31:
        return None
    if not isinstance(source, np.random.PCG64) or source.state["has_uint32"]:
        return None
    halves = source.random_raw(many * _DARTS).astype("<u8", copy=False).view("<u4")
    near = np.array(nears, np.uint64)[:, None]
    below = np.uint64(size + 1) - 2 * near
    products = halves.reshape(many, 2 * _DARTS).astype(np.uint64) * below
    if (products.astype(np.uint32) < below).any():
        source.advance(-many * _DARTS)
        return None
    return ((products >> 32) + near).astype(np.int64).reshape(many, _DARTS, 2)


def _first_of_few(
    darts: Centres, diameter: int, placed: list[tuple[int, int, int]]
) -> tuple[int, int] | None:
    """The first dart around which a circle keeps its distance from a few others."""
    # compared as 4 d² so that half pixels stay whole numbers
    apart = [(x, y, (wide + diameter + 2 * GAP) ** 2) for x, y, wide in placed]
    for dart in darts:
        x, y = dart.tolist()
        for a, b, least in apart:
            if 4 * ((x - a) ** 2 + (y - b) ** 2) < least:
                break
        else:
            return x, y
    return None


def _first_free(darts: Centres, diameter: int, others: NDArray[np.int64]) -> tuple[int, int] | None:
    """The same for many others; a few darts at first, since one of those is mostly free."""
    least = (others[:, 2] + diameter + 2 * GAP) ** 2
    for some in (darts[:_FIRST], darts[_FIRST:]):
        away = some[:, None, :] - others[None, :, :2]
        free = np.all(4 * np.sum(away * away, axis=2) >= least, axis=1)
        if free.any():
            x, y = some[int(free.argmax())].tolist()
            return x, y
    return None


def _jittered_grid(
    wished: NDArray[np.float64], size: int, rng: np.random.Generator
) -> tuple[Centres, Diameters]:
    """One cell per item in random order; an item may move inside its cell."""
    n = len(wished)
    side = math.isqrt(n - 1) + 1
    room = (size - 2 * MARGIN + GAP) // side - GAP
    widest = np.minimum(wished * (room / float(wished.max())), room)
    diameters = np.clip(np.floor(widest), SMALLEST, room).astype(np.int64)
    cells = rng.permutation(side * side)[:n]
    corner = np.stack([cells % side, cells // side], axis=1) * (room + GAP) + MARGIN
    radius = (diameters + 1) // 2
    free = np.maximum(room - 2 * radius, 0)
    jitter = rng.integers(0, free[:, None], (n, 2), endpoint=True)
    return corner + radius[:, None] + jitter, diameters
