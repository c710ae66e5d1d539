"""People's answers as GeckoNum releases them: files task_N_MODEL.csv in a folder or zip archive.

Nothing is thrown away here but rows that are no rows (a wrong number of fields); what an answer
means and which rows count is decided where the labels are made.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.datasets.archives import LARGEST_TOTAL, Member, members
from subitize.errors import BadInput
from subitize.files import decoded

__all__ = ["FILE_NAME", "AnnotationFile", "Annotations", "Dropped", "read_annotations"]

FILE_NAME = re.compile(r"task_([123])_(.+)\.csv", re.IGNORECASE)
NEEDED = {1: ("image_id", "question", "annot_id"), 2: ("image_id", "annot_id"),
          3: ("image_id", "question", "annot_id")}  # fmt: skip
ANSWERS = {1: ("raw_answer", "answer"), 2: ("answer_num", "answer_text"), 3: ("answer",)}
"""columns that may hold the answer, the one preferred first"""
READ = ("image_id", "question", "prompt", "annot_id", "answer")


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """One file of answers."""

    name: str
    """as messages call it"""
    task: int
    """1, 2 or 3"""
    model: str
    """the painter, from the file's name"""
    content: bytes = field(repr=False)
    """all of it"""
    plain: bool = False
    """known to have one line per record"""

    def lines(self, records: Iterable[int]) -> list[int]:
        """The lines of records counted from 0, the first line of the file being 1."""
        wanted = sorted(records)
        if self.plain:
            return [record + 2 for record in wanted]
        reader = csv.reader(io.StringIO(decoded(self.content, self.name), newline=""))
        found: list[int] = []
        next(reader, None)
        start, place = reader.line_num + 1, 0
        for row in reader:
            if row:
                while len(found) < len(wanted) and wanted[len(found)] == place:
                    found.append(start)
                place += 1
            start = reader.line_num + 1
            if len(found) == len(wanted):
                break
        return found


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows of one file that are not used, and why."""

    reason: str
    """in a few words"""
    file: AnnotationFile
    """where they are"""
    records: NDArray[np.int64]
    """which ones, counted from 0"""

    def places(self, most: int | None = None) -> list[str]:
        """`file:line` of the rows, at most so many."""
        return [
            f"{self.file.name}:{line}" for line in self.file.lines(self.records[:most].tolist())
        ]


@dataclass(frozen=True, slots=True)
class Annotations:
    """All rows of all files of each task, as text, in file order."""

    files: tuple[AnnotationFile, ...]
    """sorted by name"""
    tasks: dict[int, pl.DataFrame]
    """task: file (index into files), record, image_id, question, prompt, annot_id, answer"""
    dropped: tuple[Dropped, ...]
    """rows that could not be read as rows"""
    others: tuple[str, ...]
    """files that are no annotations"""

    def models(self) -> list[str]:
        """The painters, sorted."""
        return sorted({file.model for file in self.files})


def read_annotations(path: Path, *, largest: int = LARGEST_TOTAL) -> Annotations:
    """Every file task_1_MODEL.csv, task_2_MODEL.csv and task_3_MODEL.csv of a folder or archive."""
    found, others = members(path, lambda name: FILE_NAME.fullmatch(name) is not None,
                            largest=largest)  # fmt: skip
    if not found:
        seen = f"found {', '.join(others[:5])}" if others else "it is empty"
        raise BadInput(
            f"{path} holds no annotations ({seen}): files are called task_1_MODEL.csv, "
            "task_2_MODEL.csv or task_3_MODEL.csv."
        )
    files: list[AnnotationFile] = []
    frames: dict[int, list[pl.DataFrame]] = {1: [], 2: [], 3: []}
    dropped: list[Dropped] = []
    for member in found:
        file = _as_file(member)
        frame, torn = _read(file)
        file = replace(file, plain=file.content.count(b"\n") == frame.height + 1)
        frames[file.task].append(
            frame.with_columns(pl.lit(len(files), dtype=pl.Int64).alias("file"))
        )
        if torn.size:
            dropped.append(Dropped("wrong number of fields", file, torn))
        files.append(file)
    tasks = {task: pl.concat(parts) for task, parts in frames.items() if parts}
    return Annotations(tuple(files), tasks, tuple(dropped), tuple(others))


def _as_file(member: Member) -> AnnotationFile:
    named = FILE_NAME.fullmatch(member.name)
    assert named is not None  # the caller asked for such names only
    content = member.content
    if not content.isascii():
        content = decoded(content, member.where).encode()
    if b"\n" not in content:  # old Macs, and some spreadsheets, end lines by a return alone
        content = content.replace(b"\r", b"\n")
    return AnnotationFile(member.where, int(named[1]), named[2], content)


def _read(file: AnnotationFile) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """The rows of a file, and the records that have another number of fields than the header."""
    header = _header(file)
    taken = _columns(file, header)
    no_records = np.zeros(0, dtype=np.int64)
    try:
        frame = pl.read_csv(
            file.content,
            infer_schema=False,
            columns=[header.index(name) for name in dict.fromkeys(taken.values())],
        )
    except pl.exceptions.NoDataError:
        frame = pl.DataFrame(schema=dict.fromkeys(header, pl.String))
    except pl.exceptions.PolarsError:
        frame = None
    if frame is None or frame.null_count().sum_horizontal().item():
        # something is missing or too much: the slow reader tells which record it is
        return _read_carefully(file, header, taken)
    frame.columns = [name.strip() for name in frame.columns]
    return _arranged(frame, taken, np.arange(frame.height)), no_records


def _header(file: AnnotationFile) -> list[str]:
    start = file.content.split(b"\n", 1)[0].decode(errors="replace")
    try:
        header = [name.strip() for name in next(csv.reader([start.rstrip("\r")]), [])]
    except csv.Error as problem:
        raise BadInput(
            f"{file.name}:1 can't be read ({problem}): found {start[:40]!r}. Its first line must "
            "name the columns, and lines must end alike."
        ) from None
    if not any(header):
        raise BadInput(f"{file.name} is empty: its first line must name the columns.")
    return header


def _columns(file: AnnotationFile, header: Sequence[str]) -> dict[str, str]:
    """Our column: the file's column."""
    missing = [name for name in NEEDED[file.task] if name not in header]
    answer = next((name for name in ANSWERS[file.task] if name in header), None)
    if answer is None:
        missing.append(" or ".join(ANSWERS[file.task]))
    if missing:
        raise BadInput(
            f"{file.name}:1 lacks the column {', '.join(missing)}; found {', '.join(header)}. "
            f"Task {file.task} needs {', '.join(NEEDED[file.task])} and "
            f"{' or '.join(ANSWERS[file.task])}."
        )
    taken = {name: name for name in READ[:-1] if name in header}
    return {**taken, "answer": str(answer)}


def _read_carefully(
    file: AnnotationFile, header: Sequence[str], taken: dict[str, str]
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    reader = csv.reader(io.StringIO(file.content.decode(), newline=""))
    next(reader, None)
    rows: list[list[str]] = []
    kept: list[int] = []
    torn: list[int] = []
    try:
        for place, row in enumerate(row for row in reader if row):
            if len(row) == len(header):
                rows.append(row)
                kept.append(place)
            else:
                torn.append(place)
    except csv.Error as problem:
        raise BadInput(f"{file.name}:{reader.line_num} can't be read: {problem}.") from None
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    frame = pl.DataFrame(
        {name: pl.Series(columns[header.index(name)], dtype=pl.String) for name in taken.values()}
    )
    return _arranged(frame, taken, np.array(kept, np.int64)), np.array(torn, np.int64)


def _arranged(
    frame: pl.DataFrame, taken: dict[str, str], records: NDArray[np.int64]
) -> pl.DataFrame:
    """The columns of READ in their order, those the file lacks empty, and the record numbers."""
    return frame.select(
        *(
            pl.col(taken[name]).alias(name)
            if name in taken
            else pl.lit(None, dtype=pl.String).alias(name)
            for name in READ
        )
    ).with_columns(pl.Series("record", records.astype(np.int64)))
