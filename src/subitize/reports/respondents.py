"""Runs as the pages see them: a label, the scores, and the answers as one table.

Pages work on the table; pictures come from the trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from subitize.errors import BadInput
from subitize.measures.boxes import Counted, rules_from
from subitize.measures.boxes import count as count_boxes
from subitize.records import Trial
from subitize.reports.cells import COUNT, Line, at, text
from subitize.reports.page import plain
from subitize.runs.how_far import how_far
from subitize.runs.labels import labels
from subitize.runs.reading import choose_reader
from subitize.runs.stored import StoredRun

if TYPE_CHECKING:
    import polars as pl

HUMAN = "human/"
"""how the names of people begin"""
LONGEST_NAME = 80
"""characters of a model's name"""


@dataclass(frozen=True, eq=False)
class Respondent:
    """A model in one run."""

    label: str
    """the model's name, with what tells runs apart where several share a name"""
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
    def model(self) -> str:
        """The model's name, which its runs in other benchmarks share."""
        named = self.at("model") or at(self.run.info, "model", "name") or self.run.folder.name
        return plain(named, LONGEST_NAME)

    @property
    def not_read(self) -> float | None:
        """The share of the answers that are unreadable, refused, cut off or failed."""
        states = self.at("states") or {}
        asked = sum(states.values())
        return 1 - states.get("read", 0) / asked if asked else None

    @cached_property
    def unranked(self) -> str:
        """Why its scores can't stand in a rank beside those of others; empty where they can."""
        states = self.at("states") or {}
        if not states.get("read"):
            return "no answer read"
        far = how_far(self.run)
        if far.answered < far.wanted:
            return f"partial: {text(far.answered, COUNT)} of {text(far.wanted, COUNT)} trials"
        return f"{text(far.failed, COUNT)} failed" if far.failed else ""

    @property
    def trials(self) -> Mapping[str, Trial]:
        """By id."""
        return self.run.trials

    @cached_property
    def answers(self) -> pl.DataFrame:
        """The answers that the scores stand on: answers.parquet has the same columns."""
        found = self.run.counted
        return found if self.scored is None else found.filter(self.scored(self.scores))


def people_of(runs: Iterable[StoredRun]) -> set[str]:
    """The names of everybody who answered; models are none of them."""
    return {
        str(one["name"])
        for run in runs
        for one in (run.info.get("respondents") or [{"name": run.scores.get("model") or "?"}])
        if str(one["name"]).startswith(HUMAN)
    }


def respondents_from(
    runs: Sequence[StoredRun],
    order: Callable[[Mapping[str, Any]], float | None] = lambda scores: None,
    scored: Callable[[Mapping[str, Any]], pl.Expr] | None = None,
) -> list[Respondent]:
    """The runs, smallest `order` of their scores first; equal names are told apart."""
    every = [Respondent("", run, scored) for run in runs]
    found = []
    for one, label in zip(every, labels([one.model for one in every], runs), strict=True):
        place = order(one.scores)
        called = replace(one, label=plain(label, 2 * LONGEST_NAME))
        found.append((math.inf if place is None else place, called))
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


def reading_model(run: StoredRun) -> tuple[str, str]:
    """The helper that read a run's responses, empty where none did, and the reader's settings."""
    chosen = choose_reader(run.benchmark, run.info, run.reader)
    rules = "&".join(f"{name}={value}" for name, value in chosen.rules.items())
    return plain(chosen.helper[0], 80) if chosen.helper else "", rules


def boxes_of(run: StoredRun) -> Callable[[Mapping[str, Any]], Counted | None]:
    """A function from an answer to the boxes that count in its picture, where a counter gave any.

    None for every answer where people or nobody read the pictures.
    """
    chosen = choose_reader(run.benchmark, run.info, run.reader)
    if chosen.helper is None:
        return lambda answer: None
    name, settings_hash = chosen.helper
    every = run.answers
    said = every.filter(
        (every["respondent"] == name)
        & (every["settings_hash"] == settings_hash)
        & (every["kind"] == "boxes")
        & (every["stop"] != "failed")
    )
    about = said.select("of_trial", "of_sample", "of_attempt", "value").iter_rows()
    known = {tuple(key): value for *key, value in about}
    rules = rules_from(chosen.rules)

    def counted(answer: Mapping[str, Any]) -> Counted | None:
        found = known.get((answer["trial"], answer["sample"], answer["attempt"]))
        with suppress(BadInput):
            return None if found is None else count_boxes(orjson.loads(found), rules)
        return None

    return counted
