"""The bootstrap of means, tables and shares, against plain references and by what they cover."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.accuracy import proportion_interval, share_difference, share_interval
from subitize.measures.resampling import (
    bootstrap_mean,
    resampled,
)
from subitize.records import Score


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_shares_over_clusters_cover_the_truth() -> None:
    """Five pictures of a prompt that are alike: a painter who is nearly always right, and a usual
    one. A bootstrap over 20 prompts covers the first in 86 %."""
    draw = np.random.default_rng(3)
    for shape, prompts in (((1.9, 0.1), 20), ((0.6, 0.9), 100)):
        covered = 0
        for _ in range(300):
            of = np.repeat(range(prompts), draw.integers(3, 6, prompts))
            hit = draw.random(of.size) < draw.beta(*shape, prompts)[of]
            found = share_interval(hit, of)
            covered += found.low <= shape[0] / sum(shape) <= found.high
        assert covered >= 0.92 * 300


def test_a_share_of_clusters_that_are_alike_has_a_width() -> None:
    right = share_interval([1] * 20, np.repeat(range(4), 5))
    assert (right.value, right.high, right.trials) == (1.0, 1.0, 20)
    assert right.low == pytest.approx(
        proportion_interval(4, 4).low
    )  # four prompts say less than 20 pictures
    alone = share_interval([1, 0, 1, 1, 0], ["a"] * 5)
    assert (alone.value, alone.low, alone.high) == (0.6, 0.0, 1.0)


def test_a_difference_of_groups_that_are_alike_covers_the_truth() -> None:
    """Two groups of the same painter who is nearly always right: 0 is in nearly all intervals."""
    draw = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        groups = [
            share_interval(np.repeat(draw.random(12) < 0.97, 3), np.repeat(range(12), 3))
            for _ in "ab"
        ]
        difference = share_difference(*groups)
        covered += difference.low <= 0 <= difference.high
    assert covered >= 285


def test_mean_of_values_and_clusters() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 400)
    plain = bootstrap_mean(values, rng, samples=4000)
    error = values.std(ddof=1) / 20
    assert plain.high - plain.low == pytest.approx(2 * 1.96 * error, rel=0.08)
    # four equal answers to each of 100 pictures say as little as one
    copied = bootstrap_mean(
        np.repeat(values[:100], 4), rng, clusters=np.repeat(np.arange(100), 4), samples=4000
    )
    alone = bootstrap_mean(values[:100], rng, samples=4000)
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.1)
    binary = bootstrap_mean([0] * 300 + [1] * 100, rng, samples=4000)
    assert binary.low == pytest.approx(0.25 - 1.96 * np.sqrt(0.1875 / 400), abs=0.006)


def test_what_has_no_mean_is_told() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(BadInput, match="2 clusters"):
        bootstrap_mean([1], rng, clusters=[1, 2])
    with pytest.raises(BadInput, match="no values"):
        bootstrap_mean([], rng)


def test_counts_are_those_of_drawn_trials() -> None:
    """Units drawn one by one, by a multinomial, or alone: size, mean and spread of their counts."""
    times = np.array([1, 2, 3, 40, 2, 7])
    strata = np.array([0, 0, 0, 1, 2, 2])
    counts = resampled(times, lambda counts: counts.copy(), rng(), strata=strata, samples=20_000)
    totals = np.bincount(strata, times)
    for stratum in range(3):
        assert (counts[strata == stratum].sum(axis=0) == totals[stratum]).all()
    share = times / totals[strata]
    assert np.allclose(counts.mean(axis=1), times, atol=0.05)
    assert np.allclose(counts.var(axis=1), times * (1 - share), rtol=0.05)


def test_a_chunk_more_or_less_changes_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(0, 1, 300)
    whole = bootstrap_mean(values, rng(), samples=700)
    for name in ("DRAWN_AT_ONCE", "HELD_AT_ONCE", "PICKED_AT_ONCE"):
        monkeypatch.setattr(f"subitize.measures.resampling.{name}", 2000)
    parts = bootstrap_mean(values, rng(), samples=700)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=1e-12)


def test_a_misspelt_way_of_drawing_is_refused() -> None:
    with pytest.raises(TypeError, match="cluster"):
        bootstrap_mean([1, 2], rng(), cluster=[1, 1])  # type: ignore[call-arg]


def test_states_stand_in_the_scores_file_only_where_some_were_counted() -> None:
    plain = {"value": 0.5, "low": 0.25, "high": None, "trials": 4}
    assert Score(0.5, 0.25, None, 4).as_json() == plain
    assert Score(0.5, 0.25, None, 4, {"read": 4}).as_json() == {**plain, "states": {"read": 4}}
