"""What the user sees while captions are counted: how far, how fast, how long still; on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from subitize.captions.tally import Tally

SPOKEN = 30.0
"""seconds between lines where stderr is no terminal"""


class Progress:
    """A bar on a terminal, a line now and then elsewhere."""

    def __init__(self, *, show: bool | None = None) -> None:
        self._shows = sys.stderr.isatty() if show is None else show
        self._silent = show is False
        self._bar: Any = None
        self._task: Any = None
        self._total = self._past = self._counted = 0.0
        self._rows_before: int | None = None
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> Progress:
        if self._shows:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"), BarColumn(),
                TextColumn("{task.percentage:.1f} %"), TimeRemainingColumn(),
                TextColumn("{task.fields[said]}"),
                console=Console(stderr=True), refresh_per_second=2,
            )  # fmt: skip
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, name: str, total: float) -> None:
        """So many bytes are to be read."""
        self._total, self._begun = total, time.monotonic()
        if self._bar is not None:
            self._task = self._bar.add_task(name, total=total, said="")

    def skip(self, size: int) -> None:
        """So many bytes were counted before."""
        self._past += size

    def advance(self, size: int, tally: Tally) -> None:
        """So many bytes more were counted."""
        if self._rows_before is None:
            # what was there before must not make the rate look better
            self._rows_before = 0 if not self._past else tally.rows
        self._counted += size
        now = time.monotonic()
        seconds = max(1e-9, now - self._begun)
        rate = (tally.rows - self._rows_before) / seconds
        said = f"{tally.rows:,} captions, {rate:,.0f}/s"
        if self._bar is not None:
            self._bar.update(self._task, completed=self._past + self._counted, said=said)
        elif not self._silent and now - self._said > SPOKEN:
            self._said = now
            left = max(0.0, self._total - self._past - self._counted) * seconds / self._counted
            print(f"{said}, about {left / 60:.0f} min left", file=sys.stderr, flush=True)
