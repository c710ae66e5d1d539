"""Krippendorff's alpha against the textbook and against the definition, pair by pair."""

from __future__ import annotations

import time
import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.speed import within

from subitize.errors import BadInput
from subitize.measures import agreement
from subitize.measures.agreement import (
    Level,
    krippendorff_alpha,
    largest_agreement,
)

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four observers, 12 units
TEXTBOOK = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


def long_form() -> tuple[list[int], list[int]]:
    found = [
        (unit, int(value))
        for observer in TEXTBOOK
        for unit, value in enumerate(observer.split())
        if value != "."
    ]
    return [unit for unit, _ in found], [value for _, value in found]


@pytest.mark.parametrize(
    ("level", "alpha"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_textbook(level: Level, alpha: float) -> None:
    assert round(krippendorff_alpha(*long_form(), level=level), 3) == alpha


def direct_alpha(units: list[int], values: list[int], level: Level) -> float:
    """The definition: mean distance of all pairs within units over that of all pairs."""
    by_unit = [[v for u, v in zip(units, values, strict=True) if u == unit] for unit in set(units)]
    by_unit = [answers for answers in by_unit if len(answers) > 1]
    pool = [answer for answers in by_unit for answer in answers]

    def distance(a: int, b: int) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2 if a != b else 0.0
        low, high = min(a, b), max(a, b)
        between = sum(1 for value in pool if low <= value <= high)
        return float((between - (pool.count(a) + pool.count(b)) / 2) ** 2) if a != b else 0.0

    n = len(pool)
    observed = sum(
        sum(distance(a, b) for a, b in permutations(answers, 2)) / (len(answers) - 1)
        for answers in by_unit
    )
    expected = sum(distance(a, b) for a, b in permutations(pool, 2)) / (n - 1)
    return 1 - observed / expected


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=8, max_size=30),
    st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
)
def test_against_the_definition(answers: list[tuple[int, int]], level: Level) -> None:
    units, values = [u for u, _ in answers], [v for _, v in answers]
    kept = [v for u, v in answers if units.count(u) > 1]
    if len(set(kept)) < 2:
        with pytest.raises(BadInput):
            krippendorff_alpha(units, values, level=level)
        return
    expected = direct_alpha(units, values, level)
    assert krippendorff_alpha(units, values, level=level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.budget(10)
def test_400_000_answers_with_500_values_stay_small_and_fast() -> None:
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(80_000), 5)
    values = rng.integers(0, 500, units.size)
    krippendorff_alpha(units[:100], values[:100])  # SciPy's import is not what is timed
    tracemalloc.start()
    start = time.process_time()
    for level in ("nominal", "ordinal", "interval", "ratio"):
        alpha = krippendorff_alpha(units, values, level=level)  # type: ignore[arg-type]
        assert abs(alpha) < 0.01
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert within(seconds, 8)
    assert peak < 200e6


def test_refusals() -> None:
    with pytest.raises(BadInput, match="two answers"):
        krippendorff_alpha([1, 2], [3, 4])
    with pytest.raises(BadInput, match="two answers"):
        krippendorff_alpha([], [])
    with pytest.raises(BadInput, match="the same"):
        krippendorff_alpha([1, 1], [3, 3])
    with pytest.raises(BadInput, match="needs numbers"):
        krippendorff_alpha([1, 1], ["a", "b"], level="interval")
    with pytest.raises(BadInput, match="0 or more"):
        krippendorff_alpha([1, 1], [-1, 2], level="ratio")
    with pytest.raises(BadInput, match="NaN"):
        krippendorff_alpha([1, 1], [1.0, np.nan])
    with pytest.raises(BadInput, match="give one for each"):
        krippendorff_alpha([1], [1, 2])
    with pytest.raises(BadInput, match="level of measurement"):
        krippendorff_alpha([1, 1], [1, 2], level="cardinal")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="at least one"):
        largest_agreement([], [])


def test_largest_agreement() -> None:
    units = np.repeat([1, 2, 3], 5)
    values = ["a"] * 5 + ["a", "a", "a", "a", "b"] + ["a", "a", "b", "b", "c"]
    assert largest_agreement(units, values).tolist() == [5, 4, 2]


@pytest.mark.parametrize(("distinct", "held"), [(3, 5_000_000), (2000, 5_000_000), (40, 100)])
def test_pairs_within_units_are_the_product_of_matrices(
    distinct: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs are found place by place, alike ones summed now and then: a product of tables."""
    monkeypatch.setattr(agreement, "PAIRS_HELD", held)
    rng = np.random.default_rng(0)
    units = np.append(rng.integers(0, 300, 1500), np.repeat([300, 301], 90))
    values = rng.integers(0, distinct, 1680) + units % 7
    kept = np.bincount(units)[units] > 1
    unit = np.unique(units[kept], return_inverse=True)[1]
    found, value = np.unique(values[kept], return_inverse=True)
    table = np.zeros((unit.max() + 1, found.size))
    np.add.at(table, (unit, value), 1)
    expected = (table / (table.sum(axis=1, keepdims=True) - 1)).T @ table
    np.fill_diagonal(expected, 0)
    first, second, weight = agreement._coincidences(unit, value, found.size)
    both = np.zeros_like(expected)
    np.add.at(both, (first, second), weight / 2)
    np.testing.assert_allclose(both + both.T, expected, atol=1e-9)


def test_all_levels_at_once_are_the_levels_one_by_one() -> None:
    rng = np.random.default_rng(1)
    units, values = np.repeat(np.arange(50), 5), rng.integers(0, 12, 250)
    together = agreement.krippendorff_alphas(units, values)
    for level in agreement.LEVELS:
        assert together[level] == krippendorff_alpha(units, values, level=level)
