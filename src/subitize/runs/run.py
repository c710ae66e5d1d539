"""A run from beginning to end: stage after stage, resumable at every moment."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.errors import BadInput, SubitizeError
from subitize.models.base import Kind, Model
from subitize.runs.asking import Asker
from subitize.runs.folder import Plan, RunFolder, folder_name, identity
from subitize.runs.journal import Journal
from subitize.runs.limits import Budget, Halt, Limiter, RetryPolicy
from subitize.runs.lock import locked
from subitize.runs.progress import Progress
from subitize.runs.stage import StageRunner, Work
from subitize.runs.stored import asking_again, choose_reader, read_rows

__all__ = ["INTERRUPTED", "Outcome", "RunOptions", "choose_kind", "open_folder", "run_benchmark"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: nothing here changes what the run is."""

    concurrency: int | None = None
    budget_calls: int | None = None
    limit: int | None = None
    reader: str | None = None
    progress: bool | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    retry_failed: bool = True
    """ask again what failed in an earlier session"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    folder: Path
    complete: bool
    """every trial that was wanted has a response"""
    stopped: str
    """why it stopped early, empty when it did not"""
    error: SubitizeError | None
    """what stopped it, where that was an error"""
    failed: int
    """trials whose calls failed in this session"""
    calls: int
    """requests sent in this session"""
    received: int
    """responses received in this session"""
    problem: str = ""
    """what the last failed call said"""


def choose_kind(benchmark: Benchmark, model: Model) -> Kind:
    """As what the model is asked; the wrong kind fails before the first call."""
    for kind in benchmark.KINDS:
        if kind in model.kinds:
            return kind
    wanted, has = " or a ".join(benchmark.KINDS), ", ".join(model.kinds)
    raise BadInput(
        f"{benchmark.NAME} needs a {wanted}, but {model.respondent} is a {has}: choose another "
        "model (`subitize models` lists what there is)."
    )


def run_benchmark(
    benchmark: Benchmark, settings: Settings, model: Model, out: Path, options: RunOptions
) -> Outcome:
    """Ask what has not been asked yet; the outcome tells how far it came."""
    kind = choose_kind(benchmark, model)
    _check_options(options)
    if options.reader is not None:
        # A reader that is not there is told before a folder is made.
        planned = out / folder_name(identity(benchmark, settings, model, kind))
        choose_reader(benchmark, planned, {}, options.reader)
    folder = open_folder(benchmark, settings, model, out)
    with locked(folder.path):
        reader_name, reader = choose_reader(benchmark, folder.path, folder.info, options.reader)
        endpoint = getattr(model, "endpoint", None)
        if folder.info.get("reader") != reader_name or folder.info.get("endpoint") != endpoint:
            folder.info["reader"] = reader_name
            folder.info["endpoint"] = endpoint
            folder.save()
        journal = Journal(folder.path)
        title = f"{benchmark.NAME} · {model.respondent}"
        try:
            with Progress(title, show=options.progress) as progress:
                work = Work(
                    benchmark, settings, model, kind, reader, folder, journal, progress, Halt()
                )
                return asyncio.run(_run(work, options))
        finally:
            journal.close()


def open_folder(benchmark: Benchmark, settings: Settings, model: Model, out: Path) -> RunFolder:
    """The run's folder under `out`, made where there is none yet."""
    parts = identity(benchmark, settings, model, choose_kind(benchmark, model))
    extra = {"parameters": model.parameters, "endpoint": getattr(model, "endpoint", None)}
    return RunFolder.open(out, parts, extra)


def _check_options(options: RunOptions) -> None:
    for name in ("concurrency", "budget_calls", "limit"):
        value = getattr(options, name)
        if value is not None and value < 1 and (name, value) != ("budget_calls", 0):
            raise BadInput(f"--{name.replace('_', '-')} is {value}: it must be at least 1.")


async def _run(work: Work, options: RunOptions) -> Outcome:
    concurrency = options.concurrency or work.model.concurrency
    budget = Budget(options.budget_calls)
    limiter = Limiter(concurrency, work.halt)
    asker = Asker(work.model, work.kind, limiter, budget, options.policy, work.halt)
    asker.answered_before = len(work.journal) > 0
    runner = StageRunner(work, asker, concurrency, options.limit)
    runner.retry_failed = options.retry_failed
    plan = Plan(work.folder.path)
    complete = False
    try:
        with _gentle_interrupts(work.halt):
            await work.model.open()
            complete = await _run_stages(work, runner, plan)
    finally:
        await work.model.close()
        plan.close()
        runner.close()
    return Outcome(
        work.folder.path,
        complete,
        work.halt.reason,
        work.halt.error,
        runner.failed,
        budget.sent,
        runner.received,
        runner.problem,
    )


async def _run_stages(work: Work, runner: StageRunner, plan: Plan) -> bool:
    """All stages in order; whether everything that was wanted was asked."""
    complete = True
    for stage in work.benchmark.stages(work.settings, work.kind):
        decisions = work.folder.decisions
        size = work.benchmark.size(stage.name, work.settings, decisions)
        work.progress.stage(stage.name, size)
        before = runner.failed
        await runner.run(work.benchmark.trials(stage.name, work.settings, decisions), plan)
        if work.halt:
            return False
        if runner.limited:
            return complete and runner.failed == before
        complete = complete and runner.failed == before
        if not complete and stage.decides:
            # A decision stands on all trials of its stage: the next run asks the failed ones.
            return False
        if not _decide(work, stage):
            return False
    return complete


def _decide(work: Work, stage: Stage) -> bool:
    """Take the stage's decisions, once; a decision in run.json is never taken again.

    False when responses have yet to be read by a model: the decision has to wait for that.
    """
    missing = [name for name in stage.decides if name not in work.folder.decisions]
    if not missing:
        return True
    again = asking_again(work.benchmark, work.settings)
    rows = read_rows(work.folder.path, work.reader, again)
    if any(row.reading.state == "pending" for row in rows):
        return False
    for name in missing:
        decisions = work.folder.decisions
        work.folder.decide(name, work.benchmark.decide(name, work.settings, rows, decisions))
    return True


@contextmanager
def _gentle_interrupts(halt: Halt) -> Iterator[None]:
    """The first Ctrl-C finishes what is in flight; the second ends at once."""
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()

    def interrupted() -> None:
        if halt.reason == INTERRUPTED and main is not None:
            main.cancel()
        halt.set(INTERRUPTED)

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, interrupted)
        except (ValueError, RuntimeError):  # not in the main thread: the caller handles signals
            break
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


INTERRUPTED = "interrupted"
