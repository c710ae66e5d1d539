"""A run from beginning to end: stage after stage, resumable at every moment."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from subitize.benchmark import Benchmark, Settings, Stage
from subitize.errors import BadInput, SubitizeError
from subitize.files import sweep
from subitize.models.base import METHODS, Kind, Model
from subitize.runs.answers import build_answers
from subitize.runs.batching import check_batch, hand_in
from subitize.runs.columns import read_responses
from subitize.runs.desk import Desk, Terms
from subitize.runs.driver import Driver, Work
from subitize.runs.engines import EngineMaker, LocalEngine
from subitize.runs.folder import (
    RunFolder,
    folder_name,
    identity,
    model_identity,
    read_info,
    stored_settings,
)
from subitize.runs.interrupts import INTERRUPTED, gentle_interrupts
from subitize.runs.isolated import IsolatedEngine
from subitize.runs.journal import Journal
from subitize.runs.limits import Budget, Halt, Prices, RetryPolicy, at_least_one
from subitize.runs.lock import locked
from subitize.runs.pictures import at_fault
from subitize.runs.plan import Plan, read_trials
from subitize.runs.progress import Progress
from subitize.runs.reading import choose_reader
from subitize.runs.shards import WHOLE, Shard


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
    batch: bool = False
    """hand questions in at the server's batch endpoint and collect the answers later"""
    shard: Shard = WHOLE
    """which part of the trials is asked; to be merged with the others"""
    budget_usd: float | None = None
    prices: Prices | None = None
    """of the model's tokens, for what is spent"""
    each: float = 0.0
    """what a request is held to cost in dollars before the first told"""
    rules: str = ""
    """of a counter that reads the responses: '?threshold=0.3'; without any, those before stay"""


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
    picture: str = ""
    """the user's own file that it was about, where that can't be decoded"""
    spent: float = 0.0
    """US dollars, by the tokens that the server told; 0 where no price is known"""


def choose_kind(benchmark: Benchmark[Any], model: Model, settings: Settings | None = None) -> Kind:
    """As what the model is asked; the wrong kind fails before the first call."""
    kinds = benchmark.KINDS if settings is None else benchmark.kinds(settings)
    kind = _fitting(kinds, model, benchmark.NAME)
    if settings is not None:
        benchmark.check_model(settings, model, kind)
    return kind


def choose_helper_kind(benchmark: Benchmark[Any], role: str, model: Model) -> Kind:
    """As what a helper is asked."""
    if role not in benchmark.HELPERS:
        raise BadInput(
            f"{benchmark.NAME} is read without asking a model: leave out --counter, or name a "
            "reader with --reader."
        )
    if model.sees_facts and not benchmark.HELPERS[role].told:
        raise BadInput(
            f"{model.respondent} sees nothing, it is told the right answer, and here nobody knows "
            f"it: as {role} name a model that looks at pictures, such as counter/blobs or "
            "openai/NAME."
        )
    # Who names such a model as the reader of replies may mean one that helps with questions.
    meant = "".join(
        f", or give --set {one.setting}={model.respondent}"
        for one in benchmark.HELPERS.values()
        if role == benchmark.reading_role() and one.setting and {*one.kinds} & {*model.kinds}
    )
    kinds = benchmark.HELPERS[role].kinds
    return _fitting(kinds, model, f"{benchmark.NAME}, as {role},", meant)


def _fitting(kinds: tuple[Kind, ...], model: Model, who: str, instead: str = "") -> Kind:
    for kind in kinds:
        if kind in model.kinds:
            if not callable(getattr(model, METHODS[kind], None)):
                raise BadInput(
                    f"{model.respondent} calls itself a {kind}, but has no method "
                    f"`{METHODS[kind]}`: write one (CONTRIBUTING has an example)."
                )
            return kind
    wanted, has = " or a ".join(kinds), ", ".join(model.kinds)
    raise BadInput(
        f"{who} needs a {wanted}, but {model.respondent} is a {has}: choose another "
        f"model (`subitize models` lists what there is){instead}."
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
    kind = choose_kind(benchmark, model, settings)
    kinds = {role: choose_helper_kind(benchmark, role, one) for role, one in helpers.items()}
    _check_options(options)
    if options.batch:
        check_batch(model, kind)
    found = benchmark.ready(settings, kind)
    whole = identity(benchmark, settings, model, kind, helpers)
    parts = whole if options.shard == WHOLE else {**whole, "shard": list(options.shard)}
    # A reader that is not there is told before a folder is made.
    if options.reader:
        listed = [
            _listed(one, role, kinds[role])
            for role, one in helpers.items()
            if not benchmark.HELPERS[role].setting
        ]
        choose_reader(benchmark, _stored_info(out / folder_name(parts), listed), options.reader)
    extra = {"parameters": model.parameters, "endpoint": getattr(model, "endpoint", None)}
    folder = RunFolder.open(out, parts, extra)
    asked = {"": (model, kind)} | {role: (helpers[role], kinds[role]) for role in helpers}
    with locked(folder.path):
        folder.update(endpoint=extra["endpoint"])
        if options.shard != WHOLE:
            # What the merged shards decided, where they were merged beside this one.
            merged = out / folder_name(whole)
            found = {**found, **(RunFolder.at(merged).decisions if merged.exists() else {})}
        if found:
            folder.update(decisions={**found, **folder.decisions})
        return _ask(folder, benchmark, asked, options)


def read_run(path: Path, benchmark: Benchmark[Any], model: Model, options: RunOptions) -> Outcome:
    """Have a helper read every stored response that it has not read yet; nobody else is asked."""
    role = benchmark.reading_role()
    kind = choose_helper_kind(benchmark, role, model)
    _check_options(options)
    read_info(path)
    with locked(path):
        return _ask(RunFolder.at(path), benchmark, {role: (model, kind)}, options)


def _ask(
    folder: RunFolder,
    benchmark: Benchmark[Any],
    asked: Mapping[str, tuple[Model, Kind]],
    options: RunOptions,
) -> Outcome:
    """Ask these, by role, in a folder whose lock is held."""
    reading = _note_readers(folder, benchmark, asked)
    wanted = options.reader or _usual_reader(folder, reading, options.rules)
    reader = choose_reader(benchmark, folder.info, wanted)
    folder.update(reader=reader.name)
    settings = stored_settings(benchmark, folder.path, folder.info)
    title = f"{benchmark.NAME} · {folder.info['model']['name']}"
    sweep(folder.path)
    sweep(folder.path / "images")
    with (
        Progress(title, show=options.progress) as shown,
        Journal(folder.path) as journal,
        Plan(folder.path, benchmark.CONDITION) as plan,
    ):
        work = Work(benchmark, settings, reader, folder, journal, plan, shown, Halt())
        if options.batch:
            hand_in(folder.path, asked, shown.say, work.halt.wait)
        return in_a_loop(_run(work, asked, options), work.halt)


def _check_options(options: RunOptions) -> None:
    for name in ("concurrency", "budget_calls", "limit"):
        value = getattr(options, name)
        if (name, value) != ("budget_calls", 0):
            at_least_one(name, value)
    if options.budget_usd is not None and not options.budget_usd >= 0:
        raise BadInput(f"--budget-usd is {options.budget_usd}: it must be 0 or more.")


def _listed(model: Model, role: str, kind: Kind) -> dict[str, Any]:
    """A helper as run.json lists it."""
    return {
        **model_identity(model), "settings_hash": model.settings_hash, "role": role, "kind": kind
    }  # fmt: skip


def _stored_info(folder: Path, listed: list[dict[str, Any]]) -> dict[str, Any]:
    before = RunFolder.at(folder).info if (folder / "run.json").exists() else {}
    return {**before, "readers": [*before.get("readers", ()), *listed]}


def _note_readers(
    folder: RunFolder, benchmark: Benchmark[Any], asked: Mapping[str, tuple[Model, Kind]]
) -> Model | None:
    """List the helper that reads responses in run.json; the newest of a name counts."""
    role = benchmark.reading_role()
    if not role or role not in asked:
        return None
    entry = _listed(asked[role][0], role, asked[role][1])
    others = [one for one in folder.info.get("readers", ()) if one["name"] != entry["name"]]
    folder.update(readers=[*others, entry])
    return asked[role][0]


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
    with ThreadPoolExecutor(1, "subitize run") as beside:
        going = beside.submit(asyncio.run, work)
        try:
            return going.result()
        except KeyboardInterrupt:
            halt.set_from_outside(INTERRUPTED)
            return going.result()


async def _run(work: Work, asked: Mapping[str, tuple[Model, Kind]], options: RunOptions) -> Outcome:
    work.halt.loop = asyncio.get_running_loop()
    budget = Budget(options.budget_calls, options.budget_usd, options.prices, options.each)
    terms = Terms(budget, options.policy, work.halt, work.progress.say)
    desks = {role: _desk(model, kind, options, terms) for role, (model, kind) in asked.items()}
    for desk in desks.values():
        who = (desk.model.respondent, desk.model.settings_hash)
        desk.answered_before = who in work.journal.respondents
    stages = list(work.benchmark.stages(work.settings, work.folder.info["kind"]))
    driver = Driver(work, stages, desks, options.limit)
    go = _run_stages if "" in desks else _read_stages
    opened: list[Desk] = []
    complete = False
    try:
        with gentle_interrupts(work.halt, work.progress.say):
            for desk in desks.values():
                opened.append(desk)
                await desk.open()
            complete = await go(work, driver, [s for s in stages if s.role in ("", *desks)])
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
        at_fault(driver.failing),
        budget.spent,
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
        decisions, (part, parts) = work.folder.decisions, work.folder.info.get("shard", WHOLE)
        size = work.benchmark.size(stage.name, work.settings, decisions)
        work.progress.stage(stage.name, size and len(range(part - 1, size, parts)))
        before = driver.failed
        trials = work.benchmark.trials(stage.name, work.settings, decisions)
        await driver.run(stage, islice(trials, part - 1, None, parts))
        if work.halt:
            return False
        complete = complete and driver.failed == before
        if driver.limited:
            return complete
        if parts > 1 and complete:
            ended = work.folder.info.get("ended", [])
            work.folder.update(ended=[*ended, *({stage.name} - set(ended))])
        if not complete and stage.decides:
            # A decision stands on all trials of its stage: the next run asks the failed ones.
            return False
        if parts > 1 and not set(stage.decides) <= work.folder.decisions.keys():
            work.halt.set(
                f"the stage {stage.name!r} decides on the answers of all shards: when each has "
                "come this far, `subitize merge` them into the same --out"
            )
            return False
        if not decide(work.folder, work.benchmark, work.settings, stage):
            return False
    return complete


async def _read_stages(work: Work, driver: Driver, stages: list[Stage]) -> bool:
    """The stored responses of every stage that helpers read; whether all of them were read."""
    trials = {trial.id: trial for trial in read_trials(work.folder.path)}
    counted = set(work.folder.respondents)
    stored = [
        (trials[one.trial], one)
        for one in read_responses(work.folder.path)
        if one.trial in trials and (one.respondent, one.settings_hash) in counted
    ]
    for stage in stages:
        if driver.is_read(stage) and not work.halt:
            own = [pair for pair in stored if pair[0].stage == stage.name]
            work.progress.stage(stage.name, len(own))
            await driver.read(stage, own)
    return not work.halt and not driver.failed


def decide(folder: RunFolder, benchmark: Benchmark[Any], settings: Settings, stage: Stage) -> bool:
    """Take the stage's decisions, once; a decision in run.json is never taken again.

    False when responses have yet to be read by a helper: the decision has to wait for that.
    """
    missing = [name for name in stage.decides if name not in folder.decisions]
    if not missing:
        return True
    reader = choose_reader(benchmark, folder.info)
    answers = build_answers(folder.path, folder.info, reader, settings)
    if "pending" in answers.filter(answers["counts"])["state"]:
        return False
    for name in missing:
        folder.decide(name, benchmark.decide(name, settings, answers, folder.decisions))
    return True
