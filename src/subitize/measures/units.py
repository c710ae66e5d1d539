"""A mean over a few units that were drawn, such as people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from subitize.records import Score

TAIL = 0.025
ROUNDING = 1e-9
"""values that are closer, relative to their mean, are the same"""


def mean_over_units(
    values: Sequence[float], bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Score | None:
    """The mean of one value per unit with its 95 % interval over units; None without any.

    x̄ ± t(.975, k − 1) · s / √k, cut at the bounds of a value. One unit has no interval, nor have
    units that do not differ: nothing tells how far off another would be.
    Unit: that of the values.

    >>> found = mean_over_units([0.1, 0.2, 0.3])
    >>> [round(one, 4) for one in (found.value, found.low, found.high)]
    [0.2, -0.0484, 0.4484]
    """
    from scipy.special import stdtrit

    known = np.asarray([one for one in values if math.isfinite(one)], dtype=np.float64)
    if not known.size:
        return None
    mean, many = float(known.mean()), int(known.size)
    if many < 2 or np.ptp(known) <= ROUNDING * max(1.0, abs(mean)):
        return Score(mean, trials=many)
    reach = float(stdtrit(many - 1, 1 - TAIL) * known.std(ddof=1) / math.sqrt(many))
    return Score(mean, max(bounds[0], mean - reach), min(bounds[1], mean + reach), many)
