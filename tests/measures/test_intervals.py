"""Intervals of means against exact ones, at their edges, and by what they cover."""

from __future__ import annotations

import json
import math
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from bench.coverage import FILE, SCORES, covered, drawn
from scipy.stats import poisson

from subitize.errors import BadInput
from subitize.measures import intervals
from subitize.measures import likeness_interval as likeness_intervals
from subitize.measures.accuracy import proportion_interval
from subitize.measures.baselines import legacy_random_sample, observer_matrix, perfect_matrix
from subitize.measures.intervals import SEEN, Part, gamma_interval, mean_interval
from subitize.measures.likeness import matrix_correlation
from subitize.measures.likeness_interval import likeness_interval
from subitize.measures.trials import trials_of

TABLE = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seen", [0, 1, 2, 5, 30])
def test_equal_weights_give_the_interval_of_a_poisson_count(seen: int) -> None:
    """Independent reference: the mean at which .565 of the chance of `seen` and all beyond it
    is .025."""
    low, high = gamma_interval(Part(float(seen), float(seen), 1.0, 1.0))
    below = poisson.cdf(seen - 1, high) + SEEN * poisson.pmf(seen, high)
    assert below == pytest.approx(0.025, abs=1e-6)
    if seen:
        above = poisson.sf(seen, low) + SEEN * poisson.pmf(seen, low)
        assert above == pytest.approx(0.025, abs=1e-6)
    else:
        assert low == 0


def test_every_count_of_rare_errors_is_held() -> None:
    """Exactly computed: the mid-p interval holds a Poisson mean of 3.06 in .917 of runs."""
    ends = np.array([gamma_interval(Part(y, y, 1.0, 1.0)) for y in np.arange(120.0)])
    means = np.arange(0.5, 60, 0.02)[:, None]
    held = (ends[:, 0] <= means) & (means <= ends[:, 1])
    coverage = (held * poisson.pmf(np.arange(120), means)).sum(axis=1)
    assert coverage.min() > 0.935
    assert coverage[means[:, 0] >= 5].max() < 0.975


def test_an_error_never_seen_is_the_worst_there_can_be_or_unknown() -> None:
    """A skip has an sMAPE of 100; how large an NAE can be, few trials don't tell."""
    strata = np.tile(np.arange(50), 2)
    bounded = mean_interval([0.0] * 100, strata=strata, steps=5.0, bounds=(0.0, 100.0), worst=True)
    assert bounded.high == pytest.approx(3.118, abs=1e-3)
    assert mean_interval([0.0] * 100, strata=strata, bounds=(0.0, np.inf)).low is None
    more = np.tile(np.arange(50), 5)
    assert mean_interval([0.0] * 250, strata=more, bounds=(0.0, np.inf)).high > 0
    # with an error seen there is an interval again
    assert mean_interval([0.0] * 99 + [1.0], strata=strata, bounds=(0.0, np.inf)).high > 0


def test_a_few_errors_of_several_sizes_are_held() -> None:
    """Seven errors do not tell how large the next is: taken as their mean, .90 of runs are held."""
    shares = np.full((20, 10), 0.0015) + 0.97 * np.eye(20, 10)
    said, targets = np.arange(1, 21)[:, None], np.arange(1, 11)
    truth = float((shares * np.abs(said - targets) / targets).sum() / 10)
    rng, held = np.random.default_rng(11), 0
    for _ in range(600):
        counts = rng.multinomial(5, np.tile(shares.T, (5, 1)))
        stratum, at = np.nonzero(counts)
        target = stratum % 10 + 1
        found = mean_interval(
            np.abs(at + 1 - target) / target, times=counts[stratum, at], strata=stratum,
            steps=1 / target, bounds=(0.0, np.inf),
        )  # fmt: skip
        held += found.low <= truth <= found.high
    assert held / 600 >= 0.93


def test_with_many_errors_it_is_the_usual_interval_of_a_mean() -> None:
    rng = np.random.default_rng(0)
    values, strata = rng.exponential(1.0, 4000), np.repeat(np.arange(40), 100)
    values += strata
    spread = np.sqrt(sum(values[strata == s].var(ddof=1) * 100 for s in range(40))) / 4000
    found = mean_interval(values, strata=strata)
    assert found.low == pytest.approx(values.mean() - 1.96 * spread, abs=0.05 * spread)
    assert found.high == pytest.approx(values.mean() + 1.96 * spread, abs=0.05 * spread)


def test_a_share_at_the_edge_is_as_wide_as_the_exact_interval() -> None:
    for wrong in (0, 1, 2, 5):
        values = np.array([0.0] * wrong + [1.0] * (200 - wrong))
        found = mean_interval(values, strata=np.tile(np.arange(40), 5), bounds=(0.0, 1.0))
        exact = proportion_interval(200 - wrong, 200)
        assert found.low < found.high
        assert 0.7 < (found.high - found.low) / (exact.high - exact.low) < 1.2


def test_counts_of_alike_trials_say_the_same_as_the_trials() -> None:
    rng = np.random.default_rng(1)
    values, strata = rng.integers(0, 3, 300), rng.integers(0, 5, 300)
    pairs, times = np.unique(np.stack([strata, values]), axis=1, return_counts=True)
    whole = mean_interval(values, strata=strata)
    assert mean_interval(pairs[1], strata=pairs[0], times=times) == whole
    order = rng.permutation(300)
    assert mean_interval(values[order], strata=strata[order]) == whole


def test_several_answers_about_one_picture_say_as_little_as_one() -> None:
    values = np.random.default_rng(2).random(100)
    alone = mean_interval(values)
    copied = mean_interval(np.repeat(values, 4), clusters=np.repeat(np.arange(100), 4))
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high), rel=0.02)
    assert copied.trials == 400


def test_one_value_has_no_interval_and_none_is_an_error() -> None:
    assert mean_interval([1.0]).low is None
    with pytest.raises(BadInput, match="no values"):
        mean_interval([])
    with pytest.raises(BadInput, match="2 strata"):
        mean_interval([1.0], strata=[1, 2])


def test_a_likeness_has_the_value_of_the_plain_function() -> None:
    rng = np.random.default_rng(3)
    for yardstick in (observer_matrix(), legacy_random_sample()):
        counts = rng.multinomial(20, observer_matrix(w=0.3).T).T
        target, response = trials_of(counts)
        found = likeness_interval((target, response, target, np.ones(target.size)), yardstick)
        assert found is not None
        assert found.value == pytest.approx(matrix_correlation(counts, yardstick), abs=1e-12)
        assert found.low < found.high


def test_a_likeness_that_is_undefined_is_none() -> None:
    assert likeness_interval(([3, 3], [0, 0], [3, 3], [1, 1]), observer_matrix()) is None


def test_a_perfect_run_leaves_room_for_errors_never_seen() -> None:
    targets = np.arange(1, 11)
    for many in (10, 100):
        found = likeness_interval((targets, targets, targets, [many] * 10), observer_matrix())
        assert found is not None
        truth = matrix_correlation(perfect_matrix(), observer_matrix())
        assert found.low < truth < found.high


def test_a_likeness_beyond_its_bound_by_noise_is_no_interval_of_nothing() -> None:
    """The yardstick's own runs: without noise their r may exceed 1, and [1, 1] was said then."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        entries = drawn([observer_matrix()] * 5, np.ones((5, 10)), 2, rng)
        found = likeness_interval(entries, observer_matrix())
        assert found is not None
        assert found.high - found.low > 0.001


def test_a_run_that_is_the_yardstick_leaves_room_for_errors_never_seen() -> None:
    """Up to 4 the observer is exact: a perfect run has r = 1, and [1, 1] was said of it."""
    targets, yardstick = np.arange(1, 4), observer_matrix(highest_target=3)
    found = likeness_interval((targets, targets, targets, [10] * 3), yardstick)
    assert found is not None
    assert found.high == 1.0
    unseen = 30 * perfect_matrix(highest_target=3)
    for target in targets.tolist():
        unseen[target + 1, target - 1] += 3.118
        unseen[target, target - 1] -= 3.118
    assert found.low == pytest.approx(matrix_correlation(unseen, yardstick), abs=1e-4)


@pytest.mark.budget(60)
def test_three_random_cells_of_the_coverage_table_come_out_again() -> None:
    """Other seeds, 300 runs: every coverage within three standard errors of the table's.

    Which cells and seeds is decided by table and method, so that a change of either draws others.
    """
    cells = [(name, per_cell) for name, row in TABLE.items() for per_cell in row]
    sources = [FILE, *(Path(str(module.__file__)) for module in (intervals, likeness_intervals))]
    rng = np.random.default_rng([crc32(source.read_bytes()) for source in sources])
    runs = 300
    for at in rng.choice(len(cells), 3, replace=False).tolist():
        name, per_cell = cells[at]
        known = TABLE[name][per_cell]
        found = covered(name, int(per_cell), runs, seed=int(rng.integers(1, 2**31)))
        for score in SCORES:
            if known[score]["coverage"] is None:
                assert found[score]["coverage"] is None
                continue
            share = min(max(known[score]["coverage"], 0.02), 0.98)
            given = max(known[score]["given"], 1 / runs)
            error = np.sqrt(share * (1 - share) * (1 / runs + 1 / known["runs"]) / given)
            assert found[score]["coverage"] == pytest.approx(
                known[score]["coverage"], abs=3 * error
            ), (name, per_cell, score)


@pytest.mark.parametrize(("wrong", "per_cell"), [((7,), 10), ((7,), 20), ((10,), 50), ((7, 9), 5)])
def test_a_likeness_near_the_most_it_can_be_is_held(wrong: tuple[int, ...], per_cell: int) -> None:
    """Half of the answers to these numbers are one too many: their share hardly changes r there,
    so that what was seen to matter to r does not tell how far it lies from the truth."""
    right = np.zeros((210, 10))
    for target in range(1, 11):
        share = 0.5 if target in wrong else 0.0
        right[[target, target + 1], target - 1] = 1 - share, share
    yardstick = observer_matrix()
    truth = matrix_correlation(right[:21], yardstick)
    rng, runs = np.random.default_rng(per_cell), 200
    held = 0
    for _ in range(runs):
        found = likeness_interval(drawn([right] * 5, np.ones((5, 10)), per_cell, rng), yardstick)
        held += found.low <= truth <= found.high
    assert held / runs >= 0.93 - 1.64 * math.sqrt(0.93 * 0.07 / runs)


def test_a_likeness_below_0_mirrors_that_of_the_opposite_yardstick() -> None:
    """−r has the interval of r, turned round."""
    entries = drawn([observer_matrix()] * 5, np.ones((5, 10)), 5, np.random.default_rng(1))
    yardstick = observer_matrix()
    found = likeness_interval(entries, yardstick)
    turned = likeness_interval(entries, yardstick.max() - yardstick)
    ends = (-turned.value, -turned.high, -turned.low)
    assert ends == pytest.approx((found.value, found.low, found.high))


LEAST = 0.93
UNSEEN = ("99 % right else 200", "5")
"""8 % of its runs with 5 trials per cell show no error at all, so nothing tells how large one is"""


@pytest.mark.parametrize("name", TABLE)
def test_every_interval_of_the_table_covers(name: str) -> None:
    for per_cell, row in TABLE[name].items():
        assert row["runs"] >= 2000
        for score in SCORES:
            if (name, per_cell) == UNSEEN and score in ("nae", "mae", "rmse"):
                continue
            if row[score]["given"] < 1:
                assert per_cell == "2", score
            # where a run has no interval, none can miss
            missed = 1 - (row[score]["coverage"] or 1.0)
            assert missed * row[score]["given"] <= 1 - LEAST, (per_cell, score)
        assert row["accuracy"]["width"] <= 1.5 * row["accuracy"]["clopper_pearson"], per_cell


def test_trials_alone_in_their_cells_do_not_tell_how_large_an_unseen_error_is() -> None:
    found = mean_interval(np.zeros(50), strata=np.arange(50), steps=0.1)
    assert (found.value, found.low, found.high) == (0.0, None, None)
    assert mean_interval(np.zeros(50), strata=np.arange(50) // 5, steps=0.1).high > 0
