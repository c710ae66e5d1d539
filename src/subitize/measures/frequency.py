"""Does a model answer better on the numbers that its training captions speak of more often?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.resampling import SAMPLES, percentile_interval
from subitize.measures.trials import Floats
from subitize.records import Score

FEWEST = 4
"""numbers below which no partial correlation can be told"""


@dataclass(frozen=True)
class Alongside:
    """How accuracy goes with frequency over numbers."""

    correlation: Score
    """Pearson's r of accuracy and ln frequency; interval by resampling trials"""
    permutation_p: float
    """share of permutations of the numbers with an r as far from 0"""
    partial: Score | None
    """the same with ln n taken out of both; none where frequency is a function of n alone"""
    numbers: int
    """numbers with trials and captions"""


def accuracy_by_frequency(
    numbers: ArrayLike,
    right: ArrayLike,
    trials: ArrayLike,
    frequencies: ArrayLike,
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> Alongside:
    """How the accuracy on each number goes with how often captions speak of it.

    r = corr(right / trials, ln frequency); partial r = (r − r_xz r_yz) / √((1 − r_xz²)(1 − r_yz²))
    with z = ln n: accuracy and frequency both fall with n, so any model correlates. Trials are
    resampled within each number. Unit: correlation, −1 to 1.

    >>> found = accuracy_by_frequency([1, 2, 3, 4], [9, 8, 4, 1], [10, 10, 10, 10],
    ...                               [900, 700, 60, 50], np.random.default_rng(0), samples=99)
    >>> round(found.correlation.value, 2), round(found.partial.value, 2)
    (0.96, 0.76)
    """
    n, correct, many, often = (
        np.asarray(one, dtype=np.float64) for one in (numbers, right, trials, frequencies)
    )
    if not n.size == correct.size == many.size == often.size:
        raise BadInput("Give as many numbers as right answers, trials and frequencies.")
    known = (many > 0) & (often > 0)
    n, correct, many, often = n[known], correct[known], many[known], often[known]
    if n.size < FEWEST:
        raise BadInput(
            f"{n.size} numbers have both trials and captions: a correlation needs {FEWEST}."
        )
    logs, sizes = np.log(often), np.log(n)
    accuracy = correct / many
    if np.ptp(accuracy) == 0 or np.ptp(logs) == 0:
        raise BadInput("Accuracy or frequency is the same for all numbers: nothing goes with it.")
    drawn = rng.binomial(many.astype(np.int64), accuracy, (samples, n.size)) / many
    value = float(_correlations(accuracy[None], logs)[0])
    order = np.argsort(rng.random((samples, n.size)), axis=1)
    shuffled = _correlations(accuracy[None], logs[order])
    as_far = int((np.abs(shuffled) >= abs(value) - 1e-12).sum())
    partial = float(_partial(accuracy[None], logs, sizes)[0])
    inner = _partial(drawn, logs, sizes)
    total = int(many.sum())
    return Alongside(
        _reflected(percentile_interval(value, _correlations(drawn, logs), trials=total)),
        (1 + as_far) / (1 + samples),
        # what is left of accuracy may be all noise: a reflected interval would be too narrow
        None if np.isnan(partial) else percentile_interval(partial, inner, trials=total),
        int(n.size),
    )


def _reflected(found: Score) -> Score:
    """Noise pulls a correlation towards 0, and resampling pulls once more: reflecting undoes it."""
    if found.value is None or found.low is None or found.high is None:
        return found
    low, high = 2 * found.value - found.high, 2 * found.value - found.low
    return replace(found, low=max(-1.0, low), high=min(1.0, high))


def _correlations(rows: Floats, other: Floats) -> Floats:
    """Pearson's r of each row with the other values (or with its own row of them)."""
    first = rows - rows.mean(axis=-1, keepdims=True)
    second = other - other.mean(axis=-1, keepdims=True)
    below = np.sqrt((first**2).sum(axis=-1) * (second**2).sum(axis=-1))
    upper = (first * second).sum(axis=-1)
    return np.asarray(
        np.divide(upper, below, out=np.full(upper.shape, np.nan), where=below > 1e-12)
    )


def _partial(rows: Floats, other: Floats, size: Floats) -> Floats:
    with_other, with_size = _correlations(rows, other), _correlations(rows, size)
    between = float(_correlations(other[None], size)[0])
    below = np.sqrt(np.maximum(0.0, (1 - with_size**2) * (1 - between**2)))
    upper = with_other - with_size * between
    return np.asarray(np.divide(upper, below, out=np.full(upper.shape, np.nan), where=below > 1e-6))
