"""trials.jsonl: the trials of a run, a line each, written before they are asked.

It is a set matched by id: trials are a pure function of settings, decisions and responses, so a
resumed run makes them again, in whatever order, and adds what the file lacks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Self

import orjson

from subitize.disk import APPENDING, sync_data
from subitize.errors import BadInput, StorageFull, WrongRun
from subitize.files import write_whole
from subitize.records import Trial
from subitize.runs.checked import Damaged, trial_of
from subitize.runs.journal import append_line, cut_torn_line, read_lines

CHUNK = 64
GUESSED_FROM = 100
"""lines by which a reader of our files may judge what a column holds"""
NO_TARGET = b'"target":null'
START = b'{"id":"'
FILE = "trials.jsonl"


class Plan:
    """The file of trials; opened by the one process that holds the run's lock."""

    def __init__(self, folder: Path, fill: Mapping[str, str | int | float]) -> None:
        self.path = folder / FILE
        self._fill = fill
        cut_torn_line(self.path)
        self._known = set(_short_ids(self.path))
        try:
            self._descriptor = os.open(self.path, APPENDING, 0o644)
        except OSError as problem:
            raise StorageFull(f"Can't write {self.path}: {problem.strerror}.") from None
        self.unsynced = False

    def chunks(self, trials: Iterable[Trial]) -> Iterator[list[Trial]]:
        """The same trials in small lists; each is in the file before it is handed out."""
        remaining = iter(trials)
        while chunk := list(islice(remaining, CHUNK)):
            self.add(chunk)
            yield chunk

    def add(self, trials: Iterable[Trial]) -> None:
        """Write those of the trials that the file lacks."""
        new = b""
        for trial in trials:
            if _short(trial.id) not in self._known:
                self._known.add(_short(trial.id))
                new += self._line(trial)
        if not new:
            return
        try:
            append_line(self._descriptor, new)
            self.unsynced = True
        except OSError as problem:
            raise StorageFull(
                f"Can't write {self.path}: {problem.strerror}. Make room and run again."
            ) from None

    def _line(self, trial: Trial) -> bytes:
        undeclared = trial.condition.keys() - self._fill.keys()
        if undeclared:
            raise BadInput(
                f"The trials of {trial.benchmark}, stage {trial.stage}, have the conditions "
                f"{', '.join(sorted(undeclared))}, which the benchmark's CONDITION does not "
                "declare: add them there, each with the value for trials that lack it."
            )
        options = orjson.OPT_SERIALIZE_NUMPY
        return orjson.dumps(trial.as_json(self._fill), option=options) + b"\n"

    def sync(self) -> None:
        """Make what was written survive a power cut; called off the event loop."""
        self.unsynced = False
        sync_data(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.unsynced:
            with suppress(OSError):
                self.sync()
        os.close(self._descriptor)
        with suppress(StorageFull):
            _show_a_target(self.path)


def _show_a_target(path: Path) -> None:
    """Put a trial with a number as its target first where a hundred without one come before any:
    Polars judges by those, and could not open the file."""
    lines = enumerate(read_lines(path))
    number, (at, line) = next((one for one in lines if NO_TARGET not in one[1][1]), (0, (0, b"")))
    if number >= GUESSED_FROM:
        whole = path.read_bytes()
        write_whole(path, line + whole[:at] + whole[at + len(line) :])


def _short(identity: str) -> int:
    """64 bits of a trial's id: a hundred thousand of them stay small in memory."""
    return int(identity[:16], 16)


def _short_ids(path: Path) -> Iterator[int]:
    """Of every line; one that begins otherwise than we write it is parsed as a whole."""
    begin, end = len(START), len(START) + 16
    for number, (_, line) in enumerate(read_lines(path), 1):
        try:
            if line.startswith(START) and b'"' not in line[begin:end]:
                yield int(line[begin:end], 16)
            else:
                yield _short(parsed_trial(path, number, line).id)
        except ValueError:
            raise _damaged(path, number) from None


class PlannedTrials(Mapping[str, Trial]):
    """The planned trials by id; a line is parsed when its trial is asked for."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "trials.jsonl"
        self._lines: dict[str, tuple[int, int]] = {}
        for number, (offset, line) in enumerate(read_lines(self._path), 1):
            end = line.find(b'"', len(START)) if line.startswith(START) else -1
            if end > 0:
                identity = line[len(START) : end].decode(errors="replace")
            else:
                identity = parsed_trial(self._path, number, line).id
            self._lines.setdefault(identity, (number, offset))

    def __getitem__(self, identity: str) -> Trial:
        number, offset = self._lines[identity]
        with self._path.open("rb") as file:
            file.seek(offset)
            return placed(parsed_trial(self._path, number, file.readline()), self._path.parent)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def read_trials(folder: Path) -> Iterator[Trial]:
    """The planned trials, each once, in the order of the file, with the paths of their files."""
    return (placed(trial, folder) for trial in planned(folder))


def planned(folder: Path) -> Iterator[Trial]:
    """The trials as the file has them, each once, in its order."""
    path = folder / FILE
    seen = set()
    for number, (_, line) in enumerate(read_lines(path), 1):
        trial = parsed_trial(path, number, line)
        if trial.id not in seen:
            seen.add(trial.id)
            yield trial


def parsed_trial(path: Path, number: int, line: bytes) -> Trial:
    """The trial of a line of the plan, or a word about which line is none."""
    try:
        return trial_of(line)
    except Damaged:
        raise _damaged(path, number) from None


def _damaged(path: Path, number: int) -> WrongRun:
    return WrongRun(
        f"{path}, line {number} is damaged: it is not a trial. Delete that line and run the same "
        "`subitize run` again, which plans it anew and asks nothing twice."
    )


def placed(trial: Trial, folder: Path) -> Trial:
    """The trial with the path of its file resolved; relative ones start at the run's folder."""
    path = trial.stimulus.path
    try:
        if path is None or Path(path).is_absolute() or not (folder / path).exists():
            return trial
    except (OSError, ValueError):  # no path at all; what is shown says so when it is drawn
        return trial
    return replace(trial, stimulus=replace(trial.stimulus, path=str(folder / path)))
