"""Files of a folder or a zip archive that somebody else made, read with limits."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from subitize.errors import BadInput

__all__ = ["LARGEST_TOTAL", "Member", "members"]

LARGEST_TOTAL = 2 * 1024**3
"""bytes that all wanted files may have together, unpacked"""
MOST_MEMBERS = 10_000
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """One wanted file."""

    name: str
    """its name without folders"""
    where: str
    """what messages call it"""
    content: bytes
    """all of it, unpacked"""


def members(
    path: Path, wanted: Callable[[str], bool], *, largest: int = LARGEST_TOTAL
) -> tuple[list[Member], list[str]]:
    """The wanted files of a folder or archive in the order of their names, and the other names.

    An archive with a path that leaves it, an encrypted or damaged member or more than `largest`
    bytes is refused; nothing is ever written to disk.
    """
    if path.is_dir():
        found, others = _in_folder(path, wanted, largest)
    elif path.is_file():
        found, others = _in_zip(path, wanted, largest)
    else:
        raise BadInput(f"There is no file or folder {path}: give a zip archive or a folder of CSV.")
    found.sort(key=lambda member: member.name)
    for one, other in pairwise(found):
        if one.name == other.name:
            raise BadInput(
                f"{path} holds {one.where} and {other.where}, which have the same name: "
                "leave one out."
            )
    return found, sorted(others)


def _too_large(path: Path, largest: int) -> BadInput:
    return BadInput(
        f"{path} unpacks to more than {largest / 1024**2:,.0f} MB: that is no set of annotations. "
        "Check where the file comes from."
    )


def _in_folder(
    path: Path, wanted: Callable[[str], bool], largest: int
) -> tuple[list[Member], list[str]]:
    found: list[Member] = []
    others: list[str] = []
    left = largest
    for file in sorted(path.rglob("*")):
        if not file.is_file():
            continue
        if not wanted(file.name):
            others.append(str(file.relative_to(path)))
            continue
        left -= file.stat().st_size
        if left < 0:
            raise _too_large(path, largest)
        found.append(Member(file.name, str(file.relative_to(path)), file.read_bytes()))
    return found, others


def _in_zip(
    path: Path, wanted: Callable[[str], bool], largest: int
) -> tuple[list[Member], list[str]]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = list(_safe_entries(path, archive))
            found = []
            left = largest
            for entry in entries:
                name = PurePosixPath(entry.filename).name
                if wanted(name):
                    content = _unpacked(path, archive, entry, left, largest)
                    left -= len(content)
                    found.append(Member(name, entry.filename, content))
            others = [e.filename for e in entries if not wanted(PurePosixPath(e.filename).name)]
            return found, others
    except zipfile.BadZipFile as problem:
        raise BadInput(
            f"{path} is not a sound zip archive ({problem}): download it again, or give a folder "
            "of CSV files."
        ) from None
    except OSError as problem:
        raise BadInput(f"Can't read {path}: {problem.strerror or problem}.") from None


def _safe_entries(path: Path, archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS:
        raise BadInput(
            f"{path} holds {len(entries):,} files: more than {MOST_MEMBERS:,} are no set."
        )
    for entry in entries:
        name = entry.filename.replace("\\", "/")
        parts = PurePosixPath(name).parts
        leaves = name.startswith("/") or ".." in parts or (parts and ":" in parts[0])
        if leaves or stat.S_ISLNK(entry.external_attr >> 16):
            raise BadInput(
                f"{path} holds {entry.filename!r}, a path that leaves the archive: it is not read."
            )
        # macOS puts a shadow of each file beside it
        if not entry.is_dir() and "__MACOSX" not in parts:
            yield entry


def _unpacked(
    path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, largest: int
) -> bytes:
    """The content of a member, never more than `left` bytes whatever its header says."""
    if entry.flag_bits & 0x1:
        raise BadInput(f"{path}: {entry.filename} is encrypted: unpack it first.")
    if entry.file_size > left:
        raise _too_large(path, largest)
    pieces: list[bytes] = []
    try:
        with archive.open(entry) as stream:
            while piece := stream.read(CHUNK):
                left -= len(piece)
                if left < 0:
                    raise _too_large(path, largest)
                pieces.append(piece)
    except (zlib.error, EOFError) as problem:
        raise BadInput(
            f"{path}: {entry.filename} is damaged ({problem}): download it again."
        ) from None
    except NotImplementedError:
        raise BadInput(
            f"{path}: {entry.filename} is packed by a method Python can't unpack: pack it again."
        ) from None
    return b"".join(pieces)
