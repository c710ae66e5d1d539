"""Labels taken apart, and scores made of them: by number and type, and how pictures fail.

Every share has a 95 % interval over prompts, because pictures of one prompt are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from subitize.benchmark import states_of
from subitize.benchmarks.geckonum.answers import colour_nouns
from subitize.benchmarks.geckonum.comparisons import add_statistics
from subitize.benchmarks.geckonum.labels import (
    ASKED,
    COLOUR,
    PICTURE,
    PLACE,
    label_answers,
    parts,
    picture_scores,
)
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.benchmarks.geckonum.wording import PROMPT
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.measures.accuracy import share_interval
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.records import Score

SAMPLES = 1000
PAINTED = (*PROMPT, "picture")
"""what answers about a picture take from the picture's own row"""
FAILURES = ("right", "missing", "wrong place", "wrong colour", "too few", "too many")
OUTCOMES = (
    "all right", "everything missing", "a thing missing", "wrong place", "wrong colour",
    "only numbers wrong",
)  # fmt: skip
COUNTED = (pl.col("task") == 1) & ASKED & pl.col("asked").is_not_null()
"""labels of task 1 that may be right"""
Shares = dict[str, dict[str, Score]]
"""painter: group: share"""
Histogram = dict[str, dict[str, int]]


def number_name(column: str) -> pl.Expr:
    """How counts are written: 11 stands for everything above 10.

    >>> pl.DataFrame({"n": [3.0, 11.0]}).select(number_name("n")).to_series().to_list()
    ['3', '10+']
    """
    whole = pl.col(column).cast(pl.Int64).cast(pl.String)
    return pl.when(pl.col(column) >= MORE_THAN_TEN).then(pl.lit("10+")).otherwise(whole)


def _shares(frame: pl.DataFrame, hit: str, group: str) -> Shares:
    found: Shares = {}
    for (painter, name), own in parts(frame, "painter", group):
        found.setdefault(painter, {})[name] = share_interval(own[hit], own["prompt"])
    return found


def _each(frame: pl.DataFrame, names: Sequence[str]) -> dict[str, Score]:
    """What share of rows is of which `kind`."""
    return {name: share_interval(frame["kind"] == name, frame["prompt"]) for name in names}


def by_number(labels: pl.DataFrame) -> Shares:
    """Task 1: accuracy by the number asked for, smallest first."""
    asked = labels.filter(COUNTED).sort("painter", "asked", maintain_order=True)
    return _shares(asked.with_columns(name=number_name("asked")), "right", "name")


def by_type(labels: pl.DataFrame) -> Shares:
    """Accuracy by prompt type; in Task 3 the mean share of yes of the pictures."""
    return _shares(picture_scores(labels).filter(ASKED), "score", "prompt_type")


def failures(labels: pl.DataFrame) -> Shares:
    """Task 1: how labels fail: the thing is missing, there are too few or too many of it.

    A thing that is there, but none of it where or as it was asked for, is not missing.
    """
    none = pl.col("label") == 0
    # of the same thing in the same picture, whatever its place and colour
    there = (~none & ~PLACE & ~COLOUR).any().over(*PICTURE, "noun")
    kind = (
        pl.when("right").then(pl.lit("right"))
        .when(none & PLACE & there).then(pl.lit("wrong place"))
        .when(none & COLOUR & there).then(pl.lit("wrong colour"))
        .when(none).then(pl.lit("missing"))
        .when(pl.col("label") < pl.col("asked")).then(pl.lit("too few"))
        .otherwise(pl.lit("too many"))
    )  # fmt: skip
    kinds = labels.filter(COUNTED).with_columns(kind=kind)
    return {painter: _each(own, FAILURES) for (painter,), own in parts(kinds, "painter")}


def picture_outcomes(labels: pl.DataFrame) -> dict[str, Shares]:
    """Task 1, prompts with several things: per prompt type, what became of whole pictures.

    Missing is a thing of which there is none, wherever and of whatever colour. With every thing
    there the place (or colour) is wrong if there is none where it should be, or if nothing else
    is wrong.
    """
    none, plain = pl.col("label") == 0, ~PLACE & ~COLOUR
    numbers = (pl.col("right") | ~plain).all()
    kind = (
        pl.when(pl.col("right").all()).then(pl.lit("all right"))
        .when((none | ~plain).all() & plain.any()).then(pl.lit("everything missing"))
        .when((none & plain).any()).then(pl.lit("a thing missing"))
        .when((PLACE & (none | (numbers & ~pl.col("right")))).any()).then(pl.lit("wrong place"))
        .when((COLOUR & (none | (numbers & ~pl.col("right")))).any()).then(pl.lit("wrong colour"))
        .otherwise(pl.lit("only numbers wrong"))
    )  # fmt: skip
    several = labels.filter(pl.col("task") == 1, ASKED, pl.col("entities").str.contains(","))
    by_picture = several.group_by("prompt_type", *PICTURE, maintain_order=True)
    pictures = by_picture.agg(pl.col("prompt").first(), kind=kind)
    found: dict[str, Shares] = {}
    for (name, painter), own in parts(pictures, "prompt_type", "painter"):
        found.setdefault(name, {})[painter] = _each(own, OUTCOMES)
    return found


def asked_and_counted(labels: pl.DataFrame) -> dict[str, Histogram]:
    """Figure A12: per painter how often each number was asked for and counted."""
    return {
        painter: {"asked": _histogram(own, "asked"), "counted": _histogram(own, "label")}
        for (painter,), own in parts(labels.filter(COUNTED), "painter")
    }


def _histogram(labels: pl.DataFrame, column: str) -> dict[str, int]:
    numbers = labels.sort(column).select(number_name(column).alias("name"))
    return {name: own.height for (name,), own in parts(numbers, "name")}


def quantifiers_by_count(labels: pl.DataFrame) -> dict[str, Histogram]:
    """Figures A16 and A17: per count of things, how often it goes with no, few and many.

    `said` is the line people chose for the picture, `asked` the word in its prompt. Empty where
    nobody counted the pictures of approx-1-entity prompts.
    """
    scenes = labels.filter(pl.col("prompt_type") == "approx-1-entity")
    words = {float(code): word for word, code in ONE_ENTITY_CODES.items()}
    said = scenes.filter(pl.col("task") == 2).select(
        *PICTURE, pl.col("label").replace_strict(words, default=None).alias("said")
    )
    counts = scenes.filter(pl.col("task") == 1).sort("label").select(
        *PICTURE, number_name("label").alias("count"),
        pl.col("entities").str.extract(r":([^:,]+)").alias("asked"),
    ).join(said, PICTURE, "left", maintain_order="left")  # fmt: skip
    found: dict[str, Histogram] = {}
    for name in ("said", "asked"):
        for (count, word), own in parts(counts.drop_nulls(name), "count", name):
            row = found.setdefault(name, {}).setdefault(count, dict.fromkeys(ONE_ENTITY_CODES, 0))
            row[word] = own.height
    return found


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
    painted = answers.filter("counts")
    coloured, prompts = colour_nouns(painted), painted["dataset_id"].n_unique()
    found: dict[str, Any] = {}
    for (helper,), said in parts(answers_about(answers), "respondent"):
        rng = np.random.default_rng([seed, 20240622])
        labels = label_answers(said, coloured)
        tables = geckonum_tables(labels, prompts)
        states: dict[str, dict[str, int]] = {}
        for (task, state), own in parts(said, "task", "state"):
            states.setdefault(f"task{task}", {})[state] = own.height
        found[helper] = {
            "states": states,
            "statistics": add_statistics(tables, labels, rng, samples=SAMPLES),
            "tables": {name: cells for name, cells in tables.items() if cells},
        }
        for breakdown in (by_number, failures, by_type):
            # a run has one painter
            found[helper][breakdown.__name__] = next(iter(breakdown(labels).values()), {})
    return found


def people_scores(
    answers: pl.DataFrame,
    prompts: int | None,
    coloured: Sequence[str] | None,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """What people's answers make of painters: the paper's tables, and accuracy in Task 1."""
    labels = label_answers(answers, coloured)
    tables = geckonum_tables(labels, prompts)
    statistics = add_statistics(tables, labels, rng, samples=SAMPLES)
    counted = labels.filter(COUNTED)
    return {
        "asked": answers["trial"].n_unique(),
        "trials": labels.height,
        "states": states_of(answers),
        "accuracy": {
            painter: share_interval(own["right"], own["prompt"])
            for (painter,), own in parts(counted, "painter")
        },
        "tables": tables,
        "statistics": statistics,
        "undefined": {} if counted.height else {"accuracy": "nobody counted anything"},
    }
