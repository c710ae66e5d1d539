"""A run from beginning to end: stage after stage, resumable at every moment."""

from __future__ import annotations

import asyncio
import inspect
import signal
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, TypeVar

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.errors import BadInput, SubitizeError
from subitize.models.base import METHODS, Answers, Item, Kind, Model
from subitize.runs.answers import build_answers
from subitize.runs.desk import Desk, Terms
from subitize.runs.driver import Driver, Work
from subitize.runs.engines import EngineMaker, LocalEngine
from subitize.runs.folder import RunFolder, folder_name, identity, model_identity
from subitize.runs.isolated import IsolatedEngine
from subitize.runs.journal import Journal
from subitize.runs.limits import Budget, Halt, RetryPolicy
from subitize.runs.lock import locked
from subitize.runs.plan import Plan
from subitize.runs.progress import Progress
from subitize.runs.reading import choose_reader

INTERRUPTED = "interrupted"


def local_engine(model: Model, kind: Kind, concurrency: int) -> LocalEngine | IsolatedEngine:
    """The engine of this machine: models that may take their process down get one of their own."""
    if model.isolated:
        return IsolatedEngine(model, kind)
    return LocalEngine(model, kind, concurrency)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: nothing here changes what the run is."""

    concurrency: int | None = None
    budget_calls: int | None = None
    limit: int | None = None
    reader: str | None = None
    progress: bool | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    engine: EngineMaker = local_engine
    """where models compute"""
    only_helpers: bool = False
    """ask the helpers about what is stored, and nothing of the model under test"""
    rules: str = ""
    """of a counter that reads the responses: '?threshold=0.3'; without any, those before stay"""


def stored_model(info: Mapping[str, Any]) -> Model:
    """The model of a run that lies on disk: known by what run.json says, never asked again."""

    class Stored(Model):
        kinds: ClassVar[tuple[Kind, ...]] = (info["kind"],)
        revision = info["model"]["revision"]
        parameters = info.get("parameters")
        endpoint = info.get("endpoint")

        def unasked(self, _items: Sequence[Item]) -> Answers:
            raise NotImplementedError("a stored run's model is not asked")

        name = match = fill = paint = count = unasked

    return Stored(info["model"]["name"], info["model"]["settings"])


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
    """paid requests sent in this session"""
    received: int
    """responses received in this session"""
    problem: str = ""
    """what the last failed call said"""


def choose_kind(benchmark: Benchmark[Any], model: Model) -> Kind:
    """As what the model is asked; the wrong kind fails before the first call."""
    return _fitting(benchmark.KINDS, model, benchmark.NAME)


def choose_helper_kind(benchmark: Benchmark[Any], role: str, model: Model) -> Kind:
    """As what a helper is asked."""
    if role not in benchmark.HELPERS:
        raise BadInput(
            f"{benchmark.NAME} is read without asking a model: leave out --counter, or name a "
            "reader with --reader."
        )
    return _fitting(benchmark.HELPERS[role].kinds, model, f"{benchmark.NAME}, as {role},")


def _fitting(kinds: tuple[Kind, ...], model: Model, who: str) -> Kind:
    for kind in kinds:
        if kind in model.kinds:
            return kind
    wanted, has = " or a ".join(kinds), ", ".join(model.kinds)
    raise BadInput(
        f"{who} needs a {wanted}, but {model.respondent} is a {has}: choose another "
        "model (`subitize models` lists what there is)."
    )


def run_benchmark(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    out: Path,
    options: RunOptions,
    helpers: Mapping[str, Model] | None = None,
) -> Outcome:
    """Ask what has not been asked yet; the outcome tells how far it came."""
    helpers = helpers or {}
    kind = choose_kind(benchmark, model)
    kinds = {role: choose_helper_kind(benchmark, role, one) for role, one in helpers.items()}
    _check_options(options)
    benchmark.ready(settings, kind)
    parts = identity(benchmark, settings, model, kind, helpers)
    reading = _reading_helper(benchmark, helpers)
    # A reader that is not there is told before a folder is made.
    listed = [] if reading is None else [_listed(reading, "", "namer")]
    if options.reader:
        choose_reader(benchmark, _stored_info(out / folder_name(parts), listed), options.reader)
    extra = {"parameters": model.parameters, "endpoint": getattr(model, "endpoint", None)}
    folder = RunFolder.open(out, parts, extra)
    with locked(folder.path):
        _note_readers(folder, benchmark, helpers, kinds)
        wanted = options.reader or _usual_reader(folder, reading, options.rules)
        reader = choose_reader(benchmark, folder.info, wanted)
        folder.update(reader=reader.name, endpoint=extra["endpoint"])
        with Progress(f"{benchmark.NAME} · {model.respondent}", show=options.progress) as shown:
            journal, plan = Journal(folder.path), Plan(folder.path, benchmark.CONDITION)
            work = Work(benchmark, settings, reader, folder, journal, plan, shown, Halt())
            asked = {"": (model, kind)} | {role: (helpers[role], kinds[role]) for role in helpers}
            try:
                outcome = in_a_loop(_run(work, asked, options), work.halt)
            finally:
                plan.close()
                journal.close()
    return outcome


def _check_options(options: RunOptions) -> None:
    for name in ("concurrency", "budget_calls", "limit"):
        value = getattr(options, name)
        if value is not None and value < 1 and (name, value) != ("budget_calls", 0):
            raise BadInput(f"--{name.replace('_', '-')} is {value}: it must be at least 1.")


def _reading_helper(benchmark: Benchmark[Any], helpers: Mapping[str, Model]) -> Model | None:
    """The helper that reads responses, where there is one."""
    return next((m for role, m in helpers.items() if not benchmark.HELPERS[role].setting), None)


def _listed(model: Model, role: str, kind: Kind) -> dict[str, Any]:
    """A helper as run.json lists it."""
    return {
        **model_identity(model), "settings_hash": model.settings_hash, "role": role, "kind": kind
    }  # fmt: skip


def _stored_info(folder: Path, listed: list[dict[str, Any]]) -> dict[str, Any]:
    before = RunFolder.at(folder).info if (folder / "run.json").exists() else {}
    return {**before, "readers": [*before.get("readers", ()), *listed]}


def _note_readers(
    folder: RunFolder,
    benchmark: Benchmark[Any],
    helpers: Mapping[str, Model],
    kinds: Mapping[str, Kind],
) -> None:
    """Helpers that read responses are listed in run.json; the newest of a name counts."""
    for role, model in helpers.items():
        if not benchmark.HELPERS[role].setting:
            entry = _listed(model, role, kinds[role])
            others = [one for one in folder.info.get("readers", ()) if one["name"] != entry["name"]]
            folder.update(readers=[*others, entry])


def _usual_reader(folder: RunFolder, reading: Model | None, rules: str) -> str | None:
    """The helper that reads now; by the rules it read by before, unless others are given."""
    if reading is None:
        return None
    before = str(folder.info.get("reader") or "")
    if not rules and before.startswith(f"{reading.respondent}?"):
        return before
    return reading.respondent + rules


T = TypeVar("T")


def in_a_loop(work: Coroutine[Any, Any, T], halt: Halt) -> T:
    """Run a coroutine to its end, also where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    found: list[T] = []
    problems: list[BaseException] = []

    def beside() -> None:
        try:
            found.append(asyncio.run(work))
        except BaseException as problem:
            problems.append(problem)

    thread = Thread(target=beside, name="subitize run")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        halt.set_from_outside(INTERRUPTED)
        thread.join()
    if problems:
        raise problems[0]
    return found[0]


async def _run(work: Work, asked: Mapping[str, tuple[Model, Kind]], options: RunOptions) -> Outcome:
    work.halt.loop = asyncio.get_running_loop()
    budget = Budget(options.budget_calls)
    terms = Terms(budget, options.policy, work.halt)
    desks = {role: _desk(model, kind, options, terms) for role, (model, kind) in asked.items()}
    for desk in desks.values():
        who = (desk.model.respondent, desk.model.settings_hash)
        desk.answered_before = who in work.journal.respondents
    stages = list(work.benchmark.stages(work.settings, asked[""][1]))
    driver = Driver(work, stages, desks, options.limit, only_helpers=options.only_helpers)
    opened: list[Desk] = []
    complete = False
    try:
        with _gentle_interrupts(work):
            for role, desk in desks.items():
                if role or not options.only_helpers:
                    opened.append(desk)
                    await desk.open()
            complete = await _run_stages(work, driver, [s for s in stages if s.role in desks])
    except asyncio.CancelledError:
        if not work.halt:
            raise
    finally:
        for desk in opened:
            await desk.close()
        driver.close()
    return Outcome(
        work.folder.path,
        complete,
        work.halt.reason,
        work.halt.error,
        driver.failed,
        budget.sent,
        driver.received,
        driver.problem,
    )


def _desk(model: Model, kind: Kind, options: RunOptions, terms: Terms) -> Desk:
    waits = inspect.iscoroutinefunction(getattr(model, METHODS[kind]))
    concurrency = (options.concurrency or model.concurrency) if waits else None
    engine = options.engine(model, kind, concurrency or 1)
    return Desk(model, kind, engine, terms, concurrency)


async def _run_stages(work: Work, driver: Driver, stages: list[Stage]) -> bool:
    """All stages in order; whether everything that was wanted was asked."""
    complete = True
    for stage in stages:
        if stage.follows:
            continue  # asked as the followed responses come in
        decisions = work.folder.decisions
        size = work.benchmark.size(stage.name, work.settings, decisions)
        work.progress.stage(stage.name, size)
        before = driver.failed
        await driver.run(stage, work.benchmark.trials(stage.name, work.settings, decisions))
        if work.halt:
            return False
        complete = complete and driver.failed == before
        if driver.limited:
            return complete
        if not complete and stage.decides:
            # A decision stands on all trials of its stage: the next run asks the failed ones.
            return False
        if not _decide(work, stage):
            return False
    return complete


def _decide(work: Work, stage: Stage) -> bool:
    """Take the stage's decisions, once; a decision in run.json is never taken again.

    False when responses have yet to be read by a helper: the decision has to wait for that.
    """
    missing = [name for name in stage.decides if name not in work.folder.decisions]
    if not missing:
        return True
    answers = build_answers(work.folder.path, work.folder.info, work.reader, work.settings)
    if "pending" in answers.filter(answers["counts"])["state"]:
        return False
    for name in missing:
        decisions = work.folder.decisions
        work.folder.decide(name, work.benchmark.decide(name, work.settings, answers, decisions))
    return True


@contextmanager
def _gentle_interrupts(work: Work) -> Iterator[None]:
    """The first Ctrl-C finishes what is in flight; the second ends at once."""
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()

    def interrupted() -> None:
        if work.halt and main is not None:
            main.cancel()
            return
        work.progress.say("Finishing what is in flight; Ctrl-C again ends it at once.")
        work.halt.set(INTERRUPTED)

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
