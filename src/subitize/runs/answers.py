"""The answers table: one row per response, in journal order; everything else stands on it.

answers.parquet is derived and can be deleted: any command makes it again where it is missing or
older than what it was made from. Its columns are COLUMNS and then the keys of the trials'
conditions. `counts` is true for the one attempt per trial, sample and respondent that enters the
scores: the first after which the benchmark does not ask again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from subitize import __version__
from subitize.benchmark import Benchmark, Settings
from subitize.errors import RunLocked, StorageFull, WrongRun
from subitize.files import write_whole
from subitize.records import Key, Reading, Response, Row, Trial, key_from
from subitize.runs.checked import Damaged, response_of
from subitize.runs.exclusions import read_exclusions
from subitize.runs.folder import FORMAT, counted_respondents
from subitize.runs.journal import read_lines
from subitize.runs.lock import locked
from subitize.runs.plan import read_trials
from subitize.runs.reading import RunReader

if TYPE_CHECKING:
    import polars as pl

FILE = "answers.parquet"
COLUMNS: Mapping[str, str] = {
    "trial": "String",
    "respondent": "String",
    "settings_hash": "String",
    "sample": "Int64",
    "attempt": "Int64",
    "stage": "String",
    "target": "Float64",
    "target_choice": "String",
    "kind": "String",
    "value": "String",
    "stop": "String",
    "state": "String",
    "number": "Float64",
    "choice": "String",
    "note": "String",
    "counts": "Boolean",
    "seconds": "Float64",
    "tokens": "Int64",
    "of_trial": "String",
    "of_sample": "Int64",
    "of_attempt": "Int64",
    "order": "Int64",
}
"""with their types in Polars. tokens: those of the reply, thinking included, 0 where the server
told none. of_…: which response a helper's answer is about, null for answers
about a stimulus; order: where the trial stands in the plan, behind the one it follows: sorted by
it, a run is the same whatever the concurrency"""
OF_RESPONSES = (
    "trial", "respondent", "settings_hash", "sample", "attempt", "kind", "value", "stop", "seconds"
)  # fmt: skip
OF_TRIALS, OF_READINGS = ("stage", "target", "target_choice"), ("state", "number", "choice")
TYPES = {str: "String", int: "Int64", float: "Float64"}
SOURCES = ("trials.jsonl", "responses.jsonl", "responses-overflow.jsonl", "excluded.json")


def load_answers(
    folder: Path,
    info: Mapping[str, Any],
    reader: RunReader,
    settings: Settings,
    columns: Sequence[str] | None = None,
) -> pl.DataFrame:
    """The table by the run's reader, or some columns of it: from the file where that is fresh,
    else made anew.

    It is written under the run's lock; where another process holds that, or the folder can't be
    written, it stays in memory.
    """
    path, stamp = folder / FILE, _stamp(folder, info, reader.name)
    stored = _stored(path, stamp, columns)
    if stored is not None:
        return stored
    answers = reader.benchmark.table(folder)
    if answers is None:
        answers = build_answers(folder, info, reader, settings)
    with suppress(OSError, RunLocked, StorageFull), locked(folder):
        _write(path, answers, stamp)
    return answers if columns is None else answers.select(columns)


def write_answers(
    folder: Path, info: Mapping[str, Any], answers: pl.DataFrame, reader: str
) -> None:
    """Keep a table beside what it was made from, by this reader."""
    _write(folder / FILE, answers, _stamp(folder, info, reader))


def _write(path: Path, answers: pl.DataFrame, stamp: str) -> None:
    packed = BytesIO()
    answers.write_parquet(packed, metadata={"subitize": stamp})
    write_whole(path, packed.getvalue())


def _stamp(folder: Path, info: Mapping[str, Any], reader: str) -> str:
    """What the table was made from: another stamp is another table."""
    sources = {}
    for name in SOURCES:
        path = folder / name
        if path.exists():
            sources[name] = [path.stat().st_size, path.stat().st_mtime_ns]
    made = {"format": FORMAT, "version": __version__, "reader": reader, "sources": sources}
    # Who is counted, and which weights a reader of that name had: both may change in run.json.
    made["columns"] = list(COLUMNS)
    made["who"] = [counted_respondents(info), info.get("readers", [])]
    return orjson.dumps(made, option=orjson.OPT_SORT_KEYS).decode()


def _stored(path: Path, stamp: str, columns: Sequence[str] | None) -> pl.DataFrame | None:
    """The table of the file, unless that is missing, damaged or made from something else."""
    import polars as pl

    try:
        if not path.exists() or pl.read_parquet_metadata(path).get("subitize") != stamp:
            return None
        return pl.read_parquet(path, columns=None if columns is None else list(columns))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def read_responses(folder: Path) -> Iterator[Response]:
    """Every response, in the order in which they came; those in the overflow file last."""
    for name in ("responses.jsonl", "responses-overflow.jsonl"):
        for number, (_, line) in enumerate(read_lines(folder / name), 1):
            try:
                response = response_of(line)
            except Damaged:
                raise WrongRun(
                    f"{folder / name}, line {number} is damaged: it is not a response. Mend or "
                    "delete that line; its trial will be asked again."
                ) from None
            yield response


def build_answers(
    folder: Path, info: Mapping[str, Any], reader: RunReader, settings: Settings
) -> pl.DataFrame:
    """Read every response once."""
    trials = {trial.id: trial for trial in read_trials(folder)}
    responses = list(read_responses(folder))
    _check_planned(folder, trials, responses)
    _check_conditions(folder, trials, reader.benchmark)
    counted = set(counted_respondents(info))
    about = _answers_about(trials, responses, reader)
    stages = reader.benchmark.stages(settings, info.get("kind", reader.benchmark.KINDS[0]))
    helped = {stage.name for stage in stages if stage.role}
    readings = _readings(trials, responses, reader, helped, about)
    _exclude(responses, readings, read_exclusions(folder))
    judged = [
        (response.respondent, response.settings_hash) in counted
        and trials[response.trial].stage not in helped
        and response.sample < reader.benchmark.samples(trials[response.trial], settings)
        for response in responses
    ]
    counts = _counting(trials, responses, readings, judged, (reader.benchmark, settings))
    return as_frame(trials, responses, readings, counts, reader.benchmark)


def _check_planned(
    folder: Path, trials: Mapping[str, Trial], responses: Sequence[Response]
) -> None:
    unplanned = {response.trial for response in responses} - trials.keys()
    if unplanned:
        raise WrongRun(
            f"{folder / 'trials.jsonl'} is damaged: it lacks {len(unplanned)} trials that have a "
            "response. Put back a copy of it, or run the same `subitize run` again, which plans "
            "them anew and asks nothing twice."
        )


def _check_conditions(folder: Path, trials: Mapping[str, Trial], benchmark: Benchmark[Any]) -> None:
    """Every condition is of the type that its column has; null and whole floats are fine."""
    wanted = {
        name: (type(empty), bool, int, float) if isinstance(empty, float) else (type(empty), bool)
        for name, empty in benchmark.CONDITION.items()
    }
    for number, trial in enumerate(trials.values(), 1):
        for name, value in trial.condition.items():
            if value is not None and type(value) not in wanted.get(name, (type(value),)):
                raise WrongRun(
                    f"{folder / 'trials.jsonl'} is damaged: the condition {name!r} of its trial "
                    f"{number} ({trial.id}) is {str(value)[:40]!r}, which is none. Delete that "
                    "line and run the same `subitize run` again, which plans it anew."
                )


def _followed(trial: Trial) -> Key | None:
    """The key of the response that a trial is about."""
    if trial.stimulus.kind != "response":
        return None
    return key_from(trial.stimulus.recipe)


def _answers_about(
    trials: Mapping[str, Trial], responses: Sequence[Response], reader: RunReader
) -> dict[Key, dict[str, Row]]:
    """What the run's helper said about each response, in the order of the plan.

    Failed calls give way to those that worked.
    """
    about: dict[Key, dict[str, Row]] = {}
    if reader.helper is None:
        return about
    place = {identity: index for index, identity in enumerate(trials)}
    own = [one for one in responses if (one.respondent, one.settings_hash) == reader.helper]
    for response in sorted(own, key=lambda one: place[one.trial]):
        trial = trials[response.trial]
        key = _followed(trial)
        if key is not None:
            rows = about.setdefault(key, {})
            if response.stop != "failed" or trial.id not in rows:
                rows[trial.id] = Row(trial, response, reader.answer(trial, response))
    return about


def _readings(
    trials: Mapping[str, Trial],
    responses: Sequence[Response],
    reader: RunReader,
    helped: set[str],
    about: Mapping[Key, Mapping[str, Row]],
) -> list[Reading]:
    """What every response says; `helped` are the stages that helpers are asked in."""
    found = []
    for response in responses:
        trial = trials[response.trial]
        if trial.stage in helped:
            found.append(reader.answer(trial, response))
        else:
            rows = list(about.get(response.key, {}).values())
            found.append(reader.response(trial, response, rows))
    return found


def _exclude(
    responses: Sequence[Response], readings: list[Reading], excluded: Mapping[str, str]
) -> None:
    for place, response in enumerate(responses) if excluded else ():
        reason = excluded.get(response.trial) or excluded.get(response.value)
        if reason:
            readings[place] = Reading("excluded", note=reason)


def _counting(
    trials: Mapping[str, Trial],
    responses: Sequence[Response],
    readings: Sequence[Reading],
    judged: Sequence[bool],
    rules: tuple[Benchmark[Any], Settings],
) -> list[bool]:
    """Which of the judged rows counts for each trial, respondent and sample.

    Failed calls count only where nothing worked. Another reader may be content with an earlier
    attempt than the one after which the run stopped asking.
    """
    benchmark, settings = rules
    made: dict[tuple[str, str, int], dict[int, int]] = {}
    for place, response in enumerate(responses):
        if judged[place]:
            attempts = made.setdefault((response.trial, response.respondent, response.sample), {})
            held = attempts.get(response.attempt)
            if held is None or response.stop != "failed" or responses[held].stop == "failed":
                attempts[response.attempt] = place
    counts = [False] * len(responses)
    for (trial, _, _), attempts in made.items():
        ordered = [attempts[number] for number in sorted(attempts)]
        worked = [place for place in ordered if responses[place].stop != "failed"]
        tried: list[tuple[Response, Reading]] = []
        place = ordered[-1]
        for place in worked:
            tried.append((responses[place], readings[place]))
            if benchmark.next_attempt(trials[trial], settings, tried) is None:
                break
        counts[place] = True
    return counts


def as_frame(
    trials: Mapping[str, Trial],
    responses: Sequence[Response],
    readings: Sequence[Reading],
    counts: Sequence[bool],
    benchmark: Benchmark[Any],
) -> pl.DataFrame:
    """The table: a row per response."""
    asked = [trials[response.trial] for response in responses]
    about = [_followed(trial) for trial in asked]
    order = _order(trials)
    columns: dict[str, list[Any]] = {
        **{name: [getattr(one, name) for one in responses] for name in OF_RESPONSES},
        **{name: [getattr(one, name) for one in asked] for name in OF_TRIALS},
        **{name: [getattr(one, name) for one in readings] for name in OF_READINGS},
        "tokens": [one.usage.get("completion_tokens", 0) for one in responses],
        "note": [read.note or r.note for read, r in zip(readings, responses, strict=True)],
        "counts": list(counts),
        "of_trial": [key[0] if key else None for key in about],
        "of_sample": [key[3] if key else None for key in about],
        "of_attempt": [key[4] if key else None for key in about],
        "order": [order[r.trial] for r in responses],
    }
    schema = dict(COLUMNS)
    for name, empty in benchmark.CONDITION.items():
        if name not in columns:
            columns[name] = [t.condition.get(name, empty) for t in asked]
            schema[name] = TYPES[type(empty)]
    import polars as pl

    types = {name: getattr(pl, kind) for name, kind in schema.items()}
    ordered = {name: columns[name] for name in schema}
    return pl.DataFrame(ordered, schema=types, strict=False)


def _order(trials: Mapping[str, Trial]) -> dict[str, int]:
    """Where each trial stands: as planned, but those that follow behind what they are about."""
    place = {identity: index for index, identity in enumerate(trials)}

    def standing(trial: Trial) -> tuple[int, ...]:
        key = _followed(trial)
        if key is None or key[0] not in trials:
            return (place[trial.id],)
        return (*standing(trials[key[0]]), key[3], key[4], place[trial.id])

    ordered = sorted(trials.values(), key=standing)
    return {trial.id: index for index, trial in enumerate(ordered)}
