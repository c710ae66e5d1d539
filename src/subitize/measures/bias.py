"""Whether a responder says too many or too few: the Wilcoxon signed rank test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.resampling import percentile_interval, resampled, sums_by
from subitize.measures.trials import Floats, numbers, readable_trials
from subitize.records import Score

ALPHA = 0.05
MEDIUM_EFFECT = 0.3
"""the sign in the paper is lost; .3 is the usual "medium" effect"""


@dataclass(frozen=True, slots=True)
class Bias:
    """Over- or underestimation: the Wilcoxon signed rank test of differences against 0."""

    direction: Literal["over", "under", "none"]
    """over or under if p < .05 and r ≥ .3"""
    r: float
    """effect size |z| / √n over all trials"""
    r_nonzero: float
    """effect size |z| / √n over trials with an error"""
    p: float
    """two-sided, normal approximation"""
    z: float
    """above 0 for overestimation"""
    n: int
    """readable trials"""
    n_nonzero: int
    """trials with an error, which enter the test"""


def signed_rank(differences: ArrayLike) -> Bias:
    """Wilcoxon signed rank test, zeros dropped, tie-corrected, no continuity correction.

    z = (W⁺ − n(n+1)/4) / √(n(n+1)(2n+1)/24 − Σ(t³ − t)/48), n non-zero differences, t tied ranks
    Unit: standard deviations. Best: 0 (no difference); all zero gives z 0, p 1.

    >>> found = signed_rank([1, 2, 3, 0])
    >>> round(found.z, 4), round(found.p, 4), found.n, found.n_nonzero
    (1.6036, 0.1088, 4, 3)
    """
    # scipy.stats.wilcoxon gives the same, but loading scipy.stats takes 0.8 s, and an interval
    # needs it of thousands of samples at once
    array = numbers(differences, "differences")
    moved = array[array != 0]
    if moved.size == 0:
        return Bias("none", 0.0, 0.0, 1.0, 0.0, array.size, 0)
    errors, times = np.unique(moved, return_counts=True)
    z = float(_z(errors)(times[:, None].astype(np.float64))[0])
    p, r = math.erfc(abs(z) / math.sqrt(2)), abs(z) / math.sqrt(array.size)
    direction: Literal["over", "under", "none"] = "none"
    if p < ALPHA and r >= MEDIUM_EFFECT:
        direction = "over" if z > 0 else "under"
    return Bias(direction, r, abs(z) / math.sqrt(moved.size), p, z, array.size, moved.size)


def bias(targets: ArrayLike, responses: ArrayLike) -> Bias:
    """Over- or underestimation of one category: signed rank test of response − target.

    r = |z| / √n over all readable trials; over or under if p < .05 and r ≥ .3
    Unit: effect size r, 0 to 1. Best: 0, direction "none".

    >>> bias([5] * 20, [6] * 20).direction
    'over'
    >>> bias([5] * 20, [5] * 20)
    Bias(direction='none', r=0.0, r_nonzero=0.0, p=1.0, z=0.0, n=20, n_nonzero=0)
    """
    asked, given = readable_trials(targets, responses)
    return signed_rank(given - asked)


def bias_interval(
    targets: ArrayLike, responses: ArrayLike, rng: np.random.Generator, *, samples: int = 2000
) -> Score:
    """The signed effect z / √n of a category with its 95 % interval, resampled within targets.

    Where each target has one answer only, samples don't differ: there is no interval then.
    Unit: effect size, −1 to 1, above 0 for overestimation. It is |r| with a sign.

    >>> found = bias_interval([5] * 20, [6] * 10 + [4] * 10, np.random.default_rng(0))
    >>> found.low < found.value < found.high
    True
    """
    asked, given = readable_trials(targets, responses)
    entries, times = np.unique(np.stack([asked, given - asked]), axis=1, return_counts=True)
    target, errors = entries
    z = _z(errors)

    def effects(counts: Floats) -> Floats:
        return z(counts) / math.sqrt(asked.size)

    value = float(effects(times[:, None].astype(np.float64))[0])
    if np.unique(target).size == target.size:
        return Score(value, trials=asked.size)
    drawn = resampled(times, effects, rng, strata=target, samples=samples)
    return percentile_interval(value, drawn, trials=asked.size)


def _z(errors: Floats) -> Callable[[Floats], Floats]:
    """The z of `signed_rank` from how often each error was made, of many samples at once."""
    moved = errors != 0
    above = (errors[moved] > 0)[:, None]
    # no product of matrices: on a busy machine the threads of one cost ten times its arithmetic
    _, by_size = sums_by(np.abs(errors[moved]))

    def z(counts: Floats) -> Floats:
        counts = counts[moved]
        ties, high = by_size(counts), by_size(counts * above)
        n = ties.sum(axis=0)
        ranks = np.cumsum(ties, axis=0) - (ties - 1) / 2
        variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum(axis=0) / 48
        away = (high * ranks).sum(axis=0) - n * (n + 1) / 4
        spread = np.sqrt(variance)
        return np.asarray(np.divide(away, spread, out=np.zeros_like(away), where=variance > 0))

    return z
