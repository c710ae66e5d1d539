"""Files of a folder or a zip archive that somebody else made, read into memory with limits."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from subitize.errors import BadInput

LARGEST_TOTAL = 2 * 1024**3
"""bytes that all wanted files may have together, unpacked"""


class Member(NamedTuple):
    """One wanted file."""

    name: str
    """its name without folders"""
    where: str
    """what messages call it"""
    content: bytes
    """all of it, unpacked"""


def members(
    source: Path | IO[bytes],
    wanted: Callable[[str], bool],
    *,
    shown: str = "",
    largest: int = LARGEST_TOTAL,
) -> tuple[list[Member], list[str]]:
    """The wanted files of a folder or archive in the order of their names, and the other names.

    An archive may be in memory; `shown` is what messages call it. More than `largest` bytes,
    whatever a header says, and an encrypted or damaged member are refused. Nothing is ever written
    to disk, so where a member says it belongs does not matter.
    """
    shown = shown or str(source)
    try:
        if isinstance(source, Path) and source.is_dir():
            files = sorted(file for file in source.rglob("*") if file.is_file())
            names = [str(file.relative_to(source)) for file in files]
            return _read(names, lambda name: (source / name).open("rb"), shown, wanted, largest)
        with zipfile.ZipFile(source) as archive:
            # macOS puts a shadow of each file beside it
            names = [one for one in archive.namelist() if one[-1:] != "/" and "__MACOSX" not in one]
            return _read(names, archive.open, shown, wanted, largest)
    except (zipfile.BadZipFile, zlib.error, EOFError) as problem:
        raise BadInput(
            f"{shown} is not a sound zip archive ({problem}): download it again, or give a folder "
            "of CSV files."
        ) from None
    except RuntimeError as problem:  # a password, or a method of packing that Python lacks
        raise BadInput(f"{shown} can't be unpacked ({problem}): unpack it first.") from None
    except FileNotFoundError:
        raise BadInput(
            f"There is no file or folder {shown}: give a zip archive or a folder of CSV."
        ) from None
    except OSError as problem:
        raise BadInput(f"Can't read {shown}: {problem.strerror or problem}.") from None


def _read(
    names: Iterable[str],
    opened: Callable[[str], IO[bytes]],
    shown: str,
    wanted: Callable[[str], bool],
    largest: int,
) -> tuple[list[Member], list[str]]:
    found: dict[str, Member] = {}
    others: list[str] = []
    left = largest
    for where in names:
        name = PurePosixPath(where.replace("\\", "/")).name
        if not wanted(name):
            others.append(where)
            continue
        if name in found:
            raise BadInput(
                f"{shown} holds {found[name].where} and {where}, which have the same name: "
                "leave one out."
            )
        with opened(where) as stream:
            content = stream.read(left + 1)
        left -= len(content)
        if left < 0:
            raise BadInput(
                f"{shown} unpacks to more than {largest / 1024**2:,.0f} MB: that is no set of "
                "annotations. Check where the file comes from."
            )
        found[name] = Member(name, where, content)
    return [found[name] for name in sorted(found)], sorted(others)
