"""The observer with bias: how numbers are bent (a, β), how sharp they are (w), and whether it fits.

μ(t) = a · t^β, σ(t) = w · μ(t); for t above the limit L

    P(g | t) = (1 − λ) · [Φ((g + ½ − μ) / σ) − Φ((g − ½ − μ) / σ)] / Z(t) + λ / 2m

on the responses 1..2m, at and below L exact but for lapses. β is Stevens' exponent. With a = β = 1
this is the observer of `weber`, whose w takes up any bias: who says .8 t with a spread of .1 t has
w = .228 there and .1 here. Responses of 0 are left out, those above 2m stand as 2m.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts, check_fittable
from subitize.measures.observer_fitting import HIGHEST, LOWEST, Fits, Model, fitted
from subitize.measures.trials import Counts, Floats
from subitize.records import Score

HALF_CHI2 = 1.920729410347062
"""half the .95 quantile of χ² with one degree of freedom"""
SAMPLES = 200
"""parametric bootstrap samples behind the p of the goodness of fit"""
STEPS = 12
"""values of a parameter looked at on each side of the best one"""
REACH = 5.0
"""how far they go, in standard errors"""
LIKELY = 4.0
"""limits whose log-likelihood is within this of the best are looked at again"""
ROUGHLY = 1e-3
"""a gain of log-likelihood below this ends a fit of a bootstrap sample"""
ROUGH_ROUNDS = 10
"""steps of such a fit at the most: only on answers without any order it takes more"""
MOST_TARGETS = 50
"""above, a matrix of all answers times all samples is too large"""
FEWEST_TARGETS = 3
"""above the limit: two bend a line through anything"""
ALPHA = 0.05


class BiasedObserver(NamedTuple):
    """The best observer with bias; `a`, `beta` and `w` have 95 % profile intervals."""

    a: Score
    """scale: 1 without bias"""
    beta: Score
    """Stevens' exponent: below 1 large numbers are drawn together"""
    w: Score
    """spread / mean response"""
    lapse: float
    """share of responses that are guesses from 1..2m"""
    limit: int
    """subitizing limit"""
    bias_p: float
    """likelihood ratio test of a = β = 1, two degrees of freedom"""
    bias_chi2: float
    """its statistic"""
    g2: float
    """goodness of fit G² = 2 Σ n log(n / expected)"""
    fit_p: float | None
    """its p from the parametric bootstrap"""
    fits: bool | None
    """fit_p ≥ .05"""
    shares: Floats
    """P(g | t): rows 1..2m, columns 1..m"""

    def as_json(self) -> dict[str, Any]:
        """As the scores object has it."""
        plain = {name: getattr(self, name) for name in self._fields if name != "shares"}
        return {
            name: found.as_json() if isinstance(found, Score) else found
            for name, found in plain.items()
        }


def fit_biased_observer(
    counts: ArrayLike, rng: np.random.Generator, *, samples: int = SAMPLES
) -> BiasedObserver:
    """Maximum likelihood fit of a, β, w, λ and L to a confusion matrix of counts.

    (a, β, w, λ, L) = argmax Σ counts[g, t] log P(g | t); G² = 2 Σ n log(n / expected)
    Unit: a scale. Best: 1 (no bias), β 1, w 0.

    >>> from subitize.measures.baselines import observer_matrix
    >>> seen = np.round(250 * observer_matrix())
    >>> found = fit_biased_observer(seen, np.random.default_rng(0), samples=20)
    >>> round(found.a.value, 2), round(found.beta.value, 2), round(found.w.value, 2), found.limit
    (1.0, 1.0, 0.15, 4)
    """
    matrix = check_counts(counts)[1:]
    check_fittable(matrix)
    model = Model(matrix)
    present = np.flatnonzero(model.totals > 0) + 1
    wrong = matrix.sum() - np.trace(matrix)
    if present.size <= FEWEST_TARGETS or wrong == 0:
        raise BadInput(
            "The observer with bias needs answers to at least four targets and some errors: "
            f"found {present.size} targets and {int(wrong)} errors."
        )
    limits = np.append(0, present[:-FEWEST_TARGETS])
    every = fitted(model, model.starts(matrix, limits), matrix)
    best = _best(every)
    plain = _best(fitted(model, model.starts(matrix, limits, biased=False), matrix, fixed=(0, 1)))
    # the fit with bias holds the one without: it can't be worse
    better = _best(fitted(model, plain, matrix)) if plain.value[0] > best.value[0] - 1e-6 else best
    best = better if better.value[0] > best.value[0] else best
    spread = model.standard_errors(best, matrix)
    likely = np.unique(np.append(every.limit[every.value > best.value[0] - LIKELY], best.limit))
    trials = int(matrix.sum())
    a, beta, w = (
        Score(
            float(best.theta[0, at]),
            *_profile(model, best, matrix, (at, spread[at], likely)),
            trials,
        )
        for at in range(3)
    )
    chi2 = max(0.0, 2 * float(best.value[0] - plain.value[0]))
    g2, p = _goodness(model, best, matrix, likely, rng, samples)
    return BiasedObserver(
        a, beta, w, float(best.theta[0, 3]), int(best.limit[0]), math.exp(-chi2 / 2), chi2,
        g2, p, None if p is None else p >= ALPHA, model.shares(best.theta, best.limit)[0],
    )  # fmt: skip


def _best(found: Fits) -> Fits:
    at = int(np.argmax(found.value))
    one = slice(at, at + 1)
    return Fits(found.theta[one], found.limit[one], found.value[one])


def _profile(
    model: Model, best: Fits, counts: Floats, about: tuple[int, float, Counts]
) -> tuple[float, float]:
    """Where the best log-likelihood falls 1.92 below the top, the other parameters fitted anew."""
    at, spread, limits = about
    away = np.linspace(-REACH, REACH, 2 * STEPS + 1) * spread
    values = np.clip(best.theta[0, at] + away, LOWEST[at], HIGHEST[at])
    theta = np.repeat(best.theta, values.size * limits.size, axis=0)
    theta[:, at] = np.repeat(values, limits.size)
    start = Fits(theta, np.tile(limits, values.size), np.zeros(len(theta)))
    found = fitted(model, start, counts, fixed=(at,)).value.reshape(values.size, -1).max(axis=1)
    below = found - (best.value[0] - HALF_CHI2)
    below[STEPS] = HALF_CHI2
    return _crossing(values, below, -1), _crossing(values, below, 1)


def _crossing(values: Floats, above: Floats, step: int) -> float:
    """Where a profile crosses 0 on the way out from the middle."""
    at = STEPS
    while 0 <= at + step < values.size:
        if above[at + step] < 0:
            share = above[at] / (above[at] - above[at + step])
            return float(values[at] + share * (values[at + step] - values[at]))
        at += step
    return float(values[at])


def _goodness(
    model: Model,
    best: Fits,
    counts: Floats,
    limits: Counts,
    rng: np.random.Generator,
    samples: int,
) -> tuple[float, float | None]:
    """G² and its p: how often a run drawn from the fit fits worse, after a fit of its own."""
    shares = model.shares(best.theta, best.limit)[0]
    observed = _g2(counts[None], shares[None], model.totals)[0]
    if model.totals.size > MOST_TARGETS or samples < 1:
        return float(observed), None
    drawn = np.zeros((samples, *shares.shape))
    # a number that nobody was shown may have no chance at all: its mean can lie far beyond 2m
    for at in np.flatnonzero(model.totals):
        chances = shares[:, at] / shares[:, at].sum()
        drawn[:, :, at] = rng.multinomial(int(model.totals[at]), chances, size=samples)
    start = Fits(
        np.repeat(best.theta, samples * limits.size, axis=0),
        np.tile(limits, samples),
        np.zeros(samples * limits.size),
    )
    every = np.repeat(drawn, limits.size, axis=0)
    found = fitted(model, start, every, close=ROUGHLY, rounds=ROUGH_ROUNDS)
    worse = _g2(every, model.shares(found.theta, found.limit), model.totals)
    least = worse.reshape(samples, -1).min(axis=1)
    return float(observed), float((1 + (least >= observed - 1e-9).sum()) / (1 + samples))


def _g2(counts: Floats, shares: Floats, totals: Floats) -> Floats:
    expected = np.maximum(shares * totals, 1e-300)
    logs = np.log(np.where(counts > 0, counts, 1.0) / np.where(counts > 0, expected, 1.0))
    return np.asarray(2 * (counts * logs).sum(axis=(1, 2)))
