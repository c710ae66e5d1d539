"""Paired comparisons against SciPy, by what they reject, and how many pictures they need."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test

from subitize.errors import BadInput
from subitize.measures.paired import mcnemar, paired_difference, sign_flips, trials_needed
from subitize.measures.planning import expected_widths


def test_mcnemar_is_the_binomial_test_of_discordant_pictures() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 2, (2, 60))
        more, less = int((other > one).sum()), int((other < one).sum())
        assert mcnemar(one, other) == pytest.approx(binomtest(more, more + less).pvalue)
    assert mcnemar([1, 0], [1, 0]) == 1.0


def test_sign_flips_agree_with_scipy() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(0.3, 1, 25)
    exact = permutation_test(
        (first, np.zeros(25)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        rng=2,
    )
    assert sign_flips(first, rng) == pytest.approx(exact.pvalue, abs=0.02)
    assert sign_flips([1.0] * 20 + [0.0] * 5, rng) < 0.001


def test_the_paired_test_has_its_size_and_needs_what_the_formula_says() -> None:
    """D = .1 and q = .3: with n pictures by the formula, about 80 % of runs tell them apart."""
    n = trials_needed(0.1, 0.3)
    rng = np.random.default_rng(3)
    told = false = 0
    for _ in range(300):
        fate = rng.choice([0, 1, -1], n, p=[0.7, 0.2, 0.1])
        told += mcnemar(fate == -1, fate == 1) < 0.05
        same = rng.choice([0, 1, -1], n, p=[0.7, 0.15, 0.15])
        false += mcnemar(same == -1, same == 1) < 0.05
    assert 0.72 <= told / 300 <= 0.88
    assert false / 300 <= 0.08


def test_an_interval_of_a_difference_covers() -> None:
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(200):
        easy = rng.random(100) < 0.9
        one, other = easy & (rng.random(100) < 0.95), easy & (rng.random(100) < 0.85)
        found = paired_difference(one, other, rng, bound=1.0).difference
        hits += found.low <= 0.9 * (0.85 - 0.95) <= found.high
    assert hits >= 184


@pytest.mark.parametrize(("pictures", "share"), [(20, 0.05), (50, 0.03), (100, 0.01)])
def test_a_difference_covers_skips_that_never_showed(pictures: int, share: float) -> None:
    """One skips now and then (an sMAPE of 100), the other never: most runs show no skip at all.

    Taken as one step, a difference never seen was held in .65, .76 and .63 of runs.
    """
    rng = np.random.default_rng([11, pictures])
    steps = 100 / (2 * rng.integers(5, 16, pictures) + 1)
    held = 0
    for _ in range(200):
        skipped = 100.0 * (rng.random(pictures) < share)
        found = paired_difference(
            np.zeros(pictures), skipped, rng, steps=steps, bound=100.0
        ).difference
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 100 * share <= found.high
    assert held / 200 > 0.93


def test_what_can_not_be_told_apart_is_refused() -> None:
    with pytest.raises(BadInput, match=r"0\.2"):
        trials_needed(0.3, 0.2)
    with pytest.raises(BadInput, match="2 values of the second"):
        paired_difference([1], [1, 0], np.random.default_rng(0))


def test_more_trials_make_narrower_intervals() -> None:
    few, many = (expected_widths(n, np.random.default_rng(0), runs=4) for n in (5, 20))
    assert [one.w for one in few] == [0.03, 0.15, 0.25]
    for one, other in zip(few, many, strict=True):
        assert other.accuracy < one.accuracy
        assert other.nae < one.nae
    with pytest.raises(BadInput, match="at least one"):
        expected_widths(0, np.random.default_rng(0))


def test_runs_without_an_interval_do_not_make_the_expected_width_smaller() -> None:
    """One trial of each number by a sharp observer is mostly without an error, so without one."""
    rng, alone = np.random.default_rng(3), {"categories": 1, "runs": 40}
    sharp = expected_widths(1, rng, **alone)[0]
    assert sharp.nae is not None
    assert sharp.nae > 0.06  # half as much where runs without one count as 0
    assert expected_widths(1, rng, categories=1, highest_target=1)[0].nae is None
