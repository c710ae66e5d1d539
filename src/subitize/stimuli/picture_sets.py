"""Writing a whole set of drawn pictures with its manifest, whatever the drawer.

Work is spread over processes, and the bytes do not depend on how many. A set written again is the
same and mends what is missing; a folder that holds anything else is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from subitize.errors import BadInput, StorageFull
from subitize.records import Stimulus
from subitize.stimuli import Picture, render

__all__ = ["MANIFEST", "PictureSet", "write_set"]

MANIFEST = "manifest.jsonl"

Recipe = Mapping[str, Any]


class PictureSet(NamedTuple):
    """Which pictures, and how the manifest tells of them."""

    wanted: Sequence[tuple[str, Recipe]]
    """path inside the folder (with / between folders) and recipe of every picture"""
    line: Callable[[str, Recipe, Picture], Mapping[str, Any]]
    """a picture's line of the manifest; a function of a module, so that processes find it"""
    describes: Callable[[Mapping[str, Any], Recipe], bool]
    """whether a line of a manifest found in the folder belongs to the recipe of its file"""
    together: int = 16
    """so many pictures are handed to a process at a time"""


Job = tuple[str, str, Recipe, Callable[[str, Recipe, Picture], Mapping[str, Any]]]


def write_set(out: Path, pictures: PictureSet, processes: int | None = None) -> int:
    """Write every picture of a set and its manifest into `out`; gives the number of pictures."""
    if processes is not None and processes < 1:
        raise BadInput(f"The number of processes is {processes}: give 1 or more.")
    _check_folder(out, pictures)
    jobs: list[Job] = [(str(out), name, made, pictures.line) for name, made in pictures.wanted]
    try:
        for folder in {(out / name).parent for name, _ in pictures.wanted}:
            folder.mkdir(parents=True, exist_ok=True)
        _replace(out / MANIFEST, b"".join(_lines(jobs, pictures.together, processes)))
    except OSError as error:
        raise StorageFull(
            f"The pictures can't be written to {out} ({error.strerror}): free some space or choose "
            "another folder, then run again."
        ) from None
    return len(jobs)


def _lines(jobs: Sequence[Job], together: int, processes: int | None) -> Iterator[bytes]:
    """Write every picture; the manifest's lines come in the order of the jobs."""
    count = min(processes or os.cpu_count() or 1, -(-len(jobs) // together))
    if count == 1:
        yield from map(_write, jobs)
        return
    with get_context("spawn").Pool(count) as pool:
        yield from pool.imap(_write, jobs, chunksize=together)


def _write(job: Job) -> bytes:
    """Write one picture and give its line of the manifest."""
    folder, name, made, line = job
    picture = render(Stimulus("drawn", made))
    path = Path(folder) / name
    if not path.exists() or path.read_bytes() != picture.png:
        _replace(path, picture.png)
    return orjson.dumps(line(name, made, picture), option=orjson.OPT_APPEND_NEWLINE)


def _replace(path: Path, data: bytes) -> None:
    """A file is either whole or not there."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(data)
    temporary.replace(path)


def _check_folder(out: Path, pictures: PictureSet) -> None:
    """Refuse a folder with anything but (a part of) this very set."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file: give a folder for the pictures.")
    if not out.is_dir():
        return
    names = {Path(MANIFEST), *(Path(name) for name, _ in pictures.wanted)}
    known = names | {name.with_name(f".{name.name}.part") for name in names}
    known |= {parent for name in names for parent in name.parents}
    # from the top down, and no further into a stranger's folder
    folders = sorted({(out / name).parent for name in names})
    for folder in folders:
        if not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            found = path.relative_to(out)
            if found not in known:
                raise BadInput(
                    f"The folder {out} holds {str(found)!r}, which is not part of this set: choose "
                    "an empty folder."
                )
    _check_manifest(out, pictures)


def _check_manifest(out: Path, pictures: PictureSet) -> None:
    manifest = out / MANIFEST
    if not manifest.exists():
        return
    wanted = dict(pictures.wanted)
    try:
        known = [orjson.loads(line) for line in manifest.read_bytes().splitlines()]
        same = len(known) == len(wanted) and all(
            pictures.describes(line, wanted[line["file"]]) for line in known
        )
    except (orjson.JSONDecodeError, KeyError, TypeError):
        same = False
    if not same:
        raise BadInput(
            f"The folder {out} holds another set of pictures (its {MANIFEST} differs): choose an "
            "empty folder, or the settings it was made with."
        )
