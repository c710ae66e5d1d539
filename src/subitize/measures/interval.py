"""A value between the ends of its interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "basic_interval", "percentile_interval"]


class Interval(NamedTuple):
    """A value and its 95 % interval (unless another level was asked for)."""

    value: float
    low: float
    high: float


def percentile_interval(value: float, samples: NDArray[Any], *, level: float = 0.95) -> Interval:
    """The middle `level` of bootstrap samples around `value`; undefined samples are left out.

    >>> percentile_interval(0.5, np.arange(5) / 4, level=0.5)
    Interval(value=0.5, low=0.25, high=0.75)
    """
    known = samples[~np.isnan(samples)]
    if known.size == 0:
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def basic_interval(
    value: float, samples: NDArray[Any], *, bounds: tuple[float, float], level: float = 0.95
) -> Interval:
    """The basic (reflected) bootstrap interval, cut at `bounds` and widened to hold `value`.

    low = 2θ − q(high), high = 2θ − q(low)

    For correlations: noise pulls a correlation of noisy matrices towards 0, and resampling pulls
    once more by as much. Percentiles would lie below the value, and twice below the truth; the
    reflection undoes it.

    >>> basic_interval(0.75, np.arange(5) / 8 + 0.25, bounds=(-1.0, 1.0), level=0.5)
    Interval(value=0.75, low=0.75, high=1.0)
    """
    _, low, high = percentile_interval(value, samples, level=level)
    if np.isnan(low):
        return Interval(value, low, high)
    bottom, top = bounds
    return Interval(
        value, min(value, max(bottom, 2 * value - high)), max(value, min(top, 2 * value - low))
    )
