"""Fitting the human observer: Weber fraction w, subitizing limit L and lapse rate λ.

P(g | t) = (1 − λ) · O(g | t) + λ / 2m on the responses g = 1..2m, where O is the ideal observer:
exact for t ≤ L, else N(t, w t) rounded and renormalised on 1..2m. Fitted by maximum likelihood
to the counts of a confusion matrix. Responses of 0 have no probability under any w: they are
left out of the fit and counted in `left_out`. Responses above 2m stand in the last row as 2m.

The intervals come from the profile likelihood: all values whose best log-likelihood is within
χ²(.95; 1)/2 = 1.92 of the maximum. The fit assumes one way of asking: choosing the best of
several prompt forms afterwards makes w look smaller than it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts, check_fittable
from subitize.measures.trials import Floats
from subitize.records import Score

LOWEST, HIGHEST = 0.01, 3.0
"""Weber fractions looked at: below, no answer up to 10 is ever wrong; above, all are guesses"""
GRID = 64
ZOOM = 9
ROUNDS = 5
HALF_CHI2 = 1.920729410347062
"""half the .95 quantile of χ² with one degree of freedom"""
HALF_CHI2_3 = 3.907363951
"""half the .95 quantile of χ² with three: w, limit and lapse together against guessing"""
HELD_AT_ONCE = 1_000_000
"""numbers in one array of cells by limit and w"""
ENDLESS = "no upper end: these responses allow any larger w"
TOLD_APART = 1e-3
"""log-likelihoods closer than this say the same"""


class ObserverFit(NamedTuple):
    """The observer that explains the responses best, with 95 % profile intervals."""

    w: Score | None
    """Weber fraction, None if the responses can't tell it (see `reason`); its lower end is 0 if no
    w is too small, its upper None if none is too large"""
    limit: int | None
    """subitizing limit: up to it every error is a lapse; None if all may be guesses"""
    limit_low: int
    """smallest limit that the responses allow"""
    limit_high: int
    """largest limit that the responses allow"""
    lapse: Score
    """share of responses that are guesses from 1..2m"""
    log_likelihood: float
    """of the best fit, without the multinomial constant"""
    trials: int
    """responses fitted"""
    left_out: int
    """responses of 0"""
    reason: str | None
    """why w is None"""

    def as_json(self) -> dict[str, Any]:
        """As the scores object has it; what is undefined stands under `undefined`."""
        missing = {"weber_fraction": self.w, "subitizing_limit": self.limit}
        return {
            "weber_fraction": None if self.w is None else self.w.as_json(),
            "subitizing_limit": self.limit,
            "subitizing_limit_interval": [self.limit_low, self.limit_high],
            "lapse_rate": self.lapse.as_json(),
            "undefined": {
                **{name: self.reason for name, found in missing.items() if found is None},
                **({"weber_fraction.interval": ENDLESS} if self.w and self.w.high is None else {}),
            },
        }


class _Likelihood:
    """Log-likelihood of the filled cells of a matrix, for many parameters at once."""

    def __init__(self, counts: Floats) -> None:
        rows, columns = np.nonzero(counts[1:])
        self.responses, self.targets = rows + 1.0, columns + 1.0
        self.times = counts[1:][rows, columns]
        self.highest = counts.shape[1]
        self.guess = 1 / (2 * self.highest)
        limits = np.arange(self.highest + 1)
        self.exact = self.targets <= limits[:, None]
        self.right = (self.responses == self.targets).astype(np.float64)

    def observer(self, w: Floats) -> Floats:
        """O of each filled cell, were it above the limit: [w, cell]."""
        from scipy.special import ndtr

        spread = w[:, None] * self.targets

        def mass(low: Any, high: Any) -> Floats:
            # Of the two tails take the one where Φ is small: 1 − Φ loses all digits
            one, other = (low - self.targets) / spread, (high - self.targets) / spread
            above = one > 0
            tails = ndtr(np.where(above, -one, other)), ndtr(np.where(above, -other, one))
            return np.asarray(tails[0] - tails[1])

        inside = mass(0.5, 0.5 + 2 * self.highest)
        return mass(self.responses - 0.5, self.responses + 0.5) / inside

    def best_lapse(self, w: Floats) -> tuple[Floats, Floats]:
        """For every w and limit the best λ and its log-likelihood: [w, limit] each.

        A few w and limits at a time, so that memory does not grow with targets × answers.
        """
        above = self.observer(w)
        lapse, value = np.empty((2, w.size, len(self.exact)))
        some = max(1, HELD_AT_ONCE // self.exact.size)
        few = max(1, HELD_AT_ONCE // self.times.size)
        for row in range(0, w.size, some):
            for column in range(0, len(self.exact), few):
                at = slice(row, row + some), slice(column, column + few)
                share = np.where(self.exact[at[1]], self.right, above[at[0], None, :])
                lapse[at], value[at] = self._best_lapse(share)
        return lapse, value

    def _best_lapse(self, share: Floats) -> tuple[Floats, Floats]:
        """The log-likelihood is concave in λ, so its slope has one root: halve the bracket."""
        toward = self.guess - share
        low, high = np.zeros(share.shape[:2]), np.ones(share.shape[:2])
        for _ in range(30):
            middle = (low + high) / 2
            slope = (self.times * toward / (share + middle[..., None] * toward)).sum(axis=-1)
            up = slope > 0
            low, high = np.where(up, middle, low), np.where(up, high, middle)
        lapse = (low + high) / 2
        value = self.logs(share, lapse).sum(axis=-1)
        for end in (0.0, 1.0):  # an end beats a bracket that only shrank towards it
            at_end = self.logs(share, np.full_like(lapse, end)).sum(axis=-1)
            better = at_end >= value
            lapse, value = np.where(better, end, lapse), np.where(better, at_end, value)
        return lapse, value

    def profile(self, w: Floats) -> Floats:
        """Best log-likelihood for each w, over λ and the limits that leave w a part to play."""
        return np.asarray(self.best_lapse(w)[1][:, :-1].max(axis=1))

    def logs(self, share: Floats, lapse: Floats) -> Floats:
        """n log P of each filled cell, for shares [..., cell] and lapse rates [...]."""
        with np.errstate(divide="ignore"):
            mixed = np.log(share + lapse[..., None] * (self.guess - share))
        return np.asarray(self.times * mixed)

    def by_lapse(self, lapse: Floats, w: Floats) -> Floats:
        """Best log-likelihood over w and limit for each λ: [λ]."""
        exact_logs = self.logs(self.right, lapse)  # [λ, cell]
        best = np.full(lapse.size, -np.inf)
        step = max(1, HELD_AT_ONCE // (lapse.size * self.times.size))
        for part in (w[at : at + step] for at in range(0, w.size, step)):
            noisy_logs = self.logs(self.observer(part), lapse[:, None])  # [λ, w, cell]
            for inside in self.exact:
                rest = noisy_logs[..., ~inside].sum(axis=-1).max(axis=1)
                best = np.maximum(best, exact_logs[:, inside].sum(axis=-1) + rest)
        return best


def fit_observer(counts: ArrayLike) -> ObserverFit:
    """Maximum likelihood fit of w, limit and lapse rate to a confusion matrix of counts.

    (w, L, λ) = argmax Σ counts[g, t] log((1 − λ) O(g | t; w, L) + λ / 2m)
    Unit: sd / target. Best: 0 (sharpest); people are near .15 with limit 4.

    >>> from subitize.measures.baselines import observer_matrix
    >>> found = fit_observer(np.round(250 * observer_matrix()))
    >>> round(found.w.value, 2), found.limit, found.w.low < 0.15 < found.w.high
    (0.15, 4, True)
    """
    matrix = check_counts(counts)
    check_fittable(matrix)
    left_out, trials = int(matrix[0].sum()), int(matrix[1:].sum())
    if trials == 0:
        raise BadInput(
            f"All {left_out} readable responses are 0: the observer never says 0, "
            "so there is nothing to fit."
        )
    likelihood = _Likelihood(matrix)
    grid = np.geomspace(LOWEST, HIGHEST, GRID)
    table = likelihood.best_lapse(grid)[1]
    w = _highest(likelihood, grid, table)
    lapses, at_best = likelihood.best_lapse(np.array([w]))
    by_limit = np.maximum(table.max(axis=0), at_best[0])
    top = float(by_limit.max())
    # Ties go to the larger limit: a perfect responder is exact everywhere
    limit = int(np.nonzero(by_limit >= top - TOLD_APART)[0].max())
    allowed = np.nonzero(by_limit >= top - HALF_CHI2)[0]
    lapse = float(lapses[0, limit])
    # w moves little with λ unless λ is high: fine steps near the best one, coarse ones elsewhere
    near = np.append(np.geomspace(max(LOWEST, w / 1.5), min(HIGHEST, w * 1.5), GRID), grid[::2])
    low, high = _w_interval(likelihood, grid, table, (w, top))
    guessing = trials * np.log(likelihood.guess) >= top - HALF_CHI2_3
    reason = None
    if guessing:
        reason = "the responses can't be told from guesses, which fit every w and limit"
    elif limit == likelihood.highest:
        reason = "no errors but lapses up to the highest target: w can't be told from 0"
    elif low == 0.0 and high is None:
        reason = "the responses fit every w alike"
    return ObserverFit(
        Score(w, low, high, trials) if reason is None else None,
        None if guessing else limit,
        int(allowed.min()),
        int(allowed.max()),
        Score(lapse, *_lapse_interval(likelihood, near, lapse, top), trials),
        top,
        trials,
        left_out,
        reason,
    )


def _highest(likelihood: _Likelihood, grid: Floats, table: Floats) -> float:
    """The w with the highest profile, by zooming in around the best point of the grid."""
    best = int(np.argmax(table[:, :-1].max(axis=1)))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    for _ in range(ROUNDS):
        points = np.geomspace(low, high, ZOOM)
        at = int(np.argmax(likelihood.profile(points)))
        low, high = points[max(at - 1, 0)], points[min(at + 1, ZOOM - 1)]
    return float(np.sqrt(low * high))


def _w_interval(
    likelihood: _Likelihood, grid: Floats, table: Floats, peak: tuple[float, float]
) -> tuple[float, float | None]:
    """Where the profile of w falls 1.92 below the top: 0 and None if it does not."""
    w, top = peak
    floor = top - HALF_CHI2
    order = np.argsort(points := np.append(grid, w))
    points = points[order]
    inside = np.nonzero(np.append(table[:, :-1].max(axis=1), top)[order] >= floor)[0]
    first, last = int(inside.min()), int(inside.max())

    def end(at: int, outside: int) -> float:
        return _crossing(likelihood.profile, points[at], points[outside], floor)

    low = 0.0 if first == 0 else end(first, first - 1)
    return low, None if last == points.size - 1 else end(last, last + 1)


def _lapse_interval(
    likelihood: _Likelihood, w: Floats, lapse: float, top: float
) -> tuple[float, float]:
    """Where the profile of λ falls 1.92 below the top; 0 and 1 are its ends."""
    floor = top - HALF_CHI2

    def profile(rates: Floats) -> Floats:
        return likelihood.by_lapse(rates, w)

    low, high = (
        end if profile(np.array([end]))[0] >= floor else _crossing(profile, lapse, end, floor)
        for end in (0.0, 1.0)
    )
    return low, high


def _crossing(
    profile: Callable[[Floats], Floats], inner: float, outer: float, floor: float
) -> float:
    """Where a profile that is above the floor at `inner` falls below it on the way to `outer`."""
    for _ in range(ROUNDS + 1):
        between = np.linspace(inner, outer, ZOOM)
        good = profile(between) >= floor
        good[0] = True
        at = min(int(np.nonzero(good)[0].max()), ZOOM - 2)
        inner, outer = float(between[at]), float(between[at + 1])
    return (inner + outer) / 2
