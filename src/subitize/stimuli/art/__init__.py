"""Our own vector art, as anti-aliased tiles of any size on white, in 256 colours.

A tile's whole drawing lies inside a circle of its diameter around its centre, so items whose
circles keep apart never touch. Tiles are kept for the next picture, up to a bound in bytes.

Pictures with a palette are a third of the size and take a third of the time. A kind's palette is
white, and an equal share for each of its looks, which holds the look's flat colours exactly; the
rest are the blends at its edges that matter most.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.stimuli.art.drawings import LOOKS, drawing
from subitize.stimuli.art.raster import Layer, paint
from subitize.stimuli.geometry import convex_hull

KINDS: tuple[str, ...] = tuple(LOOKS)
_SAMPLES = (24, 48, 160)
"""diameters at which blends are looked at"""
_FAINT = 12
"""a pixel less than this from white is white"""
_BYTES_KEPT = 64 * 2**20

Colours = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tile:
    """An item ready to be put into a picture."""

    numbers: NDArray[np.uint8]
    """numbers in its kind's palette, 0 for white, cut to what is painted"""
    left: int
    """from the item's centre to the first painted column (negative)"""
    top: int
    """from the item's centre to the first painted row (negative)"""
    area: int
    """painted pixels"""
    corners: NDArray[np.float64]
    """convex hull of the painted pixels, relative to the centre"""


_kept: OrderedDict[tuple[str, str, int], Tile] = OrderedDict()
_lock = Lock()


def looks(kind: str) -> tuple[str, ...]:
    """The looks (colours or clothes) a kind comes in."""
    if kind not in LOOKS:
        raise UnknownName("kind of item", kind, KINDS)
    return LOOKS[kind]


def tile(kind: str, look: str, diameter: int) -> Tile:
    """The item in a circle of this diameter (pixels)."""
    key = (kind, look, diameter)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    made = _make(*key)
    with _lock:
        _kept[key] = made
        while len(_kept) > 1 and sum(one.numbers.nbytes for one in _kept.values()) > _BYTES_KEPT:
            _kept.popitem(last=False)
    return made


@lru_cache(maxsize=256)
def _layers(kind: str, look: str) -> tuple[Layer, ...]:
    """The drawing, moved and scaled so that it just fits the unit circle."""
    if look not in looks(kind):
        raise UnknownName(f"look of {kind}", look, looks(kind))
    layers = drawing(kind, look)
    points = np.concatenate([shape for shape, _ in layers])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.sqrt(np.max(np.sum((points - middle) ** 2, axis=1))))
    return tuple(((shape - middle) / radius, colour) for shape, colour in layers)


def _painted(layers: Sequence[Layer], diameter: int) -> tuple[Colours, NDArray[np.bool_]]:
    """RGB of a square with the item in its middle, and which of its pixels are painted."""
    centre = diameter // 2 + 1
    scaled = [(shape * (diameter / 2) + centre, colour) for shape, colour in layers]
    pixels = paint(scaled, 2 * centre).astype(np.int64)
    return pixels, pixels.min(axis=2) <= 255 - _FAINT


def _share(kind: str) -> int:
    """How many of 255 colours each look has."""
    return 255 // len(looks(kind))


@lru_cache(maxsize=256)
def _colours(kind: str, look: str) -> Colours:
    """A look's share of the palette."""
    layers = _layers(kind, look)
    samples = [pixels[painted] for pixels, painted in (_painted(layers, d) for d in _SAMPLES)]
    candidates, weights = np.unique(np.concatenate(samples), axis=0, return_counts=True)
    found = set(map(tuple, candidates.tolist()))
    flat: list[tuple[int, ...]] = [c for c in dict.fromkeys(c for _, c in layers) if c in found]
    chosen = flat[: _share(kind)]
    nearest = _squares(candidates, np.array(chosen)).min(axis=1)
    while len(chosen) < _share(kind) and nearest.any():
        # the colour whose pixels would gain most
        worst = candidates[int(np.argmax(weights * nearest))]
        chosen.append(tuple(worst.tolist()))
        nearest = np.minimum(nearest, _squares(candidates, worst[None])[:, 0])
    return np.array(chosen, np.int64)


def _squares(some: Colours, others: Colours) -> Colours:
    """Squared distances between colours."""
    return np.asarray(((some[:, None] - others[None]) ** 2).sum(axis=2))


@lru_cache(maxsize=32)
def palette(kind: str) -> NDArray[np.uint8]:
    """The kind's colours: white first, then those of each look."""
    colours = np.full((1 + _share(kind) * len(looks(kind)), 3), 255, np.uint8)
    for k, look in enumerate(looks(kind)):
        own = _colours(kind, look)
        colours[1 + k * _share(kind) :][: len(own)] = own
    colours.flags.writeable = False
    return colours


def _make(kind: str, look: str, diameter: int) -> Tile:
    pixels, painted = _painted(_layers(kind, look), diameter)
    seen, which = np.unique(pixels[painted] @ (1 << 16, 1 << 8, 1), return_inverse=True)
    rgb = np.stack([seen >> 16, seen >> 8 & 255, seen & 255], axis=1)
    first = 1 + looks(kind).index(look) * _share(kind)
    numbers = np.zeros(painted.shape, np.uint8)
    numbers[painted] = (first + _squares(rgb, _colours(kind, look)).argmin(axis=1))[which]
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    cut = np.ascontiguousarray(numbers[top:bottom, left:right])
    cut.flags.writeable = False
    centre = len(painted) // 2
    corners = _outer_corners(painted) - centre
    return Tile(cut, int(left) - centre, int(top) - centre, int(painted.sum()), corners)


def _outer_corners(painted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Convex hull of the painted pixels' own corners."""
    rows = np.flatnonzero(painted.any(axis=1))
    first = painted[rows].argmax(axis=1)
    last = painted.shape[1] - painted[rows, ::-1].argmax(axis=1)
    xs = np.concatenate([first, first, last, last])
    ys = np.concatenate([rows, rows + 1, rows, rows + 1])
    return convex_hull(np.stack([xs, ys], axis=1).astype(np.float64))
