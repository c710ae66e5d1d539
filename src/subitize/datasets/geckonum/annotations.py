"""People's answers as GeckoNum releases them: files task_N_MODEL.csv in a folder or zip archive.

Nothing is thrown away here but rows that are no rows (a wrong number of fields); what an answer
means and which rows count is decided where they become the answers of a run.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from subitize.datasets.archives import LARGEST_TOTAL, Member, members
from subitize.errors import BadInput
from subitize.files import decoded

FILE_NAME = re.compile(r"task_([123])_(.+)\.csv", re.IGNORECASE)
NEEDED = {1: ("image_id", "question", "annot_id"), 2: ("image_id", "annot_id"),
          3: ("image_id", "question", "annot_id")}  # fmt: skip
ANSWERS = {1: ("raw_answer", "answer"), 2: ("answer_num", "answer_text"), 3: ("answer",)}
"""columns that may hold the answer, the one preferred first"""
READ = ("image_id", "question", "prompt", "model", "annot_id", "answer")
PLACE = {"reason": pl.String, "file": pl.UInt32, "line": pl.UInt32}
"""where a row that is not used stands, and why it is not"""
TORN = "wrong number of fields"


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


class Annotations(NamedTuple):
    """All rows of all files, as text, in file order."""

    files: tuple[AnnotationFile, ...]
    """sorted by name"""
    frame: pl.DataFrame
    """file (place in files), line, torn (why it is no row; mostly null), image_id, question,
    prompt, model, annot_id, answer; texts are categories, since few are written often"""
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
    files = tuple(map(_as_file, found))
    frames = (
        _read(file).with_columns(file=pl.lit(place, pl.UInt32)) for place, file in enumerate(files)
    )
    return Annotations(files, pl.concat(frames), tuple(others))


def _as_file(member: Member) -> AnnotationFile:
    named = FILE_NAME.fullmatch(member.name)
    assert named is not None  # the caller asked for such names only
    content = member.content
    if not content.isascii():
        content = decoded(content, member.where).encode()
    if b"\n" not in content:  # old Macs, and some spreadsheets, end lines by a return alone
        content = content.replace(b"\r", b"\n")
    return AnnotationFile(member.where, int(named[1]), named[2], content)


def _read(file: AnnotationFile) -> pl.DataFrame:
    """The rows of a file, each with its line."""
    header, taken = _columns(file)
    try:
        frame = pl.read_csv(
            file.content,
            infer_schema=False,
            columns=[header.index(name) for name in dict.fromkeys(taken.values())],
            schema_overrides=dict.fromkeys(header, pl.Categorical),
        )
    except pl.exceptions.PolarsError:
        frame = pl.DataFrame()
    one_line_each = file.content.rstrip().count(b"\n") == frame.height > 0
    if not one_line_each or frame.null_count().sum_horizontal().item():
        # something is missing or too much: the slow reader tells on which line
        return _read_carefully(file, header, taken)
    frame.columns = [name.strip() for name in frame.columns]
    every = {name: pl.col(taken[name]) if name in taken else pl.lit(None) for name in READ}
    texts = {name: column.cast(pl.Categorical) for name, column in every.items()}
    line = pl.int_range(2, frame.height + 2, dtype=pl.UInt32)
    return frame.select(line=line, torn=pl.lit(None, pl.String), **texts)


def _columns(file: AnnotationFile) -> tuple[list[str], dict[str, str]]:
    """The file's columns, and which of them are ours: our column, the file's column."""
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
    needed, answers = NEEDED[file.task], ANSWERS[file.task]
    missing = [name for name in needed if name not in header]
    answer = next((name for name in answers if name in header), "")
    missing += [] if answer else [" or ".join(answers)]
    if missing:
        raise BadInput(
            f"{file.name}:1 lacks the column {', '.join(missing)}; found {', '.join(header)}. "
            f"Task {file.task} needs {', '.join(needed)} and {' or '.join(answers)}."
        )
    return header, {name: name for name in READ[:-1] if name in header} | {"answer": answer}


def _read_carefully(
    file: AnnotationFile, header: Sequence[str], taken: dict[str, str]
) -> pl.DataFrame:
    """Row by row: one with another number of fields than the header is torn."""
    reader = csv.reader(io.StringIO(file.content.decode(), newline=""))
    places = [header.index(taken[name]) if name in taken else None for name in READ]
    rows: list[tuple[Any, ...]] = []
    try:
        next(reader, None)
        line = reader.line_num + 1
        for row in reader:
            torn = TORN if len(row) != len(header) else None
            if row:
                texts = (None if torn or place is None else row[place] for place in places)
                rows.append((line, torn, *texts))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise BadInput(f"{file.name}:{reader.line_num} can't be read: {problem}.") from None
    schema = {"line": pl.UInt32, "torn": pl.String, **dict.fromkeys(READ, pl.Categorical)}
    return pl.DataFrame(rows, schema, orient="row")
