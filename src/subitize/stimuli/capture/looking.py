"""What can be seen of a pattern behind a black square, from the pixels alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blob", "PatternScene", "look"]

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_DARK = 100
"""a pixel is black when no channel is brighter"""
_FULL = 0.95
"""share of its box that a square fills"""
_LEAST = 0.03
"""side of the smallest square, as a share of the picture's"""
_COLOURED = 40
"""least difference of two channels in a coloured pixel"""
_FRAGMENT = 0.9
"""share of the usual area below which a blob at the square is what sticks out of it"""
_NEAR = 1.6
"""pixels between a blob and the square that it touches; edges are blurred"""


class Blob(NamedTuple):
    """A coloured spot."""

    x: float
    y: float
    box: tuple[int, int, int, int]
    """x0, y0, x1, y1 in whole pixels"""
    area: float


class PatternScene(NamedTuple):
    """Objects and occluder of a picture."""

    whole: tuple[Blob, ...]
    """objects that are wholly visible"""
    fragments: tuple[Blob, ...]
    """parts of objects that stick out of the square"""
    square: tuple[float, float, float, float] | None
    """the square, also beyond the picture's edge; None when nothing is occluded"""
    radius: float
    """half the side of an object's box"""


def look(pixels: Pixels) -> PatternScene:
    """Find the square and the objects."""
    # channel by channel: numpy is ten times slower along an axis of three
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    bright = np.maximum(np.maximum(red, green), blue)
    colour = bright - np.minimum(np.minimum(red, green), blue)
    seen = _black_square(bright < _DARK)
    square = _whole_square(seen, pixels.shape[:2]) if seen is not None else None
    blobs = _blobs(colour)
    if not blobs:
        return PatternScene((), (), square, 0.0)
    usual = float(np.median([blob.area for blob in blobs]))
    # fragments are many where the square is large, so the usual area comes from blobs apart
    apart = [blob for blob in blobs if seen is None or not _near(blob, seen)]
    if apart:
        usual = float(np.median([blob.area for blob in apart]))
    radius = float(
        np.median([(b.box[2] - b.box[0] + b.box[3] - b.box[1]) / 4 for b in apart or blobs])
    )
    cut = {
        blob
        for blob in blobs
        if seen is not None and _near(blob, seen) and blob.area < _FRAGMENT * usual
    }
    whole = [_inside_out(blob, radius, pixels.shape) for blob in blobs if blob not in cut]
    return PatternScene(tuple(whole), tuple(cut), square, radius)


def _black_square(black: Mask) -> tuple[int, int, int, int] | None:
    """The box of the largest black spot that fills its box."""
    from scipy import ndimage

    if not black.any():
        return None
    top, left, part = _cropped(black)
    labels, _ = ndimage.label(part)
    areas = np.bincount(labels.ravel())[1:]
    largest = int(areas.argmax())
    rows, columns = ndimage.find_objects(labels)[largest]
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if areas[largest] < _FULL * height * width or max(height, width) < _LEAST * black.shape[0]:
        return None
    return left + columns.start, top + rows.start, left + columns.stop, top + rows.stop


def _cropped(mask: Mask) -> tuple[int, int, Mask]:
    """The part of a mask that holds all of it, with its top and left: labelling is dear."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    return top, left, mask[top : rows[-1] + 1, left : columns[-1] + 1]


def _whole_square(
    seen: tuple[int, int, int, int], shape: tuple[int, ...]
) -> tuple[float, float, float, float]:
    """A square that the picture's edge cuts off has the side that is left whole."""
    x0, y0, x1, y1 = map(float, seen)
    side = max(x1 - x0, y1 - y0)
    if x0 <= 0:
        x0 = x1 - side
    elif x1 >= shape[1]:
        x1 = x0 + side
    if y0 <= 0:
        y0 = y1 - side
    elif y1 >= shape[0]:
        y1 = y0 + side
    return x0, y0, x1, y1


def _blobs(colour: NDArray[np.uint8]) -> list[Blob]:
    """Coloured spots from top to bottom; centres are weighed by colour, so they are exact."""
    from scipy import ndimage

    vivid = colour > _COLOURED
    if not vivid.any():
        return []
    strongest = float(np.percentile(colour[vivid], 90))
    above, beside, part = _cropped(vivid)
    colour = colour[above : above + part.shape[0], beside : beside + part.shape[1]]
    labels, _ = ndimage.label(part, structure=np.ones((3, 3)))
    blobs = []
    for index, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        weight = np.where(labels[rows, columns] == index, colour[rows, columns], 0.0) / strongest
        # a spot has at least one half-covered pixel; less is blur
        solid = weight >= 0.5
        if not solid.any():
            continue
        y, x = np.indices(weight.shape)
        total = float(weight.sum())
        down, right = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
        left, top = beside + columns.start, above + rows.start
        box = (left + right[0], top + down[0], left + right[-1] + 1, top + down[-1] + 1)
        centre_x = left + 0.5 + float((weight * x).sum()) / total
        centre_y = top + 0.5 + float((weight * y).sum()) / total
        blobs.append(
            Blob(centre_x, centre_y, (int(box[0]), int(box[1]), int(box[2]), int(box[3])), total)
        )
    return blobs


def _near(blob: Blob, square: tuple[int, int, int, int]) -> bool:
    x0, y0, x1, y1 = blob.box
    across = max(square[0] - x1, x0 - square[2])
    down = max(square[1] - y1, y0 - square[3])
    return max(across, down) <= _NEAR


def _inside_out(blob: Blob, radius: float, shape: tuple[int, ...]) -> Blob:
    """The true centre of an object that the picture's edge cuts off."""
    x0, y0, x1, y1 = blob.box
    x, y = blob.x, blob.y
    if x0 <= 0 and x1 - x0 < 1.8 * radius:
        x = x1 - radius
    elif x1 >= shape[1] and x1 - x0 < 1.8 * radius:
        x = x0 + radius
    if y0 <= 0 and y1 - y0 < 1.8 * radius:
        y = y1 - radius
    elif y1 >= shape[0] and y1 - y0 < 1.8 * radius:
        y = y0 + radius
    return blob._replace(x=x, y=y)
