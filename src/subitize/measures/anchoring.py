"""Anchoring: does a responder say one number whatever is shown?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.intervals import mean_interval
from subitize.measures.trials import one_for_each, readable_trials
from subitize.records import Score


class Anchoring(NamedTuple):
    """The answer given most often, and how much more often than it was right."""

    answer: int | float
    """the modal answer; of several the smallest"""
    excess: Score
    """its share of the answers minus its share of the targets"""


def anchoring(
    targets: ArrayLike,
    responses: ArrayLike,
    strata: ArrayLike | None = None,
    pictures: ArrayLike | None = None,
) -> Anchoring:
    """Share of the modal answer beyond its base rate.

    index = (share of answers that are the mode) − (share of targets that are the mode)
    The interval takes the mode as given and draws trials within `strata`, else within targets; of
    several answers about one of the `pictures`, whole pictures.
    Unit: share, −1 to 1. Best: 0.

    >>> found = anchoring([1, 2, 3, 4], [4, 4, 4, 4])
    >>> found.answer, found.excess.value
    (4, 0.75)
    """
    asked, given = readable_trials(targets, responses)
    values, times = np.unique(given, return_counts=True)
    mode = float(values[int(np.argmax(times))])
    place = asked if strata is None else np.asarray(strata).ravel()
    one_for_each(asked, "trials", place, "strata")
    beyond = (given == mode).astype(np.float64) - (asked == mode)
    # a share beyond its base rate: what a trial can add depends on whether the mode was right
    bounds = (np.where(asked == mode, -1.0, 0.0), np.where(asked == mode, 0.0, 1.0))
    found = mean_interval(beyond, strata=place, clusters=pictures, bounds=bounds)
    return Anchoring(int(mode) if mode.is_integer() else mode, found)
