"""Accuracy beside the frequency of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from subitize.errors import BadInput
from subitize.measures.frequency import accuracy_by_frequency

N = np.arange(1, 11)
BUMPY = 1e6 * N**-2.0 * np.where(N == 10, 8, np.where(N % 2, 1.0, 2.5))


def found(right: np.ndarray, often: np.ndarray, trials: int = 50, samples: int = 2000):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    return accuracy_by_frequency(N, right, np.full(10, trials), often, rng, samples=samples)


def test_both_correlations_are_those_of_others() -> None:
    right = np.array([50, 49, 46, 44, 37, 36, 22, 25, 12, 30])
    one = found(right, BUMPY)
    assert one.correlation.value == pytest.approx(stats.pearsonr(right / 50, np.log(BUMPY))[0])
    design = np.column_stack([np.ones(10), np.log(N)])
    rest = [
        y - design @ np.linalg.lstsq(design, y, rcond=None)[0] for y in (right / 50, np.log(BUMPY))
    ]
    assert one.partial.value == pytest.approx(stats.pearsonr(*rest)[0])
    assert one.correlation.low < one.correlation.value < one.correlation.high


def test_what_only_falls_with_n_has_no_partial_correlation() -> None:
    """Any model is worse on larger numbers, and those are rarer."""
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(60):
        right = rng.binomial(50, np.clip(1 - 0.35 * np.log(N), 0, 1))
        one = found(right, BUMPY, samples=400)
        assert one.permutation_p < 0.05
        assert one.correlation.value > 0.6
        inside.append(one.partial.low <= 0.05 and one.partial.high >= -0.05)
    assert np.mean(inside) > 0.8


def test_frequency_itself_is_found() -> None:
    right = np.rint(50 * stats.rankdata(BUMPY) / 10)
    one = found(right, BUMPY)
    assert one.partial.value > 0.8


def test_frequency_that_is_a_function_of_n_alone_has_none() -> None:
    assert found(np.arange(10, 0, -1), 1e6 * N**-2.0).partial is None


@pytest.mark.parametrize(
    ("right", "often"), [(np.full(10, 50), BUMPY), (N, np.where(N < 4, BUMPY, 0)), (N, BUMPY * 0)]
)
def test_too_little_is_said(right: np.ndarray, often: np.ndarray) -> None:
    with pytest.raises(BadInput, match=r"correlation needs|nothing goes"):
        found(right, often)
