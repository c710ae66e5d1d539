"""The fitted observer: recovery, coverage and the cases that tell nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.measures.sampling import sample_matrix

from subitize.errors import BadInput
from subitize.measures.baselines import (
    observer_matrix,
    perfect_matrix,
    random_matrix,
)
from subitize.measures.weber import fit_observer
from subitize.records import Score

PER_TARGET = 250
"""5 categories of 50 pictures each, summed"""


def ends(score: Score | None) -> tuple[float, float]:
    assert score is not None
    assert score.low is not None
    assert score.high is not None
    return score.low, score.high


@pytest.mark.budget(90)
@pytest.mark.parametrize("w", [0.10, 0.15, 0.25])
def test_intervals_cover_the_observer_that_was_simulated(w: float) -> None:
    rng = np.random.default_rng(int(1000 * w))
    matrix = observer_matrix(w=w)
    fits = [fit_observer(sample_matrix(matrix, PER_TARGET, rng)) for _ in range(200)]
    covered = np.mean([fit.w.low <= w <= fit.w.high for fit in fits])  # type: ignore[union-attr,operator]
    assert 0.90 <= covered <= 0.99
    assert np.mean([fit.w.value for fit in fits]) == pytest.approx(w, rel=0.01)  # type: ignore[union-attr]
    assert all(fit.limit_low <= 4 <= fit.limit_high for fit in fits)
    assert np.mean([fit.lapse.low == 0 for fit in fits]) > 0.9


def test_lapses_and_limit_are_told_from_noise() -> None:
    rng = np.random.default_rng(0)
    mixed = 0.1 * random_matrix() + 0.9 * observer_matrix(w=0.2, limit=3)
    fit = fit_observer(sample_matrix(mixed, PER_TARGET, rng))
    w_low, w_high = ends(fit.w)
    assert w_low < 0.2 < w_high
    assert fit.limit == 3
    low, high = ends(fit.lapse)
    assert low < 0.1 < high
    assert high - low < 0.05


@pytest.mark.parametrize(("w", "limit", "lapse"), [(0.15, 4, 0.0), (0.3, 2, 0.05), (0.5, 0, 0.2)])
def test_the_maximum_is_no_worse_than_a_general_optimiser_finds(
    w: float, limit: int, lapse: float
) -> None:
    rng = np.random.default_rng(1)
    truth = lapse * random_matrix() + (1 - lapse) * observer_matrix(w=w, limit=limit)
    counts = sample_matrix(truth, 60, rng)
    fit = fit_observer(counts)
    seen = counts[1:] > 0

    def cost(parameters: np.ndarray, limit: int) -> float:
        rate = 1 / (1 + np.exp(-parameters[1]))
        matrix = observer_matrix(w=float(np.exp(parameters[0])), limit=limit)[1:]
        chances = (1 - rate) * matrix + rate / 20
        return -float((counts[1:][seen] * np.log(chances[seen])).sum())

    best = min(
        minimize(cost, [np.log(0.2), -4.0], args=(limit,), method="Nelder-Mead").fun
        for limit in range(10)
    )
    assert fit.log_likelihood >= -best - 1e-3


def test_profile_interval_is_where_the_likelihood_falls_by_1_92() -> None:
    """One free parameter: with no lapse and a sure limit the profile can be drawn by hand."""
    counts = sample_matrix(observer_matrix(), PER_TARGET, np.random.default_rng(3))
    fit = fit_observer(counts)
    assert (fit.limit, fit.lapse.value) == (4, 0)

    def height(w: float) -> float:
        seen = counts[1:, 4:] > 0
        chances = observer_matrix(w=w)[1:, 4:][seen]
        return float((counts[1:, 4:][seen] * np.log(chances)).sum())

    assert fit.w is not None
    assert height(fit.w.value) == pytest.approx(fit.log_likelihood, abs=1e-4)
    # going up no lapse is needed, so the curve is the plain one
    assert fit.log_likelihood - height(ends(fit.w)[1]) == pytest.approx(1.9207, abs=0.01)


def test_a_perfect_responder_has_no_weber_fraction() -> None:
    fit = fit_observer(50 * perfect_matrix())
    assert fit.w is None
    assert fit.reason is not None
    assert "can't be told from 0" in fit.reason
    assert fit.limit == 10
    assert fit.lapse.value == 0
    found = fit.as_json()
    assert found["weber_fraction"] is None
    assert list(found["undefined"]) == ["weber_fraction"]


@pytest.mark.parametrize("seed", range(5))
def test_guesses_have_neither_fraction_nor_limit(seed: int) -> None:
    counts = sample_matrix(random_matrix(), 50, np.random.default_rng(seed))
    fit = fit_observer(counts)
    assert fit.w is None
    assert fit.limit is None
    assert fit.lapse.high == 1
    assert list(fit.as_json()["undefined"]) == ["weber_fraction", "subitizing_limit"]


def test_zeros_are_left_out_and_counted() -> None:
    counts = sample_matrix(observer_matrix(), 50, np.random.default_rng(0))
    plain = fit_observer(counts)
    counts[0, 6] = 9
    with_zeros = fit_observer(counts)
    assert with_zeros.left_out == 9
    assert with_zeros.trials == plain.trials == 500
    assert with_zeros.w == plain.w
    only_zeros = np.zeros((21, 10))
    only_zeros[0] = 3
    with pytest.raises(BadInput, match="nothing to fit"):
        fit_observer(only_zeros)


def test_other_ranges_and_few_trials() -> None:
    rng = np.random.default_rng(0)
    wide = fit_observer(sample_matrix(observer_matrix(highest_target=30), 40, rng))
    low, high = ends(wide.w)
    assert low < 0.15 < high
    single = np.zeros((21, 10))
    single[6, 4] = 1
    assert fit_observer(single).w is None
    narrow = fit_observer(sample_matrix(observer_matrix(highest_target=5), 4, rng))
    assert narrow.limit is None or 0 <= narrow.limit <= 5
