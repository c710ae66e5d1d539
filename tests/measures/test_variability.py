"""Scalar variability against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from tests.measures.sampling import sample_matrix

from subitize.errors import BadInput
from subitize.measures.baselines import legacy_observer_sample, observer_matrix
from subitize.measures.summary import evaluate
from subitize.measures.trials import trials_of
from subitize.measures.variability import scalar_variability, spread_by_target


@pytest.mark.parametrize("seed", range(5))
def test_regression_against_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    targets, responses = trials_of(sample_matrix(observer_matrix(w=0.3, limit=seed), 40, rng))
    _, mean, error = spread_by_target(targets, responses)
    kept = error > 0
    fit = sm.OLS(np.log(error[kept]), sm.add_constant(np.log(mean[kept]))).fit()
    against_one = fit.t_test("x1 = 1")
    found = scalar_variability(targets, responses)
    assert found.slope == pytest.approx(fit.params[1])
    assert (found.slope_low, found.slope_high) == pytest.approx(tuple(fit.conf_int()[1]))
    assert found.t == pytest.approx(float(against_one.tvalue.squeeze()))
    assert found.p == pytest.approx(float(against_one.pvalue))
    assert found.f_p == pytest.approx(fit.f_pvalue)
    assert found.r2 == pytest.approx(fit.rsquared)
    assert found.adjusted_r2 == pytest.approx(fit.rsquared_adj)
    assert found.verdict == ("scalar" if found.p >= 0.05 else "not scalar")


def test_standard_error_is_not_a_standard_deviation() -> None:
    _, mean, error = spread_by_target([5, 5, 5, 5], [4, 6, 5, 5])
    assert mean.tolist() == [5]
    assert error[0] == pytest.approx(np.std([4, 6, 5, 5], ddof=1) / 2)
    assert np.isnan(spread_by_target([5], [4])[2][0])


def test_weber_like_responders_pass_and_constant_noise_fails() -> None:
    rng = np.random.default_rng(2)
    asked = np.repeat(np.arange(1, 11) * 10.0, 400)
    weber = asked + 0.15 * asked * rng.standard_normal(asked.size)
    assert scalar_variability(asked, np.maximum(weber, 0)).verdict == "scalar"
    same = asked + rng.standard_normal(asked.size)
    found = scalar_variability(asked, same)
    assert found.verdict == "not scalar"
    assert found.slope == pytest.approx(0, abs=0.1)


def test_numgen_drops_only_leading_targets_up_to_four() -> None:
    asked = np.repeat([1, 5, 6, 7, 8], 4)
    spread = np.tile([-1, 1, 1, -1], 5) * np.repeat([0, 1, 1, 0, 2], 4)
    standard = scalar_variability(asked, asked + spread)
    assert standard.targets == (5, 6, 8)
    assert standard.verdict != "not testable"
    numgen = scalar_variability(asked, asked + spread, rule="numgen")
    assert numgen.targets == (5, 6, 7, 8)
    assert numgen.verdict == "not testable"
    assert numgen.reason is not None
    assert "no spread" in numgen.reason
    with pytest.raises(BadInput, match="standard or numgen"):
        scalar_variability(asked, asked, rule="strict")  # type: ignore[arg-type]


def test_too_few_targets_are_not_testable() -> None:
    found = scalar_variability([5, 5, 6, 6], [5, 4, 6, 7])
    assert found.verdict == "not testable"
    assert found.slope is None
    assert scalar_variability([1, 2, 3], [1, 2, 3]).verdict == "not testable"
    same_mean = scalar_variability([1, 1, 2, 2, 3, 3], [1, 3, 1, 3, 0, 4])
    assert same_mean.verdict == "not testable"


def test_points_on_a_line_have_an_exact_slope() -> None:
    asked = np.repeat([4.0, 8.0, 16.0], 2)
    wide = asked + asked * np.tile([-0.25, 0.25], 3)
    assert scalar_variability(asked, wide).p == 1.0
    flat = asked + np.tile([-1.0, 1.0], 3)
    assert scalar_variability(asked, flat).p == 0.0


def test_one_row_table() -> None:
    table = evaluate(legacy_observer_sample())
    assert round(table["accuracy"], 3) == 0.611
    assert round(table["mwe"], 4) == 0.0711
    assert table["counting_level"] == 4
    assert round(table["random_correlation"], 4) == -0.0190
    assert table["weber_correlation"] > 0.99
    # In this very sample chance makes the slope .75: even an ideal observer fails 1 time in 20
    assert round(table["scalar_p"], 3) == 0.039
    assert table["scalar_verdict"] == "not scalar"
    with pytest.raises(BadInput, match="fractions"):
        evaluate(observer_matrix())
