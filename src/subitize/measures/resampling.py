"""Bootstrap intervals of means: plain, stratified, clustered, and of paired differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.interval import Interval, percentile_interval
from subitize.measures.trials import Floats, numbers

__all__ = ["bootstrap_mean", "paired_difference", "resampled_means"]

SAMPLES = 10_000
DRAWS_AT_ONCE = 2_000_000
"""random numbers held in memory at once"""


def bootstrap_mean(
    values: ArrayLike,
    rng: np.random.Generator,
    *,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
) -> Interval:
    """The mean of all values with its 95 % percentile interval.

    `groups` (strata) keep their sizes in every sample; with `clusters` whole clusters are drawn
    (within their group, if there are both), as for several answers about one picture.
    mean = Σ values / n. Unit: that of the values.

    >>> bootstrap_mean([2.0, 2.0, 2.0], np.random.default_rng(0), samples=50)
    Interval(value=2.0, low=2.0, high=2.0)
    >>> bootstrap_mean([0, 0, 1, 1], np.random.default_rng(0), groups=list("aabb"), samples=50)
    Interval(value=0.5, low=0.5, high=0.5)
    """
    means = resampled_means(values, rng, groups=groups, clusters=clusters, samples=samples)
    return percentile_interval(float(numbers(values, "values").mean()), means)


def resampled_means(
    values: ArrayLike,
    rng: np.random.Generator,
    *,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
) -> Floats:
    """The means of bootstrap samples, drawn as `bootstrap_mean` draws them.

    mean = Σ values / n of each sample. Unit: that of the values.

    >>> resampled_means([2.0, 2.0], np.random.default_rng(0), samples=3).tolist()
    [2.0, 2.0, 2.0]
    """
    array = numbers(values, "values")
    stratum = _codes(groups, array.size, "groups")
    sums, sizes, strata = array, np.ones(array.size), stratum
    if clusters is not None:
        cluster = _codes(clusters, array.size, "clusters")
        # a cluster that spans two groups is two units: neither group may lose its size
        units, unit = np.unique(np.stack([stratum, cluster]), axis=1, return_inverse=True)
        unit = unit.ravel()
        sums = np.bincount(unit, array).astype(np.float64)
        sizes, strata = np.bincount(unit).astype(np.float64), units[0].astype(np.int64)
    totals, counts = np.zeros(samples), np.zeros(samples)
    for group in np.unique(strata):
        inside = strata == group
        for part, (drawn, size) in _draws(sums[inside], sizes[inside], rng, samples):
            totals[part] += drawn
            counts[part] += size
    return totals / counts


def _codes(labels: ArrayLike | None, size: int, what: str) -> NDArray[np.int64]:
    if labels is None:
        return np.zeros(size, dtype=np.int64)
    array = np.asarray(labels).ravel()
    if array.size != size:
        raise BadInput(f"There are {size} values but {array.size} {what}: give one for each value.")
    codes: NDArray[np.int64] = np.unique(array, return_inverse=True)[1].ravel()
    return codes


def _draws(
    sums: Floats, sizes: Floats, rng: np.random.Generator, samples: int
) -> Iterator[tuple[slice, tuple[Floats, Floats]]]:
    """Totals and sizes of `samples` draws with replacement of as many units as there are.

    Equal units are counted once and drawn by a multinomial where that is cheaper.
    """
    kinds, times = np.unique(np.stack([sums, sizes]), axis=1, return_counts=True)
    few = kinds.shape[1] * 5 < sums.size
    chunk = max(1, DRAWS_AT_ONCE // (kinds.shape[1] if few else sums.size))
    for start in range(0, samples, chunk):
        part = slice(start, min(start + chunk, samples))
        length = part.stop - start
        if few:
            drawn = rng.multinomial(sums.size, times / sums.size, size=length)
            yield part, (drawn @ kinds[0], drawn @ kinds[1])
        else:
            picked = rng.integers(0, sums.size, (length, sums.size))
            yield part, (sums[picked].sum(axis=1), sizes[picked].sum(axis=1))


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
) -> Interval:
    """Mean of first − second over the same trials, with its 95 % percentile interval.

    difference = Σ (first − second) / n. Unit: that of the values. 0 inside: no difference shown.

    >>> paired_difference([3, 4], [1, 2], np.random.default_rng(0), samples=50)
    Interval(value=2.0, low=2.0, high=2.0)
    """
    one, other = numbers(first, "values"), numbers(second, "values")
    if one.size != other.size:
        raise BadInput(
            f"There are {one.size} first and {other.size} second values: "
            "a paired difference needs both of every trial."
        )
    return bootstrap_mean(one - other, rng, groups=groups, clusters=clusters, samples=samples)
