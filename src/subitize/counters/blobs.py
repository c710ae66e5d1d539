"""A classical counter for simple pictures: threshold, connected components, splitting.

It knows nothing of what the things are: every blob that stands out from the background counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.counters.pictures import decode_noted
from subitize.errors import ModelError
from subitize.models.base import Answers, Boxes, Item, Kind, Model, ModelOptions, Reply
from subitize.models.names import ModelName, typed_settings

__all__ = ["Blobs", "find_blobs", "open_blobs"]

DEFAULTS = {"contrast": 40, "speck": 0.00005, "split": True}
Mask = NDArray[np.bool_]
Box = list[float]


class Blobs(Model):
    """Counts blobs; settings: `contrast` (0..255), `speck` (share of the picture), `split`."""

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)
    batch_size = 8
    revision = "1"

    def count(self, items: Sequence[Item]) -> Answers:
        return [self._count(item) for item in items]

    def _count(self, item: Item) -> Reply | ModelError:
        if item.picture is None:
            return ModelError("a counter needs a picture")
        try:
            decoded = decode_noted(item.picture)
        except ModelError as problem:
            return problem
        height, width = decoded.pixels.shape[:2]
        boxes = find_blobs(decoded.pixels, **self.settings)
        # Every blob has the score 1, and no two of them are the same: nothing is merged.
        value: Boxes = {"boxes": boxes, "size": [width, height], "threshold": 0.5, "nms": 1.0}
        if decoded.note:
            value["note"] = decoded.note
        return Reply("boxes", value)


def find_blobs(
    picture: NDArray[np.uint8], *, contrast: int = 40, speck: float = 0.00005, split: bool = True
) -> list[Box]:
    """Boxes [x0, y0, x1, y1, score] of all blobs, from top to bottom."""
    from scipy import ndimage

    mask = _standing_out(picture, contrast)
    labels, found = ndimage.label(mask, structure=np.ones((3, 3)))
    if not found:
        return []
    areas = np.bincount(labels.ravel())[1:]
    smallest = max(3.0, speck * mask.size)
    kept = [index for index in range(found) if areas[index] >= smallest]
    typical = float(np.median(areas[kept])) if len(kept) >= 4 else None
    places = ndimage.find_objects(labels)
    boxes: list[Box] = []
    for index in kept:
        rows, columns = places[index]
        blob = labels[rows, columns] == index + 1
        parts = _split(blob, typical) if split else []
        for top, left, bottom, right in parts or [(0, 0, *blob.shape)]:
            y, x = rows.start, columns.start
            boxes.append(
                [float(x + left), float(y + top), float(x + right), float(y + bottom), 1.0]
            )
    return boxes


def _standing_out(picture: NDArray[np.uint8], contrast: int) -> Mask:
    """Pixels unlike the background, which is the median colour of the border."""
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    background = np.median(border, axis=0).astype(np.int16)
    mask: Mask = np.abs(picture - background).max(axis=2) > contrast
    return mask


def _split(blob: Mask, typical: float | None) -> list[tuple[int, int, int, int]]:
    """Boxes of the parts of a blob of touching things; empty when it is one thing.

    Parts are basins of the distance to the blob's edge. A blob is split when its parts are round
    (touching discs), or when it is much larger than the picture's typical blob and its parts are
    of typical size; anything else, such as the wings of one butterfly, stays whole.
    """
    from scipy import ndimage

    area = int(blob.sum())
    step = max(1, int(np.sqrt(area) / 96))
    small = np.pad(blob[::step, ::step], 1)
    depth = ndimage.distance_transform_edt(small)
    peaks = _peaks(depth)
    if peaks.max() < 2:
        return []
    inverted = (255 * (1 - depth / depth.max())).astype(np.uint8)
    markers = peaks.astype(np.int32)
    markers[~small] = -1
    basins = ndimage.watershed_ift(inverted, markers, structure=np.ones((3, 3), dtype=int))
    sizes = ndimage.sum_labels(small, basins, index=np.arange(1, peaks.max() + 1)) * step**2
    depths = ndimage.maximum(depth, basins, index=np.arange(1, peaks.max() + 1)) * step
    round_parts = np.abs(sizes / (np.pi * depths**2) - 1) < 0.25
    like_others = (
        typical is not None
        and area > 1.5 * typical
        and bool((np.abs(sizes / typical - 1) < 0.4).all())
    )
    if not (round_parts.all() or like_others):
        return []
    parts = []
    for place in ndimage.find_objects(np.where(basins > 0, basins, 0)):
        rows, columns = place
        parts.append(
            (
                max(0, (rows.start - 1) * step),
                max(0, (columns.start - 1) * step),
                min(blob.shape[0], (rows.stop - 1) * step),
                min(blob.shape[1], (columns.stop - 1) * step),
            )
        )
    return parts


def _peaks(depth: NDArray[np.float64]) -> NDArray[Any]:
    """Labels of the deep places: connected parts that stand at least a fifth above the saddle."""
    from scipy import ndimage

    best: NDArray[Any] = np.zeros(depth.shape, dtype=np.int32)
    most = 0
    for level in np.linspace(0.9, 0.3, 7):
        labels, found = ndimage.label(depth > level * depth.max(), structure=np.ones((3, 3)))
        if found > most:
            best, most = labels, found
    return best


def open_blobs(name: ModelName, _options: ModelOptions) -> Blobs:
    return Blobs(name.full, typed_settings(name, DEFAULTS))
