"""What the user sees while a run asks: rate, time left, states and tokens, on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

from subitize.records import UNREADABLE, Reading, Response


class Bar:
    """A bar on a terminal, words elsewhere; both on stderr."""

    def __init__(self, *, show: bool | None = None) -> None:
        self._silent = show is False
        self._shows = sys.stderr.isatty() if show is None else show
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._shows:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[done]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[said]}"),
                console=Console(stderr=True),
                refresh_per_second=4,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=None, done="", said="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, message: str) -> None:
        """A word for whoever waits."""
        if self._bar is not None:
            self._bar.console.print(message)
        elif not self._silent:
            print(message, file=sys.stderr, flush=True)

    def update(self, **fields: Any) -> None:
        """Draw anew where there is a bar."""
        if self._bar is not None:
            self._bar.update(self._task, **fields)


EVERY = 60.0
"""seconds between two lines where there is no terminal"""
SOON = 5.0
"""seconds after which the first word is said about what computes without a bar"""
OTHER = "control"
"""what the answers to questions that no number answers are counted as"""


@contextmanager
def told(what: str, *, show: bool | None = None, every: float = EVERY) -> Iterator[None]:
    """Say what takes long while the block computes: soon, and then again and again."""
    done, begun = Event(), time.monotonic()

    def tell() -> None:
        patience = min(SOON, every)
        while not done.wait(patience):
            patience = every
            passed = time.monotonic() - begun
            print(f"{what} ({passed:.0f} s so far)", file=sys.stderr, flush=True)

    thread = Thread(target=tell, daemon=True)
    if show is not False:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.ident is not None:
            thread.join()


class Progress(Bar):
    """Counts what happens in a run: a bar on a terminal, a line a minute elsewhere."""

    def __init__(self, title: str, *, show: bool | None = None, every: float = EVERY) -> None:
        super().__init__(show=show)
        self._every = every
        self._stage = ""
        self.title = title
        self.states: Counter[str] = Counter()
        self.tokens = 0
        self.new = 0
        self.total: int | None = None
        self._begun = self._told_at = self._came_at = time.monotonic()
        self._patience = every

    def stage(self, name: str, trials: int | None) -> None:
        """A new stage begins; its trials are added to the total."""
        if trials is not None:
            self.total = (self.total or 0) + trials
        self._stage, self._came_at = name, time.monotonic()
        self.update(description=f"{self.title} · {name}", total=self.total)

    def stored(self) -> None:
        """A trial whose response was there before."""
        self._advance("stored")

    def count(self, response: Response, reading: Reading, *, counts: bool = True) -> None:
        """A response with its reading, new or stored; `counts`: whether a number was asked for."""
        self.new += 1
        self.tokens += response.usage.get("total_tokens", 0)
        other = not counts and (reading.state == "read" or reading.state in UNREADABLE)
        self._advance(OTHER if other else reading.state)

    def still_waiting(self) -> None:
        """Say that nothing has come for long, more and more seldom; asked again and again."""
        waited = time.monotonic() - self._came_at
        if waited >= self._patience:
            self._patience = 2 * waited
            where = f"{self.title} · {self._stage}"
            self.say(f"{where}: nothing has come for {waited:.0f} s; still waiting")

    def _advance(self, state: str) -> None:
        self.states[state] += 1
        self._came_at, self._patience = time.monotonic(), self._every
        if not self._shows and (self._silent or time.monotonic() - self._told_at < self._every):
            return
        self._told_at = time.monotonic()
        rate = self.new / max(1e-9, time.monotonic() - self._begun)
        shown = ", ".join(f"{count:,} {state}" for state, count in self.states.most_common(4))
        tokens = f", {self.tokens:,} tokens" if self.tokens else ""
        done = f"{self.states.total():,}/{'?' if self.total is None else f'{self.total:,}'}"
        if self._shows:
            self.update(advance=1, done=done, said=f"{rate:.1f}/s  {shown}{tokens}")
        else:
            self.say(f"{self.title} · {self._stage}: {done}, {rate:.1f}/s, {shown}{tokens}")
