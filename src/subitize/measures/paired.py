"""Two respondents on the same pictures: paired differences, tests, and how many are needed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.intervals import mean_interval
from subitize.measures.trials import Floats, numbers, one_for_each
from subitize.records import Score

FLIPS = 9_999
AT_ONCE = 2_000_000
"""signs drawn at once"""


class Paired(NamedTuple):
    """How two respondents differ."""

    difference: Score
    """mean of second − first"""
    p: float
    """two-sided: exact McNemar for rights and wrongs, else by sign flips"""
    test: str
    """which of them"""
    discordant: int
    """pictures on which they differ"""


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """The exact two-sided p that both are right equally often.

    p = min(1, 2 P(X ≤ min(b, c))), X binomial with b + c trials of ½; b, c discordant pictures
    Unit: probability. Best: none.

    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    0.0625
    """
    from scipy.special import bdtr

    one, other = numbers(first, "answers of the first"), numbers(second, "answers of the second")
    one_for_each(one, "answers of the first", other, "answers of the second")
    more, less = int((other > one).sum()), int((other < one).sum())
    if more + less == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(more, less), more + less, 0.5)))


def sign_flips(differences: ArrayLike, rng: np.random.Generator, *, flips: int = FLIPS) -> float:
    """The two-sided p that differences lie around 0, their signs flipped at random.

    p = (1 + #{|Σ ± d| ≥ |Σ d|}) / (1 + flips)
    Unit: probability. Best: none.

    >>> sign_flips([0.0, 0.0], np.random.default_rng(0))
    1.0
    """
    moved = numbers(differences, "differences")
    moved = moved[moved != 0]
    if not moved.size:
        return 1.0
    observed = abs(float(moved.sum())) * (1 - 1e-9)
    # of k differences of one size, a binomial number keeps its sign
    sizes, times = np.unique(np.abs(moved), return_counts=True)
    chunk, beyond = max(1, AT_ONCE // sizes.size), 0
    for start in range(0, flips, chunk):
        many = min(chunk, flips - start)
        sums = (2 * rng.binomial(times, 0.5, (many, sizes.size)) - times) @ sizes
        beyond += int((np.abs(sums) >= observed).sum())
    return (1 + beyond) / (1 + flips)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    strata: ArrayLike | None = None,
    steps: ArrayLike = 1.0,
    bound: float = math.inf,
) -> Paired:
    """Second minus first on the same pictures, a value of each per picture.

    d = mean over pictures of (second − first), its interval `mean_interval`'s within `strata`
    Unit: that of the values. Best: none.

    >>> found = paired_difference([1, 1, 0, 1], [1, 0, 0, 0], np.random.default_rng(0), bound=1.0)
    >>> found.difference.value, found.p, found.test, found.discordant
    (-0.5, 0.5, 'exact McNemar', 2)
    """
    one, other = numbers(first, "values of the first"), numbers(second, "values of the second")
    one_for_each(one, "values of the first", other, "values of the second")
    away = other - one
    found = mean_interval(away, strata=strata, steps=steps, bounds=(-bound, bound), worst=True)
    if _whole(one) and _whole(other):
        p, test = mcnemar(one, other), "exact McNemar"
    else:
        p, test = sign_flips(away, rng), "sign flips"
    return Paired(found, p, test, int((away != 0).sum()))


def _whole(values: Floats) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def trials_needed(difference: float, discordant: float, *, power: float = 0.8) -> int:
    """How many pictures tell two respondents apart by the paired test of shares.

    n = (z.975 √q + z_power √(q − D²))² / D², D the difference, q the share of discordant pictures
    Unit: pictures. Best: none.

    >>> trials_needed(0.05, 0.2), trials_needed(0.1, 0.2)
    (626, 155)
    """
    from scipy.special import ndtri

    if not 0 < abs(difference) <= discordant <= 1 or not 0 < power < 1:
        raise BadInput(
            f"A difference of {difference:g} with a share of {discordant:g} discordant pictures "
            f"and power {power:g} can't be: the share lies between the difference and 1, the power "
            "between 0 and 1."
        )
    reach = float(ndtri(0.975)) * math.sqrt(discordant)
    reach += float(ndtri(power)) * math.sqrt(discordant - difference**2)
    return math.ceil(reach**2 / difference**2)
