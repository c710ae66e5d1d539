"""Shared resampling and reliability curves against plain references."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.columns import bootstrap_columns
from subitize.measures.reliability import reliability
from subitize.measures.resampling import bootstrap_mean, paired_difference


def test_columns_agree_with_single_bootstraps() -> None:
    rng = np.random.default_rng(0)
    first, noise = rng.normal(10, 3, 300), rng.normal(1, 1, 300)
    table = np.stack([first, first + noise, noise], axis=1)
    found = bootstrap_columns(table, np.random.default_rng(1))
    alone = bootstrap_mean(first, np.random.default_rng(2))
    paired = paired_difference(first + noise, first, np.random.default_rng(3))
    for one, other in ((found[0], alone), (found[2], paired)):
        assert one is not None
        assert one.value == pytest.approx(other.value)
        assert one.low == pytest.approx(other.low, abs=0.05)
        assert one.high == pytest.approx(other.high, abs=0.05)


def test_unknown_values_are_left_out_of_their_column_only() -> None:
    table = np.array([[1.0, np.nan], [2.0, 5.0], [3.0, 7.0]])
    found = bootstrap_columns(table, np.random.default_rng(0), samples=500)
    assert found[0] is not None
    assert found[1] is not None
    assert (found[0].value, found[1].value) == (2.0, 6.0)
    assert found[1].low >= 5.0
    assert found[1].high <= 7.0


@pytest.mark.parametrize("bad", [[], [[]], [1.0, 2.0], [[np.inf]]])
def test_bad_tables_are_refused(bad: list) -> None:
    with pytest.raises(BadInput, match=r".{20,}"):
        bootstrap_columns(bad, np.random.default_rng(0))


def test_reliability_against_a_plain_loop() -> None:
    rng = np.random.default_rng(6)
    sure, wrong = rng.random(400), rng.random(400) * 100
    found = reliability(sure, wrong)
    total = 0.0
    for one in found.curve:
        inside = [(s, w) for s, w in zip(sure, wrong, strict=True) if one.low <= s < one.high]
        assert one.trials == len(inside)
        assert one.confidence == pytest.approx(np.mean([s for s, _ in inside]))
        assert one.error == pytest.approx(np.mean([w for _, w in inside]))
        total += len(inside) * abs(one.confidence - 1 + one.error / 100)
    assert found.calibration_error == pytest.approx(total / 400)
    assert found.correlation == pytest.approx(np.corrcoef(sure, wrong)[0, 1])


def test_edges_and_ends_of_bins() -> None:
    found = reliability([0.0, 0.1, 0.3, 0.7, 1.0], [0, 0, 0, 0, 0])
    assert [one.low for one in found.curve] == [0.0, 0.1, 0.3, 0.7, 0.9]
    assert found.correlation is None


@pytest.mark.parametrize(
    ("sure", "wrong"), [([], []), ([0.5], [1, 2]), ([1.5], [0]), ([0.5], [101]), ([-0.1], [0])]
)
def test_bad_confidences_are_refused(sure: list, wrong: list) -> None:
    with pytest.raises(BadInput, match=r".{20,}"):
        reliability(sure, wrong)
