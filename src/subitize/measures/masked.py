"""Masked numbers: at which rank among all numbers does the right one stand?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import Floats


def _ranks(ranks: ArrayLike) -> Floats:
    """Ranks from 1; NaN (or None) where the right number is not among the words."""
    array = np.asarray(ranks, dtype=np.float64).ravel()
    if not array.size:
        raise BadInput("There are no ranks: a share of nothing has no value.")
    if (array < 1).any() or np.isinf(array).any():
        raise BadInput("A rank lies below 1 or is infinite: give whole numbers from 1.")
    return array


def recall_at(ranks: ArrayLike, k: int = 1) -> float:
    """Recall@k: how often the right number is among the first k.

    Recall@k = (number of trials with rank ≤ k) / (number of trials)
    A number without a word is missed.
    Unit: share, 0 to 1. Best: 1.

    >>> recall_at([1, 2, 3, None], k=2)
    0.5
    """
    return float(np.mean(np.nan_to_num(_ranks(ranks), nan=np.inf) <= k))


def mean_rank(ranks: ArrayLike) -> float:
    """The mean rank of the right number among distinct numbers.

    MR = Σ ranks / n, over trials whose number has a word.
    Unit: places, from 1. Best: 1.

    >>> mean_rank([1, 2, 3, None])
    2.0
    """
    known = _ranks(ranks)
    known = known[~np.isnan(known)]
    if not known.size:
        raise BadInput("No right number is among the words: there is no rank to average.")
    return float(known.mean())
