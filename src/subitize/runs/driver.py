"""The driver: trials in, responses in the journal. Nothing is drawn before it is asked.

A job is one sample of one trial on its way through its attempts. Where another stage follows its
own, the helper is asked about each response as soon as that is stored, and what the response
reads comes from those answers; only then the benchmark may want another attempt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.errors import ModelError, StorageFull, SubitizeError
from subitize.models.base import Item, Reply
from subitize.records import Key, Reading, Response, Row, Stimulus, Trial, fingerprint
from subitize.runs.desk import Desk
from subitize.runs.folder import RunFolder
from subitize.runs.journal import Journal
from subitize.runs.limits import SPENT, BudgetSpent, Halt, Halted
from subitize.runs.pictures import check_drawing, keep_picture
from subitize.runs.plan import Plan, placed
from subitize.runs.progress import Progress
from subitize.runs.reading import RunReader
from subitize.runs.replies import as_response

SYNC_SECONDS = 0.1
CHECKED_DRAWINGS = 8
"""so many stored pictures are drawn again on resume and compared"""


@dataclass
class Job:
    """One sample of one trial on its way through its attempts."""

    trial: Trial
    sample: int
    overrides: Mapping[str, Any]
    attempts: list[tuple[Response, Reading]] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """What a run works with, from beginning to end."""

    benchmark: Benchmark[Any]
    settings: Settings
    reader: RunReader
    folder: RunFolder
    journal: Journal
    plan: Plan
    progress: Progress
    halt: Halt


def item_seed(settings: Mapping[str, Any], key: Key) -> int:
    """For whoever draws random numbers: order and concurrency change nothing."""
    return int(fingerprint([settings, *key], 15), 16)


class Driver:
    """Asks the trials of one stage after another; holds threads and counts for the whole run."""

    def __init__(
        self,
        work: Work,
        stages: Sequence[Stage],
        desks: Mapping[str, Desk],
        limit: int | None = None,
        *,
        only_helpers: bool = False,
    ) -> None:
        self._work = work
        self._desks = desks
        self._following = {
            one.name: [
                next_ for next_ in stages if one.name in next_.follows and next_.role in desks
            ]
            for one in stages
        }
        self._left = limit
        self._only_helpers = only_helpers
        self._disk = ThreadPoolExecutor(1, "disk")
        self._checked = 0
        self.limited = False
        self.failed = 0
        self.problem = ""
        self.received = 0

    def close(self) -> None:
        self._disk.shutdown(wait=True, cancel_futures=True)

    async def run(self, stage: Stage, trials: Iterable[Trial]) -> None:
        """Ask whatever of these trials, and of those that follow, is not in the journal yet."""
        # Jobs that wait for a helper must not keep the desk itself from working.
        roles = {stage.role, *(one.role for one in self._following[stage.name])}
        at_once = sum(self._desks[role].engine.capacity for role in roles)
        jobs = self._jobs(trials, stage)
        syncing = asyncio.create_task(self._keep_syncing())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(self._work_through(jobs, stage))
        finally:
            syncing.cancel()
            await asyncio.gather(syncing, return_exceptions=True)
            await asyncio.get_running_loop().run_in_executor(self._disk, self._work.journal.sync)

    def _jobs(self, trials: Iterable[Trial], stage: Stage) -> Iterator[Job]:
        for chunk in self._work.plan.chunks(trials):
            for trial in chunk:
                if self._left is not None and not stage.role:
                    if self._left <= 0:
                        self.limited = True
                        return
                    self._left -= 1
                yield from self._samples(trial, stage)

    def _samples(self, trial: Trial, stage: Stage) -> Iterator[Job]:
        work = self._work
        if stage.role:  # a helper answers once, as it is set
            yield Job(placed(trial, work.folder.path), 0, {})
            return
        overrides = work.benchmark.first_overrides(trial, work.settings)
        for sample in range(work.benchmark.samples(trial, work.settings)):
            yield Job(placed(trial, work.folder.path), sample, overrides)

    async def _work_through(self, jobs: Iterator[Job], stage: Stage) -> None:
        """One of many: takes jobs until there are none or the run is halted."""
        work = self._work
        while not work.halt:
            try:
                job = next(jobs, None)
                if job is None:
                    return
                await self._finish(job, stage)
            except Halted:
                return
            except BudgetSpent:
                work.halt.set(SPENT)
            except SubitizeError as problem:
                work.halt.set(str(problem), problem)

    async def _finish(self, job: Job, stage: Stage) -> Row | None:
        """Take a job through all its attempts; the last of them, unless the run was halted."""
        work, desk = self._work, self._desks[stage.role]
        if self._settled(job, stage, desk):
            return None
        # What was received is still read by helpers that cost nothing.
        while not work.halt.stops(paid=desk.model.paid):
            response = await self._response(job, desk)
            if response is None:
                return None
            answers = await self._follow(job.trial, response, stage)
            if stage.role:
                reading = work.reader.answer(job.trial, response)
            else:
                reading = work.reader.response(job.trial, response, answers)
                work.progress.count(response, reading)
            job.attempts.append((response, reading))
            self.failed += response.stop == "failed"
            again = None
            if reading.state != "failed" and not stage.role:
                again = work.benchmark.next_attempt(job.trial, work.settings, job.attempts)
            if again is None:
                return Row(job.trial, response, reading)
            job.overrides = again.overrides
        return None

    def _settled(self, job: Job, stage: Stage, desk: Desk) -> bool:
        """Whether the only response that this job can have is stored: it need not be looked at."""
        asks_again = type(self._work.benchmark).next_attempt is not Benchmark.next_attempt
        if asks_again or stage.role or stage.follows or self._following[stage.name]:
            return False
        if self._checked < CHECKED_DRAWINGS or not self._work.journal.holds(self._key(job, desk)):
            return False
        self._work.progress.stored()
        return True

    async def _response(self, job: Job, desk: Desk) -> Response | None:
        """The response to this attempt: from the journal, or by asking."""
        key = self._key(job, desk)
        stored = self._work.journal.find(key)
        if stored is None:
            if self._only_helpers and desk is self._desks[""]:
                return None
            async with desk.slots:
                if self._work.halt.stops(paid=desk.model.paid):
                    raise Halted
                return await self._ask(job.trial, key, desk, job.overrides)
        if self._checked < CHECKED_DRAWINGS:
            self._checked += 1
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, check_drawing, job.trial, stored)
        return stored

    async def _follow(self, trial: Trial, response: Response, stage: Stage) -> list[Row]:
        """Have all stages that follow asked about a response; the answers of the run's reader."""
        work, found = self._work, []
        for following in self._following[stage.name] if response.stop != "failed" else ():
            desk = self._desks[following.role]
            trials = list(
                work.benchmark.follow(following.name, trial, response, work.settings, desk.kind)
            )
            work.plan.add(trials)
            jobs = [job for one in trials for job in self._samples(one, following)]
            # One that can't be asked must not leave the others alone: what they get is stored.
            finishing = (self._finish(job, following) for job in jobs)
            rows = await asyncio.gather(*finishing, return_exceptions=True)
            for problem in rows:
                if isinstance(problem, BaseException):
                    raise problem
            if work.reader.helper == (desk.model.respondent, desk.model.settings_hash):
                found = [row for row in rows if isinstance(row, Row)]
        return found

    def _key(self, job: Job, desk: Desk) -> Key:
        model = desk.model
        return (
            job.trial.id, model.respondent, model.settings_hash, job.sample, len(job.attempts)
        )  # fmt: skip

    async def _ask(
        self, trial: Trial, key: Key, desk: Desk, overrides: Mapping[str, Any]
    ) -> Response:
        """Ask and store; a failed call is stored too, and asked again by the next run."""
        work, model = self._work, desk.model
        stimulus = self._shown(trial.stimulus)
        item = Item(
            trial=trial.id,
            question=trial.question,
            options=trial.options,
            thing=str(trial.condition.get("thing", "")),
            sample=key[3],
            attempt=key[4],
            seed=item_seed(model.settings, key),
            overrides=overrides,
            facts=trial if model.sees_facts else None,
        )
        answer, seconds, sha256 = await desk.ask(stimulus, item)
        note = ""
        if isinstance(answer, Reply) and answer.kind == "picture":
            loop = asyncio.get_running_loop()
            folder = work.folder.path
            answer, note = await loop.run_in_executor(self._disk, keep_picture, folder, answer)
        if isinstance(answer, ModelError):
            note = self.problem = str(answer)[:500]
            response = Response(*key, "text", "", "failed", {}, seconds, sha256, note)
        else:
            self.received += 1
            response = as_response(key, answer, seconds, sha256, note)
        work.journal.write(response)
        if work.journal.full:  # before anybody is asked about a response that can't be found
            work.halt.set("the disk is full", StorageFull(self._full_message()))
        return response

    def _shown(self, stimulus: Stimulus) -> Stimulus:
        """What an engine can draw: an earlier response is the file of its picture, or words."""
        if stimulus.kind != "response":
            return stimulus
        recipe = stimulus.recipe
        earlier = self._work.journal.find(
            (recipe["trial"], recipe["respondent"], recipe["settings_hash"], recipe["sample"],
             recipe["attempt"])
        )  # fmt: skip
        if earlier is None or earlier.kind != "picture":
            return Stimulus("prompt", {})
        path = self._work.folder.path / "images" / earlier.value
        shown: dict[str, Any] = {"sha256": earlier.value.partition(".")[0]}
        if "over" in recipe:
            shown |= {"over": {**recipe["over"], "path": stimulus.path}, "box": recipe["box"]}
        return Stimulus("file", shown, str(path))

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
