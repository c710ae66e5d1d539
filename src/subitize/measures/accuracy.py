"""How often the answer is right: shares of trials, alone or in clusters, with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.resampling import percentile_interval, resampled_means
from subitize.measures.trials import Floats, numbers, readable_trials, skippable_trials
from subitize.records import Score

SAMPLES = 2000
NO_WIDTH = 1e-9


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


def clustered_share(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, *, samples: int = SAMPLES
) -> Score:
    """A mean of values in 0..1 with its 95 % interval over clusters, as pictures of one prompt.

    share = Σ values / n; the interval draws whole clusters. Where all clusters are alike (right,
    wrong, or there is but one) a bootstrap has no width: the interval is then the exact one of
    so many clusters, for a share between two whole numbers of them from the lower and the upper.
    Unit: share, 0 to 1. Best: 1.

    >>> found = clustered_share([1, 1, 1, 1], ["a", "a", "b", "c"], np.random.default_rng(0))
    >>> found.value, round(found.low, 3), found.high, found.trials
    (1.0, 0.292, 1.0, 4)
    """
    return _share(values, clusters, rng, samples)[0]


def clustered_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> tuple[Score, Score, Score]:
    """Second minus first of two shares, and both shares, with 95 % intervals over clusters.

    Each group is (values in 0..1, clusters). The interval of the difference is that of the
    differences of bootstrap samples. Where all clusters of a group are alike its samples do not
    differ: the interval is then made of those of both shares (Newcombe's square-and-add):
    low = d − √((p₂ − l₂)² + (u₁ − p₁)²), high = d + √((u₂ − p₂)² + (p₁ − l₁)²)
    Unit: share, −1 to 1. Best: none.

    >>> groups = ([1, 1, 1], ["a", "b", "c"]), ([0, 0], ["d", "e"])
    >>> difference, _, _ = clustered_difference(*groups, np.random.default_rng(0))
    >>> difference.value, round(difference.low, 3), round(difference.high, 3)
    (-1.0, -1.0, 0.1)
    """
    one, ones = _share(*first, rng, samples)
    other, others = _share(*second, rng, samples)
    trials = one.trials + other.trials
    shares = [[share.value, share.low, share.high] for share in (one, other)]
    (p1, l1, u1), (p2, l2, u2) = np.array(shares, dtype=np.float64).tolist()
    if ones is not None and others is not None:
        return percentile_interval(p2 - p1, others - ones, trials=trials), one, other
    low = max(-1.0, p2 - p1 - math.hypot(p2 - l2, u1 - p1))
    high = min(1.0, p2 - p1 + math.hypot(u2 - p2, p1 - l1))
    return Score(p2 - p1, low, high, trials), one, other


def _share(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, samples: int
) -> tuple[Score, Floats | None]:
    """A share, and its bootstrap samples unless the interval is the exact one."""
    array = numbers(values, "values")
    value, trials = float(array.mean()), array.size
    if 0.0 < value < 1.0:
        drawn = resampled_means(array, rng, clusters=clusters, samples=samples)
        if samples < 2 or np.ptp(drawn) >= NO_WIDTH:
            return percentile_interval(value, drawn, trials=trials), drawn
    many = int(np.unique(np.asarray(clusters).ravel()).size)
    low = proportion_interval(math.floor(value * many), many).low
    high = proportion_interval(math.ceil(value * many), many).high
    return Score(value, low, high, trials), None
