"""Counting level: up to which number a responder knows what the number words mean."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts

__all__ = ["LevelRule", "counting_level", "levels"]

LevelRule = Literal["standard", "half-as-often", "numgen"]
RULES: tuple[LevelRule, ...] = ("standard", "half-as-often", "numgen")
KNOWN = 0.67
"""how often n must be the answer to n"""
ELSEWHERE = 0.5
"""how often n may be the answer to something else"""
ROUNDING = 1e-12
"""shares that are equal on paper differ by less than this"""


def counting_level(counts: ArrayLike, *, rule: LevelRule = "standard") -> int:
    """The largest n such that 1, …, n are all known; on the matrix summed over categories.

    standard: P(n|n) ≥ .67 and P(n|≠n) < .5, other targets pooled with equal weight
    half-as-often: P(n|n) ≥ .67 and P(n|≠n) ≤ ½ P(n|n)
    numgen: P(n|n) > .67 and P(n|n+1) < .5, only the next target checked
    Unit: number word, 0 to the highest target. Best: the highest target.

    >>> from subitize.measures.baselines import observer_matrix
    >>> counting_level(observer_matrix())
    4
    """
    matrix = check_counts(counts)
    if int((matrix.sum(axis=0) > 0).sum()) < 2:
        raise BadInput(
            "The counting level needs trials with at least two targets, one to ask for a number "
            "and one to see whether it is said elsewhere: found one."
        )
    return int(levels(matrix[None], rule=rule)[0])


def levels(stack: NDArray[Any], *, rule: LevelRule = "standard") -> NDArray[np.int64]:
    """Counting levels of many matrices at once: shape (samples, 2m + 1, m) → (samples,).

    >>> levels(np.array([[[0, 0], [9, 5], [1, 5], [0, 0], [0, 0]]])).tolist()
    [0]
    """
    if rule not in RULES:
        raise BadInput(f"There is no counting level {rule!r}: choose {', '.join(RULES)}.")
    totals = stack.sum(axis=1, dtype=np.float64)
    targets = stack.shape[2]
    # said[s, n − 1, t − 1] = P(n | t); a target without trials has none and is never known
    filled = np.where(totals > 0, totals, np.nan)
    said = stack[:, 1 : targets + 1] / filled[:, None, :]
    own = np.diagonal(said, axis1=1, axis2=2)
    present = ~np.isnan(own)
    own = np.where(present, own, 0.0)
    others = np.maximum(present.sum(axis=1, keepdims=True) - present, 1)
    apart = np.where(np.eye(targets, dtype=bool), 0.0, np.nan_to_num(said))
    elsewhere = apart.sum(axis=2) / others
    if rule == "numgen":
        following = np.zeros_like(own)
        following[:, :-1] = np.diagonal(apart, offset=1, axis1=1, axis2=2)
        known = (own > KNOWN + ROUNDING) & (following < ELSEWHERE - ROUNDING)
    elif rule == "half-as-often":
        known = (own >= KNOWN - ROUNDING) & (elsewhere <= own / 2 + ROUNDING)
    else:
        known = (own >= KNOWN - ROUNDING) & (elsewhere < ELSEWHERE - ROUNDING)
    level: NDArray[np.int64] = np.cumprod(known, axis=1).sum(axis=1)
    return level
