"""Intervals of naming scores against the naive way, and what they cover."""

from __future__ import annotations

import numpy as np
import pytest
from tests.measures.sampling import sample_matrix

from subitize.errors import BadInput
from subitize.measures.baselines import (
    observer_matrix,
    perfect_matrix,
    random_matrix,
)
from subitize.measures.confusion import confusion_matrix
from subitize.measures.counting_level import counting_level
from subitize.measures.error_size import nae
from subitize.measures.likeness import category_consistency, human_correlation
from subitize.measures.naming import naming_intervals
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
def test_levels_are_drawn_from_the_same_distribution_as_the_naive_ones() -> None:
    targets, responses, kinds = run_of(MIXED, 20, 0)
    responses[responses > 12] += 15  # beyond the last row
    direct = naive(targets, responses, kinds, 600)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(1))
    for level, share in found.level_shares.items():
        assert np.mean(direct["level"] == level) == pytest.approx(share, abs=0.07)
    # where errors are many, the intervals are near those of the bootstrap
    for name, interval in (("accuracy", found.accuracy), ("nae", found.nae)):
        low, high = np.quantile(direct[name], [0.025, 0.975])
        assert interval.low == pytest.approx(low, abs=0.2 * (high - low))
        assert interval.high == pytest.approx(high, abs=0.2 * (high - low))


def test_values_are_those_of_the_plain_functions() -> None:
    targets, responses, kinds = run_of(MIXED, 20, 3)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(1), samples=50)
    whole = confusion_matrix(targets, responses).counts
    assert found.accuracy.value == np.mean(targets == responses)
    assert found.nae.value == nae(targets, responses)
    assert found.accuracy.trials == found.nae.trials == targets.size
    right, error = found.by_category["dots"]
    own = kinds == "dots"
    assert right.trials == error.trials == own.sum()
    assert error.value == pytest.approx(nae(targets[own], responses[own]))
    off = responses - targets
    assert found.mae.value == pytest.approx(np.abs(off).mean())
    assert found.rmse.value == pytest.approx(np.sqrt((off**2).mean()))
    assert found.mape.value == pytest.approx(100 * found.nae.value)
    assert found.mape.high == pytest.approx(100 * found.nae.high)
    assert found.human_correlation is not None
    assert found.human_correlation.value == pytest.approx(human_correlation(whole), abs=1e-12)
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
    by_kind = {
        kind: confusion_matrix(
            targets[kept & (kinds == kind)], responses[kept & (kinds == kind)]
        ).counts
        for kind in "abc"
    }
    assert found.category_consistency.value == category_consistency(by_kind)
    assert found.category_null is not None
    assert found.category_null.p > 0.01


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
    # no error was seen in 100 trials: 3.1 might have been there
    assert ends(found.accuracy) == pytest.approx((1, 0.969, 1), abs=1e-3)
    assert ends(found.nae) == pytest.approx((0, 0, 0.03 * np.mean(1 / np.arange(1, 11))), abs=0.005)
    assert ends(found.category_consistency) == (pytest.approx(1), None, None)
    assert found.category_null is not None
    assert found.category_null.verdict == "no difference between categories"
    assert found.human_correlation is not None
    assert found.human_correlation.low < 0.8185 < found.human_correlation.high
    assert found.level_shares == {10: 1.0}
    targets, responses, kinds = run_of({"a": random_matrix()}, 50, 0)
    found = naming_intervals(targets, responses, kinds, np.random.default_rng(0), samples=500)
    assert found.nae.low < 2.30042 < found.nae.high
    assert found.category_consistency is None
