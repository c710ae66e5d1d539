"""The closed forms and published samples, to the digits they are printed with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, pearsonr
from tests.measures.sampling import sample_matrix

from subitize.errors import BadInput
from subitize.measures.accuracy import accuracy, proportion_interval, right_terms
from subitize.measures.baselines import (
    expected_accuracy,
    expected_nae,
    legacy_observer_sample,
    legacy_random_sample,
    observer_matrix,
    perfect_matrix,
    random_matrix,
)
from subitize.measures.confusion import percentages
from subitize.measures.counting_level import counting_level
from subitize.measures.error_size import (
    mean_error,
    nae,
    nae_terms,
    smape,
    smape_terms,
)
from subitize.measures.likeness import (
    category_consistency,
    human_correlation,
    matrix_correlation,
    random_correlation,
)
from subitize.measures.trials import trials_of


def test_ideal_observer() -> None:
    observer = observer_matrix()
    assert round(expected_accuracy(observer), 4) == 0.6156
    assert round(expected_nae(observer), 4) == 0.0689
    assert np.allclose(observer.sum(axis=0), 1)
    assert np.array_equal(observer[:, :4], perfect_matrix()[:, :4])


def test_ideal_observer_against_scipy() -> None:
    mass = np.diff(norm.cdf(np.arange(0.5, 21), loc=7, scale=0.25 * 7))
    assert np.allclose(observer_matrix(w=0.25, limit=2)[1:, 6], mass / mass.sum())
    assert observer_matrix(w=0).tolist() == perfect_matrix().tolist()
    with pytest.raises(BadInput, match="Weber fraction"):
        observer_matrix(w=-1)


def test_random_responder() -> None:
    assert round(expected_nae(random_matrix()), 5) == 2.30042
    assert round(expected_accuracy(random_matrix()), 12) == 0.05


def test_published_random_sample() -> None:
    drawn = np.random.RandomState(13).randint(1, 21, 1000)
    targets, responses = trials_of(legacy_random_sample())
    assert np.array_equal(np.bincount(drawn), np.bincount(responses.astype(int)))
    assert round(nae(targets, responses), 5) == 2.37883
    assert round(accuracy(targets, responses), 3) == 0.040


def test_published_observer_sample() -> None:
    targets, responses = trials_of(legacy_observer_sample())
    assert round(accuracy(targets, responses), 3) == 0.611
    assert round(nae(targets, responses), 4) == 0.0711


def test_published_correlation_of_the_two_samples() -> None:
    found = matrix_correlation(legacy_random_sample(), legacy_observer_sample())
    assert found is not None
    assert round(found, 4) == -0.0190
    with_exact = human_correlation(legacy_random_sample())
    assert with_exact is not None
    assert round(with_exact, 4) == -0.0293


def test_a_perfect_responder_is_not_like_people() -> None:
    found = human_correlation(perfect_matrix())
    assert found is not None
    assert round(found, 4) == 0.8185


def test_correlation_against_scipy() -> None:
    rng = np.random.default_rng(1)
    counts = sample_matrix(observer_matrix(w=0.3, limit=1), 30, rng)
    expected = pearsonr(
        percentages(counts).ravel(), percentages(observer_matrix()).ravel()
    ).statistic
    assert human_correlation(counts) == pytest.approx(expected)
    expected = pearsonr(counts[1:].ravel(), legacy_random_sample()[1:].ravel()).statistic
    assert random_correlation(counts) == pytest.approx(expected)


def test_correlation_is_null_where_undefined_and_leaves_empty_columns_out() -> None:
    assert human_correlation(random_matrix()) is None
    only_zeros = np.zeros((21, 10))
    only_zeros[0] = 5
    assert human_correlation(only_zeros) is None
    holed = observer_matrix()
    holed[:, 3] = 0
    assert human_correlation(holed) == pytest.approx(1)
    first, second = np.zeros((21, 10)), np.zeros((21, 10))
    first[1, 0], second[2, 1] = 1, 1
    assert category_consistency({"a": first, "b": second}) is None
    assert category_consistency({"a": first}) is None


def test_category_consistency_is_the_smallest_pair() -> None:
    matrices = {
        "people": observer_matrix(),
        "dots": observer_matrix(w=0.4, limit=0),
        "apples": perfect_matrix(),
    }
    pairs = [("people", "dots"), ("people", "apples"), ("dots", "apples")]
    found = [matrix_correlation(matrices[a], matrices[b]) for a, b in pairs]
    assert category_consistency(matrices) == min(value for value in found if value is not None)


@pytest.mark.parametrize(("right", "trials"), [(0, 10), (3, 17), (10, 10), (611, 1000)])
def test_exact_interval_against_scipy(right: int, trials: int) -> None:
    expected = binomtest(right, trials).proportion_ci(method="exact")
    found = proportion_interval(right, trials)
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)
    narrower = proportion_interval(right, trials, level=0.5)
    assert found.low <= narrower.low <= narrower.high <= found.high


def test_exact_interval_covers_at_least_95_percent_exactly() -> None:
    n = 20
    for truth in (0.05, 0.3, 0.5, 0.9):
        covered = [
            k
            for k in range(n + 1)
            if proportion_interval(k, n).low <= truth <= proportion_interval(k, n).high
        ]
        assert binom.pmf(covered, n, truth).sum() >= 0.95


def test_nae_by_target() -> None:
    targets, responses = [1, 1, 1, 2], [2, 2, 2, 2]
    assert nae(targets, responses) == 0.75
    assert nae(targets, responses, over="targets") == 0.5
    assert nae([1], [50]) == 49  # never clipped
    with pytest.raises(BadInput, match="choose trials or targets"):
        nae([1], [1], over="columns")  # type: ignore[arg-type]


def test_smape() -> None:
    assert smape([10, 10], [10, 30]) == 25
    assert smape([0], [0]) == 0
    assert smape([0], [4]) == 100
    assert smape([7, 7], [7, None]) == 50
    assert smape_terms([3], [1]).tolist() == [50]
    with pytest.raises(BadInput, match="NaN for a skip"):
        smape([1, 2], [1])


def test_terms_are_what_the_measures_are_the_mean_of() -> None:
    rng = np.random.default_rng(3)
    targets, responses = rng.integers(1, 11, 200), rng.integers(0, 15, 200)
    plain = [(int(t), int(g)) for t, g in zip(targets, responses, strict=True)]
    assert right_terms(targets, responses).tolist() == [t == g for t, g in plain]
    assert nae_terms(targets, responses).tolist() == [abs(g - t) / t for t, g in plain]
    assert accuracy(targets, responses) == right_terms(targets, responses).mean()
    assert nae(targets, responses) == nae_terms(targets, responses).mean()
    assert mean_error(targets, responses) == sum(abs(g - t) for t, g in plain) / 200


def test_a_skip_is_wrong_and_has_no_error() -> None:
    skipped = ([3, 4], [None, 4])
    assert right_terms(*skipped).tolist() == [False, True]
    assert smape_terms(*skipped).tolist() == [100, 0]
    assert np.isnan(nae_terms(*skipped)).tolist() == [True, False]
    with pytest.raises(BadInput, match="above 0"):
        nae_terms([0], [1])


def test_counting_level_of_the_yardsticks() -> None:
    for rule in ("standard", "half-as-often", "numgen"):
        assert counting_level(observer_matrix(), rule=rule) == 4  # type: ignore[arg-type]
        assert counting_level(perfect_matrix(), rule=rule) == 10  # type: ignore[arg-type]
        assert counting_level(random_matrix(), rule=rule) == 0  # type: ignore[arg-type]
    assert counting_level(legacy_random_sample()) == 0
