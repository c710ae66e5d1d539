"""Comparisons of groups against the textbook, SciPy and statsmodels."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, mannwhitneyu, norm
from scipy.stats.contingency import association
from statsmodels.stats.multitest import multipletests

from subitize.errors import BadInput
from subitize.measures.ranks import (
    benjamini_hochberg,
    chi_square,
    holm,
    mann_whitney,
    permutation_control,
)

SAMPLE = st.lists(st.integers(0, 8), min_size=2, max_size=30)
TABLE = st.tuples(st.integers(1, 60), st.integers(1, 60)).flatmap(
    lambda sizes: st.tuples(
        st.tuples(st.integers(0, sizes[0]), st.integers(0, sizes[1])), st.just(sizes)
    )
)


@given(SAMPLE, SAMPLE)
def test_mann_whitney_against_the_textbook(first: list[int], second: list[int]) -> None:
    found = mann_whitney(first, second)
    a, b, n = len(first), len(second), len(first) + len(second)
    u = sum((x > y) + (x == y) / 2 for x in first for y in second)
    assert found.u == pytest.approx(u)
    assert found.auc.value == pytest.approx(u / (a * b))
    ties = sum(count**3 - count for count in Counter(first + second).values())
    deviation = (a * b / 12 * (n + 1 - ties / (n * (n - 1)))) ** 0.5
    if deviation > 1e-9:
        assert found.z == pytest.approx((u - a * b / 2) / deviation, abs=1e-12)
        corrected = max(abs(u - a * b / 2) - 0.5, 0) / deviation
        assert found.p == pytest.approx(min(1, 2 * norm.sf(corrected)), abs=1e-12)
        expected = mannwhitneyu(first, second, method="asymptotic")
        assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    else:
        assert (found.z, found.p) == (0, 1)
    assert found.auc.low <= found.auc.value <= found.auc.high  # type: ignore[operator]
    turned = mann_whitney(second, first)
    assert turned.auc.value == pytest.approx(1 - u / (a * b))


def test_delong_interval_by_its_definition() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(2, 12, 40), rng.integers(0, 10, 30)
    wins = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    variance = wins.mean(axis=1).var(ddof=1) / 40 + wins.mean(axis=0).var(ddof=1) / 30
    found = mann_whitney(x, y)
    assert found.auc.value == pytest.approx(wins.mean())
    assert found.auc.high - found.auc.value == pytest.approx(1.95996398 * np.sqrt(variance))


def test_delong_interval_covers() -> None:
    rng = np.random.default_rng(5)
    truth = 0.760249938906523  # Φ(1/√2): two normals one sd apart
    hits = 0
    for _ in range(300):
        found = mann_whitney(rng.normal(1, 1, 60), rng.normal(0, 1, 60))
        hits += found.auc.low <= truth <= found.auc.high
    assert 0.91 <= hits / 300 <= 0.99


@given(TABLE)
def test_chi_square_against_scipy(table: tuple[tuple[int, int], tuple[int, int]]) -> None:
    right, sizes = table
    if sum(right) in (0, sum(sizes)):
        with pytest.raises(BadInput, match="alike"):
            chi_square(right, sizes)
        return
    counts = [[right[0], sizes[0] - right[0]], [right[1], sizes[1] - right[1]]]
    for yates in (True, False):
        expected = chi2_contingency(counts, correction=yates)
        found = chi_square(right, sizes, yates=yates)
        # SciPy's correction also stops at 0, cell by cell: the same for two by two
        assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
        assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert abs(found.phi) == pytest.approx(association(counts, method="cramer"), abs=1e-9)


def test_permutation_control_shuffles_labels() -> None:
    right, sizes = (34, 20), (50, 50)
    found = permutation_control(right, sizes, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    answers = np.repeat([1, 0], [54, 46])
    shuffled = np.array([rng.permutation(answers)[:50].sum() for _ in range(4000)])
    observed = chi_square(right, sizes).chi2
    direct = np.mean(
        [chi_square((int(k), 54 - int(k)), sizes).chi2 >= observed - 1e-9 for k in shuffled]
    )
    assert found.p == pytest.approx(direct, abs=0.006)
    assert found.significant <= 0.05
    again = permutation_control(right, sizes, np.random.default_rng(0))
    assert again == found
    with pytest.raises(BadInput, match="two groups"):
        permutation_control((1, 0), (1, 0), np.random.default_rng(0))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_against_statsmodels(p_values: list[float]) -> None:
    assert np.allclose(holm(p_values), multipletests(p_values, method="holm")[1])
    expected = multipletests(p_values, method="fdr_bh")[1]
    assert np.allclose(benjamini_hochberg(p_values), expected)


def test_corrections_refuse_what_is_no_p() -> None:
    with pytest.raises(BadInput, match=r"outside 0\.\.1"):
        holm([0.5, 1.5])
    with pytest.raises(BadInput, match="no p-values"):
        benjamini_hochberg([])
