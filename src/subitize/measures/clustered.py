"""Shares of answers that come in clusters, such as several pictures of one prompt."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.accuracy import proportion_interval
from subitize.measures.interval import Interval
from subitize.measures.resampling import bootstrap_mean
from subitize.measures.trials import numbers

__all__ = ["clustered_share"]

SAMPLES = 2000


def clustered_share(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, *, samples: int = SAMPLES
) -> Interval:
    """A mean of values in 0..1 with its 95 % interval over clusters.

    share = Σ values / n; the interval draws whole clusters. Where all values are 0, or all are 1,
    a bootstrap has no width: the interval is then the exact one of so many clusters.
    Unit: share, 0 to 1. Best: 1.

    >>> found = clustered_share([1, 1, 1, 1], ["a", "a", "b", "c"], np.random.default_rng(0))
    >>> found.value, round(found.low, 3), found.high
    (1.0, 0.292, 1.0)
    """
    array = numbers(values, "values")
    if array.min() == array.max() and array[0] in (0.0, 1.0):
        many = int(np.unique(np.asarray(clusters).ravel()).size)
        return proportion_interval(many if array[0] else 0, many)
    return bootstrap_mean(array, rng, clusters=clusters, samples=samples)
