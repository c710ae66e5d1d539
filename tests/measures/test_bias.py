"""Over- and underestimation against SciPy's signed rank test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from subitize.measures.bias import bias, signed_rank


@given(st.lists(st.integers(-6, 9), min_size=1, max_size=80).filter(any))
def test_signed_rank_against_scipy(differences: list[int]) -> None:
    expected = wilcoxon(differences, zero_method="wilcox", correction=False, method="asymptotic")
    found = signed_rank(differences)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    assert abs(found.z) == pytest.approx(abs(expected.zstatistic), abs=1e-12)
    assert found.n == len(differences)
    assert found.n_nonzero == sum(d != 0 for d in differences)


def test_large_runs_do_not_overflow() -> None:
    rng = np.random.default_rng(0)
    differences = rng.integers(-3, 5, 200_000)
    expected = wilcoxon(differences.astype(float), correction=False, method="asymptotic")
    assert signed_rank(differences).p == pytest.approx(expected.pvalue)


def test_direction_needs_both_significance_and_size() -> None:
    targets = np.full(400, 5)
    over = targets + np.where(np.arange(400) < 200, 1, 0)
    assert bias(targets, over).direction == "over"
    assert bias(targets, targets - (over - targets)).direction == "under"
    slight = targets + np.where(np.arange(400) < 20, 1, 0)
    found = bias(targets, slight)
    assert found.p < 0.001  # sure, but small
    assert found.r < 0.3 < found.r_nonzero
    assert found.direction == "none"
    few = bias([5, 5, 5], [6, 6, 6])
    assert few.r > 0.3  # large, but not sure
    assert few.direction == "none"


def test_no_error_is_no_bias_and_zero_is_a_response() -> None:
    found = bias([3, 4], [3, 4])
    assert (found.direction, found.r, found.p, found.n_nonzero) == ("none", 0.0, 1.0, 0)
    assert bias([5] * 30, [0] * 30).as_json()["direction"] == "under"
