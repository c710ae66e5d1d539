"""Writing a whole set of naming pictures with its manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import orjson

from subitize.errors import BadInput, StorageFull, UnknownName
from subitize.stimuli.holding import check_hold
from subitize.stimuli.naming import CATEGORIES, SMALLEST_SIZE, draw, recipe

__all__ = ["MANIFEST", "NamingSet", "write_naming"]

MANIFEST = "manifest.jsonl"
_CHUNK = 16
"""pictures handed to a process at a time"""


@dataclass(frozen=True)
class NamingSet:
    """Which pictures a set holds."""

    per_cell: int = 50
    """pictures per category and n"""
    max: int = 10
    """n runs from 1 to this"""
    size: int = 1024
    """side in pixels"""
    categories: tuple[str, ...] = CATEGORIES
    """which of the five"""
    hold: str = ""
    """cue held constant over n: area, hull, density or none"""
    seed: int = 0
    """another seed, another set"""

    def check(self) -> None:
        """Raise when no picture or no sensible picture would come out."""
        if self.per_cell < 1:
            raise BadInput(f"--per-cell is {self.per_cell}: give 1 or more pictures per cell.")
        if self.max < 1:
            raise BadInput(f"--max is {self.max}: the largest n must be 1 or more.")
        if self.size < SMALLEST_SIZE:
            raise BadInput(
                f"--size is {self.size}: pictures need {SMALLEST_SIZE} or more pixels a side."
            )
        if not self.categories:
            raise BadInput(f"--categories is empty: give some of {', '.join(CATEGORIES)}.")
        for category in self.categories:
            if category not in CATEGORIES:
                raise UnknownName("category", category, CATEGORIES)
        check_hold(self.hold)

    def recipes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """File name and recipe of every picture."""
        for category in self.categories:
            for n in range(1, self.max + 1):
                for index in range(self.per_cell):
                    name = f"{n}_{category.replace(' ', '_')}_{index}.png"
                    yield (
                        name,
                        recipe(
                            category,
                            n,
                            index,
                            size=self.size,
                            hold=self.hold,
                            seed=self.seed,
                            largest=self.max,
                        ),
                    )


Job = tuple[str, str, dict[str, Any]]


def write_naming(out: Path, settings: NamingSet, processes: int | None = None) -> int:
    """Write every picture of a set and its manifest into `out`; gives the number of pictures.

    The bytes do not depend on the number of processes (default: one per core). Written again, a
    set is the same; a folder that holds anything else is refused.
    """
    settings.check()
    if processes is not None and processes < 1:
        raise BadInput(f"The number of processes is {processes}: give 1 or more.")
    wanted = list(settings.recipes())
    # the most crowded pictures first, so that too small a size is known before anything is written
    for category in settings.categories:
        draw(next(r for _, r in wanted if r["category"] == category and r["n"] == settings.max))
    _check_folder(out, wanted)
    jobs = [(str(out), name, made) for name, made in wanted]
    try:
        out.mkdir(parents=True, exist_ok=True)
        _replace(out / MANIFEST, b"".join(_lines(jobs, processes)))
    except OSError as error:
        raise StorageFull(
            f"The pictures can't be written to {out} ({error.strerror}): free some space or choose "
            "another folder, then run again."
        ) from None
    return len(jobs)


def _lines(jobs: Sequence[Job], processes: int | None) -> Iterator[bytes]:
    """Write every picture; the manifest's lines come in the order of the jobs."""
    count = min(processes or os.cpu_count() or 1, -(-len(jobs) // _CHUNK))
    if count == 1:
        yield from map(_write, jobs)
        return
    with get_context("spawn").Pool(count) as pool:
        yield from pool.imap(_write, jobs, chunksize=_CHUNK)


def _write(job: Job) -> bytes:
    """Write one picture and give its line of the manifest."""
    folder, name, made = job
    picture = draw(made)
    path = Path(folder) / name
    if not path.exists() or path.read_bytes() != picture.png:
        _replace(path, picture.png)
    line = {"file": name, "sha256": picture.sha256, "recipe": made, **picture.facts}
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _replace(path: Path, data: bytes) -> None:
    """A file is either whole or not there."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(data)
    temporary.replace(path)


def _check_folder(out: Path, wanted: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Refuse a folder with anything but (a part of) this very set."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file: give a folder for the pictures.")
    if not out.is_dir():
        return
    names = {MANIFEST} | {name for name, _ in wanted}
    parts = {f".{name}.part" for name in names}
    for found in sorted(path.name for path in out.iterdir()):
        if found not in names and found not in parts:
            raise BadInput(
                f"The folder {out} holds {found!r}, which is not part of this set: choose an empty "
                "folder."
            )
    _check_manifest(out, dict(wanted))


def _check_manifest(out: Path, wanted: dict[str, dict[str, Any]]) -> None:
    manifest = out / MANIFEST
    if not manifest.exists():
        return
    try:
        known = [orjson.loads(line) for line in manifest.read_bytes().splitlines()]
        same = len(known) == len(wanted) and all(
            wanted.get(line["file"]) == line["recipe"] for line in known
        )
    except (orjson.JSONDecodeError, KeyError, TypeError):
        same = False
    if not same:
        raise BadInput(
            f"The folder {out} holds another set of pictures (its {MANIFEST} differs): choose an "
            "empty folder, or the settings it was made with."
        )
