"""Measures: pure functions on arrays, listed here with formula, unit and best value.

The table names functions as strings and imports them when they are asked for, so that looking
at it needs no SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = ["MEASURES", "Measure"]

Takes = Literal["trials", "matrix", "categories", "ratings", "foils", "groups", "table"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: what it takes, what it means and where its function is."""

    where: str
    """module:function inside this package"""
    takes: Takes
    """trials: (targets, responses); matrix: counts; categories: {name: counts}; ratings: (units,
    values); foils: (right scores, foil scores, items); groups: two samples; table: counts right
    and sizes of two groups"""
    formula: str
    """in one line"""
    unit: str
    """what its numbers are"""
    best: object
    """value of a responder who is always right (for likenesses: who is like the yardstick)"""
    part: str | None = None
    """the field of the result that is the value, where the result has several"""
    perfect: object = None
    """value of a perfect responder where that is not the best one"""

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        module, name = self.where.split(":")
        function: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), name)
        return function


MEASURES: dict[str, Measure] = {
    "accuracy": Measure("accuracy:accuracy", "trials", "right / readable trials", "share", 1.0),
    "nae": Measure(
        "error_size:nae", "trials", "mean of |G − T| / T over trials", "share of the target", 0.0
    ),
    "smape": Measure("error_size:smape", "trials", "100/n Σ |y − ŷ| / (|y| + |ŷ|)", "percent", 0.0),
    "bias": Measure(
        "bias:bias", "trials", "Wilcoxon signed rank; r = |z| / √n", "effect size", 0.0, "r"
    ),
    "scalar_variability": Measure(
        "variability:scalar_variability",
        "trials",
        "slope of log SE on log mean, tested against 1",
        "slope",
        1.0,
        "slope",
        # no error, no spread: nothing to regress
        perfect="not testable",
    ),
    "counting_level": Measure(
        "counting_level:counting_level",
        "matrix",
        "largest n with P(k|k) ≥ .67 and P(k|≠k) < .5 for all k ≤ n",
        "number word",
        10,
    ),
    "human_correlation": Measure(
        "likeness:human_correlation",
        "matrix",
        "Pearson r of column percentages with the ideal observer's",
        "correlation",
        1.0,
        perfect=0.8185,
    ),
    "random_correlation": Measure(
        "likeness:random_correlation",
        "matrix",
        "Pearson r of column percentages with 100 guesses per target",
        "correlation",
        0.0,
        perfect=-0.1001,
    ),
    "weber_fraction": Measure(
        "weber:fit_observer",
        "matrix",
        "argmax over (w, L, λ) of Σ n log((1 − λ) O(g|t; w, L) + λ / 2m)",
        "sd / target",
        0.0,
        "w",
        # no errors: w can't be told from 0, so there is no value
        perfect="undefined",
    ),
    "category_consistency": Measure(
        "likeness:category_consistency",
        "categories",
        "smallest Pearson r between two categories' column percentages",
        "correlation",
        1.0,
    ),
    "krippendorff_alpha": Measure(
        "agreement:krippendorff_alpha", "ratings", "1 − D_observed / D_expected", "alpha", 1.0
    ),
    "largest_agreement": Measure(
        "agreement:largest_agreement",
        "ratings",
        "answers of a unit that are its most common one",
        "answers",
        "all answers of a unit",
    ),
    "foil_scores": Measure(
        "foils:foil_scores",
        "foils",
        "acc = (TP + TN) / all; acc_r = share of pairs with s(right) ≥ s(foil)",
        "share",
        1.0,
        "acc",
    ),
    "pairwise_accuracy": Measure(
        "foils:pairwise_accuracy", "foils", "share of pairs with s(right) ≥ s(foil)", "share", 1.0
    ),
    "mann_whitney": Measure(
        "ranks:mann_whitney", "groups", "AUC = U / (n₁ n₂)", "share of pairs", 1.0, "auc"
    ),
    "chi_square": Measure(
        "ranks:chi_square",
        "table",
        "n (|ad − bc| − n/2)² / product of the margins",
        "χ²",
        0.0,
        "chi2",
    ),
}
