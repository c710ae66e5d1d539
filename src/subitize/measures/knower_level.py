"""Lee and Sarnecka's knower-level model: how likely each counting level is, given the answers.

Somebody who knows the numbers up to n starts from a base rate π of answers and changes it by the
evidence v of what is known: asked for q ≤ n, the answer q becomes v times as likely and the other
known numbers 1/v times; asked for q > n, all known numbers become 1/v times as likely. Who knows
all numbers of the run makes every other answer 1/v times as likely.

Lee, M. D. and Sarnecka, B. W. (2011). Number-knower levels in young children: Insights from
Bayesian modeling. Cognition 120(3), 391–402. doi:10.1016/j.cognition.2010.10.003
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.confusion import check_counts
from subitize.measures.trials import Floats

EVIDENCE = (1.0, 1000.0)
"""ends of the uniform prior of v"""
GRID = 80
HELD_AT_ONCE = 1_000_000
"""numbers in one array of levels by v and target"""


class KnowerLevel(NamedTuple):
    """The posterior over levels 0 to the highest target, from a uniform prior."""

    level: int
    """the most likely one"""
    posterior: tuple[float, ...]
    """of each level from 0; they sum to 1"""


def knower_level(counts: ArrayLike) -> KnowerLevel:
    """The posterior over knower levels of a confusion matrix of counts.

    P(n | answers) ∝ ∫ Π over answers of P(g | t; n, v, π) dv, v uniform on 1..1000
    π is what was said, each target with the same weight and one answer more of every number;
    responses of 0 are left out, those above 2m stand as 2m.
    Unit: number word, 0 to the highest target. Best: the highest target.

    >>> from subitize.measures.baselines import perfect_matrix
    >>> knower_level(5 * perfect_matrix(highest_target=3)).level
    3
    """
    matrix = check_counts(counts)[1:]
    totals = matrix.sum(axis=0)
    if totals.sum() == 0:
        raise BadInput("All readable responses are 0: the knower-level model has no 0.")
    shares = matrix / np.where(totals > 0, totals, 1.0)
    many = totals.sum() / max(1, int((totals > 0).sum()))
    base = shares.sum(axis=1) * many + 1.0
    base /= base.sum()
    logs = _marginals(_logs(matrix, base))
    weights = np.exp(logs - logs.max())
    posterior = weights / weights.sum()
    return KnowerLevel(int(np.argmax(posterior)), tuple(posterior.tolist()))


def _logs(counts: Floats, base: Floats) -> Floats:
    """Log-likelihoods [level, v] of all levels, without what they share.

    A level's chances are base rates times v, 1 or 1/v over their sum, so three sums tell them.
    """
    highest = counts.shape[1]
    levels, evidence = np.arange(highest + 1), np.geomspace(*EVIDENCE, GRID)
    own, said = np.diagonal(counts), counts.sum(axis=1)
    right = np.append(0.0, np.cumsum(own))
    known = np.append(0.0, np.cumsum(said))[: highest + 1]
    share = np.append(0.0, np.cumsum(base))[: highest + 1]
    # who knows all numbers of the run takes every other answer as wrong
    known[-1], share[-1] = said.sum(), base.sum()
    v = evidence[None, :, None]
    asked, times = np.arange(1, highest + 1), counts.sum(axis=0)
    sums = np.empty((levels.size, GRID))
    some = max(1, HELD_AT_ONCE // (GRID * highest))
    for at in (slice(first, first + some) for first in range(0, levels.size, some)):
        usual = (1 - share[at, None, None]) + share[at, None, None] / v
        more = np.where(asked <= levels[at, None, None], base[:highest] * (v - 1 / v), 0.0)
        sums[at] = (times * np.log(usual + more)).sum(axis=-1)
    return np.asarray((2 * right - known)[:, None] * np.log(evidence) - sums)


def _marginals(logs: Floats) -> Floats:
    """v integrated out on its grid: [level]."""
    width = np.gradient(np.geomspace(*EVIDENCE, GRID)) / (EVIDENCE[1] - EVIDENCE[0])
    top = logs.max(axis=1)
    return np.asarray(top + np.log((np.exp(logs - top[:, None]) * width).sum(axis=1)))
