"""Counting in several processes of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import LifoQueue
from typing import IO, cast

from subitize.captions import child
from subitize.captions.sources import Unit
from subitize.captions.workers import Done, Task
from subitize.errors import SubitizeError

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    f"from {child.__name__} import main; main(sys.argv[1])"
)
"""imports what counting needs and nothing of the command line; modules are found as they are here,
not in the folder that the command was called in"""


class Lost(Exception):
    """A process that ended by itself."""


class _Child:
    """A process, and both ends of its pipes."""

    def __init__(self, tagger: str) -> None:
        with _without_interrupts():
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, tagger, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # a process has one core: threads of its own would only take others' turns
                env={**os.environ, "POLARS_MAX_THREADS": "1"},
            )
        self._to = cast("IO[bytes]", self.process.stdin)
        self._from = cast("IO[bytes]", self.process.stdout)
        self._ready = False

    def ready(self) -> None:
        """Wait until its tagger is loaded."""
        if not self._ready:
            (problem,) = self._heard()
            if problem:
                raise SubitizeError(problem.decode())
            self._ready = True

    def count(self, packed: tuple[bytes, bytes]) -> tuple[bytes, bytes, str]:
        """Have a unit counted."""
        self.ready()
        try:
            child.send(self._to, packed)
        except OSError:
            raise Lost from None
        line, rows, damage = self._heard()
        return line, rows, damage.decode()

    def _heard(self) -> list[bytes]:
        try:
            return child.receive(self._from)
        except EOFError:
            raise Lost from None

    def release(self) -> None:
        """There is nothing more to count: it ends by itself."""
        with suppress(OSError):
            self._to.close()

    def end(self) -> None:
        self.process.kill()
        self.release()
        self._from.close()
        self.process.wait()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """What is started here does not hear Ctrl-C, not even while it starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Processes:
    """Counts in several processes, some of them started ahead, the others when there is work."""

    def __init__(self, tagger: str, many: int, ahead: int = 0) -> None:
        self._tagger, self._many = tagger, many
        self._children: list[_Child] = []
        self._idle: LifoQueue[_Child] = LifoQueue()
        for _ in range(min(many, ahead)):
            self._idle.put(self._started())

    def ready(self) -> None:
        """Wait until those that were started can count."""
        for one in self._children:
            one.ready()

    def close(self) -> None:
        """End them, whatever they do."""
        for one in self._children:
            one.end()
        self._children = []

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        try:
            # the threads only wait, each for a process
            with ThreadPoolExecutor(self._many) as waiting:
                try:
                    yield from self._results(waiting, iter(tasks))
                except BaseException:
                    self.close()
                    raise
        except Lost:
            raise SubitizeError(
                "A process that counted captions died, perhaps for want of memory: run the same "
                "command again with fewer --workers; it goes on where it stopped."
            ) from None
        for one in self._children:
            one.release()

    def _started(self) -> _Child:
        self._children.append(_Child(self._tagger))
        return self._children[-1]

    def _results(self, waiting: ThreadPoolExecutor, tasks: Iterator[Task]) -> Iterator[Done]:
        under_way: dict[Future[tuple[bytes, bytes, str]], tuple[Unit, _Child]] = {}
        more = True
        while more or under_way:
            # None waits at a worker: a kill loses no more units than there are workers.
            while more and len(under_way) < self._many:
                task = next(tasks, None)
                more = task is not None
                if task is not None:
                    one = self._started() if self._idle.empty() else self._idle.get()
                    unit = replace(task.unit, text=None)
                    under_way[waiting.submit(one.count, task.pack())] = (unit, one)
            if under_way:
                ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in ended:
                    unit, one = under_way.pop(future)
                    done = Done(unit, *future.result())
                    self._idle.put(one)
                    yield done
