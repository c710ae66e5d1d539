"""What the user sees while captions are counted: how far, how fast, how long still; on stderr."""

from __future__ import annotations

import time

from subitize.captions.tally import Tally
from subitize.runs.progress import Bar

SPOKEN = 30.0
"""seconds between lines where stderr is no terminal"""


class Progress(Bar):
    """A bar on a terminal, a line now and then elsewhere."""

    def __init__(self, *, show: bool | None = None) -> None:
        super().__init__(show=show)
        self._total = self._past = self._counted = 0.0
        self._rows_before: int | None = None
        self._begun = self._said = time.monotonic()

    def begin(self, name: str, total: float) -> None:
        """So many bytes are to be read."""
        self._total, self._begun = total, time.monotonic()
        self.update(description=name, total=total)

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
        done = self._past + self._counted
        share = f"{done / max(1.0, self._total):.1%}"
        self.update(completed=done, done=share, said=said)
        if not self._shows and now - self._said > SPOKEN:
            self._said = now
            left = max(0.0, self._total - done) * seconds / self._counted
            self.say(f"{said}, about {left / 60:.0f} min left")
