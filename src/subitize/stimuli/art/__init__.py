"""Our own vector art, as anti-aliased tiles of any size on white.

A tile's whole drawing lies inside a circle of its diameter around its centre, so items whose
circles keep apart never touch. Tiles are kept for the next picture, up to a bound in bytes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from subitize.errors import UnknownName
from subitize.stimuli.art import clip, things
from subitize.stimuli.art.colours import CARD_COLOURS
from subitize.stimuli.art.palette import ENTRIES, indexed, look_colours
from subitize.stimuli.art.raster import Layer, paint
from subitize.stimuli.hull import convex_hull

__all__ = ["KINDS", "Tile", "looks", "palette", "tile"]

_DRAWN: dict[str, tuple[Callable[[str], list[Layer]], tuple[str, ...]]] = {
    "apple": (things.apple, things.APPLES),
    "person": (things.person, tuple(things.PEOPLE)),
    "butterfly": (things.butterfly, things.BUTTERFLIES),
    "dot": (things.dot, things.DOTS),
    **{f"clip {name}": (draw, CARD_COLOURS) for name, draw in clip.CLIPS.items()},
}
KINDS: tuple[str, ...] = tuple(_DRAWN)


@dataclass(frozen=True, eq=False)
class Tile:
    """An item ready to be put into a picture."""

    kind: str
    """whose palette its numbers are from"""
    numbers: NDArray[np.uint8]
    """numbers in the palette, 0 for white, cut to what is painted"""
    left: int
    """from the item's centre to the first painted column (negative)"""
    top: int
    """from the item's centre to the first painted row (negative)"""
    area: int
    """painted pixels"""
    corners: NDArray[np.float64]
    """convex hull of the painted pixels, relative to the centre"""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """RGB on white."""
        return palette(self.kind)[self.numbers]


def looks(kind: str) -> tuple[str, ...]:
    """The looks (colours or clothes) a kind comes in."""
    if kind not in _DRAWN:
        raise UnknownName("kind of item", kind, KINDS)
    return _DRAWN[kind][1]


def tile(kind: str, look: str, diameter: int) -> Tile:
    """The item in a circle of this diameter (pixels)."""
    return _kept.get(kind, look, diameter)


@lru_cache(maxsize=256)
def _layers(kind: str, look: str) -> tuple[Layer, ...]:
    """The drawing, moved and scaled so that it just fits the unit circle."""
    if look not in looks(kind):
        raise UnknownName(f"look of {kind}", look, looks(kind))
    layers = _DRAWN[kind][0](look)
    points = np.concatenate([shape for shape, _ in layers])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.sqrt(np.max(np.sum((points - middle) ** 2, axis=1))))
    return tuple(((shape - middle) / radius, colour) for shape, colour in layers)


@lru_cache(maxsize=256)
def _colours(kind: str, look: str) -> NDArray[np.int64]:
    return look_colours(_layers(kind, look), _share(kind))


def _share(kind: str) -> int:
    return ENTRIES // len(looks(kind))


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
    centre = diameter // 2 + 1
    side = 2 * centre
    scaled = [(s * (diameter / 2) + centre, colour) for s, colour in _layers(kind, look)]
    first = 1 + looks(kind).index(look) * _share(kind)
    numbers = indexed(paint(scaled, side, side), _colours(kind, look), first)
    painted = numbers != 0
    rows, columns = np.flatnonzero(painted.any(axis=1)), np.flatnonzero(painted.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    cut = np.ascontiguousarray(numbers[top:bottom, left:right])
    cut.flags.writeable = False
    corners = _outer_corners(painted) - centre
    return Tile(kind, cut, int(left) - centre, int(top) - centre, int(painted.sum()), corners)


def _outer_corners(painted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Convex hull of the painted pixels' own corners."""
    rows = np.flatnonzero(painted.any(axis=1))
    first = painted[rows].argmax(axis=1)
    last = painted.shape[1] - painted[rows, ::-1].argmax(axis=1)
    xs = np.concatenate([first, first, last, last])
    ys = np.concatenate([rows, rows + 1, rows, rows + 1])
    return convex_hull(np.stack([xs, ys], axis=1).astype(np.float64))


class _Kept:
    """The most recently used tiles, up to a number of bytes."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self.size = 0
        self.tiles: OrderedDict[tuple[str, str, int], Tile] = OrderedDict()
        self.lock = Lock()

    def get(self, kind: str, look: str, diameter: int) -> Tile:
        key = (kind, look, diameter)
        with self.lock:
            found = self.tiles.get(key)
            if found is not None:
                self.tiles.move_to_end(key)
                return found
        made = _make(kind, look, diameter)
        with self.lock:
            if key not in self.tiles:
                self.size += made.numbers.nbytes
            self.tiles[key] = made
            while self.size > self.bound and len(self.tiles) > 1:
                self.size -= self.tiles.popitem(last=False)[1].numbers.nbytes
        return made


_kept = _Kept(bound=64 * 2**20)
