"""Foil measures by hand."""

from __future__ import annotations

import pytest

from subitize.errors import BadInput
from subitize.measures.foils import foil_scores, pairwise_accuracy


def test_four_kinds_of_judgement() -> None:
    # right: 3 of 4 recognised; foils: 4 of 6 recognised
    found = foil_scores([0.9, 0.5, 0.8, 0.1], [0.1, 0.2, 0.6, 0.5, 0.3, 0.1], [0, 0, 1, 2, 3, 3])
    assert found.acc == 7 / 10
    assert found.recall_correct == 3 / 4
    assert found.recall_foil == 4 / 6
    assert found.precision_correct == 3 / 5
    assert found.precision_foil == 4 / 5
    # item 1 (.5) loses against .6, item 3 (.1) against .3 but ties with .1
    assert found.acc_r == 4 / 6
    assert (found.items, found.foils) == (4, 6)


def test_uncalibrated_scores_have_pairs_only() -> None:
    found = foil_scores([12.0], [-3.0], [0], calibrated=False)
    assert found.acc is None
    assert found.precision_foil is None
    assert found.acc_r == 1
    with pytest.raises(BadInput, match="uncalibrated"):
        foil_scores([12.0], [-3.0], [0])


def test_precision_of_what_was_never_said_is_undefined() -> None:
    yes = foil_scores([0.9], [0.9], [0])
    assert yes.precision_foil is None
    assert yes.precision_correct == 0.5
    no = foil_scores([0.1], [0.1], [0])
    assert no.precision_correct is None


def test_refusals() -> None:
    with pytest.raises(BadInput, match="no foils"):
        foil_scores([0.5], [], [])
    with pytest.raises(BadInput, match=r"outside 0\.\.0"):
        pairwise_accuracy([0.5], [0.5], [1])
    with pytest.raises(BadInput, match="item numbers"):
        pairwise_accuracy([0.5], [0.5], [0, 0])
