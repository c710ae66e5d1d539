"""The interval of a likeness: a correlation of a run's column percentages with a yardstick's.

Near its value a correlation is a sum over trials: each adds its influence, the change of r with
the share of its response. So the interval is that of a mean (`intervals`), trials drawn within
category × target, also where a responder is nearly always right: what an error never seen would
change is known from the yardstick. Noise in the percentages makes them look more spread than they
are and pulls r towards 0; the interval lies around the r without that, so it need not hold r.
"""

from __future__ import annotations

import math
from typing import Any

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
    entries: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], yardstick: ArrayLike
) -> Score | None:
    """The correlation of a run with a yardstick's matrix and its 95 % interval; None if undefined.

    r ± as far as a mean of influences (c − r (p − p̄) / √S) / √S reaches, S = Σ (p − p̄)²
    `entries` are (target, response, stratum, times) of trials that are alike, a stratum being a
    category × target. Unit: correlation, −1 to 1.

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
    noise, noise_square = _noise((row, target, stratum, times), sizes, (rows, highest))
    trials = int(times.sum())
    if spread - noise <= CONSTANT:
        return Score(value, trials=trials)
    # beyond 1 it is noise alone, and the interval would shrink to its bound
    least_noisy = max(-1.0, min(1.0, value * math.sqrt(spread / (spread - noise))))
    influence = np.zeros((rows + 1, highest))
    unlike = centred - least_noisy * away / math.sqrt(spread)
    influence[1:, asked] = unlike / math.sqrt(spread - noise)
    influence *= trials / np.where(sizes > 0, sizes, np.inf)
    found = mean_interval(
        influence[row, target - 1],
        times=times,
        strata=stratum,
        steps=_steps(influence)[target - 1],
        bounds=(influence.min(axis=0)[target - 1], influence.max(axis=0)[target - 1]),
    )
    if found.low is None or found.high is None or found.value is None:
        return Score(value, trials=trials)
    # of second order, all that is left where the run is nearly the yardstick itself
    more = NORMAL * abs(least_noisy) / (2 * (spread - noise)) * math.sqrt(2 * noise_square)
    low = least_noisy - _without_noise(found.value - found.low, more)
    high = least_noisy + _without_noise(found.high - found.value, more)
    low = low if noise or value < 1 - CONSTANT else min(low, _with_unseen_errors(trials, rows))
    return Score(value, max(-1.0, low), min(1.0, high), trials)


def _with_unseen_errors(trials: int, rows: int) -> float:
    """r of a run that is the yardstick itself, exact in all columns, had it the errors never seen.

    They matter in second order only, which influences don't tell.
    """
    wrong, mean = min(0.5, gamma_interval(ONE_MORE)[1] / trials), 1 / rows
    spread = (1 - mean) * ((1 - wrong) ** 2 + wrong**2 - mean)
    return (1 - wrong - mean) / math.sqrt(spread)


def _without_noise(first: float, second: float) -> float:
    """How far both orders reach; the noise in the influences is in the first one twice."""
    return math.sqrt(max(first**2 - second**2, second**2))


def _noise(
    entries: tuple[Counts, ...], sizes: NDArray[Any], shape: tuple[int, int]
) -> tuple[float, float]:
    """Sums over places of the variance of a share, and of its square; rows from 1."""
    row, target, stratum, times = entries
    many = np.bincount(stratum, times)[stratum]
    # a stratum of one trial has no variance of its own: it is taken as drawn from its column
    share = np.where(many > 1, times / np.maximum(many, 1), times / sizes[target - 1])
    variance = many**2 * share * (1 - share) / np.maximum(many - 1, 1) / sizes[target - 1] ** 2
    table = np.zeros((shape[0] + 1, shape[1]))
    np.add.at(table, (row, target - 1), variance)
    return float(table[1:].sum()), float((table[1:] ** 2).sum())


def _steps(influence: Floats) -> Floats:
    """What an answer that is off by one instead of right changes, by target."""
    columns = np.arange(influence.shape[1])
    right = influence[columns + 1, columns]
    beside = [np.abs(influence[columns + 1 + off, columns] - right) for off in (-1, 1)]
    # where the right answer is the least or the most wanted, one that is off changes something
    return np.maximum(np.maximum(*beside), 1e-9)
