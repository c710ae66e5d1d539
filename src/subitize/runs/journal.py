"""responses.jsonl: one line per response, written at once, never rewritten.

Each line goes out with one unbuffered write, so a killed process loses nothing; a background
sync per small batch means a power cut costs at most that batch. A torn last line is cut off when
the journal is opened and its trial is asked again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import orjson

from subitize.disk import APPENDING, FULL, is_there, sync_data, sync_folder, take_room
from subitize.errors import StorageFull, WrongRun
from subitize.records import Key, Response, key_from
from subitize.runs.checked import Damaged, response_entry

LINE_BYTES = 8192
RESERVE_BYTES = 1 << 20
"""kept free beside the journal, given back when the disk is full, so that replies already under
way can still be written"""


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The complete lines of a file with their offsets; a torn last line is left out."""
    offset = 0
    try:
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return
                yield offset, line
                offset += len(line)
    except FileNotFoundError:
        return
    except OSError as problem:
        raise unreadable(path, problem) from None


def cut_torn_line(path: Path) -> int:
    """Cut off what stands after the last line end; the number of bytes cut."""
    try:
        return _cut_torn_line(path)
    except FileNotFoundError:
        return 0
    except IsADirectoryError as problem:
        raise unreadable(path, problem) from None
    except OSError as problem:
        raise StorageFull(_full(path.parent, problem)) from None


def _cut_torn_line(path: Path) -> int:
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            file.truncate(end)
            os.fsync(file.fileno())
    return size - end


def unreadable(path: Path, problem: OSError) -> WrongRun:
    return WrongRun(
        f"{path} can't be read: {problem.strerror or problem}. Put back a copy of it, or give "
        "another run folder."
    )


def damaged_response(path: Path, number: int) -> WrongRun:
    """What is said of a line that is no response."""
    return WrongRun(
        f"{path}, line {number} is damaged: it is not a response. Mend or delete that line; all "
        "others are kept, and its trial will be asked again."
    )


def append_line(descriptor: int, line: bytes) -> int:
    """Write a whole line or nothing: what a full disk left of it is taken back; where it begins."""
    before = os.lseek(descriptor, 0, os.SEEK_END)
    view = memoryview(line)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, before)
        raise
    return before


class Journal:
    """The responses of one run; opened by the one process that holds the run's lock."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "responses.jsonl"
        self.overflow = folder / "responses-overflow.jsonl"
        self._reserve = folder / ".reserve"
        self.torn = cut_torn_line(self.path) + cut_torn_line(self.overflow)
        self._known: dict[int, int] = {}
        self.respondents: set[tuple[str, str]] = set()
        """name and settings hash of everybody who has answered"""
        try:
            self._take_overflow_in()
            self._index()
            self._descriptor = os.open(self.path, APPENDING, 0o644)
            sync_folder(folder)
            self._reserved = 0
            self.keep_room(RESERVE_BYTES)
        except OSError as problem:
            raise StorageFull(_full(folder, problem)) from None
        self.unsynced = 0
        self.written = 0
        self.full = False

    def _take_overflow_in(self) -> None:
        """Lines that a full disk sent to the overflow file go back where they belong."""
        if not self.overflow.exists():
            return
        with self.path.open("ab", buffering=0) as file:
            append_line(file.fileno(), self.overflow.read_bytes())
            os.fsync(file.fileno())
        self.overflow.unlink()

    def _index(self) -> None:
        for number, (offset, line) in enumerate(read_lines(self.path), 1):
            try:
                entry = response_entry(line)
            except Damaged:
                raise damaged_response(self.path, number) from None
            key = key_from(entry)
            if entry["stop"] != "failed":
                self._known[_number(key)] = offset
            self.respondents.add(key[1:3])

    def keep_room(self, size: int) -> None:
        """Hold so many bytes of the disk for what is under way; more than before, never less."""
        if size > self._reserved:
            take_room(self._reserve, size)
            self._reserved = size

    def make_room(self) -> None:
        """The disk is full: give back what was held for what is under way."""
        self.full = True
        self._reserve.unlink(missing_ok=True)

    @property
    def lost(self) -> bool:
        """Whether the folder, or this file in it, was deleted or moved under the run."""
        return not is_there(self.path, self._descriptor)

    def find(self, key: Key) -> Response | None:
        """The stored response of that key, unless there is none or it failed."""
        offset = self._known.get(_number(key))
        if offset is None:
            return None
        line = b""
        while not line.endswith(b"\n"):
            os.lseek(self._descriptor, offset + len(line), os.SEEK_SET)
            part = os.read(self._descriptor, LINE_BYTES)
            line += part[: part.find(b"\n") + 1] if b"\n" in part else part
        return Response.from_json(orjson.loads(line))

    def holds(self, key: Key) -> bool:
        return _number(key) in self._known

    def write(self, response: Response) -> None:
        """Store one response; on a full disk it goes to the overflow file and `full` is set."""
        line = orjson.dumps(response.as_json()) + b"\n"
        if os.fstat(self._descriptor).st_nlink == 0:
            raise gone(self.path.parent)
        try:
            offset = append_line(self._descriptor, line)
            if response.stop != "failed":
                self._known[_number(response.key)] = offset
        except OSError as problem:
            self._write_full(line, problem)
        self.unsynced += 1
        self.written += 1

    def _write_full(self, line: bytes, problem: OSError) -> None:
        if problem.errno not in FULL:
            raise StorageFull(_full(self.path.parent, problem)) from None
        self.make_room()
        try:
            with self.overflow.open("ab", buffering=0) as file:
                append_line(file.fileno(), line)
                os.fsync(file.fileno())
        except OSError as again:
            raise StorageFull(_full(self.path.parent, again)) from None

    def sync(self) -> None:
        """Make what was written survive a power cut; called off the event loop."""
        self.unsynced = 0
        sync_data(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with suppress(OSError):
            sync_data(self._descriptor)
        os.close(self._descriptor)
        self._reserve.unlink(missing_ok=True)


def _number(key: Key) -> int:
    """64 bits of a key's hash: a hundred thousand of them stay small in memory, and this process's
    own hash is made in no time."""
    return hash(key)


def gone(folder: Path) -> StorageFull:
    """What is said when a run's folder is deleted under it."""
    return StorageFull(
        f"{folder} was deleted or moved while the run wrote to it: nothing more is asked. Put it "
        "back and run the same command again, or begin anew with another --out."
    )


def _full(folder: Path, problem: OSError) -> str:
    return (
        f"Can't write to {folder}: {problem.strerror}. Make room and run the same command again: "
        "what was received is kept and asked of nobody twice."
    )
