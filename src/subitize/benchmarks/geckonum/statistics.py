"""What the paper's tests leave out: intervals over prompts, effect sizes, corrections, controls.

Pictures of one prompt are not independent, so intervals are bootstrapped over prompts: a sample
draws whole prompts with all their pictures and questions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum import comparisons
from subitize.benchmarks.geckonum.tables import Tables
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_difference, clustered_share
from subitize.measures.ranks import benjamini_hochberg, chi_square, holm, permutation_control
from subitize.records import Score

__all__ = ["SAMPLES", "add_statistics"]

SAMPLES = 2000
ALPHA = 0.05


def add_statistics(
    tables: Tables, labels: pl.DataFrame, rng: np.random.Generator, *, samples: int = SAMPLES
) -> dict[str, dict[str, dict[str, Any]]]:
    """Put an `interval` into the cells that have one; return what belongs to no cell.

    table: painter: difference of the two accuracies with interval (points), effect sizes φ and
    Cohen's h, permutation control, p-values adjusted over the painters of the table.
    """
    if samples < 1:
        raise BadInput(f"{samples} bootstrap samples give no interval: take at least 1.")

    def put(table: str, cell: str, share: Score) -> None:
        tables[table][cell]["interval"] = list(_points(share)[1:])

    labels = labels.drop("values")
    for cell, _, own in comparisons.task_scores(labels):
        share = clustered_share(own["score"], own["prompt"], rng, samples=samples)
        put("table2", f"{cell}|accuracy", share)
    for cell, own in comparisons.quantified(labels):
        put("figure5", cell, clustered_share(own["right"], own["prompt"], rng, samples=samples))
    for cell, before, after in comparisons.drops(labels):
        put("a5", cell, _difference(before, after, rng, samples)[0])
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for table in comparisons.COMPARISONS:
        found[table] = {}
        for painter, one, other in comparisons.compared(labels, table):
            if one.height and other.height:
                shares = _difference(one, other, rng, samples)
                for place in (1, 2):
                    put(table, f"{painter}|accuracy_{place}", shares[place])
                found[table][painter] = {
                    "groups": list(comparisons.COMPARISONS[table][:2]),
                    **_effects(*shares), **_test(one["right"], other["right"], rng, samples),
                }  # fmt: skip
        _adjust(found[table])
    return found


def _difference(
    one: pl.DataFrame, other: pl.DataFrame, rng: np.random.Generator, samples: int
) -> tuple[Score, Score, Score]:
    """Second minus first of two groups' shares of right labels, and both shares."""
    first, second = ((own["right"].cast(pl.Float64), own["prompt"]) for own in (one, other))
    return clustered_difference(first, second, rng, samples=samples)


def _effects(difference: Score, one: Score, other: Score) -> dict[str, Any]:
    """Cohen's h is the difference of two shares on the arcsine scale: 0.2 is small, 0.8 large."""
    value, low, high = _points(difference)
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
        "phi": test.phi,
        "permutation_p": control.p,
        "permutation_significant": control.significant,
    }


def _adjust(found: dict[str, dict[str, Any]]) -> None:
    """Add p-values adjusted over all painters of a table."""
    tested = [entry for entry in found.values() if entry["p"] is not None]
    if tested:
        raw = [entry["p"] for entry in tested]
        for entry, one, other in zip(tested, holm(raw), benjamini_hochberg(raw), strict=True):
            entry["p_holm"], entry["p_bh"] = float(one), float(other)
