"""Whether a responder says too many or too few: the Wilcoxon signed rank test."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.bootstrap import resampled_cells
from subitize.measures.interval import Interval, percentile_interval
from subitize.measures.trials import Floats, numbers, readable_trials

__all__ = ["Bias", "SignedRank", "bias", "bias_interval", "signed_rank"]

ALPHA = 0.05
MEDIUM_EFFECT = 0.3
"""the sign in the paper is lost; .3 is the usual "medium" effect"""


@dataclass(frozen=True, slots=True)
class SignedRank:
    """The Wilcoxon signed rank test of differences against 0."""

    z: float
    """above 0 if positive differences outrank negative ones"""
    p: float
    """two-sided, normal approximation"""
    n: int
    """all differences"""
    n_nonzero: int
    """those that entered the test"""


@dataclass(frozen=True, slots=True)
class Bias:
    """Over- or underestimation."""

    direction: Literal["over", "under", "none"]
    """over or under if p < .05 and r ≥ .3"""
    r: float
    """effect size |z| / √n over all trials"""
    r_nonzero: float
    """effect size |z| / √n over trials with an error"""
    p: float
    """two-sided p of the signed rank test"""
    z: float
    """above 0 for overestimation"""
    n: int
    """readable trials"""
    n_nonzero: int
    """trials with an error"""

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def signed_rank(differences: ArrayLike) -> SignedRank:
    """Wilcoxon signed rank test, zeros dropped, tie-corrected, no continuity correction.

    z = (W⁺ − n(n+1)/4) / √(n(n+1)(2n+1)/24 − Σ(t³ − t)/48), n non-zero differences, t tied ranks
    Unit: standard deviations. Best: 0 (no difference); all zero gives z 0, p 1.

    >>> found = signed_rank([1, 2, 3, 0])
    >>> round(found.z, 4), round(found.p, 4), found.n, found.n_nonzero
    (1.6036, 0.1088, 4, 3)
    """
    array = numbers(differences, "differences")
    moved: Floats = array[array != 0]
    n = moved.size
    if n == 0:
        return SignedRank(0.0, 1.0, array.size, 0)
    _, position, ties = np.unique(np.abs(moved), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[position]
    positive = float(ranks[moved > 0].sum())
    size, tied = float(n), ties.astype(np.float64)
    variance = size * (size + 1) * (2 * size + 1) / 24 - float((tied**3 - tied).sum()) / 48
    z = (positive - size * (size + 1) / 4) / math.sqrt(variance)
    return SignedRank(z, math.erfc(abs(z) / math.sqrt(2)), array.size, n)


def bias(targets: ArrayLike, responses: ArrayLike) -> Bias:
    """Over- or underestimation of one category: signed rank test of response − target.

    r = |z| / √n over all readable trials; over or under if p < .05 and r ≥ .3
    Unit: effect size r, 0 to 1. Best: direction "none", r 0.

    >>> bias([5] * 20, [6] * 20).direction
    'over'
    >>> bias([5] * 20, [5] * 20)
    Bias(direction='none', r=0.0, r_nonzero=0.0, p=1.0, z=0.0, n=20, n_nonzero=0)
    """
    asked, given = readable_trials(targets, responses)
    test = signed_rank(given - asked)
    r = abs(test.z) / math.sqrt(test.n)
    r_nonzero = abs(test.z) / math.sqrt(test.n_nonzero) if test.n_nonzero else 0.0
    direction: Literal["over", "under", "none"] = "none"
    if test.p < ALPHA and r >= MEDIUM_EFFECT:
        direction = "over" if test.z > 0 else "under"
    return Bias(direction, r, r_nonzero, test.p, test.z, test.n, test.n_nonzero)


def bias_interval(
    targets: ArrayLike, responses: ArrayLike, rng: np.random.Generator, *, samples: int = 2000
) -> Interval:
    """The signed effect z / √n of a category with its 95 % interval, resampled within targets.

    Unit: effect size, −1 to 1, above 0 for overestimation. It is |r| with a sign.

    >>> found = bias_interval([5] * 20, [6] * 10 + [4] * 10, np.random.default_rng(0))
    >>> found.low < found.value < found.high
    True
    """
    asked, given = readable_trials(targets, responses)
    errors, error = np.unique(given - asked, return_inverse=True)
    cells, cell = np.unique(asked, return_inverse=True)
    counts = np.zeros((cells.size, errors.size), dtype=np.int64)
    np.add.at(counts, (cell, error), 1)
    drawn = [stack.sum(axis=1) for stack in resampled_cells(counts, rng, samples=samples)]
    effects = _signed_effects(np.concatenate(drawn), errors)
    return percentile_interval(float(_signed_effects(counts.sum(axis=0)[None], errors)[0]), effects)


def _signed_effects(counts: NDArray[Any], errors: Floats) -> Floats:
    """z / √n of many samples at once; counts is [sample, distinct error]."""
    sizes, size = np.unique(np.abs(errors[errors != 0]), return_inverse=True)
    if sizes.size == 0:
        return np.zeros(len(counts))
    moved = counts[:, errors != 0].astype(np.float64)
    above = errors[errors != 0] > 0
    ties = np.zeros((len(counts), sizes.size))
    positive = np.zeros_like(ties)
    for column, place in enumerate(size):
        ties[:, place] += moved[:, column]
        if above[column]:
            positive[:, place] += moved[:, column]
    ranks = np.cumsum(ties, axis=1) - (ties - 1) / 2
    n = ties.sum(axis=1)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum(axis=1) / 48
    away = (positive * ranks).sum(axis=1) - n * (n + 1) / 4
    z = np.divide(away, np.sqrt(variance), out=np.zeros_like(away), where=variance > 0)
    effects: Floats = z / np.sqrt(counts.sum(axis=1))
    return effects
