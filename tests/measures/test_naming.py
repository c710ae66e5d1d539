"""Intervals of naming scores against the naive way, and what they cover."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.baselines import (
    observer_matrix,
    perfect_matrix,
    random_matrix,
    sample_matrix,
)
from subitize.measures.confusion import confusion_matrix
from subitize.measures.counting_level import counting_level
from subitize.measures.error_size import nae
from subitize.measures.likeness import category_consistency, human_correlation, matrix_correlation
from subitize.measures.naming import naming_intervals
from subitize.measures.resampling import basic_interval, percentile_interval
from subitize.measures.trials import Floats, trials_of
from subitize.records import Score


def run_of(
    matrices: dict[str, Floats], per_cell: int, seed: int
) -> tuple[Floats, Floats, np.ndarray]:
    rng = np.random.default_rng(seed)
    parts = [trials_of(sample_matrix(matrix, per_cell, rng)) for matrix in matrices.values()]
    kinds = np.repeat(list(matrices), [len(targets) for targets, _ in parts])
    return (
        np.concatenate([targets for targets, _ in parts]),
        np.concatenate([responses for _, responses in parts]),
        kinds,
    )


def ends(score: Score | None) -> tuple[float | None, ...]:
    assert score is not None
    return score.value, score.low, score.high


MIXED = {"dots": observer_matrix(w=0.4, limit=1), "apples": observer_matrix(w=0.2, limit=3)}


def naive(targets: Floats, responses: Floats, kinds: np.ndarray, samples: int) -> dict[str, Floats]:
    """Resample trials within cells one sample after the other, then score each from scratch."""
    rng = np.random.default_rng(99)
    cells = [
        np.nonzero((kinds == kind) & (targets == target))[0]
        for kind in np.unique(kinds)
        for target in np.unique(targets)
    ]
    rows = []
    for _ in range(samples):
        picked = np.concatenate([rng.choice(cell, cell.size) for cell in cells if cell.size])
        t, g, k = targets[picked], responses[picked], kinds[picked]
        by_kind = {
            str(kind): confusion_matrix(t[k == kind], g[k == kind]).counts for kind in set(k)
        }
        whole = confusion_matrix(t, g).counts
        rows.append(
            (
                np.mean(t == g),
                nae(t, g),
                human_correlation(whole),
                category_consistency(by_kind),
                counting_level(whole),
            )
        )
    names = ("accuracy", "nae", "human", "consistency", "level")
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


@pytest.mark.budget(20)
def test_the_fast_way_draws_from_the_same_distribution_as_the_naive_one() -> None:
    targets, responses, kinds = run_of(MIXED, 20, 0)
    responses[responses > 12] += 15  # beyond the last row: NAE must still see them
    direct = naive(targets, responses, kinds, 1500)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(1))
    for name, interval in (("accuracy", found.accuracy), ("nae", found.nae)):
        expected = percentile_interval(interval.value, direct[name])
        width = expected.high - expected.low
        assert interval.low == pytest.approx(expected.low, abs=0.12 * width)
        assert interval.high == pytest.approx(expected.high, abs=0.12 * width)
    assert found.human_correlation is not None
    assert found.category_consistency is not None
    for name, interval in (
        ("human", found.human_correlation),
        ("consistency", found.category_consistency),
    ):
        expected = basic_interval(interval.value, direct[name], bounds=(-1.0, 1.0))
        width = expected.high - expected.low
        assert interval.low == pytest.approx(expected.low, abs=0.12 * width)
        assert interval.high == pytest.approx(expected.high, abs=0.12 * width)
    for level, share in found.level_shares.items():
        assert np.mean(direct["level"] == level) == pytest.approx(share, abs=0.06)


def test_values_are_those_of_the_plain_functions() -> None:
    targets, responses, kinds = run_of(MIXED, 20, 3)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(1), samples=50)
    whole = confusion_matrix(targets, responses).counts
    assert found.accuracy.value == np.mean(targets == responses)
    assert found.nae.value == nae(targets, responses)
    assert found.accuracy.trials == found.nae.trials == targets.size
    assert found.nae_by_category["dots"].trials == (kinds == "dots").sum()
    assert found.human_correlation is not None
    assert found.human_correlation.value == human_correlation(whole)
    assert found.counting_level == counting_level(whole)
    assert sum(found.level_shares.values()) == pytest.approx(1)


def test_same_generator_same_intervals_whatever_the_order_of_trials() -> None:
    targets, responses, kinds = run_of(MIXED, 10, 4)
    one = naming_intervals(targets, responses, kinds, np.random.default_rng(7), samples=600)
    shuffled = np.random.default_rng(0).permutation(targets.size)
    other = naming_intervals(
        targets[shuffled],
        responses[shuffled],
        kinds[shuffled],
        np.random.default_rng(7),
        samples=600,
    )
    assert one.accuracy == other.accuracy
    assert one.human_correlation == other.human_correlation
    assert one.nae.low == other.nae.low


def test_missing_cells_are_left_out_of_their_pairs() -> None:
    matrices = {"a": observer_matrix(), "b": observer_matrix(w=0.3), "c": observer_matrix(w=0.2)}
    targets, responses, kinds = run_of(matrices, 30, 5)
    kept = ~((kinds == "b") & (targets > 6))
    found = naming_intervals(
        targets[kept], responses[kept], kinds[kept], np.random.default_rng(0), samples=400
    )
    assert found.category_consistency is not None
    value, low, high = ends(found.category_consistency)
    assert -1 <= low <= value <= high <= 1
    assert high - low < 0.5


def test_nothing_to_tell_is_none() -> None:
    found = naming_intervals([3, 3], [0, 0], ["a", "b"], np.random.default_rng(0), samples=20)
    assert found.human_correlation is None
    assert found.category_consistency is None
    assert found.counting_level is None
    assert found.level_shares == {}
    with pytest.raises(BadInput, match="no targets"):
        naming_intervals([], [], [], np.random.default_rng(0))
    with pytest.raises(BadInput, match="2 categories"):
        naming_intervals([1], [1], ["a", "b"], np.random.default_rng(0))


def test_perfect_and_random_responders() -> None:
    targets, responses, kinds = run_of({"a": perfect_matrix(), "b": perfect_matrix()}, 5, 0)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(0), samples=100)
    assert ends(found.accuracy) == (1, 1, 1)
    assert ends(found.nae) == (0, 0, 0)
    assert ends(found.category_consistency) == pytest.approx((1, 1, 1))
    assert found.level_shares == {10: 1.0}
    targets, responses, kinds = run_of({"a": random_matrix()}, 50, 0)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(0), samples=500)
    assert found.nae.low < 2.30042 < found.nae.high
    assert found.category_consistency is None


@pytest.mark.budget(30)
def test_intervals_cover_the_truth() -> None:
    """100 runs of two categories: the truth of each score is known from the matrices."""
    whole = sum(MIXED.values()) / 2
    truth = {
        "human_correlation": human_correlation(whole),
        "category_consistency": matrix_correlation(MIXED["dots"], MIXED["apples"]),
    }
    hits = dict.fromkeys(truth, 0)
    for seed in range(100):
        trials = run_of(MIXED, 25, seed)
        found = naming_intervals(*trials, np.random.default_rng(seed), samples=400)
        for name, value in truth.items():
            interval = getattr(found, name)
            hits[name] += interval.low <= value <= interval.high
    assert all(88 <= count <= 100 for count in hits.values()), hits
