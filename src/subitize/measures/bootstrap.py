"""Bootstrap intervals by resampling trials within cells (category × target).

Drawing n trials with replacement from a cell is drawing how often each of its distinct responses
comes up: a multinomial. So a sample costs a few numbers per cell instead of one per trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.baselines import legacy_random_sample, observer_matrix
from subitize.measures.confusion import confusion_matrix, percentages
from subitize.measures.counting_level import LevelRule, counting_level, levels
from subitize.measures.error_size import nae
from subitize.measures.interval import Interval, basic_interval, percentile_interval
from subitize.measures.likeness import category_consistency, human_correlation, random_correlation
from subitize.measures.trials import Counts, Floats, readable_trials

__all__ = ["SAMPLES", "NamingIntervals", "naming_intervals", "resampled_cells"]

SAMPLES = 10_000
CHUNK = 500
"""samples held at once: small enough to stay in the processor's cache"""
DRAWS_PER_RESPONSE = 5
"""a multinomial's number per distinct response costs as much as drawing this many trials"""


@dataclass(frozen=True, slots=True)
class NamingIntervals:
    """Scores of a naming or production run with bootstrap intervals; None where undefined."""

    accuracy: Interval
    nae: Interval
    nae_by_category: Mapping[str, Interval]
    human_correlation: Interval | None
    random_correlation: Interval | None
    category_consistency: Interval | None
    counting_level: int | None
    level_shares: Mapping[int, float]
    """the share of bootstrap samples with each counting level"""
    samples: int
    """how many bootstrap samples were drawn"""


@dataclass(frozen=True, slots=True)
class _Cells:
    """Trials counted per category, target and response."""

    counts: Counts
    """[category, target, slot]: slots 0..2m are the rows, then one per distinct value above"""
    values: Floats
    """the response each slot stands for"""
    names: list[str]
    """the categories"""
    category: Counts
    """of each trial, which of them"""

    def matrix(self, stack: NDArray[Any]) -> NDArray[Any]:
        """Slots to rows, [..., target, slot] → [..., target, row]: above 2m is the last row."""
        last = 2 * self.counts.shape[1]
        if self.values.size == last + 1:
            return stack
        rows = stack[..., : last + 1].copy()
        rows[..., last] += stack[..., last + 1 :].sum(axis=-1)
        return rows


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
    (Interval(value=1.0, low=1.0, high=1.0), 2, None)
    """
    asked, given = readable_trials(targets, responses)
    cells = _count_cells(asked, given, np.asarray(categories).ravel(), highest_target)
    tables = cells.matrix(cells.counts).transpose(0, 2, 1)
    whole = tables.sum(axis=0)
    chunks = [
        _scores(stack, cells, rule) for stack in resampled_cells(cells.counts, rng, samples=samples)
    ]
    drawn = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    several_targets = int((whole.sum(axis=0) > 0).sum()) > 1
    reached, times = np.unique(drawn["level"].astype(np.int64), return_counts=True)
    shares = {int(n): float(k / samples) for n, k in zip(reached, times, strict=True)}
    return NamingIntervals(
        percentile_interval(float(np.mean(asked == given)), drawn["accuracy"]),
        percentile_interval(nae(asked, given), drawn["nae"]),
        _nae_by_category(asked, given, cells, drawn),
        _around(human_correlation(whole), drawn["human"]),
        _around(random_correlation(whole), drawn["random"]),
        _around(
            category_consistency(dict(zip(cells.names, tables, strict=True))), drawn["consistency"]
        ),
        counting_level(whole, rule=rule) if several_targets else None,
        shares if several_targets else {},
        samples,
    )


def _nae_by_category(
    asked: Floats, given: Floats, cells: _Cells, drawn: Mapping[str, Floats]
) -> dict[str, Interval]:
    found = {}
    for index, name in enumerate(cells.names):
        of_it = cells.category == index
        samples = drawn["nae_by_category"][:, index]
        found[name] = percentile_interval(nae(asked[of_it], given[of_it]), samples)
    return found


def _around(value: float | None, samples: Floats) -> Interval | None:
    return None if value is None else basic_interval(value, samples, bounds=(-1.0, 1.0))


def _count_cells(
    asked: Floats, given: Floats, categories: NDArray[Any], highest_target: int
) -> _Cells:
    if categories.size != asked.size:
        raise BadInput(
            f"There are {asked.size} trials but {categories.size} categories: give one for each."
        )
    confusion_matrix(asked, given, highest_target=highest_target)  # refuses what has no cell
    names, category = np.unique(categories.astype(str), return_inverse=True)
    rows = np.arange(2 * highest_target + 1, dtype=np.float64)
    values = np.concatenate([rows, np.unique(given[given > rows[-1]])])
    counts = np.zeros((names.size, highest_target, values.size), dtype=np.int64)
    slot = np.searchsorted(values, given)
    np.add.at(counts, (category, asked.astype(np.int64) - 1, slot), 1)
    return _Cells(counts, values, names.tolist(), category)


def resampled_cells(
    counts: Counts, rng: np.random.Generator, *, samples: int = SAMPLES
) -> Iterator[Counts]:
    """Chunks of resampled counts, shape (chunk, *counts.shape); the last axis is the responses.

    Every cell keeps its number of trials; responses a cell never had stay at 0.

    >>> cells = np.array([[3, 0], [1, 1]])
    >>> [stack.sum(axis=2).tolist() for stack in resampled_cells(
    ...     cells, np.random.default_rng(0), samples=2)]
    [[[3, 2], [3, 2]]]
    """
    flat = counts.reshape(-1, counts.shape[-1])
    used = [(cell, np.nonzero(row)[0]) for cell, row in enumerate(flat) if row.any()]
    for start in range(0, samples, CHUNK):
        size = min(CHUNK, samples - start)
        drawn = np.zeros((size, *flat.shape), dtype=np.int64)
        for cell, seen in used:
            if seen.size == 1:
                drawn[:, cell, seen[0]] = flat[cell, seen[0]]
            else:
                drawn[:, cell, seen] = _resampled(flat[cell, seen], rng, size)
        yield drawn.reshape(size, *counts.shape)


def _resampled(times: Counts, rng: np.random.Generator, size: int) -> Counts:
    """How often each of a cell's responses comes up, in `size` samples of all its trials."""
    total = int(times.sum())
    if total > DRAWS_PER_RESPONSE * times.size:
        return rng.multinomial(total, times / total, size=size)
    response = np.repeat(np.arange(times.size), times)
    picked = response[rng.integers(0, total, (size, total))]
    picked += times.size * np.arange(size)[:, None]
    return np.bincount(picked.ravel(), minlength=size * times.size).reshape(size, times.size)


def _scores(stack: Counts, cells: _Cells, rule: LevelRule) -> dict[str, Floats]:
    """Scores of each resampled table: stack is [sample, category, target, slot]."""
    size, _, highest, _ = stack.shape
    targets = np.arange(1, highest + 1)[:, None]
    trials = float(cells.counts.sum())
    pooled = stack.sum(axis=1)
    errors = (np.abs(cells.values - targets) / targets).ravel()
    right = (cells.values == targets).ravel().astype(np.float64)
    flat = pooled.reshape(size, -1).astype(np.float64)
    summed = cells.matrix(pooled).transpose(0, 2, 1)
    return {
        "accuracy": flat @ right / trials,
        "nae": flat @ errors / trials,
        "nae_by_category": (stack.reshape(size, len(cells.names), -1) @ errors)
        / cells.counts.sum(axis=(1, 2)),
        "human": _correlated(summed, observer_matrix(highest_target=highest)),
        "random": _correlated(summed, legacy_random_sample(highest_target=highest)),
        "consistency": _consistency(cells.matrix(stack), cells),
        "level": levels(summed, rule=rule).astype(np.float64),
    }


def _correlated(summed: Counts, other: NDArray[Any]) -> Floats:
    """The correlation of each resampled matrix with another one."""
    totals = summed[0].sum(axis=0)
    present = totals > 0
    shares = percentages(other)[:, present].ravel()
    x = (summed[:, 1:, present] / totals[present]).reshape(len(summed), -1)
    product: Floats = _unit(x) @ _unit(shares[None])[0]
    return product


def _unit(vectors: Floats) -> Floats:
    """Each row centred and scaled to length 1; NaN where it is constant."""
    centred = vectors - vectors.mean(axis=-1, keepdims=True)
    length = np.sqrt(np.einsum("...i,...i->...", centred, centred))[..., None]
    unit: Floats = centred / np.where(length > 1e-12, length, np.nan)
    return unit


def _consistency(tables: Counts, cells: _Cells) -> Floats:
    """Smallest pairwise correlation per sample; tables is [sample, category, target, row]."""
    size, categories = tables.shape[:2]
    totals = cells.counts.sum(axis=2)
    present = totals > 0
    shares = tables[..., 1:] / np.where(present, totals, 1)[:, :, None]
    if bool(present.all()):  # the usual case: every pair shares all columns
        units = _unit(shares.reshape(size, categories, -1))
        products = units @ units.transpose(0, 2, 1)
        one, other = np.triu_indices(categories, 1)
        pairs = products[:, one, other]
    else:
        pairs = np.stack(
            [
                _pair(shares[:, a], shares[:, b], present[a] & present[b])
                for a in range(categories)
                for b in range(a + 1, categories)
            ]
            or [np.full(size, np.nan)],
            axis=1,
        )
    if pairs.shape[1] == 0:
        return np.full(size, np.nan)
    lowest = np.where(np.isnan(pairs), np.inf, pairs).min(axis=1)
    return np.where(np.isinf(lowest), np.nan, lowest)


def _pair(first: Floats, second: Floats, both: NDArray[np.bool_]) -> Floats:
    if not both.any():
        return np.full(len(first), np.nan)
    one = _unit(first[:, both].reshape(len(first), -1))
    other = _unit(second[:, both].reshape(len(second), -1))
    product: Floats = np.einsum("ij,ij->i", one, other)
    return product
