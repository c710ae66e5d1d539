"""How often the answer is right: shares of trials, alone or in clusters, with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.trials import numbers, one_for_each, readable_trials, skippable_trials
from subitize.records import Score


def right_terms(targets: ArrayLike, responses: ArrayLike) -> NDArray[np.bool_]:
    """Which trials have the right response; a skip (NaN or None) is wrong.

    >>> right_terms([1, 2, 3], [1, 3, None]).tolist()
    [True, False, False]
    """
    asked, given = skippable_trials(targets, responses)
    return np.asarray(asked == given)


def accuracy(targets: ArrayLike, responses: ArrayLike) -> float:
    """Share of readable trials with the right response.

    accuracy = (number of trials with G = T) / (number of readable trials)
    Unit: share, 0 to 1. Best: 1.

    >>> accuracy([1, 2, 3, 4], [1, 2, 3, 5])
    0.75
    """
    return float(np.mean(right_terms(*readable_trials(targets, responses))))


def proportion_interval(right: int, trials: int, *, level: float = 0.95) -> Score:
    """A share with its exact (Clopper–Pearson) interval.

    low = Beta⁻¹(α/2; x, n − x + 1), high = Beta⁻¹(1 − α/2; x + 1, n − x)
    It covers the truth at least as often as `level` says, also at 0 and n right.
    Unit: share, 0 to 1. Best: 1.

    >>> found = proportion_interval(9, 10)
    >>> found.value, round(found.low, 4), round(found.high, 4), found.trials
    (0.9, 0.555, 0.9975, 10)
    """
    # scipy.stats.binomtest gives the same, but loading scipy.stats takes 0.5 s more than this
    from scipy.special import betaincinv

    if trials < 1:
        raise BadInput("There are no readable trials: a share of nothing has no value.")
    if not 0 <= right <= trials:
        raise BadInput(f"{right} of {trials} trials can't be right: give a count from 0 to n.")
    tail = (1 - level) / 2
    low = 0.0 if right == 0 else float(betaincinv(right, trials - right + 1, tail))
    high = 1.0 if right == trials else float(betaincinv(right + 1, trials - right, 1 - tail))
    return Score(right / trials, low, high, trials)


def share_interval(values: ArrayLike, clusters: ArrayLike) -> Score:
    """A mean of values in 0..1 with its 95 % interval over clusters, as pictures of one prompt.

    share = Σ values / n; the interval is Korn and Graubard's (1998): the exact one of so many
    independent trials as the clusters are worth,
    n* = p (1 − p) / v · (t.975(n − 1) / t.975(k − 1))², at most n, with
    v = k/(k−1) Σ (Σ within a cluster of value − p)² / n² over the k clusters.
    Where all values are alike, or each is a cluster, n* = k.
    Unit: share, 0 to 1. Best: 1.

    >>> found = share_interval([1, 1, 1, 1], ["a", "a", "b", "c"])
    >>> found.value, round(found.low, 3), found.high, found.trials
    (1.0, 0.292, 1.0, 4)
    >>> found = share_interval([1, 0] * 50, range(100))
    >>> round(found.low, 3), round(found.high, 3)
    (0.398, 0.602)
    """
    from scipy.special import betaincinv, stdtrit

    array = numbers(values, "values")
    names = np.asarray(clusters).ravel()
    one_for_each(array, "values", names, "clusters")
    size, value, tail = array.size, float(array.mean()), 0.025
    cluster = np.unique(names, return_inverse=True)[1]
    many = int(cluster.max()) + 1
    worth = float(many)
    if 0 < value < 1 and 1 < many < size:
        sums = np.bincount(cluster, array - value)
        spread = many / (many - 1) * float(sums @ sums) / size**2
        ratio = float(stdtrit(size - 1, 1 - tail) / stdtrit(many - 1, 1 - tail))
        worth = min(size, value * (1 - value) / spread * ratio**2) if spread > 0 else size
    elif 0 < value < 1 and many == 1:  # one cluster tells nothing
        return Score(value, 0.0, 1.0, size)
    right = value * worth
    low = 0.0 if value == 0 else float(betaincinv(right, worth - right + 1, tail))
    high = 1.0 if value == 1 else float(betaincinv(right + 1, worth - right, 1 - tail))
    return Score(value, low, high, size)


def share_difference(first: Score, second: Score) -> Score:
    """Second minus first of two shares of different pictures, from their intervals.

    Square-and-add (Newcombe, MOVER): low = d − √((p₂ − l₂)² + (u₁ − p₁)²),
    high = d + √((u₂ − p₂)² + (p₁ − l₁)²)
    Unit: share, −1 to 1. Best: none.

    >>> found = share_difference(Score(0.5, 0.4, 0.6, 10), Score(0.8, 0.7, 0.9, 10))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.trials
    (0.3, 0.159, 0.441, 20)
    """
    ends = [[share.value, share.low, share.high] for share in (first, second)]
    (p1, l1, u1), (p2, l2, u2) = np.array(ends, dtype=np.float64).tolist()
    low, high = math.hypot(p2 - l2, u1 - p1), math.hypot(u2 - p2, p1 - l1)
    ends_of = max(-1.0, p2 - p1 - low), min(1.0, p2 - p1 + high)
    return Score(p2 - p1, *ends_of, first.trials + second.trials)
