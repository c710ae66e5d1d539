"""Counting level: up to which number a responder knows what the number words mean."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts
from subitize.measures.trials import Counts

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

    n is known if P(n|n) ≥ .67 and P(n|≠n) < .5, other targets pooled with equal weight (standard)
    half-as-often: P(n|n) ≥ .67 and P(n|≠n) ≤ ½ P(n|n)
    numgen: P(n|n) > .67 and P(n|n+1) < .5, only the next target checked
    Unit: number word, 0 to the highest target. Best: the highest target.

    >>> from subitize.measures.baselines import observer_matrix
    >>> counting_level(observer_matrix())
    4
    """
    matrix = check_counts(counts)
    totals = matrix.sum(axis=0)
    present = totals > 0
    if int(present.sum()) < 2:
        raise BadInput(
            "The counting level needs trials with at least two targets, one to ask for a number "
            "and one to see whether it is said elsewhere: found one."
        )
    # said[n − 1, t − 1] = P(n | t); a target without trials has none and is never known
    said = matrix[1 : totals.size + 1] / np.where(present, totals, 1.0)
    own, following = np.diagonal(said), np.append(np.diagonal(said, offset=1), 0.0)
    elsewhere = (said.sum(axis=1) - own) / (present.sum() - present)
    return int(levels(own, elsewhere, following, rule=rule))


def levels(
    own: ArrayLike, elsewhere: ArrayLike, following: ArrayLike, *, rule: LevelRule = "standard"
) -> Counts:
    """Counting levels from shares by number n on the last axis, of many samples at once.

    `own` is P(n|n), `elsewhere` P(n|≠n), `following` P(n|n+1).

    >>> levels([[0.9, 0.5], [0.9, 0.7]], [[0.1, 0.0]], [[0.1, 0.0]]).tolist()
    [1, 2]
    """
    right, wrong, next_wrong = (np.asarray(shares) for shares in (own, elsewhere, following))
    if rule == "numgen":
        known = (right > KNOWN + ROUNDING) & (next_wrong < ELSEWHERE - ROUNDING)
    elif rule == "half-as-often":
        known = (right >= KNOWN - ROUNDING) & (wrong <= right / 2 + ROUNDING)
    elif rule == "standard":
        known = (right >= KNOWN - ROUNDING) & (wrong < ELSEWHERE - ROUNDING)
    else:
        raise BadInput(f"There is no counting level {rule!r}: choose {', '.join(RULES)}.")
    return np.asarray(np.cumprod(known, axis=-1).sum(axis=-1))
