"""Bootstrap intervals of many means over the same units, all from the same draws.

A unit (a picture's configuration) is a row; what was measured on it are its columns, NaN where it
was not measured. All columns share the draws, so that a difference of two columns is a paired one
and a hundred columns cost hardly more than one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.interval import Interval, percentile_interval

__all__ = ["bootstrap_columns"]

SAMPLES = 10_000
DRAWS_AT_ONCE = 1_000_000
"""random numbers held in memory at once"""


def bootstrap_columns(
    table: ArrayLike, rng: np.random.Generator, *, samples: int = SAMPLES
) -> list[Interval | None]:
    """The mean of each column over its known values, with its 95 % percentile interval.

    Whole rows are drawn with replacement. A column without any known value is None.
    mean = Σ known values / their number. Unit: that of the values.

    >>> nan = float("nan")
    >>> found = bootstrap_columns([[1, 2, nan], [1, nan, nan]], np.random.default_rng(0), samples=9)
    >>> found[0], found[1].value, found[2]
    (Interval(value=1.0, low=1.0, high=1.0), 2.0, None)
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise BadInput(f"The table has the shape {values.shape}: give rows of units and columns.")
    known = ~np.isnan(values)
    if not np.isfinite(values[known]).all():
        raise BadInput("The table holds infinite values: give finite ones, NaN where unknown.")
    means, drawn = _resampled(np.where(known, values, 0.0), known.astype(np.float64), rng, samples)
    return [
        percentile_interval(float(means[column]), drawn[:, column])
        if known[:, column].any()
        else None
        for column in range(values.shape[1])
    ]


def _resampled(
    sums: NDArray[np.float64], counts: NDArray[np.float64], rng: np.random.Generator, samples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of all columns, and those of every bootstrap sample (NaN without a known value)."""
    units, columns = sums.shape
    both = np.concatenate([sums, counts], axis=1)
    drawn = np.empty((samples, columns))
    chunk = max(1, DRAWS_AT_ONCE // units)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / counts.sum(axis=0)
        for start in range(0, samples, chunk):
            many = min(chunk, samples - start)
            picked = rng.integers(0, units, (many, units))
            picked += np.arange(many)[:, None] * units
            times = np.bincount(picked.ravel(), minlength=many * units).reshape(many, units)
            found = times.astype(np.float64) @ both
            drawn[start : start + many] = found[:, :columns] / found[:, columns:]
    return means, drawn
