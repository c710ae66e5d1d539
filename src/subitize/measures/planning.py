"""How wide intervals will be before anybody is asked: from runs of simulated observers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from subitize.errors import BadInput
from subitize.measures.baselines import observer_matrix
from subitize.measures.intervals import mean_interval
from subitize.measures.paired import trials_needed
from subitize.records import Score

OBSERVERS = (0.03, 0.15, 0.25)
"""Weber fractions of a sharp, a usual and a blunt observer"""
RUNS = 20


class Widths(NamedTuple):
    """Mean widths of the 95 % intervals of one observer's runs."""

    w: float
    """its Weber fraction"""
    accuracy: float | None
    """of its runs that have one; None where none has"""
    nae: float | None
    """the same of NAE"""


class Power(NamedTuple):
    """How many pictures tell two respondents apart."""

    difference: float
    """of their shares of right answers"""
    discordant: float
    """share of pictures that one alone answers rightly"""
    needed: int
    """pictures, for a power of .8"""


def power_table(
    differences: Sequence[float] = (0.02, 0.05, 0.1), discordant: float = 0.2
) -> list[Power]:
    """What it takes to tell differences of accuracy by the paired test.

    >>> [row.needed for row in power_table()]
    [3923, 626, 155]
    """
    return [Power(one, discordant, trials_needed(one, discordant)) for one in differences]


def expected_widths(
    per_cell: int,
    rng: np.random.Generator,
    *,
    categories: int = 5,
    highest_target: int = 10,
    runs: int = RUNS,
) -> list[Widths]:
    """Mean widths of the intervals of accuracy and NAE with so many trials per cell.

    width = mean over simulated runs that have one of high − low, observers w = .03, .15 and .25
    Unit: share.

    >>> few, many = (expected_widths(n, np.random.default_rng(0), runs=3)[1] for n in (5, 50))
    >>> 2 < few.nae / many.nae < 5
    True
    """
    if min(per_cell, categories, highest_target, runs) < 1:
        raise BadInput("Widths need at least one trial, category, target and run.")
    targets = np.arange(1, highest_target + 1)
    found = []
    for w in OBSERVERS:
        shares = observer_matrix(w=w, highest_target=highest_target)
        widths = []
        for _ in range(runs):
            counts = rng.multinomial(per_cell, shares.T, size=(categories, highest_target))
            kind, column, response = np.nonzero(counts)
            times, cell = counts[kind, column, response], kind * highest_target + column
            off, target = np.abs(response - targets[column]), targets[column]
            right = mean_interval(off == 0, times=times, strata=cell, bounds=(0.0, 1.0))
            error = mean_interval(
                off / target, times=times, strata=cell, steps=1 / target, bounds=(0.0, np.inf)
            )
            widths.append([_width(one) for one in (right, error)])
        found.append(Widths(w, *map(_mean, zip(*widths, strict=True))))
    return found


def _width(one: Score) -> float | None:
    return None if one.low is None or one.high is None else one.high - one.low


def _mean(widths: Sequence[float | None]) -> float | None:
    known = [width for width in widths if width is not None]
    return sum(known) / len(known) if known else None
