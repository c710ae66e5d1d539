"""Shares of answers that come in clusters, such as several pictures of one prompt."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.accuracy import proportion_interval
from subitize.measures.interval import Interval, percentile_interval
from subitize.measures.resampling import resampled_means
from subitize.measures.trials import Floats, numbers

__all__ = ["clustered_difference", "clustered_share"]

SAMPLES = 2000
NO_WIDTH = 1e-9


def clustered_share(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, *, samples: int = SAMPLES
) -> Interval:
    """A mean of values in 0..1 with its 95 % interval over clusters.

    share = Σ values / n; the interval draws whole clusters. Where all clusters are alike (right,
    wrong, or there is but one) a bootstrap has no width: the interval is then the exact one of
    so many clusters, for a share between two whole numbers of them from the lower and the upper.
    Unit: share, 0 to 1. Best: 1.

    >>> found = clustered_share([1, 1, 1, 1], ["a", "a", "b", "c"], np.random.default_rng(0))
    >>> found.value, round(found.low, 3), found.high
    (1.0, 0.292, 1.0)
    """
    return _share(values, clusters, rng, samples)[0]


def clustered_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> tuple[Interval, Interval, Interval]:
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
    value = other.value - one.value
    if ones is not None and others is not None:
        return percentile_interval(value, others - ones), one, other
    low = value - math.hypot(other.value - other.low, one.high - one.value)
    high = value + math.hypot(other.high - other.value, one.value - one.low)
    return Interval(value, max(-1.0, low), min(1.0, high)), one, other


def _share(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, samples: int
) -> tuple[Interval, Floats | None]:
    """A share, and its bootstrap samples unless the interval is the exact one."""
    array = numbers(values, "values")
    value = float(array.mean())
    many = int(np.unique(np.asarray(clusters).ravel()).size)
    if not 0.0 < value < 1.0:
        return proportion_interval(many if value else 0, many), None
    drawn = resampled_means(array, rng, clusters=clusters, samples=samples)
    if samples > 1 and np.ptp(drawn) < NO_WIDTH:
        low = proportion_interval(math.floor(value * many), many).low
        high = proportion_interval(math.ceil(value * many), many).high
        return Interval(value, low, high), None
    return percentile_interval(value, drawn), drawn
