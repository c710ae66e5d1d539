"""Our own vector art, as anti-aliased tiles of any size on white, in 256 colours.

A tile's whole drawing lies inside a circle of its diameter around its centre, so items whose
circles keep apart never touch. Tiles are kept for the next picture, up to a bound in bytes.

Pictures with a palette are a third of the size and take a third of the time. A kind's palette is
white, and an equal share for each of its looks, which holds the look's flat colours exactly; the
rest are the blends at its edges that matter most.
"""

from __future__ import annotations

import hashlib
import struct
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.pictures.encode import Weight, as_numbers
from subitize.stimuli.art.drawings import LOOKS, drawing
from subitize.stimuli.art.raster import Colour, Cut, Outlines, cut
from subitize.stimuli.geometry import Points, convex_hull

KINDS: tuple[str, ...] = tuple(LOOKS)
STORED = Path(__file__).with_name("palettes.bin")
"""all palettes, in the order of KINDS"""
_WIDE = 160
"""diameter at which areas are compared"""
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
    colours: NDArray[np.uint32]
    """of its kind's palette, as numbers"""

    @cached_property
    def sha256(self) -> bytes:
        """Hash of its shape and its pixels' colours."""
        shape = struct.pack("<qq", *self.numbers.shape)
        return hashlib.sha256(shape + self.colours.take(self.numbers).tobytes()).digest()

    @cached_property
    def weight(self) -> Weight:
        """What it adds to a picture's checksum."""
        return Weight.of(self.numbers)

    @cached_property
    def corners(self) -> Points:
        """Convex hull of the painted pixels, relative to the centre; many a picture needs none."""
        corners: Points = _outer_corners(self.numbers > 0) + np.array((self.left, self.top))
        return corners


class _Kept(OrderedDict[tuple[str, str, int], Tile]):
    """Tiles, the latest used last; the first ones go when there are too many bytes."""

    nbytes = 0

    def add(self, key: tuple[str, str, int], made: Tile) -> None:
        if key in self:
            return
        self[key] = made
        self.nbytes += _bytes(made)
        while len(self) > 1 and self.nbytes > _BYTES_KEPT:
            _, gone = self.popitem(last=False)
            self.nbytes -= _bytes(gone)


def _bytes(made: Tile) -> int:
    return made.numbers.nbytes


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
def layers_of(kind: str, look: str) -> tuple[Outlines, tuple[Colour, ...]]:
    """The drawing's shapes, moved and scaled so that it just fits the unit circle, and colours."""
    if look not in looks(kind):
        raise UnknownName(f"look of {kind}", look, looks(kind))
    layers = drawing(kind, look)
    shapes = Outlines.of([shape for shape, _ in layers])
    points = shapes.points
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.sqrt(np.max(np.sum((points - middle) ** 2, axis=1))))
    fitted = shapes._replace(points=(points - middle) / radius)
    return fitted, tuple(colour for _, colour in layers)


@lru_cache(maxsize=32)
def outline(kind: str) -> Points:
    """Convex hull of the kind in its first look, in a circle of radius 1 around its centre."""
    shapes, _ = layers_of(kind, looks(kind)[0])
    return convex_hull(shapes.points)


def least_area(kind: str) -> float:
    """Painted area of a diameter of 1, in the look that has least of it."""
    return min(_areas(kind))


def most_area(kind: str) -> float:
    """The same in the look that has most of it."""
    return max(_areas(kind))


@lru_cache(maxsize=32)
def _areas(kind: str) -> tuple[float, ...]:
    return tuple(tile(kind, look, _WIDE).area / _WIDE**2 for look in looks(kind))


@lru_cache(maxsize=256)
def _first_alike(kind: str, look: str) -> str:
    """The first look of the kind with the same shapes, which differs from it in colours alone."""
    shapes, _ = layers_of(kind, look)
    for other in looks(kind):
        found, _ = layers_of(kind, other)
        if all(map(np.array_equal, found, shapes)):
            return other
    return look


@lru_cache(maxsize=192)
def _cut(kind: str, look: str, diameter: int) -> Cut:
    """The item's shapes in the middle of a square, before they have colours."""
    centre = diameter // 2 + 1
    shapes, _ = layers_of(kind, look)
    return cut(shapes._replace(points=shapes.points * (diameter / 2) + centre), 2 * centre)


def painted_classes(kind: str, look: str, diameter: int) -> tuple[Cut, Colours, NDArray[np.bool_]]:
    """The item's pixels by class, the classes' RGB, and which classes are painted."""
    shown = _cut(kind, _first_alike(kind, look), diameter)
    pixels = shown.blended(layers_of(kind, look)[1]).astype(np.int64)
    return shown, pixels, pixels.min(axis=1) <= 255 - _FAINT


def share_of(kind: str) -> int:
    """How many of 255 colours each look has."""
    return 255 // len(looks(kind))


@lru_cache(maxsize=1)
def _palettes() -> dict[str, NDArray[np.uint8]]:
    """Every kind's palette: `choosing` finds them, which takes longer than a hundred pictures."""
    colours = np.frombuffer(STORED.read_bytes(), np.uint8).reshape(-1, 3)
    lengths = [1 + share_of(kind) * len(looks(kind)) for kind in KINDS]
    return dict(zip(KINDS, np.split(colours, np.cumsum(lengths)[:-1]), strict=True))


def palette(kind: str) -> NDArray[np.uint8]:
    """The kind's colours: white first, then those of each look, filled up with white."""
    return _palettes()[kind]


@lru_cache(maxsize=32)
def _numbers(kind: str) -> NDArray[np.uint32]:
    return as_numbers(palette(kind))


@lru_cache(maxsize=256)
def _colours(kind: str, look: str) -> Colours:
    """A look's share of the palette."""
    first = 1 + looks(kind).index(look) * share_of(kind)
    own = palette(kind)[first : first + share_of(kind)]
    return own[(own < 255).any(axis=1)].astype(np.int64)


def _make(kind: str, look: str, diameter: int) -> Tile:
    shown, pixels, seen = painted_classes(kind, look, diameter)
    first = 1 + looks(kind).index(look) * share_of(kind)
    numbers = np.where(seen, first + _nearest(pixels, _colours(kind, look)), 0).astype(np.uint8)
    whole = numbers[shown.topmost]
    painted = whole > 0
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    tile = np.ascontiguousarray(whole[top:bottom, left:right])
    tile.flags.writeable = False
    centre = len(painted) // 2
    area = int(np.count_nonzero(tile))
    return Tile(tile, int(left) - centre, int(top) - centre, area, _numbers(kind))


def _nearest(some: Colours, others: Colours) -> NDArray[np.intp]:
    """Which of the others is nearest to each; whole numbers this small are exact as floats."""
    # many pixels have the same colour
    seen, which = np.unique(some @ (1 << 16, 1 << 8, 1), return_inverse=True)
    away = np.empty((len(seen), len(others)), np.float32)
    away[:] = (others**2).sum(axis=1)
    # three products by hand: the threads of a matrix product would cost more than it
    for channel, shift in enumerate((16, 8, 0)):
        doubled = -2 * (seen >> shift & 255).astype(np.float32)
        away += doubled[:, None] * others[:, channel].astype(np.float32)
    return np.asarray(away.argmin(axis=1)[which])


def _outer_corners(painted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Convex hull of the painted pixels' own corners."""
    rows = np.flatnonzero(painted.any(axis=1))
    first = painted[rows].argmax(axis=1)
    last = painted.shape[1] - painted[rows, ::-1].argmax(axis=1)
    xs = np.concatenate([first, first, last, last])
    ys = np.concatenate([rows, rows + 1, rows, rows + 1])
    return convex_hull(np.stack([xs, ys], axis=1).astype(np.float64))
