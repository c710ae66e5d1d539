"""A run of GeckoNum scored by whoever read its pictures: the paper's tables, and breakdowns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum import breakdowns
from subitize.benchmarks.geckonum.labels import label_answers, parts
from subitize.benchmarks.geckonum.statistics import add_statistics
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.benchmarks.geckonum.wording import PROMPT

__all__ = ["answer_scores", "answers_about", "people_scores"]

SAMPLES = 1000
PAINTED = (*PROMPT, "picture")
"""what answers about a picture take from the picture's own row"""


def answers_about(answers: pl.DataFrame, painter: str = "") -> pl.DataFrame:
    """What helpers answered about a run's pictures, as if that had been asked by itself.

    Each answer stands beside the prompt of its picture, and counts. `painter`: a name for the
    run's respondent.
    """
    whose = pl.lit(painter) if painter else pl.col("respondent")
    pictures = answers.filter("counts").select(
        pl.col("trial").alias("of_trial"), *PAINTED, whose.alias("painter")
    )
    said = answers.filter(pl.col("of_trial").is_not_null()).drop(*PAINTED)
    # A call that failed gives way to the one that was made in its place.
    said = said.unique(["respondent", "trial", "sample"], keep="last", maintain_order=True)
    return said.join(pictures, "of_trial", maintain_order="left").with_columns(counts=True)


def answer_scores(answers: pl.DataFrame, seed: int) -> dict[str, Any]:
    """What each helper's answers make of a run: tables, breakdowns, and what was not read."""
    prompts = answers.filter("counts")["dataset_id"].n_unique()
    said = answers_about(answers)
    return {
        helper: _scores(own, prompts, np.random.default_rng([seed, 20240622]))
        for (helper,), own in parts(said, "respondent")
    }


def _scores(answers: pl.DataFrame, prompts: int, rng: np.random.Generator) -> dict[str, Any]:
    states: dict[str, dict[str, int]] = {}
    for (task, state), own in parts(answers, "task", "state"):
        states.setdefault(f"task{task}", {})[state] = own.height
    labels = label_answers(answers)
    tables = geckonum_tables(labels, prompts)
    found: dict[str, Any] = {
        "states": states,
        "statistics": add_statistics(tables, labels, rng, samples=SAMPLES),
        "tables": {name: cells for name, cells in tables.items() if cells},
    }
    for breakdown in (breakdowns.by_number, breakdowns.failures, breakdowns.by_type):
        # a run has one painter
        found[breakdown.__name__] = next(iter(breakdown(labels, rng).values()), {})
    return found


def people_scores(
    answers: pl.DataFrame, prompts: int | None, rng: np.random.Generator
) -> dict[str, Any]:
    """What people's answers make of painters: the paper's tables, and accuracy in Task 1."""
    labels = label_answers(answers)
    tables = geckonum_tables(labels, prompts)
    statistics = add_statistics(tables, labels, rng, samples=SAMPLES)
    counted = labels.filter(breakdowns.COUNTED)
    return {
        "asked": answers["trial"].n_unique(),
        "trials": labels.height,
        "states": {state: own.height for (state,), own in parts(answers, "state")},
        "accuracy": {
            painter: breakdowns.share_of(own["right"], own["prompt"], rng)
            for (painter,), own in parts(counted, "painter")
        },
        "tables": tables,
        "statistics": statistics,
        "undefined": {} if counted.height else {"accuracy": "nobody counted anything"},
    }
