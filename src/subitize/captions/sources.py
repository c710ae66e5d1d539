"""Which files a corpus is, and the units they are read in.

A unit is a row group of a Parquet file (a slice of it where there are few: a million captions are
often one row group, which would leave all workers idle but one), or a block of whole records of a
text file. It is what is sent to a worker, counted, and stored for good.
"""

from __future__ import annotations

import bz2
import codecs
import glob
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal, cast

from subitize.errors import BadInput
from subitize.files import stamp

Format = Literal["parquet", "csv", "tsv", "jsonl"]
FORMATS: dict[str, Format] = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".xz", ".zst")
BLOCK = 16 << 20
"""bytes of text in a unit, up to the end of a record"""
SLICE, SLICES, ENOUGH, MOST = 1 << 17, 4, 8, 1 << 22
"""rows at least of a slice, slices at most of a row group (what lies before one is unpacked again
for it), row groups that are enough without slices, and rows of a unit at most all the same"""
FRUGAL: dict[str, Any] = {"buffer_size": 1 << 20, "pre_buffer": False}
"""left to itself Arrow takes in all of a row group, which may be a whole file"""
LONGEST = 256 << 20
"""a record longer than this is damage"""


_OWN = (("captions.json", "units.jsonl"), ("run.json", "trials.jsonl"))
"""what folders hold that `subitize captions` and `subitize run` made"""


class Damaged(BadInput):
    """A file that can't be read to its end."""


@dataclass(frozen=True)
class Source:
    """One file of a corpus."""

    path: str
    """as it was given"""
    format: Format
    packed: str
    """how it is compressed: .gz, .bz2, .xz, .zst or nothing"""
    bytes: int
    """its size"""
    written: int
    """when it was last written, in nanoseconds"""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def where(self, unit: Unit) -> str:
        """How messages call a unit of it."""
        parquet = self.format == "parquet"
        return f"row group {unit.start}" if parquet else f"the block from byte {unit.start}"

    def check(self) -> None:
        """Another size or time since the counting began is an error."""
        if stamp(self.path) != (self.written, self.bytes):
            raise BadInput(
                f"{self.path} is not the file that the counting began with (its size or time "
                "changed): put the old one back, or count anew with another --out."
            )


@dataclass(frozen=True)
class Unit:
    """A part of a file that is read at once."""

    file: int
    """which file of the corpus"""
    index: int
    """which unit of the file"""
    start: int
    """the row group, or the byte a block begins at"""
    size: int
    """bytes; for a row group those it takes in the file"""
    text: bytes | None = None
    """the block itself, where the file can't be read from the middle"""
    first: int = 0
    """of a row group, the first row"""
    last: int = 0
    """and where its rows end"""

    @property
    def key(self) -> tuple[int, int]:
        return (self.file, self.index)


def find_sources(given: Sequence[str]) -> list[Source]:
    """Files, those of directories that are not hidden, and what patterns match, without what lies
    in results of ours; each once, in order of names."""
    found: dict[str, Source] = {}
    own = cache(_is_own)
    for name in given:
        path = Path(name)
        if path.is_dir():
            inner = sorted(
                one
                for one in path.rglob("*")
                if one.is_file()
                and _format(one)
                and not _hidden(one.relative_to(path))
                and not own(one.parent)
            )
            if not inner:
                raise BadInput(f"{name} holds no captions: {_wanted()}.")
        elif path.exists():
            inner = [path]
        else:
            matched = map(Path, sorted(glob.glob(name, recursive=True)))
            inner = [one for one in matched if not own(one.parent)]
            if not inner:
                raise BadInput(f"There is no file {name}: give files, directories or patterns.")
        for one in inner:
            found.setdefault(str(one.resolve()), _source(one))
    return list(found.values())


def check_rows_file(out: Path, given: Sequence[str]) -> None:
    """Tell of a file for captions with their numbers that would be counted itself one day."""
    if out.is_dir() or not out.parent.is_dir():
        what = "is a folder" if out.is_dir() else "would lie in a folder that is not there"
        raise BadInput(f"--per-caption {out} {what}: name a Parquet file in one that is.")
    place = out.resolve()
    counted = any(
        place.is_relative_to(one)
        or place.match(str(one))
        or ("**" in one.parts and fnmatch(str(place), str(one).replace("**/", "*")))
        for one in (Path(each).resolve() for each in given)
    )
    if _format(out) and counted:
        raise BadInput(
            f"--per-caption {out} lies among the files that are counted, and would be counted "
            "itself: name a file elsewhere."
        )


def _is_own(folder: Path) -> bool:
    """Whether a folder is, or lies in, one that we made."""
    return any(
        (one / name).is_file() and (one / other).is_file()
        for one in (folder, *folder.parents)
        for name, other in _OWN
    )


def _hidden(path: Path) -> bool:
    """What file systems and notebooks leave beside the files themselves."""
    return any(part.startswith(".") for part in path.parts)


def _wanted() -> str:
    return f"give files that end in {', '.join(FORMATS)}, text also with {', '.join(PACKED)}"


def _format(path: Path) -> Format | None:
    packed = path.suffix.lower() in PACKED
    ending = Path(path.stem).suffix if packed else path.suffix
    found = FORMATS.get(ending.lower())
    return None if packed and found == "parquet" else found


def _source(path: Path) -> Source:
    format_ = _format(path)
    if format_ is None:
        raise BadInput(f"What {path} holds can't be told from its name: {_wanted()}.")
    packed = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    written, size = stamp(path)
    return Source(str(path), format_, packed, size, written)


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """A text file, unpacked as it is read; damage is named."""
    try:
        with _open(source) as file:
            yield file
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as problem:
        raise Damaged(
            f"{source.path} can't be read: {problem}. Bring it again, or leave it out with "
            "--skip-damaged."
        ) from None


def _open(source: Source) -> IO[bytes]:
    if source.packed == ".gz":
        return cast("IO[bytes]", gzip.open(source.path))
    if source.packed == ".bz2":
        return cast("IO[bytes]", bz2.open(source.path))
    if source.packed == ".xz":
        return cast("IO[bytes]", lzma.open(source.path))
    if source.packed == ".zst":
        import pyarrow as pa

        # Arrow's stream knows no lines
        return io.BufferedReader(pa.input_stream(source.path, compression="zstd"))
    return open(source.path, "rb")


def units(place: int, source: Source, header: bool, files: int = 1) -> Iterator[Unit]:
    """The units of one of so many files, in order; the first line is left out if it is a header."""
    if source.format == "parquet":
        yield from _row_groups(place, source, files)
    else:
        yield from _blocks(place, source, header)


def _row_groups(place: int, source: Source, files: int) -> Iterator[Unit]:
    with parquet(source) as file:
        found = file.metadata
        groups = [found.row_group(group).num_rows for group in range(found.num_row_groups)]
    most = SLICES if len(groups) * files < ENOUGH else 1
    parts = [
        (group, rows * part // many, rows * (part + 1) // many)
        for group, rows in enumerate(groups)
        for many in (max(1, min(most, rows // SLICE), -(-rows // MOST)),)
        for part in range(many)
    ]
    for index, (group, first, last) in enumerate(parts):
        yield Unit(place, index, group, source.bytes // len(parts), first=first, last=last)


@contextmanager
def parquet(source: Source, where: str = "") -> Iterator[Any]:
    """An open Parquet file; damage is named, with where it is looked for."""
    import pyarrow.parquet as pq

    with parquet_whole(source, where), pq.ParquetFile(source.path, **FRUGAL) as file:
        yield file


@contextmanager
def parquet_whole(source: Source, where: str = "") -> Iterator[None]:
    """What Arrow can't read of a Parquet file, or make of what it read, is damage."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        said = " ".join(str(problem).split())[:200].rstrip(".")
        raise Damaged(
            f"{source.path}{where} is no whole Parquet: {said}. Bring the file again, or leave out "
            "what can't be read with --skip-damaged."
        ) from None


def _blocks(place: int, source: Source, header: bool) -> Iterator[Unit]:
    """Blocks that end where a record ends; inside quotation marks of CSV no record ends."""
    quoted = source.format == "csv"
    with opened(source) as file:
        start, index, rest = 0, 0, b""
        if header:
            start = sum(map(len, _first_records(file, quoted, 1)))
        while part := file.read(BLOCK):
            part = rest + part
            end = _last_end(part, quoted)
            if end == 0:
                rest = part
                if len(rest) > LONGEST:
                    raise Damaged(
                        f"{source.path}: the record at byte {start} does not end within "
                        f"{LONGEST >> 20} MB; a quotation mark may be missing. Mend the file, or "
                        "leave it out with --skip-damaged."
                    )
                continue
            yield Unit(place, index, start, end, part[:end] if source.packed else None)
            start, index, rest = start + end, index + 1, part[end:]
        if rest:
            yield Unit(place, index, start, len(rest), rest if source.packed else None)


def _first_records(file: IO[bytes], quoted: bool, many: int) -> list[bytes]:
    """The first lines up to so many records; empty ones before and among them too."""
    found: list[bytes] = []
    while many and (line := file.readline()):
        while quoted and line.count(b'"') % 2 and (more := file.readline()):
            line += more
        found.append(line)
        many -= not _is_blank(line)
    return found


def _is_blank(line: bytes) -> bool:
    return not line.removeprefix(codecs.BOM_UTF8).strip()


def _last_end(part: bytes, quoted: bool) -> int:
    """How many bytes of a block are whole records."""
    end = part.rfind(b"\n") + 1
    if not quoted or not end:
        return end
    # A line end is a record's end where an even number of marks stands before it.
    marks = part.count(b'"', 0, end)
    while end and marks % 2:
        before = part.rfind(b"\n", 0, end - 1) + 1
        marks -= part.count(b'"', before, end)
        end = before
    return end


def first_lines(source: Source, many: int = 2) -> list[bytes]:
    """The first records of a text file."""
    with opened(source) as file:
        found = _first_records(file, source.format == "csv", many)
    if found and found[0].startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Damaged(
            f"{source.path} is UTF-16: save it as UTF-8, or leave it out with --skip-damaged."
        )
    return [line for line in found if not _is_blank(line)]


def read_block(source: Source, unit: Unit) -> bytes:
    """The bytes of a block."""
    if unit.text is not None:
        return unit.text
    with opened(source) as file:
        file.seek(unit.start)
        return file.read(unit.size)
