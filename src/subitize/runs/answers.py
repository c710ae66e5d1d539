"""The answers table: one row per response, in journal order; everything else stands on it.

answers.parquet is derived and can be deleted: any command makes it again where it is missing or
older than what it was made from, the program included. Its columns are COLUMNS and then the keys
of the trials' conditions. `counts` is true for the one attempt per trial, sample and respondent
that enters the scores: the first after which the benchmark does not ask again.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

import subitize
from subitize import __version__
from subitize.benchmark import Benchmark, Settings
from subitize.errors import RunLocked, StorageFull, WrongRun
from subitize.files import write_whole
from subitize.records import Key, Reading, Response, Row, Trial, key_from
from subitize.runs.columns import Records, response_columns, trial_columns
from subitize.runs.exclusions import read_exclusions
from subitize.runs.folder import FORMAT, counted_respondents
from subitize.runs.lock import locked
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
OF_READINGS = ("state", "number", "choice")
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
    benchmark = reader.benchmark
    path, stamp = folder / FILE, _stamp(folder, info, reader.name, benchmark)
    stored = _stored(path, stamp, columns)
    if stored is not None:
        return stored
    answers = benchmark.table(folder)
    if answers is None:
        answers = build_answers(folder, info, reader, settings)
    with suppress(OSError, RunLocked, StorageFull), locked(folder):
        _write(path, answers, stamp)
    return answers if columns is None else answers.select(columns)


def write_answers(
    folder: Path,
    info: Mapping[str, Any],
    answers: pl.DataFrame,
    reader: str,
    benchmark: Benchmark[Any],
) -> None:
    """Keep a table beside what it was made from, by this reader."""
    _write(folder / FILE, answers, _stamp(folder, info, reader, benchmark))


def code_of(benchmark: Benchmark[Any]) -> str:
    """A hash of the program: readers and measures change between two versions of it, too.

    That is this package and, of a benchmark from elsewhere, the file that it stands in.
    """
    try:
        return _code_with(inspect.getfile(type(benchmark)))
    except (OSError, TypeError):  # it was typed in, and nobody has its source
        return _code_with(subitize.__file__)


@cache
def _code_with(file: str) -> str:
    found = hashlib.sha256()
    for path in (*sorted(Path(subitize.__file__).parent.rglob("*.py")), Path(file)):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def _write(path: Path, answers: pl.DataFrame, stamp: str) -> None:
    packed = BytesIO()
    answers.write_parquet(packed, metadata={"subitize": stamp})
    write_whole(path, packed.getvalue())


def _stamp(folder: Path, info: Mapping[str, Any], reader: str, benchmark: Benchmark[Any]) -> str:
    """What the table was made from: another stamp is another table."""
    sources = {}
    for name in SOURCES:
        path = folder / name
        if path.exists():
            sources[name] = [path.stat().st_size, path.stat().st_mtime_ns]
    made = {"format": FORMAT, "version": __version__, "reader": reader, "sources": sources}
    made["code"] = code_of(benchmark)
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


def build_answers(
    folder: Path, info: Mapping[str, Any], reader: RunReader, settings: Settings
) -> pl.DataFrame:
    """Read every response once."""
    benchmark = reader.benchmark
    conditions = {name: to for name, to in benchmark.CONDITION.items() if name not in COLUMNS}
    trials = trial_columns(folder, conditions)
    responses = response_columns(folder)
    _check_planned(folder, trials, responses)
    table = responses.join(_ordered(trials), on="trial", how="left", maintain_order="left")
    stages = benchmark.stages(settings, info.get("kind", benchmark.KINDS[0]))
    helped = {stage.name for stage in stages if stage.role}
    with Records(folder) as records:
        rows = _Rows(table, records)
        about = _answers_about(rows, reader)
        readings = _readings(rows, reader, helped, about)
        _exclude(table, readings, read_exclusions(folder))
        judged = _judged(rows, (benchmark, settings), set(counted_respondents(info)), helped)
        counts = _counting(rows, readings, judged, (benchmark, settings))
    return _with_readings(table, readings, counts).select(*COLUMNS, *conditions)


class _Rows:
    """Responses with their trials, as a table and, where they are asked for, as objects."""

    def __init__(self, table: pl.DataFrame, records: Records) -> None:
        self.table = table
        self._records = records
        self._trial_at, self._file, self._at = (
            table[name].to_list() for name in ("_line", "_file", "_at")
        )

    def trial(self, place: int) -> Trial:
        return self._records.trial(self._trial_at[place])

    def response(self, place: int) -> Response:
        return self._records.response(self._file[place], self._at[place])


def _check_planned(folder: Path, trials: pl.DataFrame, responses: pl.DataFrame) -> None:
    unplanned = responses.join(trials, on="trial", how="anti")["trial"].n_unique()
    if unplanned:
        raise WrongRun(
            f"{folder / 'trials.jsonl'} is damaged: it lacks {unplanned} trials that have a "
            "response. Put back a copy of it, or run the same `subitize run` again, which plans "
            "them anew and asks nothing twice."
        )


def _answers_about(rows: _Rows, reader: RunReader) -> dict[Key, dict[str, Row]]:
    """What the run's helper said about each response, in the order of the plan.

    Failed calls give way to those that worked.
    """
    about: dict[Key, dict[str, Row]] = {}
    if reader.helper is None:
        return about
    import polars as pl

    name, settings_hash = reader.helper
    own = (pl.col("respondent") == name) & (pl.col("settings_hash") == settings_hash)
    followed = own & pl.col("of_trial").is_not_null()
    found = rows.table.with_row_index("row").filter(followed)
    for place in found.sort("_planned", maintain_order=True)["row"].to_list():
        trial, response = rows.trial(place), rows.response(place)
        answers = about.setdefault(key_from(trial.stimulus.recipe), {})
        if response.stop != "failed" or trial.id not in answers:
            answers[trial.id] = Row(trial, response, reader.answer(trial, response))
    return about


SEEN = ("stage", "_shown", "_question", "kind", "value", "stop", "note")
"""what a reader of words can look at: responses that are alike in it are read once"""


def _readings(
    rows: _Rows, reader: RunReader, helped: set[str], about: Mapping[Key, Mapping[str, Row]]
) -> tuple[list[Reading], list[int]]:
    """What responses say, and which of that each row says.

    `helped` are the stages that helpers are asked in.
    """
    import polars as pl

    stages = rows.table["stage"].unique().to_list()
    by_words = [one for one in stages if reader.by_words(one if one in helped else None)]
    seen = pl.struct(SEEN) if by_words else pl.lit(0)
    own = pl.when(pl.col("stage").is_in(by_words)).then(-1).otherwise(pl.int_range(pl.len()))
    groups = (
        rows.table.select(row=pl.int_range(pl.len()), seen=seen, own=own)
        .group_by("seen", "own", maintain_order=True)
        .agg("row")["row"]
    )
    found = []
    for place in groups.list.first().to_list():
        trial, response = rows.trial(place), rows.response(place)
        if trial.stage in helped:
            found.append(reader.answer(trial, response))
        else:
            answers = list(about.get(response.key, {}).values())
            found.append(reader.response(trial, response, answers))
    which = pl.DataFrame({"row": groups, "which": range(len(groups))}).explode("row")
    return found, which.sort("row")["which"].to_list()


def _exclude(
    table: pl.DataFrame,
    readings: tuple[list[Reading], list[int]],
    excluded: Mapping[str, str],
) -> None:
    found, which = readings
    pairs = table.select("trial", "value").iter_rows() if excluded else ()
    for place, (trial, value) in enumerate(pairs):
        reason = excluded.get(trial) or excluded.get(value)
        if reason:
            which[place] = len(found)
            found.append(Reading("excluded", note=reason))


Rules = tuple[Benchmark[Any], Settings]


def _judged(
    rows: _Rows, rules: Rules, counted: set[tuple[str, str]], helped: set[str]
) -> list[int]:
    """The rows that are answers of those under test, to as many samples as are wanted."""
    import polars as pl

    benchmark, settings = rules
    who = pl.concat_str("respondent", "settings_hash", separator="\n")
    under_test = who.is_in(["\n".join(one) for one in counted])
    judged = rows.table.select(
        row=pl.int_range(pl.len()), sample="sample", own=under_test & ~pl.col("stage").is_in(helped)
    ).filter("own")
    if type(benchmark).samples is Benchmark.samples:
        return judged.filter(pl.col("sample") < 1)["row"].to_list()
    return [
        place
        for place, sample, _ in judged.iter_rows()
        if sample < benchmark.samples(rows.trial(place), settings)
    ]


def _counting(
    rows: _Rows, readings: tuple[list[Reading], list[int]], judged: list[int], rules: Rules
) -> list[int]:
    """Which of the judged rows counts for each trial, respondent and sample.

    Failed calls count only where nothing worked. Another reader may be content with an earlier
    attempt than the one after which the run stopped asking.
    """
    (benchmark, settings), (found, which) = rules, readings
    import polars as pl

    names = ("trial", "respondent", "sample")
    made = rows.table[judged].select(*names, row=pl.Series(judged, dtype=pl.Int64))
    groups = made.group_by(names).agg("row")["row"]
    several = groups.list.len() > 1
    counting: list[int] = groups.filter(~several).list.first().to_list()
    for places in groups.filter(several).to_list():
        worked, place = _worked(rows, places)
        tried: list[tuple[Response, Reading]] = []
        for response, at in worked:
            tried.append((response, found[which[at]]))
            place = at
            if benchmark.next_attempt(rows.trial(at), settings, tried) is None:
                break
        counting.append(place)
    return counting


def _worked(rows: _Rows, places: Sequence[int]) -> tuple[list[tuple[Response, int]], int]:
    """The attempts that worked, in order, each by its last line; and the last of all."""
    last: dict[int, tuple[Response, int]] = {}
    for place in places:
        response = rows.response(place)
        held = last.get(response.attempt)
        if held is None or response.stop != "failed" or held[0].stop == "failed":
            last[response.attempt] = response, place
    ordered = [last[attempt] for attempt in sorted(last)]
    return [one for one in ordered if one[0].stop != "failed"], ordered[-1][1]


def _with_readings(
    table: pl.DataFrame, readings: tuple[list[Reading], list[int]], counting: list[int]
) -> pl.DataFrame:
    import polars as pl

    found, which = readings
    columns = {name: [getattr(one, name) for one in found] for name in OF_READINGS}
    types = {name: getattr(pl, COLUMNS[name]) for name in columns}
    told = pl.DataFrame(
        {**columns, "_told": [one.note for one in found]},
        {**types, "_told": pl.String},
        strict=False,
    )
    return table.hstack(told[which]).with_columns(
        note=pl.when(pl.col("_told") != "").then("_told").otherwise("note"),
        counts=pl.int_range(pl.len()).is_in(counting),
    )


def _ordered(trials: pl.DataFrame) -> pl.DataFrame:
    """Where each trial stands: as planned, but those that follow behind what they are about."""
    import polars as pl

    if trials["of_trial"].is_null().all():
        return trials.with_columns(order=pl.col("_planned"))
    names = ("trial", "of_trial", "of_sample", "of_attempt")
    about = {
        one[0]: (place, *one[1:]) for place, one in enumerate(trials.select(names).iter_rows())
    }

    def standing(trial: str) -> tuple[int, ...]:
        place, of, sample, attempt = about[trial]
        return (*standing(of), sample, attempt, place) if of in about else (place,)

    ordered = sorted(about, key=standing)
    return trials.join(
        pl.DataFrame({"trial": ordered}).with_row_index("order"),
        on="trial",
        how="left",
        maintain_order="left",
    ).with_columns(pl.col("order").cast(pl.Int64))
