"""The bootstrap: what is drawn, how often each unit comes up in a sample, and an interval of it.

A *unit* is drawn with replacement: a trial, a row of a table, or all answers about one picture (a
cluster). A sample is how often every unit came up, so units that are alike are one with a number
of `times`, and any statistic is a function of counts: [unit, sample] in, a value per sample out.
Units are drawn within their stratum, which keeps its size in every sample.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.trials import Counts, Floats, numbers, one_for_each
from subitize.records import Score

SAMPLES, LEVEL = 10_000, 0.95
TOGETHER = 500
"""samples drawn from a stratum before it is the next one's turn"""
DRAWN_AT_ONCE, HELD_AT_ONCE, PICKED_AT_ONCE = 3_000_000, 800_000, 100_000
"""numbers in a chunk of samples, in a statistic of it, and in one array of draws: with more, fresh
memory costs more than the arithmetic"""
DRAWS_PER_UNIT = 5
"""a multinomial's number per unit costs as much as drawing this many trials"""


Statistic = Callable[[Floats], Floats]
"""counts [unit, sample] → a value, or a column of values, per sample"""


def resampled(
    times: ArrayLike,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    strata: ArrayLike | None = None,
    samples: int = SAMPLES,
    width: int = 1,
) -> Floats:
    """A statistic of every bootstrap sample; samples are the last axis.

    `times` says how many alike units stand in each place, `strata` (in rising order) which are
    drawn together, `width` how many numbers the statistic holds per sample. The statistic must
    not keep its counts: the next chunk is written over them.

    >>> both = resampled([3, 1, 1], lambda counts: counts[0] + counts[1:].sum(axis=0),
    ...                  np.random.default_rng(0), strata=[1, 2, 2], samples=2)
    >>> both.tolist()
    [5.0, 5.0]
    """
    units = np.asarray(times, dtype=np.int64)
    stratum = np.zeros(units.size) if strata is None else np.asarray(strata)
    edges = [0, *(np.flatnonzero(np.diff(stratum)) + 1).tolist(), units.size]
    parts = [slice(*ends) for ends in pairwise(edges)]
    most = samples if len(parts) == 1 else TOGETHER
    chunk = max(1, min(most, DRAWN_AT_ONCE // units.size))
    step = max(1, HELD_AT_ONCE // width)
    found = []
    counts = np.empty((units.size, chunk), order="F" if len(parts) == 1 else "C")
    for start in range(0, samples, chunk):
        counts = counts[:, : samples - start]
        for part in parts:
            _draw(units[part], rng, counts[part].T)
        found += [statistic(counts[:, at : at + step]) for at in range(0, counts.shape[1], step)]
    return np.concatenate(found, axis=-1)


def _draw(times: Counts, rng: np.random.Generator, out: Floats) -> None:
    """How often each unit comes up when as many are drawn as there are: [sample, unit]."""
    total, many = int(times.sum()), times.size
    if many == 1:
        out[:] = total
        return
    if total > DRAWS_PER_UNIT * many:
        out[:] = rng.multinomial(total, times / total, size=len(out))
        return
    unit = np.repeat(np.arange(many), times)
    step = max(1, PICKED_AT_ONCE // total)
    for block in (out[start : start + step] for start in range(0, len(out), step)):
        picked = unit[rng.integers(0, total, (len(block), total))]
        picked += many * np.arange(len(block))[:, None]
        block[:] = np.bincount(picked.ravel(), minlength=block.size).reshape(block.shape)


def sums_by(labels: NDArray[Any]) -> tuple[NDArray[Any], Statistic]:
    """The distinct labels, and what sums the rows of each: [row, sample] → [label, sample].

    >>> found, summed = sums_by(np.array([2, 1, 2]))
    >>> found.tolist(), summed(np.array([[1.0], [10.0], [100.0]])).tolist()
    ([1, 2], [[10.0], [101.0]])
    """
    order = np.argsort(labels, kind="stable")
    found, first = np.unique(labels[order], return_index=True)
    if first.size == labels.size:
        return found, lambda counts: counts[order]
    return found, lambda counts: np.add.reduceat(counts[order], first, axis=0)


def percentile_interval(value: float, samples: NDArray[Any], *, trials: int = 0) -> Score:
    """The middle 95 % of bootstrap samples around `value`; undefined samples are left out.

    >>> percentile_interval(0.5, np.array([0.5, np.nan]))
    Score(value=0.5, low=0.5, high=0.5, trials=0, states={})
    """
    known = samples[~np.isnan(samples)]
    if known.size == 0:
        return Score(value, trials=trials)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Score(value, float(low), float(high), trials)


def bootstrap_mean(
    values: ArrayLike,
    rng: np.random.Generator,
    *,
    clusters: ArrayLike | None = None,
    samples: int = SAMPLES,
) -> Score:
    """The mean of all values with its 95 % percentile interval.

    mean = Σ values / n. Unit: that of the values. With `clusters`, one for each value, whole ones
    are drawn, as for several answers about one picture.

    >>> bootstrap_mean([2.0, 2.0, 2.0], np.random.default_rng(0), samples=50)
    Score(value=2.0, low=2.0, high=2.0, trials=3, states={})
    """
    array = numbers(values, "values")
    parts = np.stack([array, np.ones(array.size)], axis=1)
    if clusters is not None:
        cluster = np.asarray(clusters).ravel()
        one_for_each(array, "values", cluster, "clusters")
        parts = sums_by(cluster)[1](parts)
    times = np.ones(len(parts), dtype=np.int64)
    kinds, alike = np.unique(parts, axis=0, return_counts=True)
    if len(kinds) * DRAWS_PER_UNIT < len(parts):
        parts, times = kinds, alike
    turned = np.ascontiguousarray(parts.T)

    def means(counts: Floats) -> Floats:
        # two rows are summed before the threads of a matrix product would be awake
        totals, sizes = np.einsum("pu,us->ps", turned, counts)
        return np.asarray(totals / sizes, dtype=np.float64)

    drawn = resampled(times, means, rng, samples=samples, width=2)
    return percentile_interval(float(array.mean()), drawn, trials=array.size)
