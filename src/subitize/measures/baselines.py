"""Two yardsticks: the responder who guesses and the ideal human observer.

Both are matrices of probabilities with the same rows and columns as a confusion matrix: row
index = response 0..2m (nobody here says 0), column j = target j + 1, each column sums to 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.confusion import column_shares, confusion_matrix
from subitize.measures.trials import Counts, Floats

WEBER_FRACTION = 0.15
SUBITIZING_LIMIT = 4
LEGACY_SEED = 13
LEGACY_TRIALS_PER_TARGET = 100


def perfect_matrix(*, highest_target: int = 10) -> Floats:
    """The responder who is always right.

    >>> perfect_matrix(highest_target=2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    """
    return np.eye(2 * highest_target + 1, highest_target, -1)


def random_matrix(*, highest_target: int = 10) -> Floats:
    """The responder who says any of 1..2m with the same probability.

    P(g | t) = 1 / 2m

    >>> float(random_matrix()[20, 0])
    0.05
    """
    matrix = np.full((2 * highest_target + 1, highest_target), 1 / (2 * highest_target))
    matrix[0] = 0.0
    return matrix


def observer_matrix(
    *, w: float = WEBER_FRACTION, limit: int = SUBITIZING_LIMIT, highest_target: int = 10
) -> Floats:
    """The ideal human observer: exact up to `limit`, Weber's law above it.

    P(g | t) = 1 if g = t, for t ≤ limit;
    P(g | t) ∝ Φ((g + ½ − t) / wt) − Φ((g − ½ − t) / wt) on 1..2m, above it

    >>> round(expected_accuracy(observer_matrix()), 4), round(expected_nae(observer_matrix()), 4)
    (0.6156, 0.0689)
    """
    if not (w >= 0 and math.isfinite(w)):
        raise BadInput(f"The Weber fraction is {w}: give a number of 0 or more.")
    matrix = perfect_matrix(highest_target=highest_target)
    edges = np.arange(2 * highest_target + 1) + 0.5
    for target in range(max(limit, 0) + 1, highest_target + 1) if w else ():
        scaled = (edges - target) / (w * target * math.sqrt(2))
        below = np.array([math.erfc(-edge) / 2 for edge in scaled])
        mass = np.diff(below)
        matrix[1:, target - 1] = mass / mass.sum()
    return matrix


def expected_accuracy(matrix: ArrayLike) -> float:
    """Accuracy of a responder given as a matrix, targets weighted equally.

    mean over t of P(t | t). Unit: share, 0 to 1. Best: 1.

    >>> round(expected_accuracy(random_matrix()), 4)
    0.05
    """
    return float(np.nanmean(np.diagonal(column_shares(matrix)[1:])))


def expected_nae(matrix: ArrayLike) -> float:
    """NAE of a responder given as a matrix, targets weighted equally.

    mean over t of Σ over g of P(g | t) |g − t| / t. Unit: share of the target. Best: 0.

    >>> round(expected_nae(random_matrix()), 5)
    2.30042
    """
    shares = column_shares(matrix)
    responses = np.arange(shares.shape[0])[:, None]
    targets = np.arange(1, shares.shape[1] + 1)
    return float(np.nanmean((shares * np.abs(responses - targets) / targets).sum(axis=0)))


def _legacy_samples(highest_target: int) -> tuple[Counts, Counts]:
    # The published figures come from one legacy stream: the guesses first, then the observer's
    # normal deviates for the targets above 4. Only NumPy's RandomState gives that stream back.
    stream = np.random.RandomState(LEGACY_SEED)
    targets = np.repeat(np.arange(1, highest_target + 1), LEGACY_TRIALS_PER_TARGET)
    guesses = stream.randint(1, 2 * highest_target + 1, targets.size)
    estimates = targets.copy()
    above = targets > SUBITIZING_LIMIT
    deviates = stream.normal(targets[above], WEBER_FRACTION * targets[above])
    estimates[above] = np.clip(np.rint(deviates), 1, None)
    one, other = (
        confusion_matrix(targets, said, highest_target=highest_target).counts
        for said in (guesses, estimates)
    )
    return one, other


def legacy_random_sample(*, highest_target: int = 10) -> Counts:
    """The published sample of the random responder: 100 guesses per target.

    RandomState(13).randint(1, 21, 1000): NAE 2.37883, accuracy .040

    >>> sample = legacy_random_sample()
    >>> round(expected_nae(sample), 5), round(expected_accuracy(sample), 3)
    (2.37883, 0.04)
    """
    return _legacy_samples(highest_target)[0]


def legacy_observer_sample(*, highest_target: int = 10) -> Counts:
    """The published sample of the ideal observer: 100 estimates per target.

    The stream of `legacy_random_sample` read on: N(t, 0.15 t), rounded; accuracy .611, NAE .0711

    >>> sample = legacy_observer_sample()
    >>> round(expected_nae(sample), 4), round(expected_accuracy(sample), 3)
    (0.0711, 0.611)
    """
    return _legacy_samples(highest_target)[1]
