"""People's answers as GeckoNum releases them: files task_N_MODEL.csv in a folder or zip archive.

Nothing is thrown away here but rows that are no rows (a wrong number of fields); what an answer
means and which rows count is decided where they become the answers of a run.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from subitize.datasets.archives import LARGEST_TOTAL, Member, members
from subitize.errors import BadInput
from subitize.files import decoded

FILE_NAME = re.compile(r"task_([123])_(.+)\.csv", re.IGNORECASE)
NEEDED = {1: ("image_id", "question", "annot_id"), 2: ("image_id", "annot_id"),
          3: ("image_id", "question", "annot_id")}  # fmt: skip
ANSWERS = {1: ("raw_answer", "answer"), 2: ("answer_num", "answer_text"), 3: ("answer",)}
"""columns that may hold the answer, the one preferred first"""
READ = ("image_id", "question", "prompt", "annot_id", "answer")
PLACE = {"reason": pl.String, "file": pl.UInt32, "record": pl.UInt32}
"""where a row that is not used stands, and why it is not"""


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """One file of answers."""

    name: str
    """as messages call it"""
    task: int
    """1, 2 or 3"""
    painter: str
    """whose pictures they are about, from the file's name"""
    content: bytes = field(repr=False)
    """all of it"""
    plain: bool = False
    """known to have one line per record"""

    def lines(self, records: Sequence[int]) -> list[int]:
        """The lines of records counted from 0, the first line of the file being 1."""
        if self.plain:
            return [record + 2 for record in records]
        reader = csv.reader(io.StringIO(decoded(self.content, self.name), newline=""))
        next(reader, None)
        starts: list[int] = []
        start = reader.line_num + 1
        for row in reader:
            if row:
                starts.append(start)
            start = reader.line_num + 1
        return [starts[record] for record in records]


@dataclass(frozen=True, slots=True)
class Annotations:
    """All rows of all files, as text, in file order."""

    files: tuple[AnnotationFile, ...]
    """sorted by name"""
    frame: pl.DataFrame
    """file (place in files), record (counted from 0), image_id, question, prompt, annot_id,
    answer; texts are categories, since few are written often"""
    torn: pl.DataFrame
    """reason, file and record of rows that could not be read as rows"""
    others: tuple[str, ...]
    """files that are no annotations"""


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
    frames: list[pl.DataFrame] = []
    torn: list[tuple[str, int, int]] = []
    for place, member in enumerate(found):
        file = _as_file(member)
        frame, lost = _read(file)
        frames.append(frame.with_columns(pl.lit(place, dtype=pl.UInt32).alias("file")))
        torn += [("wrong number of fields", place, record) for record in lost]
        files.append(replace(file, plain=file.content.count(b"\n") == frame.height + 1))
    places = pl.DataFrame(torn, PLACE, orient="row")
    return Annotations(tuple(files), pl.concat(frames), places, tuple(others))


def _as_file(member: Member) -> AnnotationFile:
    named = FILE_NAME.fullmatch(member.name)
    assert named is not None  # the caller asked for such names only
    content = member.content
    if not content.isascii():
        content = decoded(content, member.where).encode()
    if b"\n" not in content:  # old Macs, and some spreadsheets, end lines by a return alone
        content = content.replace(b"\r", b"\n")
    return AnnotationFile(member.where, int(named[1]), named[2], content)


def _read(file: AnnotationFile) -> tuple[pl.DataFrame, list[int]]:
    """The rows of a file, and the records that have another number of fields than the header."""
    header = _header(file)
    taken = _columns(file, header)
    try:
        frame = pl.read_csv(
            file.content,
            infer_schema=False,
            columns=[header.index(name) for name in dict.fromkeys(taken.values())],
            schema_overrides=dict.fromkeys(header, pl.Categorical),
        )
    except pl.exceptions.NoDataError:
        frame = pl.DataFrame(schema=dict.fromkeys(header, pl.Categorical))
    except pl.exceptions.PolarsError:
        frame = None
    if frame is None or frame.null_count().sum_horizontal().item():
        # something is missing or too much: the slow reader tells which record it is
        return _read_carefully(file, header, taken)
    frame.columns = [name.strip() for name in frame.columns]
    return _arranged(frame, taken, range(frame.height)), []


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
    answer = next((name for name in ANSWERS[file.task] if name in header), "")
    if not answer:
        missing.append(" or ".join(ANSWERS[file.task]))
    if missing:
        raise BadInput(
            f"{file.name}:1 lacks the column {', '.join(missing)}; found {', '.join(header)}. "
            f"Task {file.task} needs {', '.join(NEEDED[file.task])} and "
            f"{' or '.join(ANSWERS[file.task])}."
        )
    return {name: name for name in READ[:-1] if name in header} | {"answer": answer}


def _read_carefully(
    file: AnnotationFile, header: Sequence[str], taken: dict[str, str]
) -> tuple[pl.DataFrame, list[int]]:
    reader = csv.reader(io.StringIO(file.content.decode(), newline=""))
    next(reader, None)
    try:
        rows = [row for row in reader if row]
    except csv.Error as problem:
        raise BadInput(f"{file.name}:{reader.line_num} can't be read: {problem}.") from None
    whole = [place for place, row in enumerate(rows) if len(row) == len(header)]
    torn = [place for place, row in enumerate(rows) if len(row) != len(header)]
    columns = {
        name: [rows[place][header.index(name)] for place in whole] for name in taken.values()
    }
    frame = pl.DataFrame(columns, dict.fromkeys(columns, pl.Categorical))
    return _arranged(frame, taken, whole), torn


def _arranged(frame: pl.DataFrame, taken: dict[str, str], records: Any) -> pl.DataFrame:
    """The columns of READ in their order, those the file lacks empty, and the record numbers."""
    every = {name: pl.col(taken[name]) if name in taken else pl.lit(None) for name in READ}
    texts = (column.cast(pl.Categorical).alias(name) for name, column in every.items())
    return frame.select(pl.Series("record", records, dtype=pl.UInt32), *texts)
