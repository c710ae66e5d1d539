"""Ask one model many items: retries, limiter, budget, threads. One asyncio way for all models."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, cast

from subitize.errors import Hopeless, ModelError, Retryable
from subitize.models.base import METHODS, Item, Kind, Model, Reply
from subitize.runs.limits import Budget, Halt, Limiter, RetryPolicy

__all__ = ["Asked", "Asker"]

STOP_AFTER = 20
"""so many trials failing one after another mean that the server is gone"""
STOP_AFTER_AT_START = 3
"""… and fewer when none has ever succeeded"""

Asked = tuple[Reply | ModelError, float]
"""an item's reply or problem, and the seconds its call took"""


class Asker:
    """Turns items into replies; a problem of one item is never that of another."""

    def __init__(
        self,
        model: Model,
        kind: Kind,
        limiter: Limiter,
        budget: Budget,
        policy: RetryPolicy,
        halt: Halt,
    ) -> None:
        self._model = model
        self._ask: Callable[[Sequence[Item]], Any] = getattr(model, METHODS[kind])
        self._waits = inspect.iscoroutinefunction(self._ask)
        self._limiter = limiter
        self._budget = budget
        self._policy = policy
        self._halt = halt
        self._successes = 0
        self._failures_in_a_row = 0
        self.answered_before = False
        """whether this server has answered trials of the run in an earlier command"""

    async def ask(self, items: Sequence[Item], worker: Executor) -> list[Asked]:
        """One batch: local models compute it in the worker thread, others wait on the network."""
        if self._waits:
            return list(await asyncio.gather(*(self._ask_patiently(item) for item in items)))
        loop = asyncio.get_running_loop()
        if self._model.paid:
            self._budget.take()
        begun = time.perf_counter()
        answers = await loop.run_in_executor(worker, self._compute, list(items))
        seconds = (time.perf_counter() - begun) / len(items)
        for answer in answers:
            self._note(answer)
        return [(answer, seconds) for answer in answers]

    def _compute(self, items: list[Item]) -> list[Reply | ModelError]:
        """A batch in the worker thread; when it fails as a whole, its items are tried singly."""
        try:
            answers = cast("list[Reply | ModelError]", list(self._ask(items)))
            if len(answers) != len(items):
                raise ModelError(f"{len(items)} items gave {len(answers)} replies")
            return answers
        except Hopeless:
            raise
        except (ModelError, RuntimeError, ValueError, OSError, MemoryError, IndexError) as problem:
            if len(items) > 1:
                return [answer for item in items for answer in self._compute([item])]
            return [ModelError(f"{type(problem).__name__}: {problem}")]

    async def _ask_patiently(self, item: Item) -> Asked:
        failures = busy_failures = 0
        while True:
            begun = time.perf_counter()
            answer = await self._ask_once(item)
            seconds = time.perf_counter() - begun
            if isinstance(answer, Retryable):
                failures += not answer.busy
                busy_failures += answer.busy
                if failures < self._policy.tries and busy_failures < self._policy.busy_tries:
                    wait = self._policy.wait(failures + busy_failures, answer.retry_after)
                    await self._halt.sleep(wait)
                    continue
            self._note(answer)
            return answer, seconds

    async def _ask_once(self, item: Item) -> Reply | ModelError:
        await self._limiter.enter()
        answer: Reply | ModelError | None = None
        try:
            self._budget.take()
            answer = (await self._ask([item]))[0]
        except ModelError as problem:
            answer = problem
        finally:
            busy = isinstance(answer, Retryable) and answer.busy
            wish = answer.retry_after if isinstance(answer, Retryable) else None
            hold = min(wish or 0.0, self._policy.longest_wish)
            await self._limiter.leave(busy=busy, hold=hold)
        return answer

    def _note(self, answer: Reply | ModelError) -> None:
        """Stop the run when asking on would only waste calls."""
        if isinstance(answer, Reply):
            self._successes += 1
            self._failures_in_a_row = 0
            return
        self._failures_in_a_row += 1
        if isinstance(answer, Hopeless) and not self._successes:
            raise answer
        # A resumed run begins with what failed before: three trials that can't be answered must
        # not keep it from the rest. A server that can't be reached fails in another way.
        works = self._successes or (self.answered_before and not isinstance(answer, Retryable))
        most = STOP_AFTER if works else STOP_AFTER_AT_START
        if self._model.paid and self._failures_in_a_row >= most:
            where = getattr(self._model, "endpoint", self._model.respondent)
            raise Hopeless(
                f"{where} does not answer as it should ({self._failures_in_a_row} trials failed "
                f"one after another, last with: {answer}). Check that the server runs and that "
                "--base-url is right, then run the same command again."
            )
