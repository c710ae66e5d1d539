"""Run one stage: trials in, responses in the journal. Nothing is drawn before it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from subitize.benchmark import Attempt, Benchmark, Reader, Settings
from subitize.errors import ModelError, StorageFull, SubitizeError
from subitize.models.base import Item, Kind, Model, Reply
from subitize.records import Reading, Response, Trial, fingerprint
from subitize.runs.asking import Asked, Asker
from subitize.runs.folder import Plan, RunFolder, placed
from subitize.runs.journal import Journal
from subitize.runs.limits import BudgetSpent, Halt, Halted
from subitize.runs.pictures import Pictures, check_drawing, keep_picture
from subitize.runs.progress import Progress

__all__ = ["StageRunner", "Work"]

SYNC_SECONDS = 0.1
CHECKED_DRAWINGS = 8
"""so many stored pictures are drawn again on resume and compared"""


@dataclass
class Job:
    """One sample of one trial on its way through its attempts."""

    trial: Trial
    sample: int
    overrides: dict[str, Any]
    attempts: list[tuple[Response, Reading]] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """What a run works with, from beginning to end."""

    benchmark: Benchmark
    settings: Settings
    model: Model
    kind: Kind
    reader: Reader
    folder: RunFolder
    journal: Journal
    progress: Progress
    halt: Halt


class StageRunner:
    """Asks the trials of one stage after another; holds threads and pictures for the whole run."""

    def __init__(self, work: Work, asker: Asker, concurrency: int, limit: int | None) -> None:
        self._work = work
        self._asker = asker
        self._workers = concurrency if work.model.paid else 1
        self._left = limit
        self._drawer = ThreadPoolExecutor(1, "drawing")
        self._worker = ThreadPoolExecutor(1, "model")
        self._disk = ThreadPoolExecutor(1, "disk")
        self._pictures = Pictures(self._drawer)
        self._checked = 0
        self.retry_failed = True
        self.limited = False
        self.failed = 0
        self.problem = ""
        self.received = 0

    def close(self) -> None:
        for pool in (self._drawer, self._worker, self._disk):
            pool.shutdown(wait=True, cancel_futures=True)

    async def run(self, trials: Iterator[Trial], plan: Plan) -> None:
        """Ask whatever of these trials is not in the journal yet."""
        jobs = self._jobs(plan.chunks(trials))
        syncing = asyncio.create_task(self._keep_syncing())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._work_through(jobs))
        finally:
            syncing.cancel()
            await asyncio.gather(syncing, return_exceptions=True)
            await asyncio.get_running_loop().run_in_executor(self._disk, self._work.journal.sync)

    def _jobs(self, chunks: Iterator[list[Trial]]) -> Iterator[Job]:
        work = self._work
        for chunk in chunks:
            for trial in chunk:
                if self._left is not None:
                    if self._left <= 0:
                        self.limited = True
                        return
                    self._left -= 1
                overrides = dict(work.benchmark.first_overrides(trial, work.settings))
                for sample in range(work.benchmark.samples(trial, work.settings)):
                    yield Job(placed(trial, work.folder.path), sample, overrides)

    async def _work_through(self, jobs: Iterator[Job]) -> None:
        """One worker: takes jobs until there are none or the run is halted."""
        size = 1 if self._work.model.paid else self._work.model.batch_size
        while not self._work.halt:
            try:
                batch = list(islice(jobs, size))
                if not batch:
                    return
                await self._finish(batch)
            except Halted:
                return
            except BudgetSpent:
                self._work.halt.set("the budget of calls is spent")
            except SubitizeError as problem:
                self._work.halt.set(str(problem), problem)
            if self._work.journal.full:
                self._work.halt.set("the disk is full", StorageFull(self._full_message()))

    async def _finish(self, batch: list[Job]) -> None:
        """Take these jobs through all their attempts."""
        while batch:
            to_ask = [job for job in batch if not await self._recall(job)]
            if to_ask:
                await self._ask(to_ask)
            if self._work.halt:
                return
            batch = [job for job in batch if self._again(job)]

    def _again(self, job: Job) -> bool:
        """Whether the benchmark wants another attempt; sets its overrides."""
        if not job.attempts or job.attempts[-1][1].state == "failed":
            return False
        work = self._work
        following: Attempt | None = work.benchmark.next_attempt(
            job.trial, work.settings, job.attempts
        )
        if following is None:
            return False
        job.overrides = dict(following.overrides)
        return True

    def _key(self, job: Job) -> tuple[str, str, str, int, int]:
        model = self._work.model
        return (
            job.trial.id, model.respondent, model.settings_hash, job.sample, len(job.attempts)
        )  # fmt: skip

    async def _recall(self, job: Job) -> bool:
        """Whether this attempt stands in the journal; if so it counts as made."""
        work = self._work
        if not work.journal.holds(self._key(job)):
            return self._given_up(job)
        response = work.journal.find(self._key(job))
        if response is None:
            return False
        if self._checked < CHECKED_DRAWINGS:
            self._checked += 1
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._drawer, check_drawing, job.trial, response)
        reading = work.reader(job.trial, response)
        job.attempts.append((response, reading))
        work.progress.stored(reading)
        return True

    def _given_up(self, job: Job) -> bool:
        """Whether this call failed before and is not to be made again now."""
        if self.retry_failed or not self._work.journal.failed(self._key(job)):
            return False
        response = Response(*self._key(job), "text", None, "failed")
        job.attempts.append((response, Reading("failed")))
        self.failed += 1
        return True

    async def _ask(self, jobs: list[Job]) -> None:
        items, hashes = [], []
        looks = self._work.model.needs_picture
        for job in jobs:
            picture = await self._pictures.get(job.trial.stimulus) if looks else None
            items.append(self._item(job, picture.png if picture else None))
            hashes.append(picture.sha256 if picture else "")
        if self._work.halt:
            return
        answers = await self._asker.ask(items, self._worker)
        for job, answer, sha256 in zip(jobs, answers, hashes, strict=True):
            await self._store(job, answer, sha256)

    def _item(self, job: Job, picture: bytes | None) -> Item:
        trial, model = job.trial, self._work.model
        return Item(
            trial=trial.id,
            question=trial.question,
            picture=picture,
            options=trial.options,
            thing=str(trial.condition.get("thing", "")),
            sample=job.sample,
            attempt=len(job.attempts),
            seed=int(fingerprint([model.settings, *self._key(job)], 15), 16),
            overrides=job.overrides,
            facts=trial if model.sees_facts else None,
        )

    async def _store(self, job: Job, asked: Asked, sha256: str) -> None:
        answer, seconds = asked
        work = self._work
        head = self._key(job)
        note = ""
        if isinstance(answer, Reply) and answer.kind == "picture":
            answer, note = await self._keep(answer)
        if isinstance(answer, ModelError):
            note = self.problem = str(answer)[:500]
            response = Response(*head, "text", None, "failed", {}, seconds, sha256, note)
            self.failed += 1
        else:
            self.received += 1
            response = Response(
                *head, answer.kind, answer.value, answer.stop, answer.usage, seconds, sha256, note
            )
        work.journal.write(response)
        reading = work.reader(job.trial, response)
        job.attempts.append((response, reading))
        work.progress.asked(response, reading)

    async def _keep(self, reply: Reply) -> tuple[Reply | ModelError, str]:
        """The reply with its picture in a file of the run's folder, written off the loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._disk, keep_picture, self._work.folder.path, reply)

    async def _keep_syncing(self) -> None:
        """A sync per small batch of lines, off the event loop."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            if self._work.journal.unsynced:
                await loop.run_in_executor(self._disk, self._work.journal.sync)

    def _full_message(self) -> str:
        return (
            f"No space left for {self._work.folder.path}: the run stopped and keeps what was "
            "received. Make room and run the same command again; nothing is asked twice."
        )
