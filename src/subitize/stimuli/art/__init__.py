"""Our own vector art, as anti-aliased tiles of any size on white, in 256 colours.

A tile's whole drawing lies inside a circle of its diameter around its centre, so items whose
circles keep apart never touch. Tiles are kept for the next picture, up to a bound in bytes.

Pictures with a palette are a third of the size and take a third of the time. A kind's palette is
white, and an equal share for each of its looks, which holds the look's flat colours exactly; the
rest are the blends at its edges that matter most.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.stimuli.art.drawings import LOOKS, drawing
from subitize.stimuli.art.raster import Colour, Cut, cut
from subitize.stimuli.geometry import Points, convex_hull

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

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.corners.nbytes


class _Kept(OrderedDict[tuple[str, str, int], Tile]):
    """Tiles, the latest used last; the first ones go when there are too many bytes."""

    nbytes = 0

    def add(self, key: tuple[str, str, int], made: Tile) -> None:
        if key in self:
            return
        self[key] = made
        self.nbytes += made.nbytes
        while len(self) > 1 and self.nbytes > _BYTES_KEPT:
            _, gone = self.popitem(last=False)
            self.nbytes -= gone.nbytes


_kept = _Kept()
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
        _kept.add(key, made)
    return made


@lru_cache(maxsize=256)
def _layers(kind: str, look: str) -> tuple[tuple[Points, ...], tuple[Colour, ...]]:
    """The drawing's shapes, moved and scaled so that it just fits the unit circle, and colours."""
    if look not in looks(kind):
        raise UnknownName(f"look of {kind}", look, looks(kind))
    layers = drawing(kind, look)
    points = np.concatenate([shape for shape, _ in layers])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.sqrt(np.max(np.sum((points - middle) ** 2, axis=1))))
    shapes = tuple((shape - middle) / radius for shape, _ in layers)
    return shapes, tuple(colour for _, colour in layers)


@lru_cache(maxsize=32)
def outline(kind: str) -> Points:
    """Convex hull of the kind in its first look, in a circle of radius 1 around its centre."""
    shapes, _ = _layers(kind, looks(kind)[0])
    return convex_hull(np.concatenate(shapes))


def least_area(kind: str) -> float:
    """Painted area of a diameter of 1, in the look that has least of it."""
    return min(_areas(kind))


def most_area(kind: str) -> float:
    """The same in the look that has most of it."""
    return max(_areas(kind))


@lru_cache(maxsize=32)
def _areas(kind: str) -> tuple[float, ...]:
    wide = _SAMPLES[-1]
    return tuple(tile(kind, look, wide).area / wide**2 for look in looks(kind))


@lru_cache(maxsize=256)
def _first_alike(kind: str, look: str) -> str:
    """The first look of the kind with the same shapes, which differs from it in colours alone."""
    shapes, _ = _layers(kind, look)
    for other in looks(kind):
        found, _ = _layers(kind, other)
        if len(found) == len(shapes) and all(map(np.array_equal, found, shapes)):
            return other
    return look


@lru_cache(maxsize=64)
def _cut(kind: str, look: str, diameter: int) -> Cut:
    """The item's shapes in the middle of a square, before they have colours."""
    centre = diameter // 2 + 1
    shapes, _ = _layers(kind, look)
    return cut([shape * (diameter / 2) + centre for shape in shapes], 2 * centre)


def _painted(kind: str, look: str, diameter: int) -> tuple[Cut, Colours, NDArray[np.bool_]]:
    """The item's pixels by class, the classes' RGB, and which classes are painted."""
    shown = _cut(kind, _first_alike(kind, look), diameter)
    pixels = shown.blended(_layers(kind, look)[1]).astype(np.int64)
    return shown, pixels, pixels.min(axis=1) <= 255 - _FAINT


def _share(kind: str) -> int:
    """How many of 255 colours each look has."""
    return 255 // len(looks(kind))


@lru_cache(maxsize=256)
def _colours(kind: str, look: str) -> Colours:
    """A look's share of the palette."""
    codes, many = [], []
    for diameter in _SAMPLES:
        shown, pixels, painted = _painted(kind, look, diameter)
        pixels_each = np.bincount(shown.topmost.reshape(-1), minlength=len(pixels))
        codes.append(pixels[painted] @ (1 << 16, 1 << 8, 1))
        many.append(pixels_each[painted])
    seen, which = np.unique(np.concatenate(codes), return_inverse=True)
    weights = np.bincount(which, np.concatenate(many)).astype(np.int64)
    candidates = np.stack([seen >> 16, seen >> 8 & 255, seen & 255], axis=1)[weights > 0]
    weights = weights[weights > 0]
    found = set(map(tuple, candidates.tolist()))
    flat: list[tuple[int, ...]] = [c for c in dict.fromkeys(_layers(kind, look)[1]) if c in found]
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
    shown, pixels, seen = _painted(kind, look, diameter)
    first = 1 + looks(kind).index(look) * _share(kind)
    numbers = np.where(seen, first + _nearest(pixels, _colours(kind, look)), 0).astype(np.uint8)
    whole = numbers[shown.topmost]
    painted = whole > 0
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    tile = np.ascontiguousarray(whole[top:bottom, left:right])
    tile.flags.writeable = False
    centre = len(painted) // 2
    corners = _outer_corners(painted) - centre
    area = int(np.count_nonzero(tile))
    return Tile(tile, int(left) - centre, int(top) - centre, area, corners)


def _nearest(some: Colours, others: Colours) -> NDArray[np.intp]:
    """Which of the others is nearest to each; whole numbers this small are exact as floats."""
    away = np.empty((len(some), len(others)), np.float32)
    away[:] = (others**2).sum(axis=1)
    # three products by hand: the threads of a matrix product would cost more than it
    for channel in range(3):
        doubled = -2 * some[:, channel].astype(np.float32)
        away += doubled[:, None] * others[:, channel].astype(np.float32)
    return np.asarray(away.argmin(axis=1))


def _outer_corners(painted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Convex hull of the painted pixels' own corners."""
    rows = np.flatnonzero(painted.any(axis=1))
    first = painted[rows].argmax(axis=1)
    last = painted.shape[1] - painted[rows, ::-1].argmax(axis=1)
    xs = np.concatenate([first, first, last, last])
    ys = np.concatenate([rows, rows + 1, rows, rows + 1])
    return convex_hull(np.stack([xs, ys], axis=1).astype(np.float64))
