"""What can be seen of a pattern behind a black square, from the pixels alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.pictures.decode import Pixels

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
    # fragments are many where the square is large, so what is usual comes from blobs apart
    near = {blob for blob in blobs if seen is not None and _near(blob, seen)}
    apart = [blob for blob in blobs if blob not in near] or blobs
    usual = float(np.median([blob.area for blob in apart]))
    radius = float(np.median([(b.box[2] - b.box[0] + b.box[3] - b.box[1]) / 4 for b in apart]))
    cut = {blob for blob in near if blob.area < _FRAGMENT * usual}
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
    low, high = [float(edge) for edge in seen[:2]], [float(edge) for edge in seen[2:]]
    side = max(high[0] - low[0], high[1] - low[1])
    for axis in (0, 1):
        if low[axis] <= 0:
            low[axis] = high[axis] - side
        elif high[axis] >= shape[1 - axis]:
            high[axis] = low[axis] + side
    return low[0], low[1], high[0], high[1]


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
        left, top = beside + columns.start, above + rows.start
        down, right, core = _cropped(solid)
        x0, y0 = left + right, top + down
        box = (x0, y0, x0 + core.shape[1], y0 + core.shape[0])
        centre_x = left + 0.5 + float((weight * x).sum()) / total
        centre_y = top + 0.5 + float((weight * y).sum()) / total
        blobs.append(Blob(centre_x, centre_y, box, total))
    return blobs


def _near(blob: Blob, square: tuple[int, int, int, int]) -> bool:
    x0, y0, x1, y1 = blob.box
    across = max(square[0] - x1, x0 - square[2])
    down = max(square[1] - y1, y0 - square[3])
    return max(across, down) <= _NEAR


def _inside_out(blob: Blob, radius: float, shape: tuple[int, ...]) -> Blob:
    """The true centre of an object that the picture's edge cuts off."""
    centre = [blob.x, blob.y]
    for axis in (0, 1):
        low, high = blob.box[axis], blob.box[axis + 2]
        if high - low >= 1.8 * radius:
            continue
        if low <= 0:
            centre[axis] = high - radius
        elif high >= shape[1 - axis]:
            centre[axis] = low + radius
    return blob._replace(x=centre[0], y=centre[1])
