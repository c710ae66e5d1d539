"""Boxes and human counts from files: Parquet, JSONL and CSV, every problem with file and line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from subitize.errors import BadInput

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
    _exists(path)
    if path.suffix.lower() in (".parquet", ".pq"):
        columns, place = _parquet(path), "row"
    elif path.suffix.lower() in (".jsonl", ".ndjson"):
        columns, place = _jsonl(path), "line"
    else:
        raise BadInput(f"{path} is neither .parquet nor .jsonl: give boxes in one of these.")
    names = BOX[1:] + (SIZE if all(name in columns for name in SIZE) else ())
    numbers = np.stack([_floats(columns[name], name, path, place) for name in names], axis=1)
    boxes = numbers[:, :5].copy()
    turned = (boxes[:, 2] < boxes[:, 0]) | (boxes[:, 3] < boxes[:, 1])
    if turned.any():
        at = int(turned.argmax())
        raise BadInput(
            f"{path}, {place} {at + 1}: the box {boxes[at, :4].tolist()} ends before it begins: "
            "x0 ≤ x1 and y0 ≤ y1 are needed (are these x, y, width, height?)."
        )
    beyond = (boxes[:, 4] < 0) | (boxes[:, 4] > 1)
    if beyond.any():
        at = int(beyond.argmax())
        raise BadInput(
            f"{path}, {place} {at + 1}: score is {boxes[at, 4]:g}: scores from 0 to 1 are needed, "
            "since thresholds go from .01 to .99."
        )
    if len(names) > 5 and not (numbers[:, 5:] > 0).all():
        at = int((numbers[:, 5:] <= 0).any(axis=1).argmax())
        raise BadInput(
            f"{path}, {place} {at + 1}: width and height are {numbers[at, 5]:g} and "
            f"{numbers[at, 6]:g}: give those of the picture in pixels, or neither."
        )
    images = [str(image) for image in columns["image"]]
    return BoxTable(path, images, boxes, numbers[:, 5:].copy() if len(names) > 5 else None)


def read_counts(path: Path) -> CountTable:
    """Human counts from CSV with image, category, count; each picture once."""
    _exists(path)
    images: list[str] = []
    categories: list[str] = []
    counts: list[int] = []
    seen: dict[str, int] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text: save the counts as CSV in UTF-8.") from None
    with StringIO(text, newline="") as file:
        lines = csv.DictReader(file)
        for row in _count_rows(lines, path):
            number = lines.line_num
            image = (row["image"] or "").strip()
            if not image:
                raise BadInput(f"{path}, line {number}: there is no image name.")
            if image in seen:
                raise BadInput(
                    f"{path}, line {number}: {image!r} was counted already in line {seen[image]}: "
                    "give one count per picture."
                )
            seen[image] = number
            images.append(image)
            categories.append((row["category"] or "").strip())
            counts.append(_count(row["count"], path, number))
    if not images:
        raise BadInput(f"{path} has no counts: it needs a line per picture below its header.")
    return CountTable(path, images, categories, np.array(counts, dtype=np.int64))


def _count_rows(lines: csv.DictReader[str], path: Path) -> Iterator[dict[str, str | None]]:
    """The table's lines; what the CSV reader itself can't take is told like the rest."""
    try:
        _columns_there(lines.fieldnames or (), COUNT, path)
        yield from lines
    except csv.Error as problem:
        raise BadInput(
            f"{path}, line {lines.line_num + 1}: this is not CSV ({problem}): a quotation mark "
            "may be missing."
        ) from None


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


def _exists(path: Path) -> None:
    if not path.is_file():
        raise BadInput(f"There is no file {path}.")


def _columns_there(found: Any, wanted: tuple[str, ...], path: Path) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise BadInput(
            f"{path} lacks the column {', '.join(missing)}: it has {', '.join(found) or 'none'}; "
            f"needed are {', '.join(wanted)}."
        )


def _parquet(path: Path) -> dict[str, Any]:
    import polars

    try:
        table = polars.read_parquet(path)
    except (polars.exceptions.PolarsError, OSError) as problem:
        raise BadInput(f"{path} can't be read as Parquet: {str(problem)[:200]}") from None
    _columns_there(table.columns, BOX, path)
    return {name: table[name].to_list() for name in table.columns}


def _jsonl(path: Path) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    names: tuple[str, ...] = ()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            entry = _object(line, f"{path}, line {number}")
            if number == 1:
                names = BOX + (SIZE if all(name in entry for name in SIZE) else ())
                columns = {name: [] for name in names}
            missing = [name for name in names if name not in entry]
            if missing:
                raise BadInput(f"{path}, line {number} lacks {', '.join(missing)}.")
            for name in names:
                columns[name].append(entry[name])
    return columns or {name: [] for name in BOX}


def _object(line: bytes, where: str) -> dict[str, Any]:
    """One line of JSON; NaN and Infinity, which Python writes though they are no JSON, are null."""
    try:
        entry = orjson.loads(re.sub(rb":\s*(NaN|-?Infinity)(?=\s*[,}])", b": null", line))
    except orjson.JSONDecodeError:
        raise BadInput(f"{where} is not JSON.") from None
    if not isinstance(entry, dict):
        raise BadInput(f"{where} is not a JSON object.")
    return entry


def _floats(values: Any, name: str, path: Path, place: str) -> Floats:
    """A column of finite numbers; the first that is none is named with its line."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([_number(value) for value in values])
    odd = ~np.isfinite(array)
    if odd.any():
        at = int(odd.argmax())
        found = "missing or NaN" if values[at] is None or values[at] != values[at] else values[at]
        raise BadInput(f"{path}, {place} {at + 1}: {name} is {found}: a finite number is needed.")
    return array


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _count(text: str | None, path: Path, line: int) -> int:
    try:
        number = float(text or "")
    except ValueError:
        number = -1.0
    if not (0 <= number <= MOST and number.is_integer()):
        raise BadInput(
            f"{path}, line {line}: the count is {text!r}: give a whole number from 0 to {MOST:,}."
        )
    return int(number)
