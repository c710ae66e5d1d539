"""The 256 colours of a kind of item: white, and an equal share for each of its looks.

Pictures with a palette are a third of the size and take a third of the time. A look's share holds
its flat colours exactly; the rest are the blends at its edges that matter most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subitize.stimuli.art.raster import Layer, paint

__all__ = ["ENTRIES", "indexed", "look_colours"]

ENTRIES = 255
"""colours of a palette beside white, which is number 0"""
_SAMPLES = (24, 48, 160)
"""diameters at which blends are looked at"""
_FAINT = 12
"""a pixel less than this from white is white"""

Colours = NDArray[np.int64]


def look_colours(layers: Sequence[Layer], share: int) -> Colours:
    """At most `share` colours for an item given as layers in the unit circle."""
    found: dict[tuple[int, ...], int] = {}
    for diameter in _SAMPLES:
        colours, counts = np.unique(_painted(layers, diameter), axis=0, return_counts=True)
        for colour, count in zip(colours.tolist(), counts.tolist(), strict=True):
            found[tuple(colour)] = found.get(tuple(colour), 0) + count
    candidates = np.array(sorted(found), np.int64)
    weights = np.array([found[colour] for colour in sorted(found)], np.int64)
    chosen = [c for c in dict.fromkeys(colour for _, colour in layers) if c in found][:share]
    nearest = _squares(candidates, np.array(chosen)).min(axis=1)
    while len(chosen) < share and nearest.any():
        # the colour whose pixels would gain most
        worst = candidates[int(np.argmax(weights * nearest))]
        chosen.append((int(worst[0]), int(worst[1]), int(worst[2])))
        nearest = np.minimum(nearest, _squares(candidates, worst[None])[:, 0])
    return np.array(chosen, np.int64)


def indexed(pixels: NDArray[np.uint8], colours: Colours, first: int) -> NDArray[np.uint8]:
    """Each pixel as the number of its nearest colour, counted from `first`; 0 is white."""
    flat = pixels.reshape(-1, 3).astype(np.int64)
    packed = flat @ np.array([1 << 16, 1 << 8, 1])
    numbers = np.zeros(len(flat), np.uint8)
    open_ = flat.min(axis=1) <= 255 - _FAINT
    for k, colour in enumerate(colours @ np.array([1 << 16, 1 << 8, 1])):
        same = packed == colour
        numbers[same] = first + k
        open_ &= ~same
    rest = np.flatnonzero(open_)
    numbers[rest] = first + _squares(flat[rest], colours).argmin(axis=1)
    return numbers.reshape(pixels.shape[:2])


def _painted(layers: Sequence[Layer], diameter: int) -> Colours:
    side = diameter + 2
    scaled = [(shape * (diameter / 2) + side / 2, colour) for shape, colour in layers]
    pixels = paint(scaled, side, side).reshape(-1, 3).astype(np.int64)
    painted: Colours = pixels[pixels.min(axis=1) <= 255 - _FAINT]
    return painted


def _squares(some: Colours, others: Colours) -> NDArray[np.int64]:
    """Squared distances between colours."""
    total = np.zeros((len(some), len(others)), np.int64)
    for channel in range(3):
        total += (some[:, None, channel] - others[None, :, channel]) ** 2
    return total
