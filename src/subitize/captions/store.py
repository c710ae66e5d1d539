"""The result folder: which counting it is, what was counted unit by unit, and the result.

captions.json   files, columns, tagger, rule: what decides whether it may be gone on with
units.jsonl     a line per unit, written at once: a kill loses what is under way, a power cut half a
                second more
rows/           with --per-caption, the captions of each unit until they are one file
result.json     made again at will
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from subitize.captions.tally import Tally
from subitize.disk import APPENDING, sync_data
from subitize.errors import StorageFull, WrongRun
from subitize.files import read_json, write_json, write_whole
from subitize.runs.journal import append_line, cut_torn_line, read_lines
from subitize.runs.lock import locked
from subitize.runs.shards import WHOLE, slug

FORMAT = 1
INFO, UNITS, RESULT, ROWS = "captions.json", "units.jsonl", "result.json", "rows"
BESIDE, CHECKED = "beside", "images.json"
ODD = ("where", "not_text", "broken")
SYNC_EVERY = 0.5
"""seconds: workers wait while the disk does"""


def folder_name(name: str, identity: Mapping[str, Any]) -> str:
    """A readable slug plus a short hash, and which shard it is."""
    whole = {**identity, "shard": list(WHOLE)}
    return slug(f"captions-{name}", whole, tuple(identity["shard"]))


def is_result(folder: Path) -> bool:
    """Whether a folder was made by `subitize captions`."""
    return (folder / INFO).is_file()


def read_info(folder: Path) -> dict[str, Any]:
    """captions.json, or a clear word about what is wrong with the folder."""
    repair = "Give a folder that `subitize captions` made."
    info = read_json(folder / INFO, "the counting", repair)
    if not isinstance(info, dict) or info.get("format") != FORMAT:
        raise WrongRun(f"{folder / INFO} is of another version: count anew with another --out.")
    return info


def read_result(folder: Path) -> dict[str, Any]:
    """result.json of a counting that came to its end."""
    path = folder / RESULT
    if not path.is_file():
        raise WrongRun(
            f"{folder} holds a counting that has not ended: run its command again, it goes on "
            "where it stopped."
        )
    result = read_json(path, "the result")
    if not isinstance(result, dict):
        raise WrongRun(f"{path} is damaged: run the counting's command again, which makes it anew.")
    inner = sorted((folder / BESIDE).glob("*.json"))
    checked = folder / CHECKED
    return {
        **result,
        "beside": [read_json(one, "a model's accuracy") for one in inner],
        "images": read_json(checked, "the checked pictures") if checked.is_file() else None,
    }


class Store:
    """The folder of one counting, held by one process."""

    def __init__(self, folder: Path, info: dict[str, Any]) -> None:
        self.folder, self.info = folder, info
        self.tally = Tally()
        self.files: dict[int, Counter[str]] = {}
        """counts by file"""
        self.odd: dict[int, dict[int, dict[str, Any]]] = {}
        """of units with captions that are no text or no UTF-8: where, and how many; by file"""
        self.damage: dict[int, list[str]] = {}
        """what could not be read, by file"""
        self.done: set[tuple[int, int]] = set()
        self._descriptor = -1
        self._synced = 0.0

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, identity: Mapping[str, Any], name: str) -> Iterator[Store]:
        """Begin a folder, or go on with it; one of another counting is an error."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise StorageFull(f"Can't make {folder}: {problem.strerror}.") from None
        with locked(folder):
            if is_result(folder):
                info = read_info(folder)
                if info["identity"] != identity:
                    raise WrongRun(
                        f"{folder} holds another counting (files, column, tagger or rule "
                        "differ): give another --out."
                    )
            else:
                created = datetime.now(UTC).isoformat(timespec="seconds")
                info = {
                    "format": FORMAT, "name": name, "created": created, "identity": dict(identity)
                }  # fmt: skip
                write_json(folder / INFO, info)
            store = cls(folder, info)
            cut_torn_line(folder / UNITS)
            store._load()
            store._descriptor = os.open(folder / UNITS, APPENDING, 0o644)
            try:
                yield store
                sync_data(store._descriptor)
            finally:
                os.close(store._descriptor)

    def _load(self) -> None:
        for offset, line in read_lines(self.folder / UNITS):
            try:
                self.take(orjson.loads(line))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
                raise WrongRun(
                    f"{self.folder / UNITS} is damaged at byte {offset}: count anew with another "
                    "--out."
                ) from None

    def take(self, line: dict[str, Any]) -> dict[str, Any]:
        """Add the counts of a unit; the line with the samples that are worth keeping."""
        key = (int(line["file"]), int(line["unit"]))
        if key in self.done:
            return line
        kept = self.tally.merge(line)
        self.done.add(key)
        counts = {name: line[name] for name in Tally.COUNTS}
        self.files.setdefault(key[0], Counter()).update(counts)
        if "where" in line:
            self.odd.setdefault(key[0], {})[key[1]] = {name: line[name] for name in ODD}
        return kept

    def write(self, key: tuple[int, int], line: bytes, rows: bytes = b"") -> None:
        """Store a unit for good; its captions first, so that they are there if its line is."""
        if rows:
            inner = self.folder / ROWS
            inner.mkdir(exist_ok=True)
            write_whole(inner / rows_name(key), rows)
        kept = self.take({"file": key[0], "unit": key[1], **orjson.loads(line)})
        try:
            append_line(self._descriptor, orjson.dumps(kept) + b"\n")
            if time.monotonic() - self._synced > SYNC_EVERY:
                sync_data(self._descriptor)
                self._synced = time.monotonic()
        except OSError as problem:
            raise StorageFull(
                f"Can't write {self.folder / UNITS}: {problem.strerror}. Make room and run the "
                "same command again; it goes on where it stopped."
            ) from None

    def finish(self, result: Mapping[str, Any]) -> None:
        """Store the result."""
        write_json(self.folder / RESULT, result)


def rows_name(key: tuple[int, int]) -> str:
    """The file of a unit's captions; in order of names as in order of rows."""
    return f"{key[0]:06d}-{key[1]:08d}.parquet"
