"""What the paper compares: the labels behind every cell that is a share or a difference of two.

And what its tests leave out: intervals over prompts, effect sizes, corrections, controls. Pictures
of one prompt are not independent, so intervals are those of whole prompts with all their pictures
and questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum.labels import doubled, parts, picture_scores
from subitize.errors import BadInput
from subitize.measures.accuracy import share_difference, share_interval
from subitize.measures.ranks import benjamini_hochberg, chi_square, holm, permutation_control
from subitize.records import Score

SAMPLES = 2000
ALPHA = 0.05
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


def add_statistics(
    tables: Mapping[str, Mapping[str, Any]],
    labels: pl.DataFrame,
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Put an `interval` into the cells that have one; return what belongs to no cell.

    table: painter: difference of the two accuracies with interval (points), effect sizes φ and
    Cohen's h, permutation control, p-values adjusted over the painters of the table.
    """
    if samples < 1:
        raise BadInput(f"{samples} permutations control nothing: take at least 1.")

    def put(table: str, cell: str, share: Score) -> None:
        tables[table][cell]["interval"] = list(_points(share)[1:])

    labels = labels.drop("values")
    for cell, _, own in task_scores(labels):
        put("table2", f"{cell}|accuracy", share_interval(own["score"], own["prompt"]))
    for cell, own in quantified(labels):
        put("figure5", cell, _share(own))
    for cell, before, after in drops(labels):
        put("a5", cell, share_difference(_share(before), _share(after)))
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for table, comparison in COMPARISONS.items():
        found[table] = {}
        for painter, one, other in compared(labels, table):
            if one.height and other.height:
                shares = _share(one), _share(other)
                for place, share in enumerate(shares, 1):
                    put(table, f"{painter}|accuracy_{place}", share)
                found[table][painter] = {
                    "groups": list(comparison[:2]),
                    **_effects(*shares), **_test(one["right"], other["right"], rng, samples),
                }  # fmt: skip
        tested = [entry for entry in found[table].values() if entry["p"] is not None]
        raw = [entry["p"] for entry in tested]
        both = zip(tested, holm(raw), benjamini_hochberg(raw), strict=True) if tested else ()
        for entry, by_holm, by_bh in both:
            entry |= {"p_holm": float(by_holm), "p_bh": float(by_bh)}
    return found


def _share(labels: pl.DataFrame) -> Score:
    """Right labels, with the interval over prompts."""
    return share_interval(labels["right"].cast(pl.Float64), labels["prompt"])


def _effects(one: Score, other: Score) -> dict[str, Any]:
    """Cohen's h is the difference of two shares on the arcsine scale: 0.2 is small, 0.8 large."""
    value, low, high = _points(share_difference(one, other))
    arcs = [math.asin(math.sqrt(_points(share)[0] / 100)) for share in (one, other)]
    return {
        "difference": {"value": value, "low": low, "high": high},
        "prompts_differ": not low <= 0 <= high,
        "cohens_h": 2 * (arcs[1] - arcs[0]),
    }


def _points(share: Score) -> tuple[float, float, float]:
    """Value and ends in percent."""
    ends = (share.value, share.low, share.high)
    value, low, high = (math.nan if end is None else 100 * end for end in ends)
    return value, low, high


def _test(
    one: pl.Series, other: pl.Series, rng: np.random.Generator, samples: int
) -> dict[str, Any]:
    right, sizes = (int(one.sum()), int(other.sum())), (one.len(), other.len())
    try:
        test = chi_square(right, sizes)
        control = permutation_control(right, sizes, rng, samples=samples, alpha=ALPHA)
    except BadInput as problem:
        return {"p": None, "why": str(problem)}
    return {
        "p": test.p,
        "phi": -test.phi,  # the sign of the difference, which is second − first
        "permutation_p": control.p,
        "permutation_significant": control.significant,
    }
