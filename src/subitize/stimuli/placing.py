"""Where things go: random places that can't touch, with bounded work.

An item is a circle. Two circles keep GAP pixels apart; a painted pixel's centre lies at most
√½ from its circle, so two items' pixels keep at least two white ones between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice

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
    each = wished.tolist()
    factor = min(1.0, inner / max(each))
    if len(wished) > 1:
        # the circles with their gaps take Σ (factor · wished + GAP)² · π / 4
        squares, middle = sum(one * one for one in each), GAP * sum(each)
        beyond = FILL * inner * inner * 4 / math.pi - len(wished) * GAP**2
        roomy = (math.sqrt(middle**2 + squares * max(beyond, 0.0)) - middle) / squares
        factor = min(factor, roomy)
    fitted: NDArray[np.float64] = wished * factor
    return fitted


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
    centres = np.empty((len(wide), 2), np.int64)
    placed: list[tuple[int, int, int]] = []
    stream = _stream(rng)
    others = np.empty((len(wide), 3), np.int64)  # the same as an array, for when they are many
    for place, item in enumerate(order):
        # the first whole coordinate at which the circle keeps the margin, and how many there are
        near = MARGIN + (wide[item] + 1) // 2
        span = size - 2 * near + 1
        if span < 1:
            return None
        if place <= _FEW:
            darts = islice(stream, _DARTS * _BATCHES)
            free = _first_of_few(darts, near, span, wide[item], placed)
        else:
            free = _first_free(near, span, wide[item], others[:place], rng)
        if free is None:
            return None
        placed.append((*free, wide[item]))
        others[place] = placed[-1]
        centres[item] = free
    return centres


def _stream(rng: np.random.Generator) -> Iterator[list[float]]:
    """Places in a square of side 1, one after another."""
    while True:
        yield from rng.random((_DARTS, 2)).tolist()


def _first_of_few(
    darts: Iterable[list[float]],
    near: int,
    span: int,
    diameter: int,
    placed: list[tuple[int, int, int]],
) -> tuple[int, int] | None:
    """The first dart around which a circle keeps its distance from a few others."""
    # compared as 4 d² so that half pixels stay whole numbers
    apart = [(x, y, (wide + diameter + 2 * GAP) ** 2) for x, y, wide in placed]
    for across, down in darts:
        x, y = near + int(across * span), near + int(down * span)
        for a, b, least in apart:
            if 4 * ((x - a) ** 2 + (y - b) ** 2) < least:
                break
        else:
            return x, y
    return None


def _first_free(
    near: int, span: int, diameter: int, others: NDArray[np.int64], rng: np.random.Generator
) -> tuple[int, int] | None:
    """The same for many others; a few darts at first, since one of those is mostly free."""
    least = (others[:, 2] + diameter + 2 * GAP) ** 2
    for many in (_FIRST, *[_DARTS] * _BATCHES):
        darts = near + (rng.random((many, 2)) * span).astype(np.int64)
        away = darts[:, None, :] - others[None, :, :2]
        free = np.all(4 * np.sum(away * away, axis=2) >= least, axis=1)
        if free.any():
            x, y = darts[int(free.argmax())].tolist()
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
