"""A log of Inspect as a run folder: the same that `subitize run` makes of the same replies.

It is the run of `inspect/PROVIDER/NAME` with the log's settings: what the log lacks, because of a
limit or an error, `subitize run` asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, ModelError
from subitize.integrations.inspect_samples import ASKED, PLACE, SHA256, trial_in
from subitize.models.base import Reply
from subitize.models.inspecting import need_inspect, reply_of, settings_from_config
from subitize.models.secrets import whole_characters
from subitize.records import Response, Trial
from subitize.runs.checked import Damaged
from subitize.runs.folder import RunFolder, counted_respondents
from subitize.runs.journal import Journal
from subitize.runs.lock import locked
from subitize.runs.plan import Plan, read_trials
from subitize.runs.reading import choose_reader
from subitize.runs.replies import as_response
from subitize.runs.run import decide

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

OWN_SOLVER = "subitize/asking"
REPAIR = "Give a log of a task of ours, such as `inspect eval subitize/naming` writes."


class Brought(NamedTuple):
    """A log as a run."""

    folder: Path
    replies: int
    """that were new"""
    failed: int
    """samples that ended with an error: `subitize run` asks for them"""
    left_out: int
    """replies of further epochs: the benchmark asks each question so often and no more"""


class _Known(NamedTuple):
    """What the head of a log says."""

    benchmark: Benchmark[Any]
    settings: Settings
    about: Mapping[str, Any]
    parts: dict[str, Any]
    """what the run is"""


class _Answer(NamedTuple):
    """A sample of a log."""

    place: int
    trial: Trial
    sample: int
    reply: Reply | ModelError
    seconds: float
    sha256: str


def import_log(path: Path, out: Path) -> Brought:
    """Bring the replies of a log into their run folder under `out`; those that are there stay."""
    need_inspect("Reading a log of Inspect")
    known = _known(path)
    found = sorted(_answers(path), key=lambda one: one.place)
    run = RunFolder.open(out, known.parts, {"parameters": None, "endpoint": None})
    with locked(run.path):
        run.update(
            reader=run.info.get("reader") or known.about["reader"],
            decisions={**known.about["decisions"], **run.decisions},
        )
        with Plan(run.path, known.benchmark.CONDITION) as plan, Journal(run.path) as journal:
            plan.add(one.trial for one in found)
            counts = _write(known, run, journal, found)
            _decide(known, run, journal)
    return Brought(run.path, *counts)


def _known(path: Path) -> _Known:
    log = _head(path)
    about = log.eval.metadata or {}
    try:
        benchmark = get_benchmark(about["benchmark"])
        settings = benchmark.settings_from(about["settings"])
        choose_reader(benchmark, {}, about["reader"])
        stages, decisions = dict(about["stages"]), dict(about["decisions"])
    except (KeyError, TypeError, ValueError) as problem:
        raise BadInput(
            f"{path} is a log of {log.eval.task!r}, which is no task of ours (it lacks "
            f"{problem}). {REPAIR}"
        ) from None
    if log.eval.task_version != benchmark.VERSION:
        raise BadInput(
            f"{path} was made by version {log.eval.task_version!r} of {benchmark.NAME}, but this "
            f"version of subitize has {benchmark.VERSION!r}: import it with the one that made it."
        )
    told = settings_from_config(log.plan.config.model_dump(), log.eval.model_args)
    steps = [step.solver for step in log.plan.steps]
    if steps != [OWN_SOLVER]:
        # Another way of asking is another respondent.
        told["solver"] = ",".join(steps)
    parts = {
        "benchmark": benchmark.NAME, "version": benchmark.VERSION, "kind": ASKED,
        "settings": settings.identity(),
        "model": {"name": f"inspect/{log.eval.model}", "settings": told, "revision": None},
    }  # fmt: skip
    return _Known(benchmark, settings, {**about, "stages": stages, "decisions": decisions}, parts)


def _head(path: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log

    if not path.is_file():
        raise BadInput(f"There is no log at {path}: give the file that `inspect eval` wrote.")
    try:
        return read_eval_log(str(path), header_only=True)
    # A file that is no log fails in whatever way its first bytes lead to.
    except Exception as problem:
        raise BadInput(f"{path} is no log of Inspect ({problem}). {REPAIR}") from None


def _answers(path: Path) -> Iterator[_Answer]:
    """Every sample, one after the other: their pictures do not stay in memory."""
    from inspect_ai.log import read_eval_log_samples

    skipped = {"store", "events", "messages"}
    try:
        for one in read_eval_log_samples(
            str(path), all_samples_required=False, resolve_attachments="core",
            exclude_fields=skipped,
        ):  # fmt: skip
            yield _Answer(
                int(one.metadata[PLACE]), trial_in(one.metadata, one.id), one.epoch - 1,
                _reply(one), one.output.time or 0.0, str(one.metadata[SHA256]),
            )  # fmt: skip
    except (Damaged, KeyError):
        raise BadInput(f"{path}: a sample holds no trial of ours. {REPAIR}") from None
    # What is damaged in a file shows itself in whatever way its bytes lead to.
    except Exception as problem:
        raise BadInput(f"{path} is damaged: {problem}. Put back a copy of it.") from None


def _reply(sample: EvalSample) -> Reply | ModelError:
    try:
        return ModelError(sample.error.message) if sample.error else reply_of(sample.output)
    except ModelError as problem:
        return problem


def _write(
    known: _Known, run: RunFolder, journal: Journal, found: list[_Answer]
) -> tuple[int, int, int]:
    ((name, settings_hash),) = counted_respondents(run.info)
    replies = failed = left_out = 0
    for one in found:
        if one.sample >= known.benchmark.samples(one.trial, known.settings):
            left_out += 1
            continue
        key = (one.trial.id, name, settings_hash, one.sample, 0)
        if journal.holds(key):
            continue
        if isinstance(one.reply, ModelError):
            note = whole_characters(str(one.reply))[:500]
            response = Response(*key, "text", "", "failed", {}, one.seconds, one.sha256, note)
            failed += 1
        else:
            response = as_response(key, one.reply, one.seconds, one.sha256, "")
            replies += 1
        journal.write(response)
    return replies, failed, left_out


def _decide(known: _Known, run: RunFolder, journal: Journal) -> None:
    """Take the decisions of every stage that is complete, as the runner would."""
    ((name, settings_hash),) = counted_respondents(run.info)
    planned = list(read_trials(run.path))
    for stage in known.benchmark.stages(known.settings, ASKED):
        own = [one for one in planned if one.stage == stage.name]
        missing = known.about["stages"].get(stage.name, 0) - len(own) + sum(
            not journal.holds((one.id, name, settings_hash, sample, 0))
            for one in own
            for sample in range(known.benchmark.samples(one, known.settings))
        )  # fmt: skip
        if stage.decides and missing:
            return
        if not decide(run, known.benchmark, known.settings, stage):
            return
