"""From a confusion matrix to one row of a table, as NumGen's eval_CM gives it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.accuracy import accuracy
from subitize.measures.confusion import check_counts
from subitize.measures.counting_level import counting_level
from subitize.measures.error_size import nae
from subitize.measures.likeness import human_correlation, random_correlation
from subitize.measures.trials import trials_of
from subitize.measures.variability import scalar_variability

OF_SPREAD = ("f_p", "adjusted_r2", "slope", "t", "p", "r2", "verdict")


def evaluate(counts: ArrayLike) -> dict[str, Any]:
    """Accuracy, MWE, counting level, correlations and scalar variability of whole counts.

    Rows are responses 0..2m (the last holds all above, so MWE knows them only as 2m), columns
    targets 1..m. The orientation is not guessed: a matrix of another shape is refused.

    >>> from subitize.measures.baselines import legacy_observer_sample
    >>> table = evaluate(legacy_observer_sample())
    >>> round(table["accuracy"], 3), table["counting_level"], round(table["random_correlation"], 3)
    (0.611, 4, -0.019)
    """
    matrix = check_counts(counts)
    if not np.array_equal(matrix, np.rint(matrix)):
        raise BadInput("The confusion matrix holds fractions: give counts of responses.")
    targets, responses = trials_of(matrix)
    spread = scalar_variability(targets, responses, rule="numgen")
    return {
        "accuracy": accuracy(targets, responses),
        "mwe": nae(targets, responses),
        "counting_level": counting_level(matrix),
        "weber_correlation": human_correlation(matrix),
        "random_correlation": random_correlation(matrix),
        **{f"scalar_{name}": getattr(spread, name) for name in OF_SPREAD},
    }
