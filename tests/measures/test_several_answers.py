"""Several answers about one picture say no more of other pictures than one would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subitize.measures.anchoring import anchoring
from subitize.measures.intervals import FEWEST
from subitize.measures.naming import NamingIntervals, naming_intervals
from subitize.records import Score

EACH = 3
MEANS = ("accuracy", "nae", "mae", "rmse", "mape", "smape")


def _found(targets: Any, responses: Any, pictures: Any = None) -> NamingIntervals:
    rng = np.random.default_rng(3)
    kinds = np.where(np.arange(len(targets)) % 2, "dots", "apples")
    kinds = kinds if pictures is None else np.where(np.asarray(pictures) % 2, "dots", "apples")
    return naming_intervals(targets, responses, kinds, rng, samples=10, pictures=pictures)


@pytest.mark.parametrize("wrong", [0, 9])
def test_people_of_one_mind_are_as_sure_as_one_of_them(wrong: int) -> None:
    targets = np.repeat(np.arange(1, 11), 2 * FEWEST)
    responses = targets.copy()
    responses[np.random.default_rng(5).choice(targets.size, wrong, replace=False)] += 1
    alone = _found(targets, responses)
    pictures = np.repeat(np.arange(targets.size), EACH)
    together = _found(targets[pictures], responses[pictures], pictures)
    for name in MEANS:
        one, all_ = getattr(alone, name), getattr(together, name)
        assert all_.trials == EACH * one.trials
        assert (all_.value, all_.low, all_.high) == pytest.approx((one.value, one.low, one.high))
    for kind, scores in alone.by_category.items():
        for one, all_ in zip(scores, together.by_category[kind], strict=True):
            assert (all_.low, all_.high) == pytest.approx((one.low, one.high))
    assert alone.human_correlation
    assert together.human_correlation
    assert _width(together.human_correlation) > 0.6 * _width(alone.human_correlation)


def test_the_most_common_answer_is_as_unsure_as_with_one_answer() -> None:
    rng = np.random.default_rng(11)
    targets = np.repeat(np.arange(1, 6), 8)
    responses = np.where(rng.random(targets.size) < 0.6, 4, targets)
    pictures = np.repeat(np.arange(targets.size), EACH)
    one = anchoring(targets, responses).excess
    all_ = anchoring(targets[pictures], responses[pictures], pictures=pictures).excess
    assert (all_.low, all_.high) == pytest.approx((one.low, one.high))


def test_intervals_hold_the_truth_where_pictures_are_hard_or_easy() -> None:
    rng, held, runs = np.random.default_rng(17), 0, 300
    targets = np.repeat(np.arange(1, 11), 10)
    pictures = np.repeat(np.arange(targets.size), EACH)
    for _ in range(runs):
        hard = rng.beta(0.4, 1.6, targets.size)  # mean .2
        wrong = rng.random(pictures.size) < hard[pictures]
        found = _found(targets[pictures], targets[pictures] + wrong, pictures).accuracy
        held += bool(found.low <= 0.8 <= found.high)  # type: ignore[operator]
    assert held / runs > 0.92


def _width(score: Score) -> float:
    assert score.low is not None
    assert score.high is not None
    return score.high - score.low
