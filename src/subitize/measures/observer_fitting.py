"""Fitting many observers with bias at once: Fisher scoring on count tables, a fit per row.

A parameter set is (a, β, w, λ) with a limit; counts are [response 1..2m, target 1..m], one table
for all fits or one for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from subitize.measures.trials import Counts, Floats

ROUNDS = 30
"""of scoring, at most"""
CLOSE = 1e-7
"""a gain of log-likelihood below this ends a fit"""
NUDGE = 1e-5
"""of a parameter, for its derivative"""
LOWEST = np.array([1e-3, -1.0, 5e-3, 0.0])
HIGHEST = np.array([100.0, 4.0, 3.0, 0.999])
"""ends of a, β, w and λ"""
HALVINGS = 6
"""of a step that makes the fit worse"""
LEAST = 1e-300
HELD_AT_ONCE = 2_000_000
"""shares held at once, in each of a dozen arrays"""


class Fits(NamedTuple):
    """Parameters of many fits."""

    theta: Floats
    """a, β, w, λ: [fit, 4]"""
    limit: Counts
    value: Floats
    """log-likelihood, without the multinomial constant"""


class Model:
    """The observer with bias for targets 1..m, with as many answers to each as were given."""

    def __init__(self, counts: Floats) -> None:
        rows, highest = counts.shape
        self.targets = np.arange(1.0, highest + 1)
        self.totals = counts.sum(axis=0)
        self.edges = np.arange(rows + 1)[:, None] + 0.5
        self.right = np.eye(rows, highest)

    def shares(self, theta: Floats, limit: Counts) -> Floats:
        """P(g | t) of every parameter set: [fit, response, target]."""
        from scipy.special import ndtr

        a, beta, w, lapse = (theta[:, at, None, None] for at in range(4))
        mean = a * self.targets**beta
        z = (self.edges - mean) / (w * mean)
        # the smaller tail of both: 1 − Φ loses all digits
        above = z[:, :-1] > 0
        tails = ndtr(-np.abs(z))
        whole = np.abs(tails[:, 1:] - tails[:, :-1])
        across = (z[:, :-1] <= 0) & (z[:, 1:] > 0)
        mass = np.where(across & ~above, 1 - tails[:, 1:] - tails[:, :-1], whole)
        total = mass.sum(axis=1, keepdims=True)
        noisy = mass / np.where(total > 0, total, 1.0)
        exact = self.targets <= limit[:, None, None]
        return np.asarray(
            (1 - lapse) * np.where(exact, self.right, noisy) + lapse / len(self.right)
        )

    def starts(self, counts: Floats, limits: Counts, *, biased: bool = True) -> Fits:
        """Where to begin for each limit: the bend of the means and a few spreads around it."""
        responses = np.arange(1.0, len(counts) + 1)[:, None]
        many = np.where(self.totals > 0, self.totals, 1.0)
        means = (counts * responses).sum(axis=0) / many
        rows = []
        for limit in limits.tolist():
            used = (self.totals > 0) & (self.targets > limit)
            bend = np.polyfit(np.log(self.targets[used]), np.log(means[used]), 1)
            bends = [(1.0, 1.0)]
            if biased:
                bends.append((float(np.exp(bend[1])), float(bend[0])))
            rows += [(a, beta, w, 0.02, limit) for a, beta in bends for w in (0.06, 0.15, 0.4)]
        table = np.array(rows)
        theta = np.clip(table[:, :4], LOWEST, HIGHEST)
        return Fits(theta, table[:, 4].astype(np.int64), np.zeros(len(table)))

    def standard_errors(self, best: Fits, counts: Floats) -> Floats:
        """From the expected information at one fit; a tenth of a value where it has none."""
        shares = self.shares(best.theta, best.limit)
        slopes = self._slopes(best.theta, best.limit, shares)
        _, information = self._scores(shares, slopes, counts)
        ridge = information[0] + np.diag(1e-9 + 1e-9 * np.diag(information[0]))
        spread = np.sqrt(np.abs(np.diag(np.linalg.inv(ridge))))
        most = np.maximum(np.abs(best.theta[0]), 0.1)
        return np.asarray(np.where(np.isfinite(spread), np.clip(spread, 1e-4, most), most / 10))

    def _slopes(self, theta: Floats, limit: Counts, shares: Floats) -> Floats:
        """Derivatives of P by each parameter: [fit, parameter, response, target]."""
        found = []
        for at in range(3):
            moved = theta.copy()
            moved[:, at] += NUDGE
            step = (moved[:, at] - theta[:, at])[:, None, None]
            found.append((self.shares(moved, limit) - shares) / step)
        lapse, even = theta[:, 3, None, None], 1 / len(self.right)
        found.append(even - (shares - lapse * even) / (1 - lapse))
        return np.stack(found, axis=1)

    def _scores(self, shares: Floats, slopes: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Gradient [fit, 4] and expected information [fit, 4, 4]."""
        safe = np.maximum(shares, LEAST)
        gradient = np.einsum("kpgt,kgt->kp", slopes, np.where(counts > 0, counts / safe, 0.0))
        flat = slopes * np.sqrt(np.where(shares > 1e-12, self.totals / safe, 0.0))[:, None]
        flat = flat.reshape(*flat.shape[:2], -1)
        return gradient, flat @ np.swapaxes(flat, 1, 2)

    def log_likelihood(self, theta: Floats, limit: Counts, counts: Floats) -> Floats:
        logs = np.log(np.maximum(self.shares(theta, limit), LEAST))
        return np.asarray((counts * logs).sum(axis=(1, 2)))

    def improved(self, fits: Fits, counts: Floats, free: Floats) -> Fits:
        """One round of scoring; a step that makes a fit worse is halved, then left."""
        theta, limit, value = fits
        shares = self.shares(theta, limit)
        gradient, information = self._scores(shares, self._slopes(theta, limit, shares), counts)
        # a parameter at its end that would leave it stays there in this round
        stuck = ((theta <= LOWEST) & (gradient < 0)) | ((theta >= HIGHEST) & (gradient > 0))
        moving = free * ~stuck
        gradient = gradient * moving
        information = information * moving[:, :, None] * moving[:, None, :]
        scale = np.einsum("kpp->kp", information)
        information = information + np.eye(4) * (1e-8 * scale + 1e-8 + (moving == 0))[:, None, :]
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        step *= np.minimum(1.0, 1 / np.maximum(np.abs(step).max(axis=1), LEAST))[:, None]
        best, value, left = theta.copy(), value.copy(), np.arange(len(theta))
        for halved in range(HALVINGS):
            tried = np.clip(theta[left] + step[left] / 4**halved, LOWEST, HIGHEST)
            table = counts[left] if counts.ndim == 3 else counts
            found = self.log_likelihood(tried, limit[left], table)
            better = found > value[left]
            best[left[better]], value[left[better]] = tried[better], found[better]
            left = left[~better]
            if not left.size:
                break
        return Fits(best, limit, value)


def fitted(
    model: Model,
    start: Fits,
    counts: Floats,
    *,
    fixed: Sequence[int] = (),
    close: float = CLOSE,
    rounds: int = ROUNDS,
) -> Fits:
    """Every start led uphill, some at a time; parameters whose place is in `fixed` stay."""
    free = np.ones(4)
    free[list(fixed)] = 0.0
    some = max(1, HELD_AT_ONCE // model.right.size)
    parts = []
    for begin in range(0, len(start.theta), some):
        at = slice(begin, begin + some)
        own = counts[at] if counts.ndim == 3 else counts
        some_of = Fits(start.theta[at], start.limit[at], start.value[at])
        parts.append(_led_uphill(model, some_of, own, free, (close, rounds)))
    return Fits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _led_uphill(
    model: Model, start: Fits, counts: Floats, free: Floats, until: tuple[float, int]
) -> Fits:
    theta, limit = start.theta.copy(), start.limit
    value = model.log_likelihood(theta, limit, counts)
    active = np.arange(len(theta))
    own = counts.ndim == 3
    close, rounds = until
    for _ in range(rounds):
        table = counts[active] if own else counts
        found = model.improved(Fits(theta[active], limit[active], value[active]), table, free)
        gained = found.value - value[active]
        theta[active], value[active] = found.theta, found.value
        active = active[gained > close]
        if not active.size:
            break
    return Fits(theta, limit, value)
