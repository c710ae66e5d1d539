"""What an answer costs by the number shown: the nearest thing to a reaction time.

People answer as fast for four things as for one and need longer for each further one; a model
that counts step by step needs more tokens and seconds for more things.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import numbers, one_for_each
from subitize.records import Score


class Effort(NamedTuple):
    """Means by number, and how much one thing more costs."""

    numbers: tuple[int | float, ...]
    """the numbers shown"""
    means: tuple[float, ...]
    """mean cost of the answers to each"""
    slope: Score
    """cost of one thing more, without an interval where all answers have the same number"""


def effort_by_number(targets: ArrayLike, costs: ArrayLike) -> Effort:
    """Mean cost by number and the slope of cost on number.

    slope = Σ (t − t̄)(c − c̄) / Σ (t − t̄)²; its interval ± t(n − 2) × the error that does not
    suppose equal spreads (HC3). Unit: cost per thing. Best: 0 (seen at a glance).

    >>> found = effort_by_number([1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 2, 3])
    >>> found.means, round(found.slope.value, 6)
    ((1.0, 2.0, 3.0), 1.0)
    """
    from scipy.special import stdtrit

    asked, cost = numbers(targets, "targets"), numbers(costs, "costs")
    one_for_each(asked, "targets", cost, "costs")
    if (cost < 0).any():
        raise BadInput(f"A cost is {cost.min():g}: seconds and tokens are 0 or more.")
    distinct, group = np.unique(asked, return_inverse=True)
    means = np.bincount(group, cost) / np.bincount(group)
    shown = tuple(int(n) if n.is_integer() else n for n in distinct.tolist())
    away = asked - asked.mean()
    across = float(away @ away)
    if distinct.size < 2:
        return Effort(shown, tuple(means.tolist()), Score(None, trials=asked.size))
    slope = float(away @ cost) / across
    if asked.size < 4:
        return Effort(shown, tuple(means.tolist()), Score(slope, trials=asked.size))
    rest = cost - cost.mean() - slope * away
    leverage = np.minimum(1 / asked.size + away**2 / across, 0.999)
    error = float(np.sqrt(((away * rest / (1 - leverage)) ** 2).sum())) / across
    reach = float(stdtrit(asked.size - 2, 0.975)) * error
    return Effort(
        shown, tuple(means.tolist()), Score(slope, slope - reach, slope + reach, asked.size)
    )
