"""The interval of a likeness: a correlation of a run's column percentages with a yardstick's.

Near its value a correlation is a sum over trials: each adds its influence, the change of r with
the share of its response. So the interval is that of a mean (`intervals`), trials drawn within
category × target, also where a responder is nearly always right: what an error never seen would
change is known from the yardstick. Noise in the percentages makes them look more spread than they
are and pulls r towards 0; the interval lies around the r without that, so it need not hold r.

Chance can bring a run close to the most that r can be, where influences vanish though the truth
lies lower. So the end nearer to 0 is where r comes when both orders of its change are added: with
answers that vary in one direction alone it is the lowest r within ± z standard errors of them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.confusion import percentages
from subitize.measures.intervals import NORMAL, Part, gamma_interval, mean_interval
from subitize.measures.trials import Counts, Floats
from subitize.records import Score

ONE_MORE = Part(0.0, 0.0, 1.0, 1.0)
"""no error was seen, and each would be one"""
CONSTANT = 1e-12
"""shares whose squares sum to less than this around their mean are all the same"""


def likeness_interval(
    entries: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
    yardstick: ArrayLike,
    pictures: ArrayLike | None = None,
) -> Score | None:
    """The correlation of a run with a yardstick's matrix and its 95 % interval; None if undefined.

    r ± as far as a mean of influences (c − r (p − p̄) / √S) / √S reaches, S = Σ (p − p̄)²
    `entries` are (target, response, stratum, times) of trials that are alike, a stratum being a
    category × target. With `pictures`, the one of each of as many entries of one trial, whole
    pictures are drawn. Unit: correlation, −1 to 1.

    >>> from subitize.measures.baselines import observer_matrix
    >>> targets = np.arange(1, 11)
    >>> found = likeness_interval((targets, targets, targets, [25] * 10), observer_matrix())
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3)
    (0.8185, 0.811, 0.827)
    """
    target, response, stratum, times = (np.asarray(part, dtype=np.int64) for part in entries)
    other = percentages(yardstick) / 100
    rows, highest = other.shape
    sizes = np.bincount(target, times, minlength=highest + 1)[1:]
    asked = (sizes > 0) & ~np.isnan(other).any(axis=0)
    kept = asked[target - 1]
    target, response, stratum, times = (part[kept] for part in (target, response, stratum, times))
    if not target.size:
        return None
    row = np.minimum(response, rows)
    shares = np.zeros((rows + 1, highest))
    np.add.at(shares, (row, target - 1), times / sizes[target - 1])
    shares, other = shares[1:, asked], other[:, asked]
    # np.ptp: a uniform matrix is constant up to rounding
    if min(np.ptp(shares), np.ptp(other)) < CONSTANT:
        return None
    away, centred = shares - shares.mean(), other - other.mean()
    centred /= math.sqrt((centred**2).sum())
    spread = float((away**2).sum())
    value = float((centred * away).sum()) / math.sqrt(spread)
    noise = _noise((row, target, stratum, times), sizes, (rows, highest))
    trials = int(times.sum())
    if spread - noise.total <= CONSTANT:
        return Score(value, trials=trials)
    # beyond 1 it is noise alone, and the interval would shrink to its bound
    least_noisy = max(-1.0, min(1.0, value * math.sqrt(spread / (spread - noise.total))))
    influence = np.zeros((rows + 1, highest))
    influence[1:, asked] = centred - least_noisy * away / math.sqrt(spread)
    influence *= trials / np.where(sizes > 0, sizes, np.inf) / math.sqrt(spread - noise.total)
    whole = None if pictures is None else np.asarray(pictures).ravel()[kept]
    found = _mean_influence(influence, (row, target, stratum, times), whole)
    if found.low is None or found.high is None or found.value is None:
        return Score(value, trials=trials)
    reach = found.value - found.low, found.high - found.value
    low, high = _ends(least_noisy, reach, abs(least_noisy) / (2 * (spread - noise.total)), noise)
    if not noise.total and value >= 1 - CONSTANT:
        low = min(low, _with_unseen_errors(trials, rows))
    return Score(value, max(-1.0, low), min(1.0, high), trials)


def _mean_influence(
    influence: Floats, entries: tuple[Counts, ...], pictures: NDArray[Any] | None
) -> Score:
    row, target, stratum, times = entries
    return mean_interval(
        influence[row, target - 1],
        times=times if pictures is None else None,
        strata=stratum,
        clusters=pictures,
        steps=_steps(influence)[target - 1],
        bounds=(influence.min(axis=0)[target - 1], influence.max(axis=0)[target - 1]),
    )


def _with_unseen_errors(trials: int, rows: int) -> float:
    """r of a run that is the yardstick itself, exact in all columns, had it the errors never seen.

    They matter in second order only, which influences don't tell.
    """
    wrong, mean = min(0.5, gamma_interval(ONE_MORE)[1] / trials), 1 / rows
    spread = (1 - mean) * ((1 - wrong) ** 2 + wrong**2 - mean)
    return (1 - wrong - mean) / math.sqrt(spread)


class _Noise(NamedTuple):
    """What chance adds to the spread of shares."""

    total: float
    """sum of the variances of all shares"""
    square: float
    """sum of the squares of their variances and covariances"""


def _ends(
    value: float, reach: tuple[float, float], bend: float, noise: _Noise
) -> tuple[float, float]:
    """Of an interval whose influences reach so far down and up."""
    far = [_with_bend(first, bend, noise) for first in reach]
    near = [_without_noise(first, bend, noise) for first in reach]
    return value - (far if value > 0 else near)[0], value + (near if value > 0 else far)[1]


def _without_noise(first: float, bend: float, noise: _Noise) -> float:
    """How far r reaches away from 0; the noise in the influences is in the first order twice."""
    second = 2 * (NORMAL * bend) ** 2 * noise.square
    return math.sqrt(max(first**2 - second, second))


def _with_bend(first: float, bend: float, noise: _Noise) -> float:
    """How far r reaches towards 0, as far as both orders go together.

    Along the influences r falls by z A + b v (z² + 1), A what they reach without noise, v the
    variance of one direction; the other directions add the spread of their squares.
    """
    if not noise.total:
        return first
    one = noise.square / noise.total
    others = 2 * (NORMAL * bend) ** 2 * max(0.0, noise.square - one**2)
    along = math.sqrt(max(0.0, first**2 - 2 * others)) + bend * one * (NORMAL**2 + 1)
    return math.hypot(along, math.sqrt(others))


def _noise(entries: tuple[Counts, ...], sizes: NDArray[Any], shape: tuple[int, int]) -> _Noise:
    """Of the shares of a run, drawn within strata; shares of a column vary together."""
    row, target, stratum, times = entries
    names, part = np.unique(stratum, return_inverse=True)
    given, columns = np.zeros((names.size, shape[0] + 1)), np.zeros((shape[1] + 1, shape[0] + 1))
    np.add.at(given, (part, row), times)
    np.add.at(columns, (target, row), times)
    column = np.zeros(names.size, dtype=np.int64)
    column[part] = target
    many, size = sizes[column - 1][:, None], given.sum(axis=1, keepdims=True)
    # a stratum of one trial has no variance of its own: it is taken as drawn from its column
    share = np.where(size > 1, given / size, columns[column] / many)
    freedom = np.where(size > 1, size - 1, 1 - 1 / np.maximum(many, 2))
    scaled = share * size**2 / freedom / many**2
    square = 0.0
    for one in np.unique(column).tolist():
        mine = column == one
        square += _square_of(scaled[mine, 1:], share[mine, 1:])
    total = float((scaled * (1 - share))[:, 1:].sum())
    return _Noise(total, square)


def _square_of(scaled: Floats, share: Floats) -> float:
    """The sum of the squares of D − AᵀB, A and B these and D what A's columns sum to, without that
    matrix, which has a million cells where numbers go up to a thousand.

    >>> a, b = np.random.default_rng(0).random((2, 3, 7))
    >>> whole = np.diag(a.sum(axis=0)) - a.T @ b
    >>> bool(np.isclose(_square_of(a, b), (whole**2).sum()))
    True
    """
    sums = scaled.sum(axis=0)
    both = float((sums * (scaled * share).sum(axis=0)).sum())
    found = float((sums**2).sum()) - 2 * both
    return max(0.0, found + float(((scaled @ scaled.T) * (share @ share.T)).sum()))


def _steps(influence: Floats) -> Floats:
    """What an answer that is off by one instead of right changes, by target."""
    columns = np.arange(influence.shape[1])
    right = influence[columns + 1, columns]
    beside = [np.abs(influence[columns + 1 + off, columns] - right) for off in (-1, 1)]
    # where the right answer is the least or the most wanted, one that is off changes something
    return np.maximum(np.maximum(*beside), 1e-9)
