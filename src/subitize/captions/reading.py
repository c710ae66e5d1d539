"""From a unit of a file to its captions; what is no caption is counted, never dropped unsaid."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from subitize.captions.json_lines import MARK, lossy, parse_object
from subitize.captions.sources import (
    LONGEST,
    Damaged,
    Source,
    Unit,
    first_lines,
    parquet,
    parquet_whole,
    read_block,
)
from subitize.errors import BadInput

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

USUAL = ("caption", "text", "captions", "alt_text", "alt", "title", "description")
"""names of columns that hold captions, whatever their case; the first that is there is taken"""
BATCH = 1 << 16
"""rows of a row group that are held at once"""
LOOKED_AT = 100
"""objects of JSON lines that are looked at for the names of their columns"""
_SEPARATORS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Layout:
    """Where the captions of a file stand."""

    column: str
    """its name, or its place from 1 where the file has no header"""
    place: int = 0
    """in CSV and TSV, from 0"""
    width: int = 1
    """columns of CSV and TSV"""
    header: bool = False
    """whether the first line names the columns"""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Batch(NamedTuple):
    """Captions of some rows."""

    captions: pl.Series
    """text, null where there is none"""
    not_text: int = 0
    """rows whose caption is no text: a number, a list; null among the captions"""
    broken: int = 0
    """rows whose bytes are no UTF-8, read with a sign in their place"""


def find_layout(source: Source, wanted: str | None) -> Layout | None:
    """Where a file's captions stand; nothing for an empty file."""
    if source.format == "parquet":
        with parquet(source) as file:
            schema = file.schema_arrow
        name = _chosen(source, list(schema.names), wanted)
        if schema.names.count(name) > 1:
            raise BadInput(f"{source.path} has two columns {name!r}: give one another name.")
        _check_type(source, name, schema.field(name).type)
        return Layout(name)
    if source.format == "jsonl":
        names = _keys(source)
        return Layout(_chosen(source, names, wanted)) if names is not None else None
    lines = first_lines(source)
    if not lines:
        return None
    return _text_layout(source, [_cells(source, line) for line in lines], wanted)


def _keys(source: Source) -> list[str] | None:
    """The keys of the first objects of JSON lines; nothing where there is no line.

    An object may lack the caption, so one alone would not tell.
    """
    lines = first_lines(source, LOOKED_AT)
    if not lines:
        return None
    names = list(parse_object(source.path, lossy(lines[0]), "line 1"))
    for line in lines[1:]:
        with suppress(Damaged):  # the block that holds it is told when it is counted
            names += [
                name for name in parse_object(source.path, lossy(line), "") if name not in names
            ]
    return names


def _cells(source: Source, line: bytes) -> list[str]:
    text = line.decode("utf-8-sig", "replace").rstrip("\r\n")
    if source.format == "tsv":
        rows = [cells.split("\t") for cells in text.split("\r")]
    else:
        rows = _csv_rows(source, text)
    if len(rows) > 1:
        what = "a quotation mark is missing in its first lines. Mend it"
        if "\n" not in text:
            what = "its lines end in a carriage return alone. Save it with other line ends"
        raise Damaged(f"{source.path}: {what}, or leave it out with --skip-damaged.")
    return rows[0]


def _csv_rows(source: Source, text: str) -> list[list[str]]:
    before = csv.field_size_limit(LONGEST)
    try:
        return list(islice(csv.reader(io.StringIO(text, newline="")), 2))
    except csv.Error as problem:
        raise Damaged(
            f"{source.path}, its first lines: this is not CSV ({problem}). Mend the file, or leave "
            "it out with --skip-damaged."
        ) from None
    finally:
        csv.field_size_limit(before)


def _text_layout(source: Source, rows: Sequence[Sequence[str]], wanted: str | None) -> Layout:
    """CSV and TSV, with a header or, as CC3M's, without: a caption and an address."""
    first, width = rows[0], max(map(len, rows))
    if wanted is not None and wanted.isdecimal() and wanted not in first:
        place = int(wanted) - 1
        if not 0 <= place < width:
            raise BadInput(f"{source.path} has {width} columns: there is no column {wanted}.")
        return Layout(wanted, place, width)
    addresses = [place for place, cell in enumerate(first) if "://" in cell]
    if wanted is None and not _usual(first) and len(first) == 2 and len(addresses) == 1:
        place = 1 - addresses[0]
        return Layout(str(place + 1), place, width)
    name = _chosen(source, first, wanted, " or, where the file has no header, its place (1, 2 …)")
    return Layout(name, first.index(name), width, header=True)


def _usual(names: Sequence[str]) -> str | None:
    small = {name.strip().lower(): name for name in reversed(names)}
    return next((small[name] for name in USUAL if name in small), None)


def _chosen(source: Source, names: Sequence[str], wanted: str | None, more: str = "") -> str:
    found = wanted if wanted in names else _usual(names) if wanted is None else None
    if found is None:
        what = f"no column {wanted!r}" if wanted is not None else "no column known for captions"
        shown = ", ".join(name[:40] for name in names[:20]) or "none"
        raise BadInput(
            f"{source.path} has {what}: it has {shown}. Name the right one with --column{more}."
        )
    return found


def _check_type(source: Source, name: str, found: pa.DataType) -> None:
    import pyarrow as pa

    inner = found.value_type if pa.types.is_dictionary(found) else found
    text = (
        pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
        pa.types.is_binary, pa.types.is_large_binary, pa.types.is_null,
    )  # fmt: skip
    if not any(is_it(inner) for is_it in text):
        raise BadInput(
            f"{source.path}: the column {name!r} holds {found}, not text. Name another --column."
        )


def read_unit(source: Source, layout: Layout, unit: Unit) -> Iterator[Batch]:
    """The captions of a unit, a batch at a time."""
    if source.format == "parquet":
        yield from _read_row_group(source, layout, unit)
    elif source.format == "jsonl":
        yield _read_lines(source, layout, unit)
    else:
        yield _read_table(source, layout, unit)


def _read_row_group(source: Source, layout: Layout, unit: Unit) -> Iterator[Batch]:
    for batch in _row_batches(source, unit, [layout.column], BATCH):
        yield _captions(source, unit, batch.column(0))


def _captions(source: Source, unit: Unit, column: Any) -> Batch:
    with parquet_whole(
        source, f", {source.where(unit)},"
    ):  # an index of a damaged dictionary may lead nowhere
        return _from_arrow(column)


def _row_batches(source: Source, unit: Unit, names: list[str], many: int) -> Iterator[Any]:
    """Columns of a row group, or of a slice of it."""
    place = 0
    with parquet(source, f", {source.where(unit)},") as file:
        for batch in file.iter_batches(many, [unit.start], names, use_threads=False):
            begin, end = max(unit.first - place, 0), min(unit.last - place, len(batch))
            place += len(batch)
            if begin < end:
                yield batch.slice(begin, end - begin)
            if place >= unit.last:
                return


def _from_arrow(column: Any) -> Batch:
    import polars as pl
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return Batch(pl.Series([None] * len(column), dtype=pl.String))
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        large = pa.types.is_large_binary(column.type)
        column = column.view(pa.large_string() if large else pa.string())
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        values = [None if one is None else bytes(one) for one in _as_bytes(column).to_pylist()]
        return _mended(values)
    return Batch(pl.Series(pl.from_arrow(column)))


def _as_bytes(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        return column.cast(pa.binary_view())
    return column.view(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary())


def _mended(values: Sequence[bytes | None]) -> Batch:
    """Bytes as text; what is no UTF-8 gets a sign in its place and is counted."""
    import polars as pl

    found: list[str | None] = []
    broken = 0
    for value in values:
        try:
            found.append(None if value is None else value.decode())
        except UnicodeDecodeError:
            broken += 1
            found.append((value or b"").decode("utf-8", "replace"))
    return Batch(pl.Series(found, dtype=pl.String), broken=broken)


def _read_table(source: Source, layout: Layout, unit: Unit) -> Batch:
    block = _text(source, unit)
    captions = _cut(source, layout, unit, block, [layout.place]).to_series()
    return Batch(captions, broken=0 if _is_utf8(block) else _replaced(captions))


def _text(source: Source, unit: Unit) -> bytes:
    """A block, without the mark at the start of the file."""
    block = read_block(source, unit)
    return block.removeprefix(MARK) if unit.start == 0 else block


def _cut(
    source: Source, layout: Layout, unit: Unit, block: bytes, places: Sequence[int]
) -> pl.DataFrame:
    """Columns of CSV or TSV, in the order of the file."""
    import polars as pl

    separator = _SEPARATORS[source.format]
    names = [f"c{place}" for place in range(layout.width)]
    read = partial(
        pl.read_csv,
        has_header=False,
        schema=dict.fromkeys(names, pl.String),
        columns=sorted(places),
        separator=separator,
        quote_char='"' if source.format == "csv" else None,
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
    )
    try:
        return read(block)
    except pl.exceptions.PolarsError as problem:
        said = " ".join(str(problem).split())[:200]
    if source.format != "csv" or block.count(b'"') % 2 == 0:
        # Polars counts the columns of the first line, which may have too few, or be empty.
        with suppress(pl.exceptions.PolarsError):
            return read(separator.encode() * (layout.width - 1) + b"\n" + block)[1:]
    if source.format == "csv":
        said = "a quotation mark is missing or out of place"
    raise Damaged(
        f"{source.path}, {source.where(unit)}: {said}. Mend the file, or leave it out "
        "with --skip-damaged."
    )


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _replaced(captions: pl.Series) -> int:
    return int(captions.str.contains("\N{REPLACEMENT CHARACTER}", literal=True).sum())


def _read_lines(source: Source, layout: Layout, unit: Unit) -> Batch:
    """JSON lines; a caption that is no text is counted."""
    found: list[str | None] = []
    not_text = broken = 0
    for entry, whole in _entries(source, unit):
        value = entry.get(layout.column)
        broken += not whole
        not_text += value is not None and not isinstance(value, str)
        found.append(value if isinstance(value, str) else None)
    captions, halves = _whole(found)
    return Batch(captions, not_text, broken + halves)


def _whole(found: Sequence[str | None]) -> tuple[pl.Series, int]:
    """Captions of JSON, and how many of them held half of a pair of surrogates."""
    import polars as pl

    try:
        return pl.Series(found, dtype=pl.String), 0
    except UnicodeEncodeError:
        batch = _mended(
            [None if one is None else one.encode("utf-8", "surrogatepass") for one in found]
        )
        return batch.captions, batch.broken


def _entries(source: Source, unit: Unit) -> Iterator[tuple[dict[str, Any], bool]]:
    """The objects of JSON lines, and whether each is UTF-8; a line that is no object is damage."""
    block = _text(source, unit)
    clean = _is_utf8(block)
    for number, line in enumerate(block.split(b"\n"), 1):
        if not line or line.isspace():
            continue
        text = line if clean else lossy(line)
        where = f"{source.where(unit)}, line {number}"
        yield parse_object(source.path, text, where), text == line


def column_names(source: Source, layout: Layout) -> list[str]:
    """Of all columns; places from 1 where the file has no header."""
    if source.format == "parquet":
        with parquet(source) as file:
            return list(file.schema_arrow.names)
    if source.format == "jsonl":
        return _keys(source) or []
    first = first_lines(source, 1)[0]
    return _cells(source, first) if layout.header else [str(n + 1) for n in range(layout.width)]


def read_beside(
    source: Source, layout: Layout, unit: Unit, name: str
) -> Iterator[tuple[pl.Series, Sequence[Any]]]:
    """The captions of a unit, and what stands beside each in another column."""

    if source.format == "parquet":
        for batch in _row_batches(source, unit, [layout.column, name], BATCH >> 4):
            found = _captions(source, unit, batch.column(layout.column))
            yield found.captions, batch.column(name)
    elif source.format == "jsonl":
        entries = [entry for entry, _ in _entries(source, unit)]
        texts = [entry.get(layout.column) for entry in entries]
        captions = [text if isinstance(text, str) else None for text in texts]
        yield _whole(captions)[0], [entry.get(name) for entry in entries]
    else:
        place = column_names(source, layout).index(name)
        frame = _cut(source, layout, unit, _text(source, unit), [layout.place, place])
        yield frame[f"c{layout.place}"], frame[f"c{place}"].to_list()
