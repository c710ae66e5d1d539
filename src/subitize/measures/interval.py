"""A value between the ends of its interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "percentile_interval"]


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
