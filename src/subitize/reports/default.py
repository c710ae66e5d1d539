"""The page of a benchmark that has none of its own, made from its MEASURES."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from subitize.records import Score
from subitize.reports.cells import column, model_table
from subitize.reports.leaderboard import (
    COUNTED,
    headline,
    leaderboard,
    ranking,
    run_line,
    standing,
    standings,
)
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Column, Section
from subitize.reports.replies import Answer, examples, gallery_section, pictures, unreadable_section
from subitize.reports.respondents import Respondent, respondents_from
from subitize.reports.terms import known_measure
from subitize.runs.stored import StoredRun

SHOWN = 4
"""measures that are drawn, and wrong answers that are shown per model"""


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Leaderboard, unreadable replies, examples, methods and what to cite."""
    benchmark, respondents = runs[0].benchmark, respondents_from(runs)
    name, paper = benchmark.NAME, benchmark.PAPER
    return [
        _leaderboard(name, list(_measured(benchmark.MEASURES, runs)), respondents),
        unreadable_section(name, respondents, "What was not read, with the model's own words."),
        gallery_section(
            name,
            "The worst answers first, then an unreadable one if there is one, then a right one. "
            "The title says what is right and what was read.",
            (
                (one.label, pictures(one, examples(one.answers, SHOWN), partial(_facts, one)))
                for one in respondents
            ),
        ),
        methods(name, respondents, "as the benchmark computes them"),
        citations(name, f"{paper.citation}\ndoi:{paper.doi}" if paper.doi else paper.citation),
    ]


def _is_score(found: Any) -> bool:
    if isinstance(found, Mapping):
        return {"value", "low"} <= found.keys()
    return isinstance(found, Score | int | float) and not isinstance(found, bool)


def _measured(measures: Sequence[str], runs: Sequence[StoredRun]) -> Iterator[Column]:
    """A column for each measure that any run has a number for, and for each part of one."""
    for measure in measures:
        found = [run.scores.get(measure) for run in runs]
        groups = [one for one in found if isinstance(one, Mapping) and not _is_score(one)]
        parts = (part for one in groups for part, value in one.items() if _is_score(value))
        if any(map(_is_score, found)):
            yield _column(measure)
        for part in dict.fromkeys(parts):
            yield _column(measure, part)


def _column(*path: str) -> Column:
    known, form = known_measure(path[0]), ".3f"
    if known is not None:
        form = "n" if isinstance(known.best, int) else ".1%" if known.unit == "share" else form
    return column(path, form=f"{form}±")


def _leaderboard(
    name: str, measured: Sequence[Column], respondents: Sequence[Respondent]
) -> Section:
    lines = [run_line(one) for one in respondents]
    caption = "Every measure of the benchmark; brackets hold 95 % intervals."
    shown, where = [*measured, *COUNTED], f"{name}-leaderboard"
    blocks: list[Block] = []
    if measured:
        found = ranking(lines, measured[0])
        blocks = [headline(found, respondents), standing(name, found, measured[:SHOWN])]
        blocks.append(leaderboard(where, caption, found, shown))
    else:
        blocks.append(model_table(where, caption, lines, shown))
    lead = "A row per run, a column per measure."
    told = standings(respondents, measured[0], lambda one: "") if measured else ()
    return Section(f"{name}-leaderboard-section", "Leaderboard", lead, blocks, told)


def _facts(one: Respondent, answer: Answer) -> str:
    condition = one.trials[answer["trial"]].condition
    return ", ".join(f"{name} {value}" for name, value in condition.items())
