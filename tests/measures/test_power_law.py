"""The discrete power law: exact, recovered, told from others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from subitize.errors import BadInput
from subitize.measures.power_law import (
    FAR,
    _log_normal,
    _mean_logs,
    excess,
    fit_power_law,
    power_law_shares,
)


def counts_of(values: np.ndarray) -> dict[int, int]:
    found, many = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), many.tolist(), strict=True))


@pytest.mark.parametrize("alpha", [1.05, 1.5, 2.0, 3.7, 12.0])
def test_the_mean_logarithm_is_that_of_the_series(alpha: float) -> None:
    step = 1e-5
    slope = (np.log(special.zeta(alpha + step)) - np.log(special.zeta(alpha - step))) / (2 * step)
    assert _mean_logs(np.array([alpha]))[0] == pytest.approx(-slope, rel=1e-6)


def test_the_maximum_is_that_of_a_general_optimiser() -> None:
    counts = counts_of(stats.zipf(1.9).rvs(3000, random_state=1))
    numbers = np.array(list(counts), dtype=float)
    many = np.array(list(counts.values()), dtype=float)

    def loss(alpha: float) -> float:
        return float(many @ (alpha * np.log(numbers)) + many.sum() * np.log(special.zeta(alpha)))

    fit = fit_power_law(counts, np.random.default_rng(0), samples=0)
    best = optimize.minimize_scalar(loss, bounds=(1.1, 5), options={"xatol": 1e-10})
    assert fit.exponent.value == pytest.approx(best.x, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(-best.fun, rel=1e-12)
    assert fit.exponent.low is not None
    assert loss(fit.exponent.low) - best.fun == pytest.approx(1.9207, abs=1e-3)


@pytest.mark.budget(20)
@pytest.mark.parametrize("alpha", [1.6, 2.2, 3.0])
def test_intervals_cover_the_law_that_was_simulated(alpha: float) -> None:
    covered = []
    for seed in range(200):
        counts = counts_of(stats.zipf(alpha).rvs(500, random_state=seed))
        exponent = fit_power_law(counts, np.random.default_rng(0), samples=0).exponent
        assert exponent.low is not None
        assert exponent.high is not None
        covered.append(exponent.low <= alpha <= exponent.high)
    assert 0.91 <= np.mean(covered) <= 0.99


@pytest.mark.budget(40)
def test_goodness_is_even_under_the_law_and_small_under_others() -> None:
    rng = np.random.default_rng(5)
    found = [
        fit_power_law(counts_of(stats.zipf(2.1).rvs(400, random_state=seed)), rng, samples=60).p
        for seed in range(40)
    ]
    assert 0.3 < np.mean(found) < 0.7
    geometric = counts_of(rng.geometric(0.3, 2000))
    assert fit_power_law(geometric, rng, samples=60).p == 0


def test_the_right_law_wins() -> None:
    rng = np.random.default_rng(2)
    law = fit_power_law(counts_of(stats.zipf(2.0).rvs(20_000, random_state=3)), rng, samples=0)
    assert law.alternatives["exponential"].ratio > 0
    assert (law.alternatives["exponential"].p or 1) < 0.001
    falling = fit_power_law(counts_of(rng.geometric(0.4, 20_000)), rng, samples=0)
    assert falling.alternatives["exponential"].ratio < 0
    assert (falling.alternatives["exponential"].z or 0) < -5
    drawn = np.rint(np.exp(rng.normal(1.5, 0.6, 20_000)))
    bell = fit_power_law(counts_of(drawn[drawn > 0].astype(int)), rng, samples=0)
    assert bell.alternatives["log_normal"].ratio < 0
    assert bell.alternatives["log_normal"].parameters["mu"] == pytest.approx(1.5, abs=0.03)
    assert bell.alternatives["log_normal"].parameters["sigma"] == pytest.approx(0.6, abs=0.03)


def test_huge_numbers_and_huge_counts() -> None:
    counts = {n: int(1e9 * n**-2.0) for n in range(1, 3000)} | {10**14: 2}
    fit = fit_power_law(counts, np.random.default_rng(0), samples=3)
    assert fit.exponent.value == pytest.approx(2.0, abs=0.01)
    assert all(math.isfinite(one.log_likelihood) for one in fit.alternatives.values())


@pytest.mark.parametrize(
    "counts", [{1: 5, 10**18 - 1: 1}, {2: 9, 10**17: 1, 10**18 - 1: 3}, {1: 1, 2: 10**9}]
)
def test_numbers_as_large_as_any(counts: dict[int, int]) -> None:
    fit = fit_power_law(counts, np.random.default_rng(0), samples=3)
    assert all(math.isfinite(one.log_likelihood) for one in fit.alternatives.values())
    rate = fit.alternatives["exponential"].parameters["rate"]
    mean = sum(n * many for n, many in counts.items()) / sum(counts.values())
    assert rate == pytest.approx(-math.log1p(-1 / mean))


def test_the_classes_of_the_log_normal_join_its_density() -> None:
    """Large numbers are reckoned otherwise than small ones; where the ways part, both agree."""
    numbers = np.arange(FAR - 5, FAR + 6)
    found = _log_normal(np.append(3.0, numbers), np.append(5.0, np.ones(11)))[1][1:]
    steps = np.diff(found)
    assert steps == pytest.approx(steps.mean(), abs=1e-7)


def test_excess_over_the_law() -> None:
    expected, times = excess(1000, 100_000, 10, 2.0)
    assert expected == pytest.approx(100_000 * power_law_shares(np.array([10.0]), 2.0)[0])
    assert times.value == pytest.approx(1000 / expected)
    low, high = stats.poisson.interval(0.95, 1000)
    assert times.low == pytest.approx(low / expected, rel=0.01)
    assert times.high == pytest.approx(high / expected, rel=0.01)
    assert excess(0, 1000, 30, 2.0)[1].low == 0


@pytest.mark.parametrize("counts", [{}, {3: 5}, {0: 3, 1: 2}, {1: 4, 2: 0}])
def test_too_little_is_an_error(counts: dict[int, int]) -> None:
    with pytest.raises(BadInput, match=r"power law|below 1"):
        fit_power_law(counts, np.random.default_rng(0))
