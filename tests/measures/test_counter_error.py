"""The counter's own error: simulated painters and counters whose errors are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.counter_error import corrected_scores as scores_of_arrays
from subitize.measures.counter_error import counter_columns

TOP = 20
NUMBERS = np.arange(TOP + 1)
TARGETS = range(1, 11)


def corrected_scores(
    painted: list[tuple[str, int, int]],
    pairs: dict[str, list[list[int]]],
    rng: np.random.Generator,
    samples: int = 2000,
) -> dict[str, Any]:
    """The same of (category, number asked for, number counted) of every picture."""
    categories, targets, counts = zip(*painted, strict=True) if painted else ((), (), ())
    return scores_of_arrays(targets, counts, categories, pairs, rng, samples=samples)


def counter_matrix(strength: float = 0.02) -> np.ndarray:
    """P(counted | true): errors grow with the number, more often one too few than too many."""
    matrix = np.zeros((TOP + 1, TOP + 1))
    for true in NUMBERS:
        wrong = min(strength * true, 0.3)
        for counted, share in ((true, 1 - wrong), (true - 1, wrong * 0.6),
                               (true + 1, wrong * 0.3), (true + 2, wrong * 0.1)):  # fmt: skip
            matrix[min(max(counted, 0), TOP), true] += share
    return matrix


def painter_matrix(w: float = 0.2) -> np.ndarray:
    """P(painted | asked): a painter with Weber noise."""
    weights = np.exp(-0.5 * ((NUMBERS[:, None] - np.arange(11)) / (w * np.arange(11) + 0.05)) ** 2)
    weights[0] = 0
    return weights / weights.sum(axis=0)


def simulated(
    seed: int, counter: np.ndarray, painter: np.ndarray, per_cell: int = 40, calibrated: int = 60
) -> tuple[list[tuple[str, int, int]], dict[str, list[list[int]]], np.random.Generator]:
    rng = np.random.default_rng(seed)
    pairs: dict[str, list[list[int]]] = {}
    painted = []
    for category in ("apples", "dots"):
        pairs[category] = [
            [true, counted, int(times)]
            for true in range(1, 16)
            for counted, times in enumerate(rng.multinomial(calibrated, counter[:, true]))
            if times
        ]
        for target in TARGETS:
            seen = rng.multinomial(per_cell, counter @ painter[:, target])
            painted += [(category, target, int(c)) for c in np.repeat(NUMBERS, seen)]
    return painted, pairs, rng


def truth(painter: np.ndarray) -> tuple[float, float]:
    accuracy = np.mean([painter[target, target] for target in TARGETS])
    errors = [np.abs(NUMBERS - target) @ painter[:, target] / target for target in TARGETS]
    return float(accuracy), float(np.mean(errors))


@pytest.mark.budget(90)
@pytest.mark.parametrize(("strength", "w"), [(0.02, 0.2), (0.03, 0.1)])
def test_the_interval_covers_the_truth_as_often_as_it_says(strength: float, w: float) -> None:
    counter, painter = counter_matrix(strength), painter_matrix(w)
    accuracy, nae = truth(painter)
    covered = np.zeros(2)
    raw_covered = 0
    values = []
    for seed in range(200):
        painted, pairs, rng = simulated(seed, counter, painter)
        found = corrected_scores(painted, pairs, rng, samples=400)
        covered[0] += found["accuracy"]["low"] <= accuracy <= found["accuracy"]["high"]
        covered[1] += found["nae"]["low"] <= nae <= found["nae"]["high"]
        half = (found["nae"]["high"] - found["nae"]["low"]) / 2
        raw_covered += abs(found["raw"]["nae"] - nae) <= half
        values.append((found["accuracy"]["value"], found["nae"]["value"]))
    assert (covered / 200 >= 0.90).all(), covered / 200
    assert (covered / 200 <= 0.99).all(), covered / 200
    # unbiased, where the raw NAE with as wide an interval is not
    assert np.allclose(np.mean(values, axis=0), (accuracy, nae), atol=0.006)
    assert raw_covered / 200 < 0.88


def test_a_perfect_counter_changes_nothing() -> None:
    painted, pairs, rng = simulated(1, np.eye(TOP + 1), painter_matrix())
    found = corrected_scores(painted, pairs, rng, samples=200)
    for name in ("accuracy", "nae"):
        assert np.isclose(found[name]["value"], found["raw"][name], atol=1e-9)
        assert found[name]["low"] <= found["raw"][name] <= found[name]["high"]
    assert found["condition"] == pytest.approx(1)


def test_all_right_is_not_certainty() -> None:
    painted = [("dots", target, target) for target in TARGETS] * 5
    pairs = {"dots": [[true, true, 30] for true in range(1, 16)]}
    found = corrected_scores(painted, pairs, np.random.default_rng(0), samples=100)
    assert found["accuracy"]["value"] == pytest.approx(1)
    assert found["accuracy"]["low"] == pytest.approx(0.9289, abs=1e-3)  # 50 of 50, exact
    assert found["nae"]["value"] == pytest.approx(0, abs=1e-12)
    assert 0.01 < found["nae"]["high"] < 0.03


def test_less_calibration_makes_a_wider_interval() -> None:
    widths = []
    for calibrated in (400, 12):
        given = simulated(5, counter_matrix(0.04), painter_matrix(), 100, calibrated)
        found = corrected_scores(*given, samples=500)["accuracy"]
        widths.append(found["high"] - found["low"])
    assert widths[1] > 1.2 * widths[0]


def test_what_can_not_be_identified_says_so() -> None:
    painted, _, rng = simulated(2, counter_matrix(), painter_matrix())
    blind = {"dots": [[true, 3, 50] for true in range(1, 11)]}
    found = corrected_scores(painted, blind, rng)
    assert not found["identifiable"]
    assert found["accuracy"] is None
    assert found["nae"] is None
    assert "look alike" in found["reason"]
    few = {"dots": [[1, 1, 50], [2, 2, 50]]}
    found = corrected_scores(painted, few, rng)
    assert not found["identifiable"]
    assert "does not cover" in found["reason"]
    assert found["assumed_exact"] > 0.5
    found = corrected_scores(painted, {}, rng)
    assert "no true number" in found["reason"]
    assert found["raw"]["accuracy"] > 0


def test_a_category_without_calibration_uses_all() -> None:
    painted, pairs, rng = simulated(3, counter_matrix(), painter_matrix())
    painted += [("people", target, target) for target in TARGETS]
    found = corrected_scores(painted, pairs, rng, samples=100)
    assert found["calibration"] == {"apples": "own", "dots": "own", "people": "all categories"}


def test_pictures_counted_as_nothing_are_left_out_of_both() -> None:
    """Empty pictures are asked for again, so the counter's zeros never show in a run."""
    pairs = {"dots": [[1, 0, 50], [1, 1, 50], [2, 2, 100]]}
    painted = [("dots", 1, 1)] * 30 + [("dots", 2, 2)] * 30
    found = corrected_scores(painted, pairs, np.random.default_rng(0), samples=200)
    assert found["accuracy"]["value"] == pytest.approx(1, abs=0.02)
    kept = counter_columns(pairs["dots"], 4, zeros=False)
    assert kept.matrix[0, 1] == 0


def test_nothing_in_is_an_error() -> None:
    with pytest.raises(BadInput, match="no targets"):
        corrected_scores([], {"dots": [[1, 1, 9]]}, np.random.default_rng(0))
    with pytest.raises(BadInput, match="never negative"):
        corrected_scores([("dots", 1, -1)], {}, np.random.default_rng(0))


def test_the_same_generator_gives_the_same_interval() -> None:
    painted, pairs, _ = simulated(4, counter_matrix(), painter_matrix())
    first, second = (
        corrected_scores(painted, pairs, np.random.default_rng(7), samples=100) for _ in range(2)
    )
    assert first == second
