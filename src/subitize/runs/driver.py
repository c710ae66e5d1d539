"""The driver: trials in, responses in the journal. Nothing is drawn before it is asked.

A job is one sample of one trial on its way through its attempts. Where another stage follows its
own, the helper is asked about each response as soon as that is stored, and what the response
reads comes from those answers; only then the benchmark may want another attempt.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.errors import Hopeless, ModelError, StorageFull, SubitizeError
from subitize.models.base import Item, Reply
from subitize.models.secrets import whole_characters
from subitize.records import Key, Reading, Response, Row, Stimulus, Trial, fingerprint, key_from
from subitize.runs.desk import Desk
from subitize.runs.folder import RunFolder
from subitize.runs.journal import Journal, gone
from subitize.runs.limits import SPENT, BudgetSpent, Halt, Halted
from subitize.runs.pictures import check_drawing, keep_picture, look_at
from subitize.runs.plan import Plan, placed
from subitize.runs.progress import Progress
from subitize.runs.reading import RunReader
from subitize.runs.replies import as_response

SYNC_SECONDS = 0.1
DISK_THREADS = 8
"""so many pictures are written at once: one that waits for its turn is lost by a kill"""
PICTURE_BYTES = 4 << 20
"""room that is held for a picture under way, until a larger one has come"""
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
        self._disk = ThreadPoolExecutor(DISK_THREADS, "disk")
        self._eyes = ThreadPoolExecutor(1, "looking")
        self._unseen: set[Key] = set()
        """pictures that came and were not looked at yet"""
        self._pictures = sum(d.engine.capacity for d in desks.values() if d.kind == "painter")
        self._lost = 0
        self._hold_room(PICTURE_BYTES)
        self._checked = 0
        self.limited = False
        self.failed = 0
        self.problem = ""
        self.failing: Stimulus | None = None
        """what the last failed call was about"""
        self.received = 0

    def close(self) -> None:
        for pool in (self._disk, self._eyes):
            pool.shutdown(wait=True, cancel_futures=True)
        if self._work.halt.error and self._work.journal.lost:
            # its pictures vanish before it does: the one that was missed is no matter of its own
            self._work.halt.error = gone(self._work.folder.path)

    def _hold_room(self, size: int) -> None:
        """Hold room for every picture that may be under way; told before anything is asked."""
        if not self._pictures:
            return
        try:
            self._work.journal.keep_room(2 * self._pictures * size)
        except OSError as problem:
            if problem.errno != errno.EFBIG:
                raise StorageFull(
                    f"There is no room in {self._work.folder.path} for {self._pictures} pictures "
                    f"at once ({2 * self._pictures * size >> 20} MB): make room, or lower "
                    "--concurrency."
                ) from None

    async def run(self, stage: Stage, trials: Iterable[Trial]) -> None:
        """Ask whatever of these trials, and of those that follow, is not in the journal yet."""
        desk = self._desks[stage.role]
        jobs = (job for job in self._jobs(trials, stage) if not self._settled(job, stage, desk))
        await self._all(stage, (self._finish(job, stage) for job in jobs))

    async def read(self, stage: Stage, stored: Iterable[tuple[Trial, Response]]) -> None:
        """Have helpers asked about responses that are there; nobody else is."""
        await self._all(stage, (self._reread(*pair, stage) for pair in stored))

    def is_read(self, stage: Stage) -> bool:
        """Whether helpers are asked about the responses of this stage."""
        return bool(self._following[stage.name])

    async def _all(self, stage: Stage, steps: Iterator[Coroutine[Any, Any, Any]]) -> None:
        # Jobs that wait for a helper must not keep the desk itself from working.
        roles = {stage.role, *(one.role for one in self._following[stage.name])}
        at_once = sum(self._desks[role].engine.capacity for role in roles & self._desks.keys())
        syncing = asyncio.create_task(self._keep_syncing())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(self._work_through(steps))
        finally:
            syncing.cancel()
            await asyncio.gather(syncing, return_exceptions=True)
            await asyncio.get_running_loop().run_in_executor(self._disk, self._sync)

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

    async def _work_through(self, steps: Iterator[Coroutine[Any, Any, Any]]) -> None:
        """One of many: goes on until there is nothing left or the run is halted."""
        work = self._work
        while not work.halt:
            try:
                step = next(steps, None)
                if step is None:
                    return
                await step
            except Halted:
                return
            except BudgetSpent:
                work.halt.set(SPENT)
            except SubitizeError as problem:
                work.halt.set(str(problem), problem)
            except asyncio.CancelledError:
                if not work.halt:  # or the trials that are left would go unasked without a word
                    ended = Hopeless("The model under test or a helper ended the run's own task.")
                    work.halt.set(str(ended), ended)
                raise

    async def _finish(self, job: Job, stage: Stage) -> Row | None:
        """Take a job through all its attempts; the last of them, unless the run was halted."""
        work, desk = self._work, self._desks[stage.role]
        # What was received is still read by helpers that cost nothing.
        while not work.halt.stops(paid=desk.model.paid):
            response = await self._response(job, desk)
            if response.key in self._unseen:
                response = await self._looked_at(response)
            answers = await self._follow(job.trial, response, stage)
            if stage.role:
                reading = work.reader.answer(job.trial, response)
            else:
                reading = work.reader.response(job.trial, response, answers)
                work.progress.count(response, reading, counts=stage.counts)
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

    async def _response(self, job: Job, desk: Desk) -> Response:
        """The response to this attempt: from the journal, or by asking."""
        key = self._key(job, desk)
        stored = self._work.journal.find(key)
        if stored is None:
            async with desk.slots:
                if self._work.halt.stops(paid=desk.model.paid):
                    raise Halted
                return await self._ask(job.trial, key, desk, job.overrides)
        if self._checked < CHECKED_DRAWINGS:
            self._checked += 1
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, check_drawing, job.trial, stored)
        return stored

    async def _looked_at(self, response: Response) -> Response:
        """A picture, decoded once; one that can't be gets a second line, which counts."""
        self._unseen.discard(response.key)
        loop = asyncio.get_running_loop()
        folder = self._work.folder.path
        found = await loop.run_in_executor(self._eyes, look_at, folder, response)
        if found is not response:
            self._store(found)
        return found

    async def _reread(self, trial: Trial, response: Response, stage: Stage) -> None:
        answers = await self._follow(trial, response, stage)
        self._work.progress.count(response, self._work.reader.response(trial, response, answers))

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
            for row in rows:
                if isinstance(row, BaseException):
                    raise row
                if row is not None and row.response.stop == "failed":
                    # It may be the picture's fault, which came just before a kill.
                    await self._looked_at(response)
            if work.reader.helper == (desk.model.respondent, desk.model.settings_hash):
                found = [row for row in rows if isinstance(row, Row)]
        return found

    def _key(self, job: Job, desk: Desk) -> Key:
        return (job.trial.id, *desk.who, job.sample, len(job.attempts))

    async def _ask(
        self, trial: Trial, key: Key, desk: Desk, overrides: Mapping[str, Any]
    ) -> Response:
        """Ask and store; a failed call is stored too, and asked again by the next run."""
        model = desk.model
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
        if isinstance(answer, Reply) and answer.kind == "picture":
            self._unseen.add(key)
            answer = await self._kept(answer)
        if isinstance(answer, Reply):
            try:
                note = str(answer.facts.get("unreadable", ""))
                response = as_response(key, answer, seconds, sha256, note)
                self.received += 1
            except ModelError as problem:
                answer = problem
        if isinstance(answer, ModelError):
            self._unseen.discard(key)
            note = self.problem = whole_characters(str(answer))[:500]
            self.failing = trial.stimulus
            response = Response(*key, "text", "", "failed", {}, seconds, sha256, note)
        self._store(response)
        return response

    def _store(self, response: Response) -> None:
        work = self._work
        work.journal.write(response)
        if work.journal.full:  # before anybody is asked about a response that can't be found
            work.halt.set("the disk is full", StorageFull(self._full_message()))

    async def _kept(self, picture: Reply) -> Reply | ModelError:
        """The reply with its picture stored; on a full disk in the room that was held for it."""
        work, loop = self._work, asyncio.get_running_loop()
        size = len(picture.value)
        try:
            kept = await loop.run_in_executor(self._disk, keep_picture, work.folder.path, picture)
        except StorageFull as problem:
            if work.journal.lost:
                raise gone(work.folder.path) from None
            work.journal.make_room()
            work.halt.set("the disk is full", StorageFull(self._full_message()))
            try:
                kept = await loop.run_in_executor(
                    self._disk, keep_picture, work.folder.path, picture
                )
            except StorageFull:
                self._lost += 1
                work.halt.error = StorageFull(self._full_message())
                raise problem from None
        if not work.journal.full:
            await loop.run_in_executor(self._disk, self._hold_room, size)
        return kept

    def _shown(self, stimulus: Stimulus) -> Stimulus:
        """What an engine can draw: an earlier response is the file of its picture, or words."""
        if stimulus.kind != "response":
            return stimulus
        recipe = stimulus.recipe
        earlier = self._work.journal.find(key_from(recipe))
        if earlier is None or earlier.kind != "picture":
            return Stimulus("prompt", {})
        path = self._work.folder.path / "images" / earlier.value
        shown: dict[str, Any] = {"sha256": earlier.value.partition(".")[0]}
        if "over" in recipe:
            shown |= {"over": {**recipe["over"], "path": stimulus.path}, "box": recipe["box"]}
        return Stimulus("file", shown, str(path))

    async def _keep_syncing(self) -> None:
        """A sync per small batch of lines, off the event loop; and a look whether the folder is
        still there, and whether anything comes."""
        work, loop = self._work, asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            work.progress.still_waiting()
            if work.journal.lost:
                problem = gone(work.folder.path)
                work.halt.set(str(problem), problem)
            elif work.journal.unsynced or work.plan.unsynced:
                await loop.run_in_executor(self._disk, self._sync)

    def _sync(self) -> None:
        """The plan first: a response is to a trial that is planned."""
        if self._work.plan.unsynced:
            self._work.plan.sync()
        self._work.journal.sync()

    def _full_message(self) -> str:
        said = f"No space left for {self._work.folder.path}: the run stopped"
        if self._lost:
            return (
                f"{said}. {self._lost} pictures that had come could not be stored, and will be "
                "asked for again; all else is kept. Make room and run the same command again."
            )
        return (
            f"{said} and keeps what was received. Make room and run the same command again; "
            "nothing is asked twice."
        )
