"""The observer with bias, the null of categories, knower levels, anchoring and effort."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import linregress, norm

from subitize.errors import BadInput
from subitize.measures.anchoring import anchoring
from subitize.measures.baselines import observer_matrix, perfect_matrix
from subitize.measures.biased_observer import fit_biased_observer
from subitize.measures.category_null import _Tables, category_null
from subitize.measures.effort import effort_by_number
from subitize.measures.knower_level import EVIDENCE, knower_level
from subitize.measures.trials import Floats
from subitize.measures.variability import rounded_observer_slope, scalar_variability

TARGETS = np.arange(1, 11)


def shares(a: float, beta: float, w: float, lapse: float = 0.0, limit: int = 0) -> Floats:
    """P(g | t) by the formula, rows 1..20."""
    mean = a * TARGETS**beta
    rows = np.arange(1, 21)[:, None]
    mass = norm.cdf((rows + 0.5 - mean) / (w * mean)) - norm.cdf((rows - 0.5 - mean) / (w * mean))
    mass = mass / mass.sum(axis=0)
    mass[:, :limit] = np.eye(20, 10)[:, :limit]
    return np.asarray((1 - lapse) * mass + lapse / 20)


def run_of(chances: Floats, many: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    drawn = [rng.multinomial(many, chances[:, at]) for at in range(10)]
    return np.vstack([np.zeros(10), np.stack(drawn, axis=1)])


@pytest.mark.parametrize(
    ("a", "beta", "w", "lapse", "limit"),
    [(0.8, 1.0, 0.12, 0.0, 0), (1.0, 0.8, 0.12, 0.0, 0), (1.0, 1.0, 0.15, 0.0, 4),
     (0.9, 1.05, 0.2, 0.04, 3)],
)  # fmt: skip
def test_a_biased_observer_is_recovered(
    a: float, beta: float, w: float, lapse: float, limit: int
) -> None:
    counts = run_of(shares(a, beta, w, lapse, limit), 400, 3)
    found = fit_biased_observer(counts, np.random.default_rng(0), samples=40)
    assert found.a.value == pytest.approx(a, abs=0.08)
    assert found.beta.value == pytest.approx(beta, abs=0.05)
    assert found.w.value == pytest.approx(w, abs=0.012)
    assert found.lapse == pytest.approx(lapse, abs=0.015)
    assert abs(found.limit - limit) <= 1
    assert found.w.low < found.w.value < found.w.high
    assert (found.bias_p < 0.001) == ((a, beta) != (1.0, 1.0))
    assert found.fits


def test_the_fit_is_the_maximum_that_scipy_finds() -> None:
    counts = run_of(shares(0.85, 0.95, 0.2, 0.03), 60, 1)
    found = fit_biased_observer(counts, np.random.default_rng(0), samples=0)

    def minus(theta: Floats) -> float:
        chances = shares(theta[0], theta[1], abs(theta[2]) + 1e-6, abs(theta[3]), found.limit)
        return -float((counts[1:] * np.log(np.maximum(chances, 1e-300))).sum())

    best = minimize(minus, [0.9, 1.0, 0.15, 0.02], method="Nelder-Mead", options={"maxiter": 4000})
    ours = [found.a.value, found.beta.value, found.w.value, found.lapse]
    assert minus(np.array(ours)) <= best.fun + 1e-3
    assert found.fit_p is None


def test_who_is_no_observer_does_not_fit() -> None:
    """Half of the answers are 5 and half are 10, whatever is shown."""
    counts = np.zeros((21, 10))
    counts[5], counts[10] = 30, 30
    found = fit_biased_observer(counts, np.random.default_rng(0), samples=60)
    assert found.fits is False
    assert found.fit_p < 0.05


def test_what_can_not_be_fitted_says_why() -> None:
    with pytest.raises(BadInput, match="0 errors"):
        fit_biased_observer(5 * perfect_matrix(), np.random.default_rng(0))
    with pytest.raises(BadInput, match="four targets"):
        fit_biased_observer(np.eye(7, 3) + np.eye(7, 3, -1), np.random.default_rng(0))


def table(matrices: list[Floats], many: int, seed: int) -> tuple[np.ndarray, ...]:
    parts = []
    for kind, matrix in enumerate(matrices):
        counts = np.random.default_rng([seed, kind]).multinomial(many, matrix.T)
        column, row = np.nonzero(counts)
        parts.append((np.full(column.size, kind), column + 1, row, counts[column, row]))
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def consistency(entries: tuple[np.ndarray, ...]) -> float:
    from subitize.measures.likeness import category_consistency

    kinds: dict[str, Floats] = {}
    for kind, target, row, times in zip(*entries, strict=True):
        kinds.setdefault(str(kind), np.zeros((21, 10)))[row, target - 1] += times
    found = category_consistency(kinds)
    assert found is not None
    return found


@pytest.mark.budget(20)
def test_the_null_of_categories_tells_two_kinds_of_observer_and_no_others() -> None:
    alike, mixed = (
        [observer_matrix()] * 5,
        [observer_matrix()] * 3 + [observer_matrix(w=0.35, limit=2)] * 2,
    )
    found = {"alike": 0, "mixed": 0}
    for seed in range(30):
        for name, matrices in (("alike", alike), ("mixed", mixed)):
            entries = table(matrices, 5, seed)
            null = category_null(
                entries, consistency(entries), np.random.default_rng(seed), rows=20, shuffles=199
            )
            assert null is not None
            found[name] += null.verdict == "differs"
            if name == "alike":
                assert 0.7 < null.null_mean < 0.87
    assert found["alike"] <= 6
    assert found["mixed"] >= 26


def test_the_consistency_of_a_shuffle_is_that_of_the_plain_function() -> None:
    entries = table([observer_matrix(), observer_matrix(w=0.3)], 8, 1)
    tables = _Tables(*entries)
    tables.rows = 20
    plain = np.zeros((2, tables.target.size, 1))
    for kind, target, row, times in zip(*entries, strict=True):
        plain[kind, (tables.target == target) & (tables.row == row)] += times
    assert tables.consistency(plain)[0] == pytest.approx(consistency(entries), abs=1e-12)


def test_tables_are_drawn_as_labels_are_shuffled() -> None:
    """The same totals exactly, and the same means within five standard errors."""
    tables = _Tables(*table([observer_matrix(), observer_matrix(w=0.3), observer_matrix()], 8, 1))
    rng = np.random.default_rng(0)
    shuffled, drawn = tables.shuffled(rng, 2_000), tables.drawn(rng, 2_000)
    for axis in (0, 1):
        assert np.ptp(drawn.sum(axis=axis), axis=-1).max() == 0
        assert np.array_equal(drawn.sum(axis=axis)[..., 0], shuffled.sum(axis=axis)[..., 0])
    error = np.sqrt((shuffled.var(axis=-1) + drawn.var(axis=-1)) / 2_000) + 1e-12
    assert (abs(shuffled.mean(axis=-1) - drawn.mean(axis=-1)) < 5 * error).all()
    assert drawn.var(axis=-1).sum() == pytest.approx(shuffled.var(axis=-1).sum(), rel=0.05)


@pytest.mark.budget(20)
def test_a_rounded_weber_observer_is_not_rejected() -> None:
    """The paper's test rejects a sharp one often, since rounding adds 1/12 to the variance."""
    chances = observer_matrix(w=0.05, limit=0)[1:]
    ours = papers = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        given = [rng.choice(np.arange(1, 21), 250, p=chances[:, at]) for at in range(10)]
        plain = scalar_variability(np.repeat(TARGETS, 250), np.concatenate(given))
        found = rounded_observer_slope(plain.slope, chances, [250] * 10, rng)
        assert found is not None
        ours += found.verdict == "not as a rounded observer"
        papers += plain.verdict == "not scalar"
    assert papers >= 12
    assert ours <= 8


def test_the_knower_level_is_that_of_a_direct_sum() -> None:
    counts = np.zeros((7, 3))
    counts[1, 0], counts[2, 1], counts[1, 1], counts[3, 2], counts[5, 2] = 5, 3, 2, 2, 3
    found = knower_level(counts)
    used = counts[1:]
    base = (used / 5).sum(axis=1) * 5 + 1
    base /= base.sum()
    evidence = np.geomspace(*EVIDENCE, 4000)
    direct = []
    for level in range(4):
        logs = np.zeros(evidence.size)
        for at, v in enumerate(evidence):
            for target in range(1, 4):
                weight = base.copy()
                for said in range(1, 7):
                    if said == target and target <= level:
                        weight[said - 1] *= v
                    elif said <= level or level == 3:
                        weight[said - 1] /= v
                logs[at] += (used[:, target - 1] * np.log(weight / weight.sum())).sum()
        direct.append(np.trapezoid(np.exp(logs), evidence))
    assert found.posterior == pytest.approx(np.array(direct) / sum(direct), abs=0.01)


def test_knower_levels_of_known_responders() -> None:
    assert knower_level(20 * perfect_matrix()).level == 10
    counts = np.zeros((21, 10))
    counts[np.arange(1, 4), np.arange(3)] = 20
    counts[4:11, 3:] = 3  # knows 1, 2, 3 and guesses the rest
    found = knower_level(counts)
    assert found.level == 3
    assert sum(found.posterior) == pytest.approx(1)


def test_anchoring_is_the_excess_of_the_mode() -> None:
    asked = np.repeat(TARGETS, 20)
    stuck = anchoring(asked, np.full(200, 4))
    assert (stuck.answer, stuck.excess.value) == (4, pytest.approx(0.9))
    right = anchoring(asked, asked)
    assert right.excess.value == 0
    assert right.excess.low <= 0 < right.excess.high


def test_effort_is_a_regression_on_the_number() -> None:
    rng = np.random.default_rng(0)
    asked = np.repeat(TARGETS, 30).astype(float)
    cost = 2 + 0.3 * asked + rng.exponential(asked / 5)
    found = effort_by_number(asked, cost)
    plain = linregress(asked, cost)
    assert found.slope.value == pytest.approx(plain.slope)
    assert found.slope.low < 0.5 < found.slope.high
    assert found.means[2] == pytest.approx(cost[asked == 3].mean())
    with pytest.raises(BadInput, match="-1"):
        effort_by_number([1, 2], [1, -1])


def test_a_run_that_was_broken_off_after_four_answers_is_fitted() -> None:
    """1, 3, 8 and 12 for 1, 2, 3 and 4: the mean for 5, which nobody saw, lies beyond all rows."""
    counts = np.zeros((11, 5), dtype=np.int64)
    counts[[1, 3, 8, 10], [0, 1, 2, 3]] = 1
    found = fit_biased_observer(counts, np.random.default_rng(0))
    assert found.beta.value > 1.3
    assert found.fit_p is not None
