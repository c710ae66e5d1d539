"""Measures: pure functions on arrays, listed here; each docstring has formula, unit and best value.

The table names functions as strings and imports them when they are asked for. No measure needs
SciPy before it is called.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, NamedTuple

from subitize.measures.meanings import MEANINGS

Takes = Literal[
    "trials", "matrix", "categories", "ratings", "foils", "groups", "table", "confidences", "ranks"
]
DECLARED = re.compile(r"\n\n(?P<formula>.+?)\n.*?Unit: (?P<unit>.+?)[,.]\s", re.S)
"""what a measure's docstring says below its first paragraph"""


class Measure(NamedTuple):
    """One measure: what it is called, what it takes and where its function is."""

    title: str
    """how a table names it"""
    where: str
    """module:function inside this package"""
    takes: Takes
    """trials: (targets, responses); matrix: counts; categories: {name: counts}; ratings: (units,
    values); foils: (right scores, foil scores, items); groups: two samples; table: counts right
    and sizes of two groups; confidences: (confidences, errors in percent); ranks: places from 1"""
    best: object
    """value of a responder who is always right (for likenesses: who is like the yardstick)"""
    part: str | None = None
    """the field of the result that is the value, where the result has several"""
    perfect: object = None
    """value of a perfect responder where that is not the best one"""

    @property
    def says(self) -> str:
        """What it tells, in one sentence."""
        return MEANINGS[self.where][0]

    @property
    def source(self) -> str:
        """Who brought it up, or uses it as we do."""
        return MEANINGS[self.where][1]

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        module, name = self.where.split(":")
        function: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), name)
        return function

    @property
    def formula(self) -> str:
        """In one line, from the function's docstring."""
        return self._declared("formula")

    @property
    def unit(self) -> str:
        """What its numbers are, from the function's docstring."""
        return self._declared("unit")

    def _declared(self, what: str) -> str:
        found = DECLARED.search(f"{inspect.getdoc(self.load())}\n")
        return found[what] if found else ""


MEASURES: dict[str, Measure] = {
    "accuracy": Measure("Accuracy", "accuracy:accuracy", "trials", 1.0),
    "nae": Measure("Normalised absolute error", "error_size:nae", "trials", 0.0),
    "mean_error": Measure("Mean absolute error", "error_size:mean_error", "trials", 0.0),
    "rmse": Measure("Root mean squared error", "error_size:rmse", "trials", 0.0),
    "mape": Measure("Mean absolute percentage error", "error_size:mape", "trials", 0.0),
    "smape": Measure("sMAPE", "error_size:smape", "trials", 0.0),
    "bias": Measure("Bias", "bias:bias", "trials", 0.0, "r"),
    "anchoring": Measure("Anchoring", "anchoring:anchoring", "trials", 0.0, "excess"),
    # no error, no spread: nothing to regress
    "scalar_variability": Measure(
        "Slope of the spread",
        "variability:scalar_variability",
        "trials",
        1.0,
        "slope",
        "not testable",
    ),
    "counting_level": Measure("Counting level", "counting_level:counting_level", "matrix", 10),
    "knower_level": Measure("Knower level", "knower_level:knower_level", "matrix", 10, "level"),
    "human_correlation": Measure(
        "Likeness to people", "likeness:human_correlation", "matrix", 1.0, perfect=0.8185
    ),
    "random_correlation": Measure(
        "Likeness to guesses", "likeness:random_correlation", "matrix", 0.0, perfect=-0.1001
    ),
    # no errors: w can't be told from 0, so there is no value
    "weber_fraction": Measure(
        "Weber fraction", "weber:fit_observer", "matrix", 0.0, "w", "undefined"
    ),
    "category_consistency": Measure(
        "Category consistency", "likeness:category_consistency", "categories", 1.0
    ),
    "krippendorff_alpha": Measure("Agreement α", "agreement:krippendorff_alpha", "ratings", 1.0),
    "largest_agreement": Measure(
        "Largest agreement", "agreement:largest_agreement", "ratings", "all answers of a unit"
    ),
    "foil_scores": Measure("Accuracy with foils", "foils:foil_scores", "foils", 1.0, "acc"),
    "pairwise_accuracy": Measure("Pairwise accuracy", "foils:pairwise_accuracy", "foils", 1.0),
    "recall_at": Measure("Recall@k", "masked:recall_at", "ranks", 1.0),
    "mean_rank": Measure("Mean rank", "masked:mean_rank", "ranks", 1.0),
    "mann_whitney": Measure("AUC", "ranks:mann_whitney", "groups", 1.0, "auc"),
    "chi_square": Measure("χ²", "ranks:chi_square", "table", 0.0, "chi2"),
    "calibration_error": Measure(
        "Calibration error", "reliability:reliability", "confidences", 0.0, "calibration_error"
    ),
}
