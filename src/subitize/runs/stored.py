"""A run folder as it lies there: what was asked, the answers table, the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from subitize import __version__, score_keys
from subitize.benchmark import Benchmark, Settings
from subitize.errors import BadInput, StorageFull, WrongRun
from subitize.files import write_whole
from subitize.records import Score, Trial
from subitize.runs.answers import code_of, load_answers
from subitize.runs.columns import trial_columns
from subitize.runs.correcting import corrected
from subitize.runs.folder import read_info, stored_settings
from subitize.runs.plan import PlannedTrials
from subitize.runs.reader_check import reader_check
from subitize.runs.reading import choose_reader

if TYPE_CHECKING:
    import polars as pl


LARGEST_INDENTED = 1 << 20
"""bytes of scores.json up to which it is written for the eye; matrices of 500 targets would take
ten times their room"""


@dataclass(frozen=True, eq=False)
class StoredRun:
    """Everything that lies in a run folder."""

    folder: Path
    info: Mapping[str, Any]
    """run.json"""
    benchmark: Benchmark[Any]
    settings: Settings
    answers: pl.DataFrame
    """a row per response, see `runs/answers.py`"""
    reader: str
    """by which the answers were read"""

    def told_from(self, others: Iterable[StoredRun]) -> str:
        """Its folder's name, with the folder that holds it where another is called alike."""
        name = self.folder.name
        alike = any(one.folder.name == name for one in others if one is not self)
        return f"{self.folder.resolve().parent.name}/{name}" if alike else name

    @property
    def started(self) -> str:
        """When it began, by ISO 8601; empty where run.json does not tell it."""
        created = str(self.info.get("created", ""))[:19]
        return created and f"{created.replace(' ', 'T')}+00:00"

    @cached_property
    def counted(self) -> pl.DataFrame:
        """The answers that enter the scores, as planned."""
        return _in_order(self.answers.filter("counts"))

    @cached_property
    def trials(self) -> Mapping[str, Trial]:
        """The planned trials by id, with their stimuli."""
        return PlannedTrials(self.folder)

    @cached_property
    def asked(self) -> Mapping[str, str]:
        """The question of each trial about something shown, by the trial's id."""
        plan = trial_columns(self.folder, self.benchmark.CONDITION)
        shown = plan.filter(plan["_shown"] != "prompt")
        return dict(shown.select("trial", "_question").iter_rows())

    @cached_property
    def scores(self) -> Mapping[str, Any]:
        """scores.json where that still holds, else made anew."""
        return _stored_scores(self) or score_run(self)


def _in_order(answers: pl.DataFrame) -> pl.DataFrame:
    """As planned, so that concurrency and engine change no score; people as they came.

    Nothing is copied where they stand so already: people's tables have a million rows.
    """
    import polars as pl

    keys = ("order", "sample", "attempt")
    places = answers.select(pl.arg_sort_by(*keys, maintain_order=True).alias("place"))["place"]
    return answers if places.is_sorted() else answers[places]


def each_once(runs: Iterable[StoredRun]) -> list[StoredRun]:
    """A run that was given twice, by its own name and with the folder that holds it, is one."""
    return list({(run.folder.resolve(), run.reader): run for run in runs}.values())


def stored_run(
    folder: Path,
    benchmark: Benchmark[Any],
    reader: str | None = None,
    columns: Sequence[str] | None = None,
) -> StoredRun:
    """Read a run by its own reader, or by another one; only some columns, where many are not
    needed."""
    info = read_info(folder)
    if info["version"] != benchmark.VERSION:
        raise WrongRun(
            f"{folder} was made by version {info['version']!r} of {benchmark.NAME}, but this "
            f"version of subitize scores {benchmark.VERSION!r}: use the version that made it (see "
            "`packages` in its run.json), or run it anew."
        )
    settings = stored_settings(benchmark, folder, info)
    chosen = choose_reader(benchmark, info, reader)
    answers = load_answers(folder, info, chosen, settings, columns)
    return StoredRun(folder, info, benchmark, settings, answers, chosen.name)


def score_run(run: StoredRun) -> dict[str, Any]:
    """Compute every score, write scores.json and return its content.

    Scores that can't be written are returned all the same, with the reason under `unsaved`.
    """
    info, benchmark, answers = run.info, run.benchmark, _in_order(run.answers)
    scores: dict[str, Any] = {
        **_made_by(run),
        "benchmark": info["benchmark"],
        "version": info["version"],
        "model": info["model"]["name"],
        "parameters": info.get("parameters"),
        "run": run.folder.name,
        **benchmark.score(answers, run.settings, info.get("decisions", {})),
    }
    without_mistakes = corrected(run.folder, benchmark, run.settings, answers, run.reader)
    if without_mistakes is not None:
        scores["corrected"] = without_mistakes
        if not without_mistakes["identifiable"]:
            reason = {"corrected": without_mistakes["reason"]}
            scores["undefined"] = {**scores.get("undefined", {}), **reason}
    checked = reader_check(run.folder, answers)
    if checked is not None:
        scores["reader_check"] = checked
    scores["failed"] = int((answers["counts"] & (answers["state"] == "failed")).sum())
    undeclared = scores.keys() - score_keys.KEYS.keys() - benchmark.SCORES.keys()
    if undeclared:
        raise BadInput(
            f"{benchmark.NAME} gives the scores {', '.join(sorted(undeclared))}, which nobody "
            "declared: add them to the benchmark's SCORES, each with its meaning."
        )
    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_PASSTHROUGH_DATACLASS
    packed = orjson.dumps(scores, Score.as_json, options)
    scores = orjson.loads(packed)
    if len(packed) < LARGEST_INDENTED:
        packed = orjson.dumps(scores, option=orjson.OPT_INDENT_2)
    try:
        write_whole(run.folder / "scores.json", packed + b"\n")
    except StorageFull as problem:
        scores["unsaved"] = str(problem)
    return scores


def _made_by(run: StoredRun) -> dict[str, Any]:
    """What makes scores: others are made again."""
    code = code_of(run.benchmark)
    return {
        "format": score_keys.FORMAT, "package": __version__, "code": code, "reader": run.reader
    }  # fmt: skip


def _stored_scores(run: StoredRun) -> dict[str, Any] | None:
    """scores.json, unless it is missing, damaged, by another reader or another version of
    subitize, or its sources changed."""
    path = run.folder / "scores.json"
    try:
        made = path.stat().st_mtime_ns
        sources = [one for one in run.folder.glob("*.json*") if one != path]
        if any(source.stat().st_mtime_ns >= made for source in sources):
            return None
        scores = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    holds = isinstance(scores, dict) and _made_by(run).items() <= scores.items()
    return scores if holds else None
