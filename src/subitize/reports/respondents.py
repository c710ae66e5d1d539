"""Runs as the pages see them: a label, the scores, and the answers as one table.

This is the only file of the reports that reads a run's rows; everything else works on the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import orjson
import polars as pl

from subitize.errors import BadInput
from subitize.measures.boxes import Counted, rules_from
from subitize.measures.boxes import count as count_boxes
from subitize.models.names import split_settings
from subitize.records import Trial
from subitize.reports.cells import Line, at
from subitize.reports.page import plain
from subitize.runs.folder import read_info
from subitize.runs.stored import StoredRun, load_answers

__all__ = ["Respondent", "boxes_of", "reading_model", "respondents_from", "unfolded"]


@dataclass(frozen=True)
class Respondent:
    """A model in one run."""

    label: str
    """the model's name, with the run's folder where two runs share a name"""
    run: StoredRun
    scored: Callable[[Mapping[str, Any]], pl.Expr] | None = None
    """from the run's scores to which of its answers they stand on; all without it"""

    @property
    def scores(self) -> Mapping[str, Any]:
        return self.run.scores

    def at(self, *path: str) -> Any:
        """A score inside the scores; None where any part of the path is missing."""
        return at(self.scores, *path)

    @property
    def not_read(self) -> float | None:
        """The share of the answers that are unreadable, refused, cut off or failed."""
        states = self.at("states") or {}
        asked = sum(states.values())
        return 1 - states.get("read", 0) / asked if asked else None

    @cached_property
    def trials(self) -> Mapping[str, Trial]:
        """By id."""
        return {row.trial.id: row.trial for row in self.run.rows}

    @cached_property
    def answers(self) -> pl.DataFrame:
        """The answers that the scores stand on: answers.parquet has the same columns."""
        found = _answers_of(self.run)
        return found if self.scored is None else found.filter(self.scored(self.scores))


def respondents_from(
    runs: Sequence[StoredRun],
    order: Callable[[Mapping[str, Any]], float | None] = lambda scores: None,
    scored: Callable[[Mapping[str, Any]], pl.Expr] | None = None,
) -> list[Respondent]:
    """The runs, smallest `order` of their scores first; equal names are told apart by folders."""
    names = [
        plain(run.scores.get("model") or at(run.info, "model", "name") or run.folder.name, 80)
        for run in runs
    ]
    found = []
    for name, run in zip(names, runs, strict=True):
        place = order(run.scores)
        label = f"{name} ({plain(run.folder.name, 40)})" if names.count(name) > 1 else name
        found.append((math.inf if place is None else place, Respondent(label, run, scored)))
    return [one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].label))]


def unfolded(respondents: Iterable[Respondent], score: str, *names: str) -> list[Line]:
    """A line for each entry of a score with levels; `names` say what the levels are called."""
    return [
        Line(one.label, values)
        for one in respondents
        for values in _entries(one.scores.get(score), names)
    ]


def _entries(found: Any, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    if names:
        for level, inner in (found or {}).items():
            for values in _entries(inner, names[1:]):
                yield {names[0]: level, **values}
    else:
        yield from map(dict, found if isinstance(found, list) else [found] if found else [])


_NUMBERS = {"sample": "response.sample", "attempt": "response.attempt", "number": "reading.number"}
_TEXTS = {
    "trial": "trial.id",
    "stage": "trial.stage",
    "kind": "response.kind",
    "value": "response.value",
    "state": "reading.state",
    "choice": "reading.choice",
    "note": "response.note",
}


def _answers_of(run: StoredRun) -> pl.DataFrame:
    rows, targets = run.rows, [row.trial.target for row in run.rows]
    keys = dict.fromkeys(key for row in rows for key in row.trial.condition)
    facts = {key: [row.trial.condition.get(key) for row in rows] for key in keys}
    numbers = {name: list(map(attrgetter(path), rows)) for name, path in _NUMBERS.items()}
    numbers["target"] = [None if isinstance(target, str) else target for target in targets]
    texts = {name: list(map(_text, map(attrgetter(path), rows))) for name, path in _TEXTS.items()}
    texts["target_choice"] = [target if isinstance(target, str) else None for target in targets]
    types = {**dict.fromkeys(numbers, pl.Float64), **dict.fromkeys(texts, pl.String)}
    return pl.DataFrame({**facts, **numbers, **texts}, schema_overrides=types, strict=False)


def _text(value: Any) -> str | None:
    """Words without lone surrogates, which have no place in a table; JSON for anything else."""
    if value is None or isinstance(value, str):
        return value and plain(value)
    return orjson.dumps(value).decode()


def reading_model(run: StoredRun) -> tuple[str, str]:
    """The model that read a run's responses, empty where none did, and the reader's settings."""
    name, _, settings = _reader(run).partition("?")
    folder = run.folder / "readings" / name
    if not name or not (folder / "run.json").exists():
        return "", settings
    return plain(read_info(folder)["model"]["name"], 80), settings


def _reader(run: StoredRun) -> str:
    return str(run.scores.get("reader") or run.info.get("reader") or "")


def boxes_of(run: StoredRun) -> Callable[[Mapping[str, Any]], Counted | None]:
    """A function from an answer to the boxes that count in its picture, where a counter gave any.

    None for every answer where people or nobody read the pictures.
    """
    if not reading_model(run)[0]:
        return lambda answer: None
    name, settings, _ = split_settings(_reader(run), "reader")
    known = load_answers(run.folder, name, run.benchmark.answer_reader())
    rules = rules_from(settings)

    def counted(answer: Mapping[str, Any]) -> Counted | None:
        key = (answer["trial"], int(answer["sample"]), int(answer["attempt"]))
        for row in reversed(known.get(key, ())):
            if row.response.kind == "boxes" and isinstance(row.response.value, Mapping):
                with suppress(BadInput):
                    return count_boxes(row.response.value, rules)
        return None

    return counted
