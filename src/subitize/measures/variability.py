"""Scalar variability: does the spread of answers grow in proportion to their mean?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import Floats, readable_trials

VariabilityRule = Literal["standard", "numgen"]
ALPHA = 0.05
FEWEST_TARGETS = 3
SAME = 1e-10
"""log means that differ by less are the same"""
SLOPES = 999
"""runs drawn from the fitted observer"""
NUMGEN_LEADING = 4
"""NumGen drops targets without spread only at the start, and only up to this one"""


@dataclass(frozen=True, slots=True)
class ScalarVariability:
    """The regression of log SE on log mean; all numbers are None when not testable."""

    verdict: Literal["scalar", "not scalar", "not testable"]
    """scalar if the slope does not differ from 1 (p ≥ .05)"""
    slope: float | None = None
    """of log SE on log mean; 1 under Weber's law"""
    slope_low: float | None = None
    """lower end of the slope's 95 % interval"""
    slope_high: float | None = None
    """upper end of the slope's 95 % interval"""
    t: float | None = None
    """(slope − 1) / standard error"""
    p: float | None = None
    """two-sided p of t"""
    f_p: float | None = None
    """p of the F test of the regression (slope against 0)"""
    r2: float | None = None
    """R² of the regression"""
    adjusted_r2: float | None = None
    """R² adjusted for the two coefficients"""
    targets: tuple[int, ...] = ()
    """the targets used"""
    reason: str | None = None
    """why it is not testable"""


def spread_by_target(targets: ArrayLike, responses: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Targets, mean and standard error of the responses to each; NaN with one trial.

    SE = sd(ddof 1) / √n

    >>> [part.tolist() for part in spread_by_target([1, 1, 2, 2], [1, 1, 1, 3])]
    [[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]
    """
    asked, given = readable_trials(targets, responses)
    distinct, group = np.unique(asked, return_inverse=True)
    n = np.bincount(group).astype(np.float64)
    mean = np.bincount(group, given) / n
    squares = np.bincount(group, (given - mean[group]) ** 2)
    error = np.sqrt(squares / np.where(n > 1, n - 1, np.nan) / n)
    return distinct, mean, error


def scalar_variability(
    targets: ArrayLike, responses: ArrayLike, *, rule: VariabilityRule = "standard"
) -> ScalarVariability:
    """Test whether the standard error of responses is proportional to their mean.

    log SE = a + b log mean by least squares over targets; t = (b − 1) / se(b), n − 2 degrees
    standard: targets without spread are dropped; numgen: only leading ones up to 4, so that one
    later on makes it not testable. Fewer than three targets left: not testable.
    Unit: slope. Best: 1, the verdict "scalar".

    >>> asked = np.repeat([5, 6, 8, 10], 4)
    >>> scalar_variability(asked, asked + asked * np.tile([-0.2, 0.2, 0.2, -0.2], 4)).verdict
    'scalar'
    """
    distinct, mean, error = spread_by_target(targets, responses)
    spread = np.nan_to_num(error) > 0
    if rule == "standard":
        kept = spread
    elif rule == "numgen":
        kept = np.cumprod(~spread & (distinct <= NUMGEN_LEADING)) == 0
    else:
        raise BadInput(f"There is no rule {rule!r} of scalar variability: use standard or numgen.")
    used = tuple(int(target) for target in distinct[kept])
    why = None
    if len(used) < FEWEST_TARGETS:
        why = f"of the targets {len(used) or 'none'} had answers that spread; three are needed"
    elif not spread[kept].all():
        why = "a later target has no spread, so log SE has none"
    elif np.ptp(np.log(mean[kept])) < SAME:
        why = "the mean response is the same for all targets"
    if why is not None:
        return ScalarVariability("not testable", targets=used, reason=why)
    return _regression(np.log(mean[kept]), np.log(error[kept]), used)


class RoundedObserver(NamedTuple):
    """The slope of the spread against that of a fitted observer who says whole numbers."""

    expected: float
    """mean slope of runs drawn from the fitted observer"""
    low: float
    """lower end of the middle 95 % of their slopes"""
    high: float
    """upper end of the middle 95 %"""
    p: float
    """two-sided: twice the smaller share of slopes beyond the observed one"""
    verdict: Literal["as a rounded observer", "not as a rounded observer"]
    """as one if p ≥ .05"""


def rounded_observer_slope(
    slope: float, shares: ArrayLike, totals: ArrayLike, rng: np.random.Generator
) -> RoundedObserver | None:
    """Compare a slope with that expected of an observer who answers in whole numbers.

    p = 2 min(#{slope of a sample ≤ b}, #{≥ b}) / samples, samples drawn from P(g | t)
    Rounding adds 1/12 to every variance, so the paper's test against 1 rejects true Weber
    observers. `shares` are P(g | t) in rows 1.. and columns of targets, `totals` the readable
    trials of each. Unit: slope.

    >>> from subitize.measures.baselines import observer_matrix
    >>> found = rounded_observer_slope(
    ...     0.9, observer_matrix(w=0.05, limit=0)[1:], [250] * 10, np.random.default_rng(0))
    >>> found.expected < 0.9, found.verdict
    (False, 'not as a rounded observer')
    """
    chances, many = np.asarray(shares, dtype=np.float64), np.asarray(totals, dtype=np.int64)
    responses = np.arange(1.0, len(chances) + 1)
    means, errors = np.full((2, many.size, SLOPES), np.nan)
    for at in np.flatnonzero(many > 1).tolist():
        drawn = rng.multinomial(many[at], chances[:, at] / chances[:, at].sum(), size=SLOPES)
        means[at] = drawn @ responses / many[at]
        squares = drawn @ responses**2 - many[at] * means[at] ** 2
        errors[at] = np.sqrt(np.maximum(squares, 0.0) / (many[at] - 1) / many[at])
    kept = errors > SAME
    x = np.where(kept, np.log(np.where(kept, means, 1.0)), 0.0)
    y = np.where(kept, np.log(np.where(kept, errors, 1.0)), 0.0)
    targets = kept.sum(axis=0)
    use = targets >= FEWEST_TARGETS
    size = np.maximum(targets, 1)
    away = np.where(kept, x - x.sum(axis=0) / size, 0.0)
    across = (away**2).sum(axis=0)
    use &= across > SAME
    if not use.any():
        return None
    slopes = (away * y).sum(axis=0)[use] / across[use]
    beyond = min(int((slopes <= slope).sum()), int((slopes >= slope).sum()))
    p = min(1.0, 2 * (1 + beyond) / (1 + slopes.size))
    low, high = np.quantile(slopes, [0.025, 0.975]).tolist()
    verdict: Literal["as a rounded observer", "not as a rounded observer"] = (
        "as a rounded observer" if p >= ALPHA else "not as a rounded observer"
    )
    return RoundedObserver(float(slopes.mean()), low, high, p, verdict)


def _regression(x: Floats, y: Floats, used: tuple[int, ...]) -> ScalarVariability:
    from scipy.special import stdtr, stdtrit

    x, y = x - x.mean(), y - y.mean()
    across = float(x @ x)
    slope, degrees = float(x @ y) / across, len(used) - 2
    rest, total = float(((y - slope * x) ** 2).sum()), float(y @ y)
    error = math.sqrt(rest / degrees / across)
    r2 = 1 - rest / total if total > 0 else 0.0

    def tested(against: float) -> tuple[float, float]:
        if error < 1e-12:  # the points lie on a line: the slope is known exactly
            same = math.isclose(slope, against, abs_tol=1e-9)
            return (0.0, 1.0) if same else (math.copysign(math.inf, slope - against), 0.0)
        t = (slope - against) / error
        return t, float(2 * stdtr(degrees, -abs(t)))

    t, p = tested(1.0)
    adjusted = 1 - (1 - r2) * (len(used) - 1) / degrees
    verdict: Literal["scalar", "not scalar"] = "scalar" if p >= ALPHA else "not scalar"
    reach = float(stdtrit(degrees, 1 - ALPHA / 2)) * error
    ends = (slope - reach, slope + reach)
    return ScalarVariability(verdict, slope, *ends, t, p, tested(0.0)[1], r2, adjusted, used)
