"""Boxes and human counts from files: Parquet, JSONL and CSV, every problem with file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.files import read_entries

BOX = ("image", "x0", "y0", "x1", "y1", "score")
SIZE = ("width", "height")
COUNT = ("image", "category", "count")
MOST = 1_000_000
"""nobody counts more things in a picture; it fits into every integer"""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CountedBoxes(NamedTuple):
    """All boxes of pictures in which people counted."""

    boxes: Floats
    """[x0, y0, x1, y1, score]"""
    picture: Ints
    """of each box, its place among the counts"""
    sizes: Floats | None
    """width and height of every picture, infinite where it has no box; None if no file has them"""
    categories: list[str]
    """of each picture"""
    counts: Ints
    """what people counted in each"""


def read_counted_boxes(boxes: Path, counts: Path) -> CountedBoxes:
    """Boxes from Parquet, JSONL or CSV (image, x0, y0, x1, y1, score, perhaps width and height) of
    pictures with human counts (image, category, count).

    A box of a picture without a count is an error; a counted picture without a box counts 0.
    """
    rows = read_entries(boxes, "the boxes", BOX)
    sized = bool(rows) and all(name in rows[0][1] for name in SIZE)
    names = BOX[1:] + (SIZE if sized else ())
    numbers = np.array([_box(row, names, where) for where, row in rows]).reshape(-1, len(names))
    images = [str(row["image"]) for _, row in rows]
    counted = _read_counts(counts)
    index = {image: place for place, image in enumerate(counted)}
    picture = np.array([index.get(image, -1) for image in images], dtype=np.int64)
    if len(picture) and (picture < 0).all():
        raise BadInput(
            f"None of the pictures in {boxes} (such as {images[0]!r}) is among those of "
            f"{counts} (such as {next(iter(counted))!r}): give the same names in both."
        )
    if (picture < 0).any():
        at = int((picture < 0).argmax())
        raise BadInput(
            f"{boxes}, box {at + 1}: {counts} has no count for {images[at]!r}: add it, or leave "
            "out its boxes."
        )
    sizes = np.full((len(counted), 2), np.inf) if sized else None
    if sizes is not None:
        sizes[picture] = numbers[:, 5:]
    _, categories, number = zip(*counted.values(), strict=True)
    return CountedBoxes(
        numbers[:, :5].copy(), picture, sizes, list(categories), np.array(number, dtype=np.int64)
    )


def _box(row: Mapping[str, Any], names: Sequence[str], where: str) -> list[float]:
    """The numbers of one box; the first thing that is wrong with it is named."""
    numbers = []
    for name in names:
        try:
            numbers.append(float(row[name]))
        except (KeyError, TypeError, ValueError, OverflowError):
            numbers.append(nan)
        if not isfinite(numbers[-1]):
            found = str(row.get(name))
            found = "missing or NaN" if found in ("None", "nan", "") else found
            raise BadInput(f"{where}: {name} is {found}: a finite number is needed.")
    x0, y0, x1, y1, score, *size = numbers
    if x1 < x0 or y1 < y0:
        raise BadInput(
            f"{where}: the box {numbers[:4]} ends before it begins: x0 ≤ x1 and y0 ≤ y1 are needed "
            "(are these x, y, width, height?)."
        )
    if not 0 <= score <= 1:
        raise BadInput(
            f"{where}: score is {score:g}: scores from 0 to 1 are needed, since thresholds go from "
            ".01 to .99."
        )
    if min(size, default=1) <= 0:
        raise BadInput(
            f"{where}: width and height are {size[0]:g} and {size[1]:g}: give those of the picture "
            "in pixels, or neither."
        )
    return numbers


def _read_counts(path: Path) -> dict[str, tuple[str, str, int]]:
    """By picture: where it stands, category and count; each picture once."""
    seen: dict[str, tuple[str, str, int]] = {}
    for where, row in read_entries(path, "the counts", COUNT, blank=("category",)):
        image = str(row["image"])
        if image in seen:
            raise BadInput(
                f"{where}: {image!r} was counted already in {seen[image][0]}: give one count per "
                "picture."
            )
        try:
            number = float(row["count"])
        except (TypeError, ValueError):
            number = -1.0
        if not (0 <= number <= MOST and number.is_integer()):
            raise BadInput(
                f"{where}: the count is {row['count']!r}: give a whole number from 0 to {MOST:,}."
            )
        seen[image] = (where, str(row["category"]), int(number))
    if not seen:
        raise BadInput(f"{path} has no counts: it needs a line per picture below its header.")
    return seen
