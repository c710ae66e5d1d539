"""Right sentences against foils: does a matcher tell the true number from a false one?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import numbers, one_for_each

MATCHES = 0.5
"""from this match probability on, a sentence is held to be right"""


class FoilScores(NamedTuple):
    """Shares from 0 to 1, best 1; None where undefined or where the scores are uncalibrated."""

    acc: float | None
    """share of all sentences judged rightly"""
    recall_correct: float | None
    """share of right sentences recognised"""
    recall_foil: float | None
    """share of foils recognised"""
    precision_correct: float | None
    """share of right ones among those held to be right"""
    precision_foil: float | None
    """share of foils among those held to be foils"""
    acc_r: float
    """share of pairs in which the right sentence scores at least as high as the foil"""
    items: int
    """right sentences"""
    foils: int
    """foils, each one pair"""


def pairwise_accuracy(
    right_scores: ArrayLike, foil_scores: ArrayLike, foil_items: ArrayLike
) -> float:
    """acc_r: right scored at least as high as the foil, over all pairs.

    acc_r = (number of foils with s(right of its item) ≥ s(foil)) / (number of foils)
    Unit: share, 0 to 1. Best: 1; chance .5.

    >>> pairwise_accuracy([0.9, 0.2], [0.1, 0.9, 0.3], [0, 0, 1])
    0.6666666666666666
    """
    right, foil = numbers(right_scores, "scores of right items"), numbers(foil_scores, "foils")
    item = np.asarray(foil_items).ravel()
    one_for_each(foil, "foils", item, "item numbers")
    if item.dtype.kind not in "iu" or item.min() < 0 or item.max() >= right.size:
        raise BadInput(f"A foil belongs to no item or one outside 0..{right.size - 1}.")
    return float(np.mean(right[item] >= foil))


def foil_scores(
    right_scores: ArrayLike,
    foil_scores: ArrayLike,
    foil_items: ArrayLike,
    *,
    calibrated: bool = True,
) -> FoilScores:
    """All foil measures; `foil_items[i]` is the index of foil i's right item.

    acc = (TP+TN)/(TP+TN+FP+FN): TP right items at p ≥ .5, FN below; TN foils below .5, FP above
    recall_correct = TP/(TP+FN), recall_foil = TN/(TN+FP), precision_correct = TP/(TP+FP),
    precision_foil = TN/(TN+FN); uncalibrated scores have only acc_r.
    Unit: share, 0 to 1. Best: 1.

    >>> found = foil_scores([0.9, 0.2], [0.1, 0.9, 0.3], [0, 0, 1])
    >>> found.acc, found.recall_correct, round(found.recall_foil, 3), found.precision_correct
    (0.6, 0.5, 0.667, 0.5)
    """
    acc_r = pairwise_accuracy(right_scores, foil_scores, foil_items)
    right, foil = numbers(right_scores, "scores of right items"), numbers(foil_scores, "foils")
    if not calibrated:
        return FoilScores(None, None, None, None, None, acc_r, right.size, foil.size)
    for scores in (right, foil):
        if scores.min() < 0 or scores.max() > 1:
            raise BadInput(
                f"A match probability is {scores[(scores < 0) | (scores > 1)][0]:g}, outside 0..1: "
                "declare the scores uncalibrated."
            )
    hits, passed = int((right >= MATCHES).sum()), int((foil >= MATCHES).sum())
    misses, spotted = right.size - hits, foil.size - passed
    return FoilScores(
        (hits + spotted) / (right.size + foil.size),
        hits / right.size,
        spotted / foil.size,
        hits / (hits + passed) if hits + passed else None,
        spotted / (spotted + misses) if spotted + misses else None,
        acc_r,
        right.size,
        foil.size,
    )
