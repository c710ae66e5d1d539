"""What the category consistency would be if all categories were answered alike.

The smallest of several noisy correlations lies below the truth, the more so the fewer trials
there are: by itself it tells no difference between categories. Shuffling the labels of categories
within each target gives runs in which no category differs, with as many trials of each.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from subitize.measures.trials import Counts, Floats

SHUFFLES = 999
TOGETHER = 200_000
"""numbers shuffled at once: with more, fresh memory costs more than the arithmetic"""
MANY = 20_000
"""trials from which tables are drawn instead of labels: what that costs grows with the different
answers, not with the trials"""
ALPHA = 0.05
CONSTANT = 1e-12
"""shares whose squares sum to less than this around their mean are all the same"""
ROUNDING = 1e-9


class CategoryNull(NamedTuple):
    """The category consistency of runs in which categories differ in nothing but their names."""

    null_mean: float
    """mean of the consistency over shuffles"""
    p: float
    """share of shuffles with a consistency at most as large, the observed one counted in"""
    verdict: Literal["differs", "no difference between categories"]
    """differs if p < .05"""
    shuffles: int
    """how many shuffles"""


def category_null(
    entries: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
    observed: float,
    rng: np.random.Generator,
    *,
    rows: int = 0,
    shuffles: int = SHUFFLES,
) -> CategoryNull | None:
    """The null of the category consistency: labels shuffled within target.

    p = (1 + #{consistency of a shuffle ≤ observed}) / (1 + shuffles)
    `entries` are (category, target, row, times) of answers that are alike,
    `rows` how many rows their matrices have from 1 on. Unit: probability.

    >>> alike = [0, 0, 1, 1], [1, 2, 1, 2], [1, 2, 1, 2], [5, 5, 5, 5]
    >>> category_null(alike, 1.0, np.random.default_rng(0), shuffles=9)
    CategoryNull(null_mean=1.0, p=1.0, verdict='no difference between categories', shuffles=9)
    """
    category, target, row, times = (np.asarray(part, dtype=np.int64) for part in entries)
    tables = _Tables(category, target, row, times)
    tables.rows = max(rows, int(row.max()), 1)
    together = tables.places.size if tables.labels.size <= MANY else tables.target.size
    step = max(1, TOGETHER // together)
    found = np.concatenate(
        [
            tables.consistency(tables.shuffled(rng, min(step, shuffles - start)))
            for start in range(0, shuffles, step)
        ]
    )
    known = found[~np.isnan(found)]
    if not known.size:
        return None
    p = (1 + int((known <= observed + ROUNDING).sum())) / (1 + known.size)
    verdict: Literal["differs", "no difference between categories"] = (
        "differs" if p < ALPHA else "no difference between categories"
    )
    return CategoryNull(float(known.mean()), p, verdict, known.size)


class _Tables:
    """Counts by category and place (target, row), for many shuffles at once."""

    def __init__(self, category: Counts, target: Counts, row: Counts, times: Counts) -> None:
        rows = int(row.max()) + 1
        places, place = np.unique(target * rows + row, return_inverse=True)
        self.target, self.row = np.divmod(places, rows)
        self.categories = int(category.max()) + 1
        # one label and one place per trial, in order of targets
        order = np.argsort(target, kind="stable")
        self.labels = np.repeat(category[order], times[order])
        self.places = np.repeat(place[order], times[order])
        asked = np.repeat(target[order], times[order])
        self.edges = [0, *(np.flatnonzero(np.diff(asked)) + 1).tolist(), asked.size]
        self.totals = np.zeros((self.categories, int(target.max()) + 1))
        np.add.at(self.totals, (category, target), times)
        self.rows = int(row.max())

    def shuffled(self, rng: np.random.Generator, many: int) -> Floats:
        """Counts [category, place, shuffle] of runs with labels shuffled within target."""
        if self.labels.size > MANY:
            return self.drawn(rng, many)
        labels = np.tile(self.labels.astype(np.int16), (many, 1))
        for start, end in zip(self.edges[:-1], self.edges[1:], strict=True):
            labels[:, start:end] = rng.permuted(labels[:, start:end], axis=1)
        size = self.categories * self.target.size
        at = labels.astype(np.int64) * self.target.size + self.places
        at += size * np.arange(many)[:, None]
        counts = np.bincount(at.ravel(), minlength=many * size).reshape(many, size)
        return np.ascontiguousarray(counts.T, dtype=np.float64).reshape(
            self.categories, self.target.size, many
        )

    def drawn(self, rng: np.random.Generator, many: int) -> Floats:
        """The same by the law that such counts have: multivariate hypergeometric within target."""
        targets, first = np.unique(self.target, return_index=True)
        column = np.arange(self.target.size) - np.repeat(first, np.diff([*first, self.target.size]))
        at = np.searchsorted(targets, self.target)
        left = np.zeros((column.max() + 1, targets.size, many), dtype=np.int64)
        left[column, at] = np.bincount(self.places)[:, None]
        tables = np.zeros((self.categories, self.target.size, many))
        for category in range(self.categories):
            wanted = np.repeat(self.totals[category, targets].astype(np.int64)[:, None], many, 1)
            taken = np.zeros_like(left)
            # places behind this one of what is left to take from
            behind = left.sum(axis=0)
            for place, here in enumerate(left):
                behind = behind - here
                taken[place] = rng.hypergeometric(here, behind, wanted)
                wanted = wanted - taken[place]
            left -= taken
            tables[category] = taken[column, at]
        return tables

    def consistency(self, tables: Floats) -> Floats:
        """Smallest correlation of two categories per shuffle, each over the targets both have."""
        there = self.totals > 0
        kept = self.row > 0
        tables, target = tables[:, kept], self.target[kept]
        shares = tables / np.where(there, self.totals, 1)[:, target, None]
        both = there[:, target].astype(np.float64)
        # [a, b, shuffle]: sums over the targets of both of a's shares, and of their squares
        sums, squares = both @ shares, both @ shares**2
        lowest = np.full(tables.shape[-1], np.inf)
        for a, b in combinations(range(len(there)), 2):
            size = self.rows * max(1, int((there[a] & there[b]).sum()))
            product = np.einsum("ps,ps->s", shares[a], shares[b]) - sums[a, b] * sums[b, a] / size
            spread = [_spread(sums[i, j], squares[i, j], size) for i, j in ((a, b), (b, a))]
            lowest = np.fmin(lowest, product / np.sqrt(spread[0] * spread[1]))
        return np.where(np.isinf(lowest), np.nan, lowest)


def _spread(sums: Floats, squares: Floats, size: int) -> Floats:
    """Σ (x − mean)² from Σ x and Σ x² of `size` values; NaN where it is nothing but rounding."""
    found = squares - sums**2 / size
    return np.where(found > CONSTANT, found, np.nan)
