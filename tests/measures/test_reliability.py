"""Reliability curves against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.reliability import reliability


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
