"""What the paper compares: the labels behind every cell that is a share or a difference of two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from subitize.benchmarks.geckonum.labels import doubled, parts, picture_scores

__all__ = ["COMPARISONS", "PHRASES", "compared", "drops", "quantified", "task_scores"]

PHRASES = {
    "many X": ("approx-1-entity", 3), "a few X": ("approx-1-entity", 2),
    "no X": ("approx-1-entity", 0), "fewer X than Y": ("approx-2-entity", 2),
    "more X than Y": ("approx-2-entity", 4), "as many X as Y": ("approx-2-entity", 3),
}  # fmt: skip
"""kind of sentence: its prompts and the code of the line they ask for"""
DROPS = (
    ("numeric_simple", "2-additive"),
    ("2-additive", "3-additive"),
    ("numeric_simple", "3-additive"),
)
KIND = pl.col("prompt_type")
SIMPLE = KIND == "numeric_simple"


class Comparison(NamedTuple):
    """Two groups of labels that differ in one thing."""

    first: str
    """name of the first group"""
    second: str
    """name of the second group"""
    one: pl.Expr
    """the labels of the first, before numbers and pictures are looked at"""
    other: pl.Expr
    """the labels of the second"""
    doubled: bool = False
    """whether labels the release holds twice count twice"""


COMPARISONS: dict[str, Comparison] = {
    "a3": Comparison("digits", "words", SIMPLE & (pl.col("has_numeral") == 0),
                     SIMPLE & (pl.col("has_numeral") == 1)),
    "a4": Comparison("rare nouns", "frequent nouns", SIMPLE & (pl.col("is_frequent") == 0),
                     SIMPLE & (pl.col("is_frequent") == 1)),
    "a6": Comparison("without colour", "with colour", SIMPLE & pl.col("colour_noun"),
                     KIND == "attribute-color"),
    "a7": Comparison("two things without colour", "with colour",
                     (KIND == "2-additive") & pl.col("colour_noun"), KIND == "2-additive-color",
                     doubled=True),
    "a8": Comparison("without relation", "with relation", KIND == "2-additive",
                     KIND == "attribute-spatial"),
}  # fmt: skip


def task_scores(labels: pl.DataFrame) -> Iterator[tuple[str, int, pl.DataFrame]]:
    """Table 2: cell, task and scores of every painter; Task 1 takes all pictures, not five."""
    wanted = pl.when(pl.col("task") == 1).then("own_task").otherwise("five")
    for (task, painter), own in parts(
        doubled(picture_scores(labels).filter(wanted)), "task", "painter"
    ):
        yield f"task{task}|{painter}", int(task), own


def quantified(labels: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Figure 5: cell and labels of every kind of sentence and painter."""
    lines = labels.filter(pl.col("task") == 2, "five")
    for phrase, (kind, code) in PHRASES.items():
        chosen = lines.filter(kind == KIND, pl.col("asked") == code)
        for (painter,), own in parts(chosen, "painter"):
            yield f"{phrase}|{painter}", own


def compared(labels: pl.DataFrame, table: str) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """The two groups of a table for each painter that has any label in them; numbers 1 to 4."""
    comparison = COMPARISONS[table]
    usable = labels.filter(
        pl.col("task") == 1, "five", pl.col("asked").is_in([1.0, 2.0, 3.0, 4.0]),
        comparison.one | comparison.other,
    )  # fmt: skip
    for (painter,), own in parts(doubled(usable) if comparison.doubled else usable, "painter"):
        yield painter, own.filter(comparison.one), own.filter(comparison.other)


def drops(labels: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Table A5: cell and labels of a number alone, and beside one or two others."""
    kinds = [kind for pair in DROPS for kind in pair]
    usable = labels.filter(
        pl.col("task") == 1, "five", pl.col("asked").is_in([1.0, 2.0, 3.0]), KIND.is_in(kinds)
    ).sort("painter", "asked", maintain_order=True)
    for (painter, number), own in parts(usable, "painter", "asked"):
        known = {kind: part for (kind,), part in parts(own, "prompt_type")}
        for before, after in DROPS:
            if before in known and after in known:
                cell = f"{painter}|{before}->{after}|{float(number):g}"
                yield cell, known[before], known[after]
