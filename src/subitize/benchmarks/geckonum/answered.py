"""Answers of a reading model as labels, so that a run is scored by the tables of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from subitize.benchmarks.geckonum import breakdowns
from subitize.benchmarks.geckonum.labels import Labelled, Labels
from subitize.benchmarks.geckonum.statistics import add_statistics
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.benchmarks.geckonum.wording import answer_value
from subitize.datasets.geckonum.prompts import COLUMNS, Prompt
from subitize.records import Row

__all__ = ["Painted", "answer_scores", "labelled_from_answers"]

SAMPLES = 1000
Painted = tuple[str, Sequence[Row], Sequence[Row]]
"""a painter's name, its rows, and the rows of answers about its pictures"""


def labelled_from_answers(painted: Sequence[Painted]) -> Labelled:
    """The answers about several painters' pictures as if one person had given each."""
    prompts: dict[str, Prompt] = {}
    for _, rows, _ in painted:
        for row in rows:
            about = row.trial.condition
            prompts.setdefault(
                str(about["dataset_id"]), Prompt(**{name: about[name] for name in COLUMNS})
            )
    ordered = tuple(sorted(prompts.values(), key=lambda one: one.index))
    place = {one.dataset_id: index for index, one in enumerate(ordered)}
    models = tuple(name for name, _, _ in painted)
    units: dict[int, list[tuple[int, int, int, str, str, float, float]]] = {}
    for model, (_, rows, answers) in enumerate(painted):
        about_trial: Mapping[str, Mapping[str, Any]] = {
            row.trial.id: row.trial.condition for row in rows
        }
        for row in answers:
            about = row.trial.condition
            parent = about_trial.get(about["parent"])
            value = answer_value(row)
            if parent is None or value is None:
                continue
            truth = np.nan if about["asked"] is None else float(about["asked"])
            units.setdefault(int(about["task"]), []).append(
                (
                    model, place[parent["dataset_id"]], int(parent["picture"]),
                    str(about["question"]), str(about["noun"]), truth, value,
                )
            )  # fmt: skip
    tasks = {task: _labels(models, ordered, found) for task, found in units.items()}
    used = {task: len(found) for task, found in units.items()}
    return Labelled(
        tasks.get(1), tasks.get(2), tasks.get(3), models, ordered,
        used, dict.fromkeys(used, 0), (),
    )  # fmt: skip


def _labels(
    models: tuple[str, ...],
    prompts: tuple[Prompt, ...],
    units: Sequence[tuple[int, int, int, str, str, float, float]],
) -> Labels:
    model, prompt, seed, words, nouns, truth, value = zip(*units, strict=True)
    known = {
        pair: index for index, pair in enumerate(dict.fromkeys(zip(words, nouns, strict=True)))
    }
    question = [known[pair] for pair in zip(words, nouns, strict=True)]
    ones = np.ones(len(units), dtype=np.int64)
    return Labels(
        models, prompts,
        tuple(text for text, _ in known), tuple(noun for _, noun in known),
        np.array(model, np.int64), np.array(prompt, np.int64), np.array(seed, np.int64),
        np.array(question, np.int64), np.array(truth, np.float64), np.array(value, np.float64),
        ones, ones, ones, np.arange(len(units)), np.array(value, np.float64),
    )  # fmt: skip


def answer_scores(
    painter: str, rows: Sequence[Row], answers: Sequence[Row], rng: np.random.Generator
) -> dict[str, Any]:
    """One reading model's answers about a run: tables, breakdowns, and what could not be read."""
    states: dict[str, Counter[str]] = {}
    for row in answers:
        states.setdefault(f"task{row.trial.condition['task']}", Counter())[row.reading.state] += 1
    found: dict[str, Any] = {"states": {task: dict(one) for task, one in states.items()}}
    labelled = labelled_from_answers([(painter, rows, answers)])
    tables = geckonum_tables(labelled)
    found["statistics"] = add_statistics(tables, labelled, rng, samples=SAMPLES)
    found["tables"] = {name: cells for name, cells in tables.items() if cells}
    if labelled.task1 is not None:
        found["by_number"] = breakdowns.by_number(labelled.task1, rng).get(painter, {})
        found["failures"] = breakdowns.failures(labelled.task1, rng).get(painter, {})
    by_type: dict[str, Any] = {}
    for task, labels in ((1, labelled.task1), (2, labelled.task2), (3, labelled.task3)):
        if labels is not None:
            by_type |= breakdowns.by_type(labels, task, rng).get(painter, {})
    found["by_type"] = by_type
    return found
