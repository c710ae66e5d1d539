"""Shares of answers that come in clusters, and their differences."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.measures.accuracy import proportion_interval
from subitize.measures.clustered import clustered_difference, clustered_share
from subitize.measures.resampling import bootstrap_mean


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_usual_shares_are_bootstrapped() -> None:
    values, clusters = [1, 1, 0, 1, 0, 0, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4]
    assert clustered_share(values, clusters, rng()) == bootstrap_mean(
        np.array(values, float), rng(), clusters=clusters, samples=2000
    )


def test_all_right_has_the_exact_interval_of_the_clusters() -> None:
    assert clustered_share([1] * 20, np.repeat(range(4), 5), rng()) == proportion_interval(4, 4)


def test_one_cluster_tells_nothing() -> None:
    found = clustered_share([1, 0, 1, 1, 0], ["a"] * 5, rng())
    assert (found.value, found.low, found.high) == (0.6, 0.0, 1.0)


def test_clusters_that_are_alike_have_an_interval() -> None:
    found = clustered_share([1, 0] * 5, np.repeat(range(5), 2), rng())
    assert found.value == 0.5
    assert found.low == proportion_interval(2, 5).low
    assert found.high == proportion_interval(3, 5).high


def test_a_difference_of_usual_groups_is_that_of_the_samples() -> None:
    first = ([1, 1, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3])
    second = ([1, 1, 1, 1, 1, 0], [4, 4, 5, 5, 6, 6])
    difference, one, other = clustered_difference(first, second, rng())
    assert difference.value == pytest.approx(other.value - one.value)
    assert difference.low < difference.value < difference.high


def test_a_difference_of_groups_that_are_alike_covers_the_truth() -> None:
    """Two groups of the same painter who is nearly always right: 0 is in nearly all intervals."""
    draw = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        groups = [(np.repeat(draw.random(12) < 0.97, 3), np.repeat(range(12), 3)) for _ in "ab"]
        difference, _, _ = clustered_difference(groups[0], groups[1], draw, samples=200)
        covered += difference.low <= 0 <= difference.high
    assert covered >= 285
