"""How alike two ways of answering are: Pearson correlations of confusion matrices.

A likeness is not an accuracy: a perfect responder's correlation with the ideal human observer
is .8185, below that of a responder who errs as people do.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.baselines import legacy_random_sample, observer_matrix
from subitize.measures.confusion import percentages


def matrix_correlation(first: ArrayLike, second: ArrayLike) -> float | None:
    """Pearson correlation of two matrices' flattened column percentages, rows 1..2m.

    r = cov(x, y) / (sd(x) sd(y)); a column empty in either is left out; None if r is undefined
    Unit: correlation, −1 to 1. Best: 1 (the two are alike).

    >>> from subitize.measures.baselines import perfect_matrix
    >>> round(matrix_correlation(perfect_matrix(), observer_matrix()), 4)
    0.8185
    """
    left, right = percentages(first), percentages(second)
    if left.shape != right.shape:
        raise BadInput(
            f"Matrices with {left.shape[1]} and {right.shape[1]} targets can't be correlated: "
            "build both with the same highest target."
        )
    both = ~(np.isnan(left).any(axis=0) | np.isnan(right).any(axis=0))
    x, y = left[:, both].ravel(), right[:, both].ravel()
    # A uniform matrix is constant up to rounding: its correlation is undefined, not noise.
    if x.size == 0 or min(np.ptp(x), np.ptp(y)) < 1e-9:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def human_correlation(counts: ArrayLike, **observer: Any) -> float | None:
    """Likeness to the ideal human observer; `observer` may set `w` and `limit`.

    Pearson r of the 2m × m column percentages with the observer's
    Unit: correlation, −1 to 1. Best: 1 (answers like the observer; always right gives .8185).

    >>> round(human_correlation(observer_matrix()), 4)
    1.0
    """
    highest = np.asarray(counts).shape[-1]
    return matrix_correlation(counts, observer_matrix(highest_target=highest, **observer))


def random_correlation(counts: ArrayLike) -> float | None:
    """Likeness to random choice, which is the published sample of 100 guesses per target.

    Pearson r of the 2m × m column percentages with those of the guesses
    The exact random matrix is constant, so no correlation with it exists.
    Unit: correlation, −1 to 1. Best: 0 (has nothing of guessing).

    >>> round(random_correlation(legacy_random_sample()), 4)
    1.0
    """
    highest = np.asarray(counts).shape[-1]
    return matrix_correlation(counts, legacy_random_sample(highest_target=highest))


def category_consistency(categories: Mapping[str, ArrayLike]) -> float | None:
    """The smallest correlation between the matrices of two categories; None if undefined.

    min over pairs of categories of the Pearson r of their column percentages
    a column empty in either is left out of that pair, an undefined pair is left out
    Unit: correlation, −1 to 1. Best: 1 (numbers are told apart from what is counted).

    >>> same = observer_matrix()
    >>> round(category_consistency({"dots": same, "apples": same}), 4)
    1.0
    """
    if not categories:
        raise BadInput("There are no categories: consistency needs the matrices of at least two.")
    pairs = [
        matrix_correlation(categories[one], categories[other])
        for one, other in combinations(sorted(categories), 2)
    ]
    known = [pair for pair in pairs if pair is not None]
    return min(known) if known else None
