"""How counts of numbers fall off: a discrete power law by exact maximum likelihood.

p(n) = n^−α / ζ(α) for n = 1, 2, 3 … The maximum solves −ζ′(α)/ζ(α) = mean of ln n. Its interval is
the profile likelihood's: all α within χ²(.95; 1)/2 = 1.92 of the maximum. Goodness: the largest
distance between the two distribution functions up to n = 1,000 (10,000 where numbers go that far),
against samples drawn from the
fit and fitted again. Alternatives, on the same n ≥ 1: a log-normal in classes of width 1 and the
exponential (geometric), by likelihood ratio with Vuong's test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.measures.trials import Floats
from subitize.records import Score

HALF_CHI2 = 1.920729410347062
"""half the .95 quantile of χ² with one degree of freedom"""
STEEPEST = 60.0
"""exponents looked at: above, nothing but ones is ever drawn"""
GENTLEST = 1 + 1e-9
CELLS = 10_000
"""numbers up to which distances are taken at most; larger ones are drawn together"""
FEWEST_CELLS = 1000
"""… and where all numbers are smaller"""
SAMPLES = 1000
AT_ONCE = 100
"""samples fitted together"""
DIRECT = 40
"""terms of the series that are added one by one"""
FAR = 1e6
"""from here on a class of the log-normal is as its density"""
HALVINGS = 50
"""after which an exponent is known to 1e-13"""


@dataclass(frozen=True)
class Alternative:
    """Another law fitted to the same counts, against the power law."""

    parameters: dict[str, float]
    log_likelihood: float
    ratio: float
    """log-likelihood of the power law less this one's: above 0 the power law explains more"""
    z: float | None
    """Vuong's statistic: the ratio in standard errors; null where both say the same of each n"""
    p: float | None
    """of a ratio as far from 0 when both laws are as far from the truth"""


@dataclass(frozen=True)
class PowerLaw:
    """The fitted power law."""

    exponent: Score
    """α with its 95 % profile interval"""
    log_likelihood: float
    distance: float
    """largest distance of the distribution functions"""
    p: float
    """share of samples from the fit that lie as far from their own fit: small is no power law"""
    samples: int
    """how many were drawn for p"""
    total: int
    """numbers fitted"""
    alternatives: dict[str, Alternative]

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"exponent": self.exponent.as_json()}


def fit_power_law(
    counts: Mapping[int, int], rng: np.random.Generator, *, samples: int = SAMPLES
) -> PowerLaw:
    """The power law behind counts of the numbers 1, 2, 3 …

    >>> counts = {1: 6079, 2: 1520, 3: 675, 4: 380, 5: 243, 6: 169, 7: 124, 8: 95, 9: 75, 10: 61}
    >>> round(fit_power_law(counts, np.random.default_rng(0), samples=10).exponent.value, 2)
    2.25
    """
    numbers, many = _checked(counts)
    total = int(many.sum())
    mean_log = float(many @ np.log(numbers)) / total
    alpha = float(_exponents(np.array([mean_log]))[0])

    def loss(at: float) -> float:
        """How far below its maximum the log-likelihood is, less the interval's depth."""
        return total * ((at - alpha) * mean_log + _log_zeta(at) - _log_zeta(alpha)) - HALF_CHI2

    low = _root(loss, GENTLEST, alpha) if loss(GENTLEST) > 0 else 1.0
    high = _root(loss, alpha, STEEPEST) if loss(STEEPEST) > 0 else None
    below = -alpha * np.log(numbers) - _log_zeta(alpha)
    cells = CELLS if numbers.max() > FEWEST_CELLS else FEWEST_CELLS
    distance = _distance(_cells(numbers, many, cells), total, alpha)
    drawn = [
        distance
        for begun in range(0, samples, AT_ONCE)
        for distance in _drawn_distances(min(AT_ONCE, samples - begun), total, alpha, cells, rng)
    ]
    return PowerLaw(
        Score(alpha, low, high, total),
        float(many @ below),
        distance,
        float(np.mean(np.array(drawn) >= distance)) if drawn else math.nan,
        samples,
        total,
        {
            "log_normal": _against(many, below, *_log_normal(numbers, many)),
            "exponential": _against(many, below, *_exponential(numbers, many)),
        },
    )


def excess(counted: int, total: int, number: int, exponent: float) -> tuple[float, Score]:
    """How often a number is expected by the power law, and how many times that it was counted.

    excess = counted / (total · n^−α / ζ(α)), with the exact Poisson interval of the count; the fit
    is taken as given. Unit: times. 1: as often as the law says.

    >>> expected, times = excess(30, 1000, 10, 2.0)
    >>> round(expected, 2), round(times.value, 2), round(times.low, 2), round(times.high, 2)
    (6.08, 4.93, 3.33, 7.04)
    """
    from scipy.special import gammaincinv

    expected = total * math.exp(-exponent * math.log(number) - _log_zeta(exponent))
    low = float(gammaincinv(counted, 0.025)) if counted else 0.0
    high = float(gammaincinv(counted + 1, 0.975))
    return expected, Score(counted / expected, low / expected, high / expected, counted)


def power_law_shares(numbers: Floats, exponent: float) -> Floats:
    """What share of all numbers the law gives to each.

    >>> power_law_shares(np.array([1.0, 2.0]), 2.0).round(3).tolist()
    [0.608, 0.152]
    """
    return np.asarray(np.exp(-exponent * np.log(numbers) - _log_zeta(exponent)))


def _checked(counts: Mapping[int, int]) -> tuple[Floats, Floats]:
    known = {number: many for number, many in counts.items() if many}
    if any(number < 1 or many < 0 for number, many in known.items()):
        raise BadInput("Counts of numbers hold one below 1: give how often 1, 2, 3 … came up.")
    if len(known) < 2:
        raise BadInput(f"A power law needs at least two different numbers: found {len(known)}.")
    order = sorted(known)
    return np.array(order, dtype=np.float64), np.array([known[n] for n in order], dtype=np.float64)


def _log_zeta(alpha: float) -> float:
    return float(_log_zetas(np.array(alpha)))


def _log_zetas(alphas: Floats) -> Floats:
    from scipy.special import zeta

    # ζ(α) − 1 keeps its digits where ζ is close to 1
    return np.asarray(np.log1p(zeta(alphas, 2.0)))


def _mean_logs(alphas: Floats) -> Floats:
    """−ζ′(α) / ζ(α), the mean of ln n under each law; by Euler and Maclaurin, to 14 digits."""
    logs = np.log(np.arange(2.0, DIRECT))
    end, log_end = float(DIRECT), math.log(DIRECT)
    head = np.exp(-np.multiply.outer(alphas, logs)) @ logs
    scale = np.exp(-alphas * log_end)
    rest = alphas - 1
    tail = end * scale * (log_end / rest + 1 / rest**2) + scale * log_end / 2
    # derivatives of ln x · x^−α
    first = scale / end * (1 - alphas * log_end)
    third = (
        scale
        / end**3
        * (3 * alphas**2 + 6 * alphas + 2 - alphas * (alphas + 1) * (alphas + 2) * log_end)
    )
    return np.asarray((head + tail - first / 12 + third / 720) / np.exp(_log_zetas(alphas)))


def _exponents(mean_logs: Floats) -> Floats:
    """The α under which ln n has each of these means, which fall with it: by halving."""
    low, high = np.full(mean_logs.shape, 1 + 1e-6), np.full(mean_logs.shape, STEEPEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        more = _mean_logs(middle) > mean_logs
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.asarray((low + high) / 2)


def _root(function: Any, low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-13, rtol=1e-13))


def _cells(numbers: Floats, many: Floats, cells: int) -> Floats:
    """Counts of 1, 2 … as far as distances are taken."""
    inside = numbers <= cells
    found = np.zeros(cells)
    found[numbers[inside].astype(np.int64) - 1] = many[inside]
    return found


_LOGS = np.log(np.arange(1.0, CELLS + 1))


def _distance(cells: Floats, total: int, alpha: float) -> float:
    expected = np.exp(-alpha * _LOGS[: cells.size] - _log_zeta(alpha))
    return float(np.abs(np.cumsum(cells / total - expected)).max())


def _drawn_distances(
    samples: int, total: int, alpha: float, cells: int, rng: np.random.Generator
) -> list[float]:
    """The distances of samples from their own fits.

    Above the cells ln n is as good as exponential, so a sum of many is one gamma number.
    """
    logs = _LOGS[:cells]
    shares = np.exp(-alpha * logs - _log_zeta(alpha))
    shares = np.append(shares, max(0.0, 1 - shares.sum()))
    drawn, sums = [], []
    for _ in range(samples):
        many = rng.multinomial(total, shares).astype(np.float64)
        drawn.append(many[:-1])
        sums.append(float(many[:-1] @ logs))
        if beyond := many[-1]:
            sums[-1] += beyond * math.log(cells + 0.5) + rng.gamma(beyond, 1 / (alpha - 1))
    fitted = _exponents(np.array(sums) / total).tolist()
    return [_distance(many, total, one) for many, one in zip(drawn, fitted, strict=True)]


def _log_normal(numbers: Floats, many: Floats) -> tuple[dict[str, float], Floats]:
    """The best log-normal in classes n ± ½, cut below ½: parameters and ln p of each number."""
    from scipy.optimize import minimize
    from scipy.special import log_ndtr

    near, ln = np.minimum(numbers, FAR), np.log(numbers)
    low, high, cut = np.log(near - 0.5), np.log(near + 0.5), math.log(0.5)

    @np.errstate(all="ignore")
    def logs(parameters: Floats) -> Floats:
        mu, log_sigma = parameters
        sigma = np.exp(log_sigma)
        # from the tail that a class is in, where it keeps its digits
        below = high < mu
        upper = log_ndtr(np.where(below, high - mu, mu - low) / sigma)
        lower = log_ndtr(np.where(below, low - mu, mu - high) / sigma)
        width = upper + np.log1p(-np.exp(np.minimum(lower - upper, -1e-300)))
        density = -(((ln - mu) / sigma) ** 2) / 2 - ln - log_sigma - math.log(2 * math.pi) / 2
        inside = np.where(numbers > FAR, np.minimum(density, 0.0), width)
        return np.asarray(inside - log_ndtr((mu - cut) / sigma))

    weights = many / many.sum()
    mean = float(weights @ np.log(numbers))
    spread = math.sqrt(float(weights @ (np.log(numbers) - mean) ** 2)) or 0.1
    begun = [(mean, math.log(spread)), (mean - 2 * spread, math.log(2 * spread))]

    def loss(parameters: Floats) -> float:
        found = -float(weights @ logs(parameters))
        return found if math.isfinite(found) else 1e9

    options: Any = {"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000, "maxfev": 4000}
    tried = [minimize(loss, one, method="Nelder-Mead", options=options) for one in begun]
    best = min(tried, key=lambda one: float(one.fun)).x
    return {"mu": float(best[0]), "sigma": math.exp(float(best[1]))}, logs(best)


def _exponential(numbers: Floats, many: Floats) -> tuple[dict[str, float], Floats]:
    """The geometric distribution, (1 − q) q^(n − 1)."""
    mean = float(many @ numbers / many.sum())
    log_q = math.log1p(-1 / mean)  # where numbers are enormous 1 − 1/mean would be 1
    return {"rate": -log_q}, (numbers - 1) * log_q - math.log(mean)


def _against(
    many: Floats, ours: Floats, parameters: dict[str, float], theirs: Floats
) -> Alternative:
    """Vuong's test of two laws that are not nested."""
    total, differences = float(many.sum()), ours - theirs
    ratio = float(many @ differences)
    spread = math.sqrt(float(many @ (differences - ratio / total) ** 2) / total)
    z = ratio / (spread * math.sqrt(total)) if spread > 0 else None
    p = None if z is None else math.erfc(abs(z) / math.sqrt(2))
    return Alternative(parameters, float(many @ theirs), ratio, z, p)
