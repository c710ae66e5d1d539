"""Scores of a naming or production run with intervals, all from the same bootstrap samples.

Trials are drawn within category × target. What is drawn are the *entries*: distinct responses of
a category to a target, with how often each was given. A matrix is never filled in: places nobody
answered add nothing, so targets up to 500 cost what their answers cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.accuracy import accuracy
from subitize.measures.baselines import legacy_random_sample, observer_matrix
from subitize.measures.confusion import confusion_matrix, percentages
from subitize.measures.counting_level import LevelRule, counting_level, levels
from subitize.measures.error_size import nae, nae_terms
from subitize.measures.likeness import category_consistency, human_correlation, random_correlation
from subitize.measures.resampling import (
    SAMPLES,
    basic_interval,
    percentile_interval,
    resampled,
    sums_by,
)
from subitize.measures.trials import Counts, Floats, one_for_each, readable_trials
from subitize.records import Score

CONSTANT = 1e-12
"""shares whose squares sum to less than this around their mean are all the same"""


@dataclass(frozen=True, slots=True)
class NamingIntervals:
    """Scores of a naming or production run with bootstrap intervals; None where undefined."""

    accuracy: Score
    nae: Score
    nae_by_category: Mapping[str, Score]
    human_correlation: Score | None
    random_correlation: Score | None
    category_consistency: Score | None
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
    samples: int = SAMPLES,
    rule: LevelRule = "standard",
) -> NamingIntervals:
    """All naming scores with 95 % intervals, one category per trial.

    Trials are resampled within category × target; only readable ones go in. The same generator
    state gives the same intervals. Accuracy and NAE have percentile intervals, the correlations
    basic ones (see `basic_interval`).

    >>> targets = [1, 2] * 20
    >>> found = naming_intervals(targets, targets, ["dots"] * 40, np.random.default_rng(0),
    ...                          highest_target=2, samples=100)
    >>> found.accuracy, found.counting_level, found.category_consistency
    (Score(value=1.0, low=1.0, high=1.0, trials=40, states={}), 2, None)
    """
    asked, given = readable_trials(targets, responses)
    kinds = np.asarray(categories).ravel().astype(str)
    one_for_each(asked, "trials", kinds, "categories")
    whole = confusion_matrix(asked, given, highest_target=highest_target).counts
    names, category = np.unique(kinds, return_inverse=True)
    drawn = _Entries(asked, given, category, highest_target, rule).resampled(rng, samples)
    of_category, matrices = {}, {}
    for name, errors in zip(names.tolist(), drawn[6:], strict=True):
        t, g = asked[kinds == name], given[kinds == name]
        of_category[name] = percentile_interval(nae(t, g), errors, trials=t.size)
        matrices[name] = confusion_matrix(t, g, highest_target=highest_target).counts
    likenesses = human_correlation(whole), random_correlation(whole), category_consistency(matrices)
    human, random, same = (
        None if r is None else basic_interval(r, own, bounds=(-1.0, 1.0), trials=asked.size)
        for r, own in zip(likenesses, drawn[2:5], strict=True)
    )
    several = int((whole.sum(axis=0) > 0).sum()) > 1
    reached, times = np.unique(drawn[5].astype(np.int64), return_counts=True)
    return NamingIntervals(
        percentile_interval(accuracy(asked, given), drawn[0], trials=asked.size),
        percentile_interval(nae(asked, given), drawn[1], trials=asked.size),
        of_category,
        human,
        random,
        same,
        counting_level(whole, rule=rule) if several else None,
        dict(zip(reached.tolist(), (times / samples).tolist(), strict=True)) if several else {},
    )


class _Entries:
    """Distinct answers by category and target, and the scores of any number of each."""

    def __init__(
        self, asked: Floats, given: Floats, category: Counts, highest: int, rule: LevelRule
    ) -> None:
        self.highest, self.rule = highest, rule
        values, value = np.unique(given, return_inverse=True)
        cell = category * (highest + 1) + asked.astype(np.int64)
        entry, self.times = np.unique(cell * values.size + value, return_counts=True)
        self.cell, response = entry // values.size, values[entry % values.size]
        kind, target = np.divmod(self.cell, highest + 1)
        # trials of each category and target; column 0 stays empty
        totals = np.bincount(cell, minlength=(int(category.max()) + 1) * (highest + 1))
        self.totals = totals.reshape(-1, highest + 1)
        # What each entry adds to accuracy, NAE and the NAE of its category, and over how many
        errors, own = nae_terms(target, response), kind == np.arange(len(self.totals))[:, None]
        self.linear = np.vstack([target == response, errors, np.where(own, errors, 0.0)])
        self.over = np.append([asked.size] * 2, self.totals.sum(axis=1))[:, None]
        # The matrix part: places (target, row) that anybody filled; a response of 0 has no place
        row = np.minimum(response, 2 * highest).astype(np.int64)
        self.kept = row > 0
        where = (target * (2 * highest + 1) + row)[self.kept]
        places, place = np.unique(where, return_inverse=True)
        self.target, self.row = np.divmod(places, 2 * highest + 1)
        self.filled, self.sums = sums_by(kind[self.kept] * places.size + place)
        self.elsewhere = np.flatnonzero((self.row != self.target) & (self.row <= highest))
        self.said, self.sums_said = sums_by(self.row[self.elsewhere])
        yardsticks = (observer_matrix, legacy_random_sample)
        self.yardsticks = np.stack([self._centred(of(highest_target=highest)) for of in yardsticks])

    def _centred(self, other: ArrayLike) -> Floats:
        """Another responder as a vector of length 1 around its mean, at the filled places."""
        shares = percentages(other)
        present = shares[:, self.totals.sum(axis=0)[1:] > 0]
        length = np.sqrt(((present - present.mean()) ** 2).sum()) or np.nan
        return np.asarray((shares[self.row - 1, self.target - 1] - present.mean()) / length)

    def resampled(self, rng: np.random.Generator, samples: int) -> Floats:
        """Accuracy, NAE, both likenesses, consistency, level and NAE by category per sample."""
        width = 4 * (self.times.size + len(self.totals) * self.row.size)
        return resampled(
            self.times, self.scores, rng, strata=self.cell, samples=samples, width=width
        )

    def scores(self, counts: Floats) -> Floats:
        tables = np.zeros((len(self.totals) * self.row.size, counts.shape[1]))
        tables[self.filled] = self.sums(counts[self.kept])
        by_category = tables.reshape(len(self.totals), self.row.size, counts.shape[1])
        totals = self.totals.sum(axis=0)
        pooled = by_category.sum(axis=0) / totals[self.target][:, None]
        size = 2 * self.highest * int((totals > 0).sum())
        spread = _spread(pooled.sum(axis=0), (pooled**2).sum(axis=0), size)
        linear = self.linear @ counts / self.over
        return np.concatenate(
            [
                linear[:2],
                self.yardsticks @ pooled / np.sqrt(spread),
                self._consistency(by_category)[None],
                self._levels(pooled)[None],
                linear[2:],
            ]
        )

    def _levels(self, pooled: Floats) -> Counts:
        present = self.totals.sum(axis=0)[1:] > 0
        own, elsewhere, following = np.zeros((3, self.highest, pooled.shape[1]))
        for shares, apart in ((own, 0), (following, 1)):
            at = np.flatnonzero((self.target - self.row == apart) & (self.row <= self.highest))
            shares[self.row[at] - 1] = pooled[at]
        others = np.maximum(present.sum() - present, 1)
        elsewhere[self.said - 1] = self.sums_said(pooled[self.elsewhere])
        return levels(own.T, elsewhere.T / others, following.T, rule=self.rule)

    def _consistency(self, tables: Floats) -> Floats:
        """Smallest correlation of two categories per sample, each over the targets both have."""
        there = self.totals > 0
        shares = tables / np.where(there, self.totals, 1)[:, self.target, None]
        both = there[:, self.target].astype(np.float64)
        # [a, b, sample]: sums over the targets of both of a's shares, and of their squares
        sums, squares = both @ shares, both @ shares**2
        lowest = np.full(tables.shape[-1], np.inf)
        for a, b in combinations(range(len(there)), 2):
            size = 2 * self.highest * max(1, int((there[a] & there[b]).sum()))
            product = np.einsum("ps,ps->s", shares[a], shares[b]) - sums[a, b] * sums[b, a] / size
            spread = [_spread(sums[i, j], squares[i, j], size) for i, j in ((a, b), (b, a))]
            lowest = np.fmin(lowest, product / np.sqrt(spread[0] * spread[1]))
        return np.where(np.isinf(lowest), np.nan, lowest)


def _spread(sums: Floats, squares: Floats, size: int) -> Floats:
    """Σ (x − mean)² from Σ x and Σ x² of `size` values; NaN where it is nothing but rounding."""
    found = squares - sums**2 / size
    return np.where(found > CONSTANT, found, np.nan)
