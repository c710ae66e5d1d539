"""How long a server is waited for: by time, over all calls to it, and never without a word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from subitize.errors import Hollow, Retryable, Unreachable
from subitize.runs.limits import Halt, Halted, RetryPolicy

SAY_AFTER = 2.0
"""seconds of waiting that need no word"""
SAY_EVERY = 30.0
STORM = 1.0
"""seconds without any answer from which on a server is held to be gone"""

Say = Callable[[str], None]


class Patience:
    """What all calls to one respondent know together: whether its server is there at all."""

    def __init__(self, policy: RetryPolicy, halt: Halt, say: Say, who: str) -> None:
        self.policy = policy
        self.answers = 0
        """replies of the server so far, refusals included"""
        self.met = False
        """whether it ever was there, also in an earlier command"""
        self._halt = halt
        self._say = say
        self._who = who
        self._failing_since: float | None = None
        self._said_at: float | None = None
        self._recovered = asyncio.Event()
        self.failing_now: set[int] = set()
        """which trials failed since the last answer"""

    def answered(self) -> None:
        """The server is there; whoever waits for it need not wait longer."""
        if self._said_at is not None:
            self._say(f"{self._who} answers again, after {self.outage():.0f} s.")
        if self.outage() >= STORM:
            # Those who wait for it to come back need not wait longer. Where errors and answers
            # take turns, everybody keeps to his own pause.
            self._recovered.set()
            self._recovered = asyncio.Event()
        self.answers += 1
        self.met = True
        self.failing_now.clear()
        self._failing_since = self._said_at = None

    def failing(self, trial: int) -> None:
        self.failing_now.add(trial)
        if self._failing_since is None:
            self._failing_since = time.monotonic()

    def outage(self) -> float:
        """Seconds since the first of the calls that failed one after another."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    def left(self, problem: Retryable, waited: float) -> float:
        """Seconds that may still be waited."""
        most = self.policy.wait
        if isinstance(problem, Unreachable) and not self.met:
            most = min(most, self.policy.first_contact)
        return most - max(waited, self.outage())

    async def sleep(self, seconds: float, problem: Retryable) -> None:
        """Wait before another try; not longer than the run goes on, and without a server's wish
        not longer than until it answers somebody."""
        self._tell(seconds, problem)
        awaited: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._halt.wait())]
        if problem.retry_after is None:
            awaited.append(asyncio.ensure_future(self._recovered.wait()))
        try:
            await asyncio.wait(awaited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in awaited:
                one.cancel()
        if self._halt:
            raise Halted

    def _tell(self, seconds: float, problem: Retryable) -> None:
        now = time.monotonic()
        if self._said_at is None:
            due = max(seconds, self.outage()) >= SAY_AFTER
        else:
            due = now - self._said_at >= SAY_EVERY
        if due:
            self._said_at = now
            left = max(0.0, self.left(problem, 0.0))
            self._say(
                f"Waiting for {self._who}, for up to {left:.0f} s (--wait): {str(problem)[:300]}"
            )


@dataclass
class Tries:
    """The tries of one trial."""

    patience: Patience
    failures: int = 0
    own: int = 0
    """failures of this trial alone, on a server that answered others since the first"""
    hollow: int = 0
    waited: float = 0.0
    _answers: int | None = None

    def pause(self, problem: Retryable) -> float | None:
        """Seconds until the next try; None when there is to be none."""
        patience, policy = self.patience, self.patience.policy
        self.failures += 1
        if isinstance(problem, Hollow):
            self.hollow += 1
            patience.answered()  # it is there; it only has nothing to say
        else:
            patience.failing(id(self))
            if self._answers is None:
                self._answers = patience.answers
            alone = patience.answers > self._answers and len(patience.failing_now) == 1
            self.own += not problem.busy and (alone or self.failures == 1)
        left = patience.left(problem, self.waited)
        if (
            (policy.tries is not None and self.failures >= policy.tries)
            or self.own >= policy.own_tries
            or self.hollow >= policy.hollow_tries
            or left <= 0
        ):
            return None
        pause = min(policy.pause(self.failures, problem.retry_after), left)
        self.waited += pause
        return pause
