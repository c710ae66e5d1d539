"""Bytes of a text file that somebody else wrote, as text."""

from __future__ import annotations

import codecs
from pathlib import Path

from subitize.errors import BadInput

__all__ = ["decoded", "stamp"]


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
