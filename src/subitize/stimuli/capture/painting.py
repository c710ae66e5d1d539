"""From places to pixels: anti-aliased objects and a black square, in 256 colours.

A colour's number is 16 times the black share plus the object's share of the pixel, both in
sixteen steps. So objects and occluder are painted apart and simply added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLOURS = {
    "blue": (0, 0, 255),
    "green": (0, 128, 0),
    "red": (255, 0, 0),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
}
_STEPS = 15
_SUBPIXELS = 8
"""objects are drawn at the nearest eighth of a pixel, so that tiles can be used again"""
_SAMPLES = 8
"""sub-samples per pixel and axis for a disc's edge"""

Tile = NDArray[np.uint8]


def paint(size: int, facts: Mapping[str, Any]) -> Tile:
    """Numbers in the colour's palette of a picture with these positions, radius and occluder."""
    canvas = np.zeros((size, size), np.uint8)
    for x, y in facts["positions"]:
        left, top = math.floor(x), math.floor(y)
        tile = _tile(facts["object"], facts["radius"], _eighth(x - left), _eighth(y - top))
        reach = tile.shape[0] // 2
        _stamp(canvas, tile, left - reach, top - reach)
    if facts["occluder"] is not None:
        x0, y0, x1, y1 = facts["occluder"]
        down, across = _shares(y0, y1, size), _shares(x0, x1, size)
        rows, columns = np.flatnonzero(down), np.flatnonzero(across)
        black = np.rint(np.outer(down[rows], across[columns]) * _STEPS).astype(np.uint8)
        canvas[np.ix_(rows, columns)] += black << 4
    return canvas


def _eighth(share: float) -> int:
    return min(_SUBPIXELS - 1, round(share * _SUBPIXELS))


def _stamp(canvas: Tile, tile: Tile, left: int, top: int) -> None:
    """Add a tile where it lies inside the picture."""
    size, side = canvas.shape[0], tile.shape[0]
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + side, size), min(top + side, size)
    if x0 < x1 and y0 < y1:
        part = canvas[y0:y1, x0:x1]
        np.maximum(part, tile[y0 - top : y1 - top, x0 - left : x1 - left], out=part)


@lru_cache(maxsize=4096)
def _tile(kind: str, radius: float, right: int, down: int) -> Tile:
    """Shares of an object whose centre lies so many eighths into the tile's middle pixel."""
    reach = math.ceil(radius) + 1
    side = 2 * reach + 1
    x, y = reach + right / _SUBPIXELS, reach + down / _SUBPIXELS
    if kind == "boxes":
        share = np.outer(
            _shares(y - radius, y + radius, side), _shares(x - radius, x + radius, side)
        )
    else:
        at = (np.arange(side * _SAMPLES) + 0.5) / _SAMPLES
        inside = (at[None, :] - x) ** 2 + (at[:, None] - y) ** 2 <= radius**2
        share = inside.reshape(side, _SAMPLES, side, _SAMPLES).mean(axis=(1, 3))
    return np.rint(share * _STEPS).astype(np.uint8)


def _shares(start: float, end: float, size: int) -> NDArray[np.float64]:
    """Which share of each of `size` pixels lies between start and end."""
    pixels = np.arange(size)
    inside = np.minimum(end, pixels + 1) - np.maximum(start, pixels)
    return np.asarray(np.clip(inside, 0.0, 1.0))


@lru_cache(maxsize=16)
def palette(colour: str) -> NDArray[np.uint8]:
    """What the numbers mean for objects of this colour."""
    steps = np.arange(_STEPS + 1) / _STEPS
    plain = 255 + steps[:, None] * (np.array(COLOURS[colour]) - 255.0)
    shaded = (1 - steps)[:, None, None] * plain[None]
    return np.rint(shaded.reshape(256, 3)).astype(np.uint8)
