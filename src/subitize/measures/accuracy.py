"""How often the answer is right."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.interval import Interval
from subitize.measures.trials import readable_trials

__all__ = ["accuracy", "proportion_interval"]


def accuracy(targets: ArrayLike, responses: ArrayLike) -> float:
    """Share of readable trials with the right response.

    accuracy = (number of trials with G = T) / (number of readable trials)
    Unit: share, 0 to 1. Best: 1.

    >>> accuracy([1, 2, 3, 4], [1, 2, 3, 5])
    0.75
    """
    asked, given = readable_trials(targets, responses)
    return float(np.mean(asked == given))


def proportion_interval(right: int, trials: int, *, level: float = 0.95) -> Interval:
    """A share with its exact (Clopper–Pearson) interval.

    low = Beta⁻¹(α/2; x, n − x + 1), high = Beta⁻¹(1 − α/2; x + 1, n − x)
    It covers the truth at least as often as `level` says, also at 0 and n right.
    Unit: share, 0 to 1. Best: 1.

    >>> [round(float(end), 4) for end in proportion_interval(9, 10)]
    [0.9, 0.555, 0.9975]
    """
    from scipy.special import betaincinv

    if trials < 1:
        raise BadInput("There are no readable trials: a share of nothing has no value.")
    if not 0 <= right <= trials:
        raise BadInput(f"{right} of {trials} trials can't be right: give a count from 0 to n.")
    tail = (1 - level) / 2
    low = 0.0 if right == 0 else float(betaincinv(right, trials - right + 1, tail))
    high = 1.0 if right == trials else float(betaincinv(right + 1, trials - right, 1 - tail))
    return Interval(right / trials, low, high)
