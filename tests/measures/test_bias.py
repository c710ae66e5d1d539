"""Over- and underestimation against the textbook's formula, and the interval by its coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, wilcoxon

from subitize.measures.bias import bias, bias_interval, signed_rank


def textbook_z(differences: list[int]) -> float:
    """Ranks pair by pair: half a rank for a tie, itself included."""
    moved = [d for d in differences if d]
    n = len(moved)
    ranks = [sum((abs(e) < abs(d)) + (abs(e) == abs(d)) / 2 for e in moved) + 0.5 for d in moved]
    ties = [sum(abs(d) == size for d in moved) for size in {abs(d) for d in moved}]
    variance = n * (n + 1) * (2 * n + 1) / 24 - sum(t**3 - t for t in ties) / 48
    positive = sum(rank for rank, d in zip(ranks, moved, strict=True) if d > 0)
    return (positive - n * (n + 1) / 4) / variance**0.5


@given(st.lists(st.integers(-6, 9), min_size=1, max_size=80).filter(any))
def test_signed_rank_against_the_textbook(differences: list[int]) -> None:
    found = signed_rank(differences)
    assert found.z == pytest.approx(textbook_z(differences), abs=1e-12)
    assert found.p == pytest.approx(2 * norm.sf(abs(found.z)), abs=1e-12)
    expected = wilcoxon(differences, zero_method="wilcox", correction=False, method="asymptotic")
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
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
    assert bias([5] * 30, [0] * 30).direction == "under"


def test_the_effect_is_r_with_a_sign() -> None:
    rng = np.random.default_rng(1)
    for shift in (-1, 0, 2):
        targets = rng.integers(1, 11, 300)
        responses = np.maximum(0, targets + shift + rng.integers(-2, 3, 300))
        test = bias(targets, responses)
        found = bias_interval(targets, responses, np.random.default_rng(0))
        assert abs(found.value - test.z / np.sqrt(test.n)) < 1e-12
        assert found.low <= found.value <= found.high


def test_the_resampled_effect_equals_the_test_on_resampled_trials() -> None:
    """One target: resampling counts is resampling trials, so the spreads must agree."""
    rng = np.random.default_rng(2)
    targets = np.full(120, 6)
    responses = targets + rng.choice([-2, -1, 0, 1, 2], 120, p=[0.05, 0.1, 0.4, 0.3, 0.15])
    found = bias_interval(targets, responses, np.random.default_rng(3), samples=4000)
    effects = []
    for _ in range(4000):
        drawn = rng.choice(responses, 120)
        test = bias(targets, drawn)
        effects.append(test.z / np.sqrt(test.n))
    low, high = np.quantile(effects, [0.025, 0.975])
    assert abs(found.low - low) < 0.02
    assert abs(found.high - high) < 0.02


def test_no_error_at_all_has_no_effect_and_no_interval_of_nothing() -> None:
    found = bias_interval([1, 2, 3], [1, 2, 3], np.random.default_rng(0))
    assert (found.value, found.low, found.high, found.trials) == (0.0, None, None, 3)
