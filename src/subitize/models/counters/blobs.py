"""A classical counter for simple pictures: threshold, connected components, splitting.

It knows nothing of what the things are: every blob that stands out from the background counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.models.base import ModelOptions
from subitize.models.counters.classical import NOT_PLAIN, Box, ClassicalCounter
from subitize.models.names import ModelName, typed_settings

DEFAULTS = {"contrast": 40, "speck": 0.00005, "split": True}
ROUND = 0.2
"""how far the area of a part may be from that of its disc"""
UNLIKE = 0.06
"""share of a blob that may differ from the union of its discs, edges aside"""
SMALL_PART = 0.25
"""least radius of a part beside the largest part's"""
LEAST_RADIUS = 3.0
"""in pixels; of smaller parts nobody can tell whether they are round"""
MOST_PARTS = 64
PLAIN, MOSTLY_PLAIN = 16, 0.85
"""how far a pixel of a plain rim may be from the others, and for how many that must hold"""
PURE_BLACK = 24
"""a pixel of a black box drawn over things has no brighter channel"""
Mask = NDArray[np.bool_]


class Blobs(ClassicalCounter):
    """Counts blobs; settings: `contrast` (0..255), `speck` (share of the picture), `split`."""

    revision = "2"

    def find(self, pixels: NDArray[np.uint8]) -> list[Box]:
        return find_blobs(pixels, **self.settings)

    def doubt(self, pixels: NDArray[np.uint8]) -> str:
        return "" if has_plain_rim(pixels) else NOT_PLAIN


def has_plain_rim(picture: NDArray[np.uint8]) -> bool:
    """Whether nearly all of a picture's rim is of one colour, as a drawing's is."""
    height, width = picture.shape[:2]
    wide = max(1, min(height, width) // 50)
    sides = picture[wide:-wide]
    strips = picture[:wide], picture[-wide:], sides[:, :wide], sides[:, -wide:]
    rim = np.concatenate([strip.reshape(-1, picture.shape[2]) for strip in strips])
    plain = np.ones(len(rim), dtype=bool)
    # Channel by channel and in bytes, as below.
    for shade in rim.T:
        middle = int(np.median(shade))
        plain &= (shade >= max(0, middle - PLAIN)) & (shade <= min(255, middle + PLAIN))
    return bool(plain.mean() >= MOSTLY_PLAIN)


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
    places = ndimage.find_objects(labels)
    kept = _without_occluder(kept, picture, labels, places)
    typical = _typical(areas[kept])
    boxes: list[Box] = []
    for index in kept:
        rows, columns = places[index]
        blob = labels[rows, columns] == index + 1
        parts = _split(blob, typical) if split else []
        for top, left, bottom, right in parts or [(0, 0, *blob.shape)]:
            y, x = rows.start, columns.start
            corners = (x + left, y + top, x + right, y + bottom)
            boxes.append([*map(float, corners), 1.0])
    return boxes


def _without_occluder(
    kept: list[int], picture: NDArray[np.uint8], labels: NDArray[Any], places: list[Any]
) -> list[int]:
    """Leave out a purely black box among coloured things: it covers things and is none."""
    boxed = []
    for index in kept:
        black = (picture[places[index]].max(axis=2) < PURE_BLACK) & (
            labels[places[index]] == index + 1
        )
        if not black.any():
            continue
        down, across = np.flatnonzero(black.any(axis=1)), np.flatnonzero(black.any(axis=0))
        full = int(np.ptp(down) + 1) * int(np.ptp(across) + 1)
        if black.sum() < 0.95 * full or black.sum() < 0.5 * (labels == index + 1).sum():
            return kept  # black is the colour of things here
        boxed.append(index)
    return [index for index in kept if index not in boxed] if len(boxed) == 1 < len(kept) else kept


def _typical(areas: NDArray[Any]) -> float | None:
    """The size that most blobs of the picture share; None where sizes vary or blobs are few.

    Where sizes vary, a large blob is a large thing: size can't tell it from two small ones.
    """
    if len(areas) < 4:
        return None
    middle = float(np.median(areas))
    alike = np.abs(areas / middle - 1) < 0.15
    return middle if alike.mean() >= 0.75 else None


def _standing_out(picture: NDArray[np.uint8], contrast: int) -> Mask:
    """Pixels unlike the background, which is the median colour of the border."""
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    mask: Mask = np.zeros(picture.shape[:2], dtype=bool)
    # Channel by channel and in bytes: ten times faster than differences of the whole picture.
    for channel, value in enumerate(np.median(border, axis=0).astype(int).tolist()):
        shade = picture[:, :, channel]
        if value + contrast < 255:
            mask |= shade > value + contrast
        if value - contrast > 0:
            mask |= shade < value - contrast
    return mask


def _split(blob: Mask, typical: float | None) -> list[tuple[int, int, int, int]]:
    """Boxes of the parts of a blob of touching things; empty when it is one thing.

    A blob is split when its parts are discs, or when most blobs of the picture are of one size,
    it is much larger and its parts are of that size; anything else, such as the wings of one
    butterfly, stays whole.
    """
    area = int(blob.sum())
    step = max(1, int(np.sqrt(area) / 64))
    small = blob[::step, ::step]
    discs = _discs(small)
    if len(discs) < 2:
        return []
    owner = _owners(small, discs)
    sizes = np.bincount(owner[small], minlength=len(discs)).astype(np.float64)
    round_parts = np.abs(sizes / (np.pi * discs[:, 2] ** 2) - 1) < ROUND
    are_discs = bool(round_parts.all()) and _made_of(small, discs)
    like_others = (
        typical is not None
        and area > 1.5 * typical
        and bool((np.abs(sizes * step**2 / typical - 1) < 0.4).all())
    )
    if not (are_discs or like_others):
        return []
    parts = []
    for index in range(len(discs)):
        rows, columns = np.nonzero(small & (owner == index))
        bottom = min(blob.shape[0], int(rows.max() + 1) * step)
        right = min(blob.shape[1], int(columns.max() + 1) * step)
        parts.append((int(rows.min()) * step, int(columns.min()) * step, bottom, right))
    return parts


def _discs(blob: Mask) -> NDArray[np.float64]:
    """The largest discs that fit into a blob one beside another: rows of (y, x, radius).

    The largest is taken, what it covers is cut out, and so on until the rest holds only discs
    that are small beside the first: of a single disc a thin ring stays.
    """
    from scipy import ndimage

    rest = np.pad(blob, 1)
    whole = depth = ndimage.distance_transform_edt(rest)
    y, x = np.ogrid[: rest.shape[0], : rest.shape[1]]
    found: list[tuple[float, float, float]] = []
    while len(found) < MOST_PARTS:
        row, column = np.unravel_index(int(depth.argmax()), depth.shape)
        radius = float(depth[row, column])
        if radius < LEAST_RADIUS or (found and radius < SMALL_PART * found[0][2]):
            break
        # What was cut out has bitten into its neighbours: the whole blob knows their true middle.
        inside = (y - row) ** 2 + (x - column) ** 2 < radius**2
        row, column = np.unravel_index(int((whole * inside).argmax()), depth.shape)
        radius = float(whole[row, column]) - 0.5  # to the edge of the last pixel, not its middle
        found.append((row - 1.0, column - 1.0, radius))
        rest &= (y - row) ** 2 + (x - column) ** 2 > (1.1 * radius + 1) ** 2
        depth = ndimage.distance_transform_edt(rest)
    return np.array(found).reshape(-1, 3)


def _made_of(blob: Mask, discs: NDArray[np.float64]) -> bool:
    """Whether the blob is the union of these discs, but for what pixels do to their edges."""
    y, x = np.ogrid[: blob.shape[0], : blob.shape[1]]
    union = np.zeros(blob.shape, dtype=bool)
    for row, column, radius in discs:
        union |= (y - row) ** 2 + (x - column) ** 2 <= radius**2
    differing = float((union != blob).sum()) / float(blob.sum())
    return differing < UNLIKE + 0.6 / float(discs[:, 2].min())


def _owners(blob: Mask, discs: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each pixel the disc that it belongs to: the one with the least distance² − radius²."""
    y, x = np.ogrid[: blob.shape[0], : blob.shape[1]]
    power = [(y - row) ** 2 + (x - column) ** 2 - radius**2 for row, column, radius in discs]
    owner: NDArray[np.int64] = np.argmin(np.stack(power), axis=0)
    return owner


def open_blobs(name: ModelName, _options: ModelOptions) -> Blobs:
    ranges = {"contrast": (0, 255), "speck": (0, 1)}
    return Blobs(name.full, typed_settings(name, DEFAULTS, ranges))
