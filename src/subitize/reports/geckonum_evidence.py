"""Everything GeckoNum's page shows, computed once: from people's answers or from runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subitize.benchmarks.geckonum import breakdowns
from subitize.benchmarks.geckonum.answered import Painted, labelled_from_answers
from subitize.benchmarks.geckonum.breakdowns import Share
from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.painting import GeckoNum
from subitize.benchmarks.geckonum.statistics import add_statistics
from subitize.benchmarks.geckonum.tables import Tables, geckonum_tables
from subitize.reports.respondents import Respondent
from subitize.runs.folder import read_info
from subitize.runs.stored import answered_by, read_rows

__all__ = ["Evidence", "evidence_from", "evidence_of_runs", "reader_of"]

SAMPLES = 1000
Shares = Mapping[str, Mapping[str, Share]]


@dataclass(frozen=True)
class Evidence:
    """Labels, the paper's tables, and what they are broken down by."""

    labelled: Labelled
    tables: Tables
    """with intervals over prompts"""
    comparisons: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """table: painter: differences, effect sizes, corrected p-values"""
    by_number: Shares
    """painter: number: accuracy in Task 1"""
    by_type: Shares
    """painter: prompt type: accuracy in its task"""
    failures: Shares
    """painter: right, missing, too few, too many"""
    outcomes: Mapping[str, Shares]
    """prompt type with several things: painter: what became of pictures"""
    asked_and_counted: Mapping[str, Mapping[str, Mapping[str, int]]]
    """painter: asked or counted: number: how often"""
    words_by_count: Mapping[str, Mapping[str, Mapping[str, int]]]
    """said or asked: count: no, few, many"""

    @property
    def painters(self) -> tuple[str, ...]:
        return self.labelled.models

    def people(self) -> bool:
        """Whether several answered each question."""
        labels = (self.labelled.task1, self.labelled.task2, self.labelled.task3)
        return any(one is not None and one.answers.max(initial=0) > 1 for one in labels)


def evidence_from(labelled: Labelled, rng: np.random.Generator) -> Evidence:
    """Compute everything; what a task's absence leaves out is empty."""
    tables = geckonum_tables(labelled)
    comparisons = add_statistics(tables, labelled, rng, samples=SAMPLES)
    by_type: dict[str, dict[str, Share]] = {}
    for task, labels in ((1, labelled.task1), (2, labelled.task2), (3, labelled.task3)):
        if labels is not None:
            for painter, shares in breakdowns.by_type(labels, task, rng).items():
                by_type.setdefault(painter, {}).update(shares)
    one = labelled.task1
    return Evidence(
        labelled,
        tables,
        comparisons,
        breakdowns.by_number(one, rng) if one is not None else {},
        by_type,
        breakdowns.failures(one, rng) if one is not None else {},
        breakdowns.picture_outcomes(one, rng) if one is not None else {},
        breakdowns.asked_and_counted(one) if one is not None else {},
        breakdowns.quantifiers_by_count(one, labelled.task2),
    )


def reading_of(one: Respondent) -> str:
    """The reading run that a run's scores stand on; empty where nobody has read its pictures."""
    name = str(one.run.info.get("reader") or "").partition("?")[0]
    return name if name in answered_by(one.run.folder) else ""


def reader_of(one: Respondent) -> str:
    """The model that read a run's pictures, or the word that nobody did."""
    name = reading_of(one)
    if not name:
        return "nobody yet (left for people)"
    return str(read_info(one.run.folder / "readings" / name)["model"]["name"])


def evidence_of_runs(respondents: Sequence[Respondent], rng: np.random.Generator) -> Evidence:
    """The answers of each run's reading model, as if one person had given them."""
    painted: list[Painted] = []
    for one in respondents:
        name = reading_of(one)
        answers = (
            read_rows(one.run.folder / "readings" / name, GeckoNum().answer_reader())
            if name
            else []
        )
        painted.append((one.label, one.run.rows, answers))
    return evidence_from(labelled_from_answers(painted), rng)
