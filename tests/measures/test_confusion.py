"""The confusion matrix: orientation, clipping, unreadable trials, percentages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts, confusion_matrix, percentages
from subitize.measures.trials import trials_of

TRIALS = st.lists(st.tuples(st.integers(1, 10), st.integers(0, 40)), min_size=1, max_size=60)


def test_rows_are_responses_and_columns_targets() -> None:
    matrix = confusion_matrix([2, 2, 10], [3, 0, 57], unreadable=[10, 10, 1])
    assert matrix.counts.shape == (21, 10)
    assert matrix.counts[3, 1] == 1
    assert matrix.counts[0, 1] == 1
    assert matrix.counts[20, 9] == 1  # above 20 falls in the last row
    assert matrix.counts.sum() == 3
    assert matrix.unreadable.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert matrix.as_json()["unreadable"][9] == 2
    assert matrix.as_json()["rows"] == list(range(21))
    assert matrix.as_json()["columns"] == list(range(1, 11))


def test_other_ranges_have_rows_up_to_twice_the_highest_target() -> None:
    assert confusion_matrix([15], [30], highest_target=15).counts.shape == (31, 15)


@given(TRIALS)
def test_matrix_and_trials_are_two_forms_of_the_same(trials: list[tuple[int, int]]) -> None:
    targets, responses = np.array(trials).T
    matrix = confusion_matrix(targets, responses)
    again = confusion_matrix(*trials_of(matrix.counts))
    assert np.array_equal(matrix.counts, again.counts)


@given(TRIALS)
def test_percentages_of_filled_columns_add_up_with_the_zeros(
    trials: list[tuple[int, int]],
) -> None:
    targets, responses = np.array(trials).T
    counts = confusion_matrix(targets, responses).counts
    found = percentages(counts)
    filled = counts.sum(axis=0) > 0
    zeros = 100 * counts[0, filled] / counts.sum(axis=0)[filled]
    assert np.allclose(found[:, filled].sum(axis=0) + zeros, 100)
    assert np.isnan(found[:, ~filled]).all()


@pytest.mark.parametrize(
    ("targets", "responses", "says"),
    [
        ([], [], "no targets"),
        ([1], [-1], "never negative"),
        ([1], [None], "not finite"),
        ([1], ["two"], "not all numbers"),
        ([1], [2.5], "whole numbers"),
        ([11], [3], "outside 1..10"),
        ([0], [3], "above 0"),
        ([1, 2], [1], "one for each"),
    ],
)
def test_what_is_no_count_is_refused(targets: list[int], responses: list[int], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        confusion_matrix(targets, responses)


def test_a_transposed_matrix_is_refused_not_turned() -> None:
    with pytest.raises(BadInput, match="2m \\+ 1 rows"):
        check_counts(np.ones((10, 21)))
    with pytest.raises(BadInput, match="empty"):
        check_counts(np.zeros((21, 10)))
