"""How fast and how often: a limiter that slows down when the server is busy, and a budget."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from subitize.errors import BadInput, SubitizeError

SPENT = "the budget is spent"
"""of calls or of dollars: the free ones go on"""


class BudgetSpent(Exception):
    """No call is left; the run ends here and can be resumed."""


class Halted(Exception):
    """The run stops; what was waiting to be asked stays unasked."""


def at_least_one(name: str, value: int | None) -> None:
    """Raise where an option that counts something is given as less than one."""
    if value is not None and value < 1:
        raise BadInput(f"--{name.replace('_', '-')} is {value}: it must be at least 1.")


@dataclass
class Halt:
    """Why the run stops before its end; the first reason counts."""

    reason: str = ""
    error: SubitizeError | None = None
    loop: asyncio.AbstractEventLoop | None = None
    """where the run goes on, for whoever stops it from another thread"""
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, reason: str, error: SubitizeError | None = None) -> None:
        if not self.reason:
            self.reason, self.error = reason, error
            self._wake.set()

    def set_from_outside(self, reason: str) -> None:
        """The same from another thread than the run's."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.set, reason)

    def __bool__(self) -> bool:
        return bool(self.reason)

    async def wait(self) -> None:
        """Until the run stops."""
        await self._wake.wait()

    def stops(self, *, paid: bool) -> bool:
        """Whether no such call may be made: a spent budget ends those that cost money."""
        return bool(self.reason) and (paid or self.reason != SPENT)

    async def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return
        raise Halted


class Prices(NamedTuple):
    """US dollars for a million tokens."""

    sent: float
    received: float

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """What so many tokens cost.

        >>> Prices(2.5, 10.0).of(1_000_000, 100_000)
        3.5
        """
        return (tokens_in * self.sent + tokens_out * self.received) / 1e6


@dataclass
class Budget:
    """How many requests may still be sent, retries included, and what they may cost in all."""

    left: int | None = None
    """requests; None is no limit"""
    usd: float | None = None
    """US dollars; None is no limit"""
    prices: Prices | None = None
    each: float = 0.0
    """what a request is held to cost before any did"""
    sent: int = 0
    spent: float = 0.0
    _paid: int = 0
    _under_way: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def room(self, many: int = 1) -> None:
        """Wait while only what is under way stands between a request and the dollars left: it may
        turn out cheaper than it is held to be."""
        while self.usd and self._under_way and self._too_dear(many):
            self._settled.clear()
            await self._settled.wait()

    def take(self, many: int = 1) -> None:
        """Room for what one item costs, or the end; what is free (0) always has it."""
        if not many:
            return
        if self.left is not None and self.left < many:
            raise BudgetSpent
        if self.usd is not None and self._too_dear(many):
            raise BudgetSpent
        if self.left is not None:
            self.left -= many
        self.sent += many
        self._under_way += many

    def _too_dear(self, many: int) -> bool:
        """Whether this with all that is under way may cost more than is left.

        What a request costs is told by those before it. Before the first, one is always sent: the
        rule may be far off.
        """
        if not self._paid and not self._under_way:
            return not self.usd
        each = self.spent / self._paid if self._paid else self.each
        return self.spent + (self._under_way + many) * each > (self.usd or 0.0) * (1 + 1e-9)

    def settle(self, usage: Mapping[str, Any] | None, many: int = 1) -> None:
        """A request ended, with what its server told of it; None where it brought nothing."""
        self._under_way -= many
        if usage is not None:
            self._paid += many
            self.spent += self._cost(usage, many)
        self._settled.set()

    def _cost(self, usage: Mapping[str, Any], many: int) -> float:
        # OpenRouter and others tell dollars: https://openrouter.ai/docs/use-cases/usage-accounting
        told = usage.get("cost")
        if isinstance(told, int | float) and told >= 0:
            return float(told)
        tokens = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        if self.prices is None or not all(isinstance(one, int) for one in tokens):
            return self.each * many
        return self.prices.of(*(float(one or 0) for one in tokens))


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to try again: by time, for all errors that may pass alike."""

    tries: int | None = None
    """tries per trial, whatever the error; None: as long as waiting may help"""
    wait: float = 600.0
    """seconds that a server which does not answer is waited for in all"""
    own_tries: int = 5
    """tries of a trial that goes on failing while others are answered: its own fault, it seems"""
    hollow_tries: int = 3
    """tries of a trial whose replies have no content"""
    first_wait: float = 0.5
    longest_wait: float = 20.0
    first_contact: float = 30.0
    """seconds that a server is waited for where nobody ever was: the address may be wrong"""

    def __post_init__(self) -> None:
        at_least_one("retries", self.tries)
        if not self.wait >= 0:
            raise BadInput(f"--wait is {self.wait}: it must be 0 seconds or more.")

    def pause(self, failures: int, wish: float | None) -> float:
        """Seconds until the next try: doubling with jitter, never less than the server wishes."""
        grown = min(self.longest_wait, self.first_wait * 2 ** min(30, max(0, failures - 1)))
        wait: float = grown * random.uniform(0.5, 1.0)
        return wait if wish is None else max(wait, wish)


class Limiter:
    """At most `highest` calls under way; halved when the server is busy, then grown back.

    A Retry-After holds back all calls, not only the one that was told.
    """

    def __init__(self, highest: int, halt: Halt) -> None:
        self._highest = highest
        self._halt = halt
        self.limit = float(highest)
        self._under_way = 0
        self._held_until = 0.0
        self._slowed_at = 0.0
        self._changed = asyncio.Condition()

    async def enter(self) -> None:
        while (wait := self._held_until - time.monotonic()) > 0:
            await self._halt.sleep(wait)
        async with self._changed:
            await self._changed.wait_for(lambda: self._under_way < max(1, int(self.limit)))
            self._under_way += 1

    async def leave(self, *, busy: bool = False, hold: float = 0.0) -> None:
        now = time.monotonic()
        if busy:
            self._held_until = max(self._held_until, now + hold)
            # Calls that were under way together complain together: that is one sign, not many.
            if now - self._slowed_at > 0.2:
                self.limit = max(1.0, self.limit / 2)
                self._slowed_at = now
        else:
            # Quickly back to half of what was wished for, carefully beyond.
            growth = 1.0 if self.limit < self._highest / 2 else 4 / self.limit
            self.limit = min(float(self._highest), self.limit + growth)
        async with self._changed:
            self._under_way -= 1
            self._changed.notify(2)
