"""How far several people (or models) agree about the same things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.trials import Floats

__all__ = [
    "LEVELS",
    "Level",
    "agreeing_share",
    "krippendorff_alpha",
    "krippendorff_alphas",
    "largest_agreement",
]

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
BLOCK = 512
"""rows of the table of expected disagreement held at once"""
FEW_ANSWERS = 32
"""units with at most so many answers are paired place by place, without a sparse matrix"""
DENSE_PAIRS = 1 << 20
"""pairs of distinct values that are counted in one array"""


def krippendorff_alpha(units: ArrayLike, values: ArrayLike, *, level: Level = "nominal") -> float:
    """Krippendorff's α of answers in long form: `values[i]` was said about `units[i]`.

    α = 1 − D_observed / D_expected, with δ² = (c ≠ k) nominal, (mid-rank difference)² ordinal,
    (c − k)² interval, ((c − k)/(c + k))² ratio. Units with one answer are left out.
    Memory: O(answers + coincidences of distinct values); at most values².
    Unit: 1 is full agreement, 0 what chance gives. Best: 1.

    >>> krippendorff_alpha([1, 1, 2, 2], ["a", "a", "b", "b"])
    1.0
    """
    return krippendorff_alphas(units, values, levels=(level,))[level]


def krippendorff_alphas(
    units: ArrayLike, values: ArrayLike, *, levels: Sequence[Level] = LEVELS
) -> dict[Level, float]:
    """Krippendorff's α at several levels of measurement, the answers paired once.

    >>> krippendorff_alphas([1, 1, 2, 2], [0, 1, 3, 3], levels=("nominal", "interval"))
    {'nominal': 0.4, 'interval': 0.8888888888888888}
    """
    for level in levels:
        if level not in LEVELS:
            raise BadInput(f"There is no level of measurement {level!r}: use {', '.join(LEVELS)}.")
    unit, value, distinct = _pairable(units, values)
    first, second, weight = _coincidences(unit, value, distinct.size)
    found: dict[Level, float] = {}
    for level in levels:
        times, coded = _positions(value, distinct, level)
        total = float(times.sum())
        observed = float((weight * _squared(coded, first, second, level)).sum()) / total
        expected = _expected(times, coded, level) / (total * (total - 1))
        if expected == 0:
            raise BadInput(
                f"All {int(total)} answers are the same: α compares agreement with chance and "
                "is undefined without any difference."
            )
        found[level] = float(1 - observed / expected)
    return found


def _pairable(
    units: ArrayLike, values: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Codes of units and of values, of the units with at least two answers."""
    unit_labels, answers = np.asarray(units).ravel(), np.asarray(values).ravel()
    if unit_labels.size != answers.size:
        raise BadInput(
            f"There are {unit_labels.size} units but {answers.size} values: give one for each."
        )
    if answers.dtype.kind == "f" and np.isnan(answers).any():
        raise BadInput("Some answers are NaN: leave missing answers out.")
    unit = np.unique(unit_labels, return_inverse=True)[1].ravel() if unit_labels.size else None
    if unit is not None:
        kept = np.bincount(unit)[unit] > 1
        if kept.any():
            unit = np.unique(unit[kept], return_inverse=True)[1].ravel()
            distinct, value = np.unique(answers[kept], return_inverse=True)
            return unit, value.ravel(), distinct
    raise BadInput("No unit has two answers: agreement needs at least two about the same thing.")


def _positions(
    value: NDArray[np.int64], distinct: NDArray[Any], level: Level
) -> tuple[Floats, Floats]:
    """How often each distinct value occurs, and where it lies on the scale of `level`."""
    times = np.bincount(value, minlength=distinct.size).astype(np.float64)
    if level == "nominal":
        return times, np.arange(distinct.size, dtype=np.float64)
    if level == "ordinal":  # differences of mid-ranks are Krippendorff's ordinal distance
        return times, np.cumsum(times) - times / 2
    try:
        coded = distinct.astype(np.float64)
    except ValueError:
        raise BadInput(f"The {level} α needs numbers: found {distinct[0]!r}.") from None
    if level == "ratio" and (coded < 0).any():
        raise BadInput(f"The ratio α needs numbers of 0 or more: found {coded.min():g}.")
    return times, coded


def _coincidences(
    unit: NDArray[np.int64], value: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Pairs of different values within units, each weighted by 1 / (answers of the unit − 1).

    Pairs of equal values have no distance and are left out.
    """
    answers = np.bincount(unit)
    if int(answers.max()) > FEW_ANSWERS:
        return _sparse_coincidences(unit, value, size)
    order = np.argsort(unit, kind="stable")
    unit, value = unit[order], value[order]
    share = (1 / (answers - 1))[unit]
    pairs: list[NDArray[np.int64]] = []
    weights: list[Floats] = []
    for step in range(1, int(answers.max())):
        # the answers of a unit lie side by side: pair each with the one `step` places on
        apart = (unit[:-step] == unit[step:]) & (value[:-step] != value[step:])
        one, other = value[:-step][apart], value[step:][apart]
        pairs += [one * size + other, other * size + one]
        weights += [share[:-step][apart]] * 2
    pair, weight = np.concatenate(pairs), np.concatenate(weights)
    if size * size <= DENSE_PAIRS:
        summed = np.bincount(pair, weight, minlength=size * size).astype(np.float64)
        pair = np.nonzero(summed)[0].astype(np.int64)
        return pair // size, pair % size, summed[pair]
    pair, place = np.unique(pair, return_inverse=True)
    summed = np.bincount(place.ravel(), weight, minlength=pair.size).astype(np.float64)
    return pair // size, pair % size, summed


def _sparse_coincidences(
    unit: NDArray[np.int64], value: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """The same by a product of sparse matrices, for units with many answers."""
    from scipy.sparse import csr_array

    answers = np.bincount(unit).astype(np.float64)
    # Same unit, same value: entries at one place are summed when the matrix is built.
    shape = (answers.size, size)
    table = csr_array((np.ones(unit.size), (unit, value)), shape=shape)
    weighted = csr_array((1 / (answers - 1)[unit], (unit, value)), shape=shape)
    product = (weighted.T @ table).tocoo()
    first, second = product.coords
    apart = first != second
    return first[apart], second[apart], product.data[apart]


def _squared(
    coded: Floats, first: NDArray[np.int64], second: NDArray[np.int64], level: Level
) -> Floats:
    one, other = coded[first], coded[second]
    if level == "nominal":
        return np.asarray(first != second, dtype=np.float64)
    if level == "ratio":
        size = one + other
        return np.asarray(((one - other) / np.where(size == 0, 1.0, size)) ** 2)
    return np.asarray((one - other) ** 2)


def _expected(times: Floats, coded: Floats, level: Level) -> float:
    """Σ over pairs of values of n_c n_k δ²: in closed form, for ratio in blocks of rows."""
    total = float(times.sum())
    if level == "nominal":
        return total**2 - float(times @ times)
    if level in ("ordinal", "interval"):
        centred = coded - float(times @ coded) / total
        return 2 * total * float(times @ centred**2)
    found = 0.0
    for start in range(0, coded.size, BLOCK):
        rows = np.arange(start, min(start + BLOCK, coded.size))
        distance = _squared(coded, rows[:, None], np.arange(coded.size)[None], level)
        found += float(times[rows] @ distance @ times)
    return found


def largest_agreement(units: ArrayLike, values: ArrayLike) -> NDArray[np.int64]:
    """For each unit, in sorted order, how many of its answers are the most common one.

    >>> largest_agreement([1, 1, 1, 2], ["a", "b", "a", "c"]).tolist()
    [2, 1]
    """
    unit_labels, answers = np.asarray(units).ravel(), np.asarray(values).ravel()
    if unit_labels.size == 0 or unit_labels.size != answers.size:
        raise BadInput(
            f"There are {unit_labels.size} units and {answers.size} values: give one for each "
            "answer, and at least one."
        )
    unit = np.unique(unit_labels, return_inverse=True)[1].ravel().astype(np.int64)
    distinct, value = np.unique(answers, return_inverse=True)
    places, times = np.unique(unit * distinct.size + value.ravel(), return_counts=True)
    most = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    np.maximum.at(most, places // distinct.size, times)
    return most


def agreeing_share(units: ArrayLike, values: ArrayLike, k: int, *, at_least: bool = False) -> float:
    """Share of units in which exactly k answers (or at least k) are the most common one.

    share = units with k agreeing / all units
    Unit: share, 0 to 1. Best: 1 with k = all answers of a unit.

    >>> agreeing_share([1, 1, 1, 2, 2, 2], ["a", "b", "a", "c", "c", "c"], 3)
    0.5
    """
    most = largest_agreement(units, values)
    return float(np.mean(most >= k if at_least else most == k))
