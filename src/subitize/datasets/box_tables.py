"""Boxes and human counts from files: Parquet, JSONL and CSV, every problem with file and line."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.files import read_bytes, read_entries

__all__ = ["BoxTable", "CountTable", "join", "read_boxes", "read_counts"]

BOX = ("image", "x0", "y0", "x1", "y1", "score")
SIZE = ("width", "height")
COUNT = ("image", "category", "count")
MOST = 1_000_000
"""nobody counts more things in a picture; it fits into every integer"""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoxTable:
    """All boxes of all pictures."""

    path: Path
    images: list[str]
    """of each box"""
    boxes: Floats
    """[x0, y0, x1, y1, score]"""
    sizes: Floats | None
    """width and height of each box's picture, where the file has them"""


@dataclass(frozen=True, slots=True)
class CountTable:
    """What people counted, a picture each."""

    path: Path
    images: list[str]
    categories: list[str]
    counts: Ints


def read_boxes(path: Path) -> BoxTable:
    """Boxes from Parquet or JSONL with image, x0, y0, x1, y1, score (and width, height)."""
    columns, where = _columns(path)
    names = BOX[1:] + (SIZE if all(name in columns for name in SIZE) else ())
    numbers = np.stack([_floats(columns[name], name, where) for name in names], axis=1)
    boxes = numbers[:, :5].copy()
    _refuse(
        (boxes[:, 2:4] < boxes[:, 0:2]).any(axis=1),
        lambda at: (
            f"{where(at)}: the box {boxes[at, :4].tolist()} ends before it begins: "
            "x0 ≤ x1 and y0 ≤ y1 are needed (are these x, y, width, height?)."
        ),
    )
    _refuse(
        (boxes[:, 4] < 0) | (boxes[:, 4] > 1),
        lambda at: (
            f"{where(at)}: score is {boxes[at, 4]:g}: scores from 0 to 1 are needed, since "
            "thresholds go from .01 to .99."
        ),
    )
    sizes = numbers[:, 5:].copy()
    _refuse(
        (sizes <= 0).any(axis=1),
        lambda at: (
            f"{where(at)}: width and height are {sizes[at, 0]:g} and {sizes[at, 1]:g}: give "
            "those of the picture in pixels, or neither."
        ),
    )
    images = [str(image) for image in columns["image"]]
    return BoxTable(path, images, boxes, sizes if sizes.shape[1] else None)


def read_counts(path: Path) -> CountTable:
    """Human counts from CSV with image, category, count; each picture once."""
    seen: dict[str, tuple[str, str, int]] = {}
    for where, row in read_entries(path, "the counts", COUNT, blank=("category",)):
        image = str(row["image"])
        if image in seen:
            raise BadInput(
                f"{where}: {image!r} was counted already in {seen[image][0]}: give one count per "
                "picture."
            )
        seen[image] = (where, str(row["category"]), _count(row["count"], where))
    if not seen:
        raise BadInput(f"{path} has no counts: it needs a line per picture below its header.")
    _, categories, counts = zip(*seen.values(), strict=True)
    return CountTable(path, list(seen), list(categories), np.array(counts, dtype=np.int64))


def join(boxes: BoxTable, counts: CountTable) -> tuple[Ints, int]:
    """For each box the index of its picture among the counts; how many pictures have no box.

    A box of a picture without a count is an error; a counted picture without a box counts 0.
    """
    index = {image: place for place, image in enumerate(counts.images)}
    picture = np.array([index.get(image, -1) for image in boxes.images], dtype=np.int64)
    if len(picture) and (picture < 0).all():
        raise BadInput(
            f"None of the pictures in {boxes.path} (such as {boxes.images[0]!r}) is among those of "
            f"{counts.path} (such as {counts.images[0]!r}): give the same names in both."
        )
    if (picture < 0).any():
        at = int((picture < 0).argmax())
        raise BadInput(
            f"{boxes.path}, box {at + 1}: {counts.path} has no count for {boxes.images[at]!r}: "
            "add it, or leave out its boxes."
        )
    return picture, len(counts.images) - len(np.unique(picture))


def _refuse(wrong: Any, say: Callable[[int], str]) -> None:
    """Name the first that is wrong."""
    if wrong.any():
        raise BadInput(say(int(wrong.argmax())))


def _columns(path: Path) -> tuple[dict[str, Any], Callable[[int], str]]:
    """The columns of a table of boxes, and where each of its rows stands."""
    ending = path.suffix.lower()
    if ending in (".parquet", ".pq"):
        import polars

        try:
            table = polars.read_parquet(io.BytesIO(read_bytes(path, "the boxes")))
        except polars.exceptions.PolarsError as problem:
            raise BadInput(f"{path} can't be read as Parquet: {str(problem)[:200]}") from None
        missing = [name for name in BOX if name not in table.columns]
        if missing:
            raise BadInput(f"{path} lacks the column {', '.join(missing)}.")
        return table.to_dict(as_series=False), lambda at: f"{path}, row {at + 1}"
    if ending not in (".jsonl", ".ndjson"):
        raise BadInput(f"{path} is neither .parquet nor .jsonl: give boxes in one of these.")
    rows = read_entries(path, "the boxes", BOX)
    sized = bool(rows) and all(name in rows[0][1] for name in SIZE)
    names = BOX + (SIZE if sized else ())
    return {name: [row.get(name) for _, row in rows] for name in names}, lambda at: rows[at][0]


def _floats(values: Any, name: str, where: Callable[[int], str]) -> Floats:
    """A column of finite numbers; the first that is none is named with its line."""
    numbers = [float(one) if isinstance(one, (int, float)) else np.nan for one in values]
    array = np.array(numbers, dtype=np.float64)
    _refuse(
        ~np.isfinite(array),
        lambda at: f"{where(at)}: {name} is {_shown(values[at])}: a finite number is needed.",
    )
    return array


def _shown(value: Any) -> str:
    return "missing or NaN" if value in (None, "") or str(value) == "nan" else str(value)


def _count(given: Any, where: str) -> int:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = -1.0
    if not (0 <= number <= MOST and number.is_integer()):
        raise BadInput(f"{where}: the count is {given!r}: give a whole number from 0 to {MOST:,}.")
    return int(number)
