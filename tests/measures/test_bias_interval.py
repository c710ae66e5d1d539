"""The interval of the bias: against the test itself, and by coverage."""

from __future__ import annotations

import numpy as np

from subitize.measures.bias import bias, bias_interval


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


def test_no_error_at_all_has_no_effect() -> None:
    found = bias_interval([1, 2, 3], [1, 2, 3], np.random.default_rng(0))
    assert found == (0.0, 0.0, 0.0)
