"""The three rules of the counting level, at their edges."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.counting_level import counting_level, levels
from subitize.measures.trials import Floats


def matrix(columns: dict[int, dict[int, float]]) -> Floats:
    """Counts from {target: {response: count}}, targets 1..3."""
    counts = np.zeros((7, 3))
    for target, responses in columns.items():
        for response, count in responses.items():
            counts[response, target - 1] = count
    return counts


def test_67_percent_is_enough_except_for_numgen() -> None:
    counts = matrix({1: {1: 67, 5: 33}, 2: {2: 66, 5: 34}, 3: {3: 100}})
    assert counting_level(counts) == 1
    assert counting_level(counts, rule="half-as-often") == 1
    assert counting_level(counts, rule="numgen") == 0
    counts[1, 0] = 68
    assert counting_level(counts, rule="numgen") == 1


def test_half_of_the_other_answers_is_too_many_in_the_standard_rule() -> None:
    counts = matrix({1: {1: 100}, 2: {1: 50, 2: 50}, 3: {1: 50, 3: 50}})
    assert counting_level(counts) == 0
    assert counting_level(counts, rule="half-as-often") == 1  # ½ is no more than half of 1
    assert counting_level(counts, rule="numgen") == 0
    counts = matrix({1: {1: 70, 2: 30}, 2: {1: 40, 2: 60}, 3: {1: 40, 3: 60}})
    assert counting_level(counts) == 1
    assert counting_level(counts, rule="half-as-often") == 0


def test_other_targets_weigh_the_same_whatever_their_size() -> None:
    counts = matrix({1: {1: 100}, 2: {1: 900, 2: 100}, 3: {3: 1}})
    assert counting_level(counts) == 1  # (.9 + 0) / 2, not 900 / 1001


def test_numgen_looks_at_the_next_target_only() -> None:
    counts = matrix({1: {1: 100}, 2: {2: 100}, 3: {1: 100}})
    assert counting_level(counts, rule="numgen") == 2
    counts = matrix({1: {1: 100}, 2: {1: 60, 2: 40}, 3: {3: 100}})
    assert counting_level(counts, rule="numgen") == 0
    assert counting_level(counts) == 1


def test_levels_are_contiguous_from_one() -> None:
    counts = matrix({1: {1: 100}, 2: {3: 100}, 3: {3: 100}})
    assert counting_level(counts) == 1
    counts = matrix({1: {2: 100}, 2: {2: 100}, 3: {3: 100}})
    assert counting_level(counts) == 0
    assert counting_level(matrix({2: {2: 100}, 3: {3: 100}})) == 0  # 1 was never asked


def test_many_matrices_at_once_agree_with_one_by_one() -> None:
    rng = np.random.default_rng(3)
    stack = rng.integers(0, 4, (50, 7, 3)) + 12 * (np.arange(7)[:, None] == np.arange(1, 4))
    for rule in ("standard", "half-as-often", "numgen"):
        said = stack[:, 1:4] / stack.sum(axis=1, keepdims=True)
        own = np.diagonal(said, axis1=1, axis2=2)
        following = np.pad(np.diagonal(said, 1, axis1=1, axis2=2), ((0, 0), (0, 1)))
        elsewhere = (said.sum(axis=2) - own) / 2
        together = levels(own, elsewhere, following, rule=rule)  # type: ignore[arg-type]
        alone = [counting_level(one, rule=rule) for one in stack]  # type: ignore[arg-type]
        assert together.tolist() == alone
        assert len(set(alone)) > 1


def test_refusals() -> None:
    with pytest.raises(BadInput, match="two targets"):
        counting_level(matrix({1: {1: 5}}))
    with pytest.raises(BadInput, match="half-as-often"):
        counting_level(matrix({1: {1: 5}, 2: {2: 5}}), rule="child")  # type: ignore[arg-type]
