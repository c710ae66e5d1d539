"""Files of our own, written whole or not at all; files of others, with what is wrong in them named.

A place in a file is `path:line`, as compilers write it.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import orjson

from subitize.disk import FULL, sync_folder
from subitize.errors import BadInput, StorageFull

PART = ".part"
"""how the name of a file ends that is not yet written"""

Entry = tuple[str, dict[str, Any]]
"""where it stands, and what it says"""
T = TypeVar("T")


def write_whole(path: Path, content: bytes, *, option: str = "", sync: bool = True) -> None:
    """Temporary name, sync, rename: a reader sees the old file or the new one.

    `option` is the one that named the path: a place that can't be written is then the user's to
    change. A full disk is none of his making.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}{PART}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.replace(path)
        if sync:
            sync_folder(path.parent)
    except OSError as problem:
        said = f"Can't write {path}: {problem.strerror or problem}."
        if option and problem.errno not in FULL:
            raise BadInput(f"{said} Give another {option}.") from None
        raise StorageFull(f"{said} Make room and run the same command again.") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_json(path: Path, value: Any, *, option: str = "") -> None:
    """Write a value as JSON for the eye, as `write_whole` does."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    write_whole(path, orjson.dumps(value, option=options), option=option)


def check_free(path: Path, option: str, *, replace: bool) -> None:
    """Raise where a file of the user's would be written over, before any work is done for it."""
    if path.exists() and not replace:
        raise BadInput(f"{path} is there already: give another {option}, or --force to replace it.")


def write_new(path: Path, content: bytes, *, option: str, replace: bool = False) -> None:
    """Write a file that the user named; one with other content stays unless he says `replace`."""
    if path.is_file() and path.read_bytes() == content:
        return
    check_free(path, option, replace=replace)
    write_whole(path, content, option=option)


def make_folder(folder: Path, option: str) -> None:
    """A folder, there or made; a place where none can be is the user's to change."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        said = f"The folder {folder} can't be made: {problem.strerror or problem}."
        raise BadInput(f"{said} Give another {option}.") from None


def sweep(folder: Path) -> None:
    """Take away what a killed process left half written; only who holds the folder's lock may."""
    for left in folder.glob(f".*{PART}"):
        with suppress(OSError):
            left.unlink()


def csv_text(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""A table as CSV with plain line ends.

    >>> csv_text(("a", "b"), [(1, "x, y")])
    'a,b\n1,"x, y"\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def read_bytes(path: Path, what: str, repair: str = "") -> bytes:
    """A file's content; `what` it should hold and how to mend it are said when it can't be read."""
    try:
        return path.read_bytes()
    except OSError as problem:
        said = f"Can't read {what} {path}: {problem.strerror or problem}."
        raise BadInput(f"{said} {repair}".rstrip()) from None


def decoded(content: bytes, name: str) -> str:
    """UTF-8 (with or without a mark at the start) or marked UTF-16; anything else is named.

    >>> decoded(codecs.BOM_UTF8 + b"a,b", "x.csv")
    'a,b'
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        encoding = "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        found = content[problem.start : problem.start + 1]
        raise BadInput(
            f"{name}:{line} is not UTF-8: found the byte 0x{found.hex()}, which other encodings "
            f"such as Latin-1 read as {found.decode('latin-1')!r}. Save the file as UTF-8."
        ) from None


def read_json(path: Path, what: str, repair: str = "") -> Any:
    """What a JSON file holds."""
    return _parsed(decoded(read_bytes(path, what, repair), str(path)), str(path), repair)


def read_toml(path: Path, what: str, repair: str = "") -> dict[str, Any]:
    """What a TOML file holds."""
    try:
        return tomllib.loads(decoded(read_bytes(path, what, repair), str(path)))
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"{path} is not TOML: {problem}. {repair}".rstrip()) from None


def _parsed(text: str, where: str, repair: str = "") -> Any:
    """JSON; NaN and Infinity, which Python writes though they are no JSON, are taken as such."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as problem:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BadInput(f"{where} is not JSON: {problem}. {repair}".rstrip()) from None


def read_entries(
    path: Path, what: str, needed: Sequence[str], *, blank: Sequence[str] = (), repair: str = ""
) -> list[Entry]:
    """The objects of a JSON list or of JSON lines, the rows of a Parquet file, else those of CSV.

    Every entry must have what is `needed`, and it may be empty only where `blank` says so.
    """
    content = read_bytes(path, what, repair)
    parquet = content.startswith(b"PAR1")
    text = "" if parquet else decoded(content, str(path))
    start = text.lstrip()[:1]
    if parquet:
        found = _parquet_rows(content, path)
    elif start not in ("[", "{", ""):
        found = _csv_rows(text, path, needed)
    elif start == "[":
        listed = _parsed(text, str(path), repair)
        found = [(f"{path}: entry {place}", entry) for place, entry in enumerate(listed, 1)]
    else:
        # not splitlines: characters that end a line for Python may stand inside a JSON string
        lines = ((f"{path}:{number}", line) for number, line in enumerate(text.split("\n"), 1))
        found = [(where, _parsed(line, where)) for where, line in lines if line.strip()]
    for where, entry in found:
        if not isinstance(entry, dict):
            raise BadInput(f"{where} is no object: give one with {', '.join(needed)}.")
        empty = [name for name in needed if entry.get(name) in (None, "") and name not in blank]
        if missing := [name for name in needed if name not in entry or name in empty]:
            raise BadInput(f"{where} lacks {', '.join(missing)}. {repair}".rstrip())
    return found


def _parquet_rows(content: bytes, path: Path) -> list[Entry]:
    import polars as pl

    try:
        rows = pl.read_parquet(io.BytesIO(content)).to_dicts()
    except pl.exceptions.PolarsError as problem:
        raise BadInput(f"{path} can't be read as Parquet: {str(problem)[:200]}") from None
    return [(f"{path}, row {number}", row) for number, row in enumerate(rows, 1)]


def _csv_rows(text: str, path: Path, needed: Sequence[str]) -> list[Entry]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        header = reader.fieldnames or ()
        if missing := [name for name in needed if name not in header]:
            raise BadInput(
                f"{path} lacks the column {', '.join(missing)}: it has "
                f"{', '.join(header) or 'none'}; needed are {', '.join(needed)}."
            )
        return [
            (f"{path}:{reader.line_num}", {key: (row[key] or "").strip() for key in header})
            for row in reader
        ]
    except csv.Error as problem:
        raise BadInput(
            f"{path}:{reader.line_num + 1}: this is not CSV ({problem}): a quotation mark may be "
            "missing."
        ) from None


def stamp(path: Path | str) -> tuple[int, int]:
    """When a file was last written and its size: what was read of it is kept as long as both stay.

    >>> stamp("no such file")
    (0, 0)
    """
    try:
        found = Path(path).stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def read_once(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """A function of a file that reads it again only where it was written since."""
    kept = lru_cache(maxsize=4)(lambda path, _stamp: read(path))
    return lambda path: kept(path, stamp(path))


def leads_out(name: str) -> bool:
    """Whether the path of a picture in its folder is none.

    >>> leads_out("a/b.png"), leads_out("../b.png"), leads_out("/b.png")
    (False, True, True)
    """
    return Path(name).is_absolute() or ".." in Path(name).parts


def inside(name: str, where: str) -> str:
    """The path of a picture in its folder; one that leads out of that is refused.

    >>> inside("a/b.png", "line 3")
    'a/b.png'
    """
    if leads_out(name):
        raise BadInput(f"{where}: the picture {name!r} lies outside the folder of pictures.")
    return name


def listed_picture(manifest: Path, name: str, where: str) -> Path:
    """A picture that a manifest names; one that lies elsewhere, also through a link, is refused."""
    path = manifest.parent / name
    if not path.resolve().is_relative_to(manifest.parent.resolve()):
        raise BadInput(f"{where}: {name} leaves the folder of the manifest.")
    return path
