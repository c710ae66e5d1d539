"""One respondent's desk: items in, replies out, with retries, limiter, budget and batches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from subitize.errors import (
    Hollow,
    Hopeless,
    ModelError,
    NoCredit,
    Relearned,
    Retryable,
    SubitizeError,
    Unfit,
    WorkerLost,
)
from subitize.models.base import CUT, Item, Kind, Model, Reply, fitting, words_of
from subitize.models.memory import told_by
from subitize.records import Stimulus
from subitize.runs.engines import Answered, Asked, Engine
from subitize.runs.limits import Budget, Halt, Halted, Limiter, RetryPolicy
from subitize.runs.patience import Patience, Say, Tries

STOP_AFTER = 20
"""so many trials failing one after another mean that the server is gone"""
STOP_AFTER_AT_START = 3
"""… and fewer when none has ever succeeded"""
RELEARNED = 20
"""so often may a trial be put otherwise; each thing is learned once, by one of those under way"""
DEATHS = 3
"""so many workers dying one after another end the run"""
LINGER = 0.002
"""seconds that a batch which is not full waits for the rest"""


Waiting = tuple[Asked, asyncio.Future[Answered]]
"""what is asked, and who waits for the answer"""


@dataclass(frozen=True)
class Terms:
    """What all desks of a run share."""

    budget: Budget
    policy: RetryPolicy
    halt: Halt
    say: Say = lambda _: None
    """tells the user what is waited for"""


class Desk:
    """Asks one model, as one kind; a problem of one item is never that of another."""

    def __init__(
        self, model: Model, kind: Kind, engine: Engine, terms: Terms, concurrency: int | None
    ) -> None:
        self.model = model
        self.kind = kind
        self.engine = engine
        self.slots = asyncio.Semaphore(engine.capacity)
        """held from asking to storing, so that a kill loses no more than is under way at once"""
        self._terms = terms
        self._limiter = Limiter(concurrency, terms.halt) if concurrency else None
        self._queue: deque[Waiting] = deque()
        self._filled = asyncio.Event()
        self._servers: list[asyncio.Task[None]] = []
        self._successes = self._failures_in_a_row = self._deaths = 0
        self._where = str(getattr(model, "endpoint", model.respondent))
        self._patience = Patience(terms.policy, terms.halt, terms.say, self._where)
        self._told: set[str] = set()
        self._before = False
        self._lives = False
        self._first = asyncio.Lock()
        """held by the batch that goes alone, as long as the model has answered nothing"""
        self._over: Hopeless | None = None
        self.who = ("", "")
        """name and settings hash of the respondent, known once it is open"""

    @property
    def answered_before(self) -> bool:
        """Whether this respondent has answered trials of the run in an earlier command."""
        return self._before

    @answered_before.setter
    def answered_before(self, before: bool) -> None:
        self._before = self._lives = self._patience.met = before

    async def open(self) -> None:
        await self.engine.open()
        self.who = (self.model.respondent, self.model.settings_hash)
        if self._limiter is None:
            many = max(1, self.engine.capacity // self.model.batch_size)
            self._servers = [asyncio.create_task(self._serve()) for _ in range(many)]

    async def close(self) -> None:
        for server in self._servers:
            server.cancel()
        await asyncio.gather(*self._servers, return_exceptions=True)
        await self.engine.close()

    async def ask(self, stimulus: Stimulus, item: Item) -> Answered:
        """The reply to one item; raises when asking on would only waste calls."""
        if self._limiter is not None:
            return self._noted(await self._ask_patiently((stimulus, item), self._limiter))
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        many = self.model.requests(item) if self.model.paid else 0
        self._terms.budget.take(many)
        self._queue.append(((stimulus, item), future))
        self._filled.set()
        answered = await future
        self._settle(answered[0], many)
        return self._noted(answered)

    def _settle(self, answer: Reply | ModelError | None, many: int) -> None:
        """What the server told of a request goes into the bill."""
        if many:
            self._terms.budget.settle(answer.usage if isinstance(answer, Reply) else None, many)

    async def _serve(self) -> None:
        """Take batches from the queue as long as the run goes on."""
        size = self.model.batch_size
        while True:
            await self._filled.wait()
            if len(self._queue) < size:
                await asyncio.sleep(LINGER)
            batch = [self._queue.popleft() for _ in range(min(size, len(self._queue)))]
            if not self._queue:
                self._filled.clear()
            if batch:
                await self._in_turn(batch)

    async def _in_turn(self, batch: Sequence[Waiting]) -> None:
        """The first batch goes alone, with all its tries: deaths side by side are no row."""
        if not self._lives:
            async with self._first:
                if not self._lives:
                    return await self._answer(batch)
        return await self._answer(batch)

    async def _answer(self, batch: Sequence[Waiting], *, again: bool = False) -> None:
        """A batch; one whose worker died is tried once more item by item, then given up."""
        try:
            answers = await self._submit([asked for asked, _ in batch], again=again)
        except WorkerLost as problem:
            if not again:
                for one in batch:
                    await self._answer([one], again=True)
                return
            answers = [(ModelError(f"its process died: {problem}"), 0.0, "")]
        except Exception as problem:  # whoever waits must hear of it, or waits for ever
            told = problem if isinstance(problem, SubitizeError) else Hopeless(words_of(problem))
            for _, future in batch:
                if not future.done():
                    future.set_exception(told)
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _submit(self, batch: list[Asked], *, again: bool) -> list[Answered]:
        """What the engine answers; the third death in a row is the end, for all that wait."""
        if self._over is not None:
            raise self._over
        try:
            answers = await self.engine.submit(batch)
        except WorkerLost as problem:
            # Of a model that has answered only what kills twice: two trials that it can't bear may
            # stand side by side. One that never did would be started for each item in vain.
            self._deaths += again or not self._lives
            if self._deaths < DEATHS:
                raise
            self._over = Hopeless(
                f"{self.model.respondent} died {self._deaths} times one after another: "
                f"{problem}. Mend the model, then run the same command again."
            )
            raise self._over from None
        self._deaths, self._lives = 0, True
        return answers

    async def _ask_patiently(self, asked: Asked, limiter: Limiter) -> Answered:
        tries = Tries(self._patience)
        relearned = 0
        while True:
            answered = await self._ask_once(asked, limiter)
            answer = answered[0]
            if not isinstance(answer, Retryable):
                self._patience.answered()
                return answered
            if isinstance(answer, Relearned) and relearned < RELEARNED:
                relearned += 1
                self._tell_once(str(answer))
                continue
            pause = tries.pause(answer)
            if pause is None:
                kept = answer.reply if isinstance(answer, Hollow) else None
                return (kept, *answered[1:]) if isinstance(kept, Reply) else answered
            await self._patience.sleep(pause, answer)

    def _tell_once(self, words: str) -> None:
        if words and words not in self._told:
            self._told.add(words)
            self._terms.say(words)

    async def _ask_once(self, asked: Asked, limiter: Limiter) -> Answered:
        await limiter.enter()
        answer: Reply | ModelError | None = None
        taken = 0
        try:
            many = self.model.requests(asked[1]) if self.model.paid else 0
            if many:
                await self._terms.budget.room(many)
            if self._terms.halt.stops(paid=self.model.paid):
                raise Halted
            self._terms.budget.take(many)
            taken = many
            try:
                answered = (await self.engine.submit([asked]))[0]
            except WorkerLost as problem:
                answered = (problem, 0.0, "")
            answer = answered[0]
            return answered
        finally:
            self._settle(answer, taken)
            told = answer if isinstance(answer, Retryable) else None
            hold = min((told and told.retry_after) or 0.0, self._terms.policy.wait)
            await limiter.leave(busy=told is not None and told.busy, hold=hold)

    def _noted(self, answered: Answered) -> Answered:
        """Stop the run when asking on would only waste calls."""
        answer = fitting(answered[0], self.kind)
        answered = (answer, *answered[1:])
        if isinstance(answer, Reply):
            self._successes += 1
            self._failures_in_a_row = 0
            if fits := told_by(answer):
                self._tell_once(
                    f"{self.model.respondent}: the device's memory is too small for a batch of "
                    f"{self.model.batch_size}: asked {fits}"
                )
            if longest := answer.facts.get(CUT):
                self._tell_once(
                    f"{self.model.respondent}: text longer than the {longest} tokens that it takes "
                    f"was cut (the fact {CUT} of such responses)"
                )
            return answered
        self._failures_in_a_row += 1
        met = self._successes or (self.answered_before and isinstance(answer, Unfit))
        if isinstance(answer, NoCredit) or (isinstance(answer, Hopeless) and not met):
            raise answer
        # A resumed run begins with what failed before: three trials that can't be answered must
        # not keep it from the rest. A server that can't be reached fails in another way.
        works = self._successes or (self.answered_before and not isinstance(answer, Retryable))
        most = STOP_AFTER if works else STOP_AFTER_AT_START
        if self.model.paid and self._failures_in_a_row >= most:
            raise Hopeless(
                f"{self._where} does not answer as it should ({self._failures_in_a_row} trials "
                f"failed one after another, last with: {answer}). Check that the server runs "
                "and that --base-url is right, then run the same command again."
            )
        return answered
