"""Scores of a naming or production run with intervals, all from one table of entries.

An *entry* is a distinct response of a category to a target, with how often it was given. A matrix
is never filled in: places nobody answered add nothing, so targets up to 500 cost what their
answers cost. Trials are drawn within category × target; where several answers are about one
picture, as people's are, whole pictures are drawn for the intervals of means and likenesses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.baselines import legacy_random_sample, observer_matrix
from subitize.measures.category_null import CategoryNull, category_null
from subitize.measures.confusion import confusion_matrix
from subitize.measures.counting_level import counting_level, levels
from subitize.measures.error_size import nae, smape_terms
from subitize.measures.intervals import mean_interval
from subitize.measures.likeness import category_consistency
from subitize.measures.likeness_interval import likeness_interval
from subitize.measures.resampling import resampled, sums_by
from subitize.measures.trials import Counts, Floats, one_for_each, readable_trials
from subitize.records import Score

LEVEL_SAMPLES = 4_000
"""of which the shares of counting levels are shares"""


class NamingIntervals(NamedTuple):
    """Scores of a naming or production run with 95 % intervals; None where undefined."""

    accuracy: Score
    nae: Score
    mae: Score
    rmse: Score
    mape: Score
    smape: Score
    by_category: Mapping[str, tuple[Score, Score]]
    """accuracy and NAE of each category"""
    human_correlation: Score | None
    random_correlation: Score | None
    category_consistency: Score | None
    """without an interval: the smallest of several noisy correlations lies below the truth"""
    category_null: CategoryNull | None
    """what categories that are answered alike would give"""
    counting_level: int | None
    level_shares: Mapping[int, float]
    """the share of bootstrap samples with each counting level"""


def naming_intervals(
    targets: ArrayLike,
    responses: ArrayLike,
    categories: ArrayLike,
    rng: np.random.Generator,
    *,
    highest_target: int = 10,
    samples: int = LEVEL_SAMPLES,
    pictures: ArrayLike | None = None,
) -> NamingIntervals:
    """All naming scores with 95 % intervals, one category per trial; only readable trials go in.

    `pictures` names the picture of each trial: several answers about one are not independent.

    Errors and shares have the intervals of `intervals`, correlations those of
    `likeness_interval`. The generator serves the shares of counting levels and the null of the
    category consistency; its state decides both.

    >>> targets = [1, 2] * 20
    >>> found = naming_intervals(targets, targets, ["dots"] * 40, np.random.default_rng(0),
    ...                          highest_target=2, samples=100)
    >>> found.accuracy.value, round(found.accuracy.low, 3), found.accuracy.high
    (1.0, 0.922, 1.0)
    >>> found.counting_level, found.category_consistency
    (2, None)
    """
    asked, given = readable_trials(targets, responses)
    kinds = np.asarray(categories).ravel().astype(str)
    one_for_each(asked, "trials", kinds, "categories")
    whole = confusion_matrix(asked, given, highest_target=highest_target).counts
    names, category = np.unique(kinds, return_inverse=True)
    entries = _Entries(asked, given, category, highest_target, pictures)
    own = {name: kinds == name for name in names.tolist()}
    same = category_consistency(
        {
            name: confusion_matrix(asked[one], given[one], highest_target=highest_target).counts
            for name, one in own.items()
        }
    )
    several = int((whole.sum(axis=0) > 0).sum()) > 1
    shares = entries.level_shares(rng, samples) if several else {}
    every = np.ones(entries.times.size, dtype=bool)
    return NamingIntervals(
        entries.accuracy(every),
        # the value of the trials themselves: the sum of a table rounds in another order
        replace(entries.nae(every), value=nae(asked, given)),
        *entries.other_errors(),
        {
            name: (entries.accuracy(entries.kind == at), entries.nae(entries.kind == at))
            for at, name in enumerate(names.tolist())
        },
        *entries.likenesses(),
        None if same is None else Score(same, trials=asked.size),
        None
        if same is None
        else category_null(entries.category_table(), same, rng, rows=2 * highest_target),
        counting_level(whole) if several else None,
        shares,
    )


def error_intervals(
    targets: ArrayLike, responses: ArrayLike, categories: ArrayLike, *, highest_target: int = 10
) -> tuple[Score, Score]:
    """Accuracy and NAE alone, with their 95 % intervals as in `naming_intervals`.

    >>> right, error = error_intervals([1, 2] * 20, [1, 2] * 20, ["dots"] * 40)
    >>> right.value, round(right.low, 3), error.value
    (1.0, 0.922, 0.0)
    """
    asked, given = readable_trials(targets, responses)
    category = np.unique(np.asarray(categories).ravel().astype(str), return_inverse=True)[1]
    entries = _Entries(asked, given, category, highest_target)
    every = np.ones(entries.times.size, dtype=bool)
    return entries.accuracy(every), entries.nae(every)


class _Entries:
    """Distinct answers by category and target, and how often each was given."""

    def __init__(
        self,
        asked: Floats,
        given: Floats,
        category: Counts,
        highest: int,
        pictures: ArrayLike | None = None,
    ) -> None:
        self.highest = highest
        values, value = np.unique(given, return_inverse=True)
        cell = category * (highest + 1) + asked.astype(np.int64)
        entry, self.times = np.unique(cell * values.size + value, return_counts=True)
        self.picture: Counts | None = None
        if pictures is not None:
            names, picture = np.unique(np.asarray(pictures).ravel(), return_inverse=True)
            one_for_each(asked, "trials", picture, "pictures")
            if names.size < picture.size:  # each answer is an entry: it has its picture
                self.picture, entry = picture, cell * values.size + value
                self.times = np.ones_like(entry)
        self.cell, self.response = entry // values.size, values[entry % values.size]
        self.kind, self.target = np.divmod(self.cell, highest + 1)
        # trials of each target; column 0 stays empty
        self.totals = np.bincount(asked.astype(np.int64), minlength=highest + 1)

    def accuracy(self, own: NDArray[np.bool_]) -> Score:
        return self._mean(self.target == self.response, own, most=1.0)

    def nae(self, own: NDArray[np.bool_]) -> Score:
        off = np.abs(self.response - self.target)
        return self._mean(off / self.target, own, 1 / self.target)

    def other_errors(self) -> tuple[Score, Score, Score, Score]:
        """MAE, RMSE, MAPE and sMAPE."""
        off, every = np.abs(self.response - self.target), np.ones(self.times.size, dtype=bool)
        square = self._mean(off**2, every, 2 * off + 1)
        both = smape_terms(self.target, self.response)
        step = 100 / (2 * self.target + 1)
        return (
            self._mean(off, every),
            rooted(square),
            percent(self.nae(every)),
            self._mean(both, every, step, 100.0, worst=True),
        )

    def _mean(
        self,
        values: ArrayLike,
        own: NDArray[np.bool_],
        steps: ArrayLike = 1.0,
        most: float = math.inf,
        *,
        worst: bool = False,
    ) -> Score:
        terms, step = np.asarray(values, dtype=np.float64), np.broadcast_to(steps, own.shape)
        return mean_interval(
            terms[own],
            times=self.times[own] if self.picture is None else None,
            strata=self.cell[own],
            clusters=None if self.picture is None else self.picture[own],
            steps=step[own],
            bounds=(0.0, most),
            worst=worst,
        )

    def likenesses(self) -> tuple[Score | None, Score | None]:
        """To the ideal human observer and to the published guesses."""
        table = self.target, self.response, self.cell, self.times
        human = observer_matrix(highest_target=self.highest)
        guesses = legacy_random_sample(highest_target=self.highest)
        return (
            likeness_interval(table, human, self.picture),
            likeness_interval(table, guesses, self.picture),
        )

    def category_table(self) -> tuple[Counts, Counts, Counts, Counts]:
        """(category, target, row, times) of each entry, rows as of a matrix."""
        row = np.minimum(self.response, 2 * self.highest).astype(np.int64)
        return self.kind, self.target, row, self.times

    def level_shares(self, rng: np.random.Generator, samples: int) -> dict[int, float]:
        """The share of bootstrap samples with each counting level."""
        row = np.minimum(self.response, 2 * self.highest).astype(np.int64)
        # Levels look at answers up to the highest target only
        kept = (row > 0) & (row <= self.highest)
        where = (self.target * (self.highest + 1) + row)[kept]
        places, pooled = sums_by(where)
        target, said = np.divmod(places, self.highest + 1)
        present = self.totals[1:] > 0
        others = np.maximum(present.sum() - present, 1)
        elsewhere_at = np.flatnonzero(said != target)
        words, summed = sums_by(said[elsewhere_at])

        def reached(counts: Floats) -> Floats:
            shares = pooled(counts[kept]) / self.totals[target][:, None]
            own, elsewhere, following = np.zeros((3, self.highest, counts.shape[1]))
            for found, apart in ((own, 0), (following, 1)):
                at = np.flatnonzero(target - said == apart)
                found[said[at] - 1] = shares[at]
            if words.size:
                elsewhere[words - 1] = summed(shares[elsewhere_at])
            return levels(own.T, elsewhere.T / others, following.T).astype(np.float64)

        if not kept.any():
            return {0: 1.0}
        width = 4 * self.times.size
        drawn = resampled(self.times, reached, rng, strata=self.cell, samples=samples, width=width)
        level, times = np.unique(drawn.astype(np.int64), return_counts=True)
        return dict(zip(level.tolist(), (times / samples).tolist(), strict=True))


def percent(share: Score) -> Score:
    """A share of the target in percent.

    >>> percent(Score(0.5, 0.25, 1.0, 5))
    Score(value=50.0, low=25.0, high=100.0, trials=5, states={})
    """
    value, low, high = (
        None if part is None else 100 * part for part in (share.value, share.low, share.high)
    )
    return Score(value, low, high, share.trials)


def rooted(square: Score) -> Score:
    """The root of a mean square with its interval.

    >>> rooted(Score(4.0, 1.0, 9.0, 5))
    Score(value=2.0, low=1.0, high=3.0, trials=5, states={})
    """
    value, low, high = (
        None if part is None else math.sqrt(max(0.0, part))
        for part in (square.value, square.low, square.high)
    )
    return replace(square, value=value, low=low, high=high)
