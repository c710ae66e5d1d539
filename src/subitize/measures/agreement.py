"""How far several people (or models) agree about the same things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.trials import Counts, Floats, one_for_each

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
BLOCK = 512
"""rows of the table of expected disagreement held at once"""
PAIRS_HELD = 5_000_000
"""from so many pairs of values on, alike ones are summed"""


def krippendorff_alpha(units: ArrayLike, values: ArrayLike, *, level: Level = "nominal") -> float:
    """Krippendorff's α of answers in long form: `values[i]` was said about `units[i]`.

    α = 1 − D_observed / D_expected
    δ² = (c ≠ k) nominal, (mid-rank difference)² ordinal, (c − k)² interval,
    ((c − k)/(c + k))² ratio. Units with one answer are left out.
    Memory: O(answers + coincidences of distinct values); at most values².
    Unit: α, 1 is full agreement, 0 what chance gives. Best: 1.

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
    times = np.bincount(value, minlength=distinct.size).astype(np.float64)
    total = float(times.sum())
    found: dict[Level, float] = {}
    for level in levels:
        place = _places(times, distinct, level)
        observed = float(weight @ _squared(place[first], place[second], level)) / total
        expected = _expected(times, place, level) / (total * (total - 1))
        if expected == 0:
            raise BadInput(
                f"All {int(total)} answers are the same: α compares agreement with chance and "
                "is undefined without any difference."
            )
        found[level] = 1 - observed / expected
    return found


def _coded(units: ArrayLike, values: ArrayLike) -> tuple[Counts, NDArray[Any]]:
    """Codes of the units, and the answers."""
    labels, answers = np.asarray(units).ravel(), np.asarray(values).ravel()
    one_for_each(labels, "units", answers, "values")
    if not labels.size:
        raise BadInput("There are no answers: give at least one, of a unit with two answers.")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64), answers


def _pairable(units: ArrayLike, values: ArrayLike) -> tuple[Counts, Counts, NDArray[Any]]:
    """Codes of units and of values, of the units with at least two answers."""
    unit, answers = _coded(units, values)
    if answers.dtype.kind == "f" and np.isnan(answers).any():
        raise BadInput("Some answers are NaN: leave missing answers out.")
    kept = np.bincount(unit)[unit] > 1
    if not kept.any():
        raise BadInput(
            "No unit has two answers: agreement needs at least two about the same thing."
        )
    distinct, value = np.unique(answers[kept], return_inverse=True)
    return unit[kept], value.astype(np.int64), distinct


def _places(times: Floats, distinct: NDArray[Any], level: Level) -> Floats:
    """Where each distinct value lies on the scale of `level`."""
    if level == "nominal":
        return np.arange(distinct.size, dtype=np.float64)
    if level == "ordinal":  # differences of mid-ranks are Krippendorff's ordinal distance
        return np.cumsum(times) - times / 2
    try:
        places = distinct.astype(np.float64)
    except ValueError:
        raise BadInput(f"The {level} α needs numbers: found {distinct[0]!r}.") from None
    if level == "ratio" and (places < 0).any():
        raise BadInput(f"The ratio α needs numbers of 0 or more: found {places.min():g}.")
    return places


def _coincidences(unit: Counts, value: Counts, size: int) -> tuple[Counts, Counts, Floats]:
    """Pairs of different values within units, weighted by how often over (answers of it − 1).

    Each pair stands for both orders; pairs of equal values have no distance and are left out.
    """
    answers = np.bincount(unit)
    cell, times = np.unique(unit * size + value, return_counts=True)
    unit, value = np.divmod(cell, size)
    different = np.bincount(unit)[unit]
    # units with many different answers first, the answers of a unit side by side
    order = np.argsort(-different, kind="stable")
    unit, value, times, different = unit[order], value[order], times[order], different[order]
    pair: Counts = np.zeros(0, dtype=np.int64)
    weight: NDArray[Any] = np.zeros(0)
    for step in range(1, int(different[0])):
        many = int(np.searchsorted(-different, -step))  # of units with more than `step`
        here, there = slice(0, many - step), slice(step, many)
        same = unit[here] == unit[there]
        shares = 2.0 * times[here] * times[there] / (answers[unit[here]] - 1)
        pair = np.append(pair, (value[here] * size + value[there])[same])
        weight = np.append(weight, shares[same])
        if pair.size > PAIRS_HELD:
            pair, place = np.unique(pair, return_inverse=True)
            weight = np.bincount(place, weight)
    return pair // size, pair % size, weight


def _squared(one: Floats, other: Floats, level: Level) -> Floats:
    if level == "nominal":
        return np.asarray(one != other, dtype=np.float64)
    if level == "ratio":
        size = one + other
        return np.asarray(((one - other) / np.where(size == 0, 1.0, size)) ** 2)
    return np.asarray((one - other) ** 2)


def _expected(times: Floats, places: Floats, level: Level) -> float:
    """Σ over pairs of values of n_c n_k δ²: in closed form, for ratio in blocks of rows."""
    total = float(times.sum())
    if level == "nominal":
        return total**2 - float(times @ times)
    if level in ("ordinal", "interval"):
        return 2 * total * float(times @ (places - float(times @ places) / total) ** 2)
    blocks = (slice(start, start + BLOCK) for start in range(0, places.size, BLOCK))
    return sum(
        float(times[rows] @ _squared(places[rows, None], places, level) @ times) for rows in blocks
    )


def largest_agreement(units: ArrayLike, values: ArrayLike) -> Counts:
    """For each unit, in sorted order, how many of its answers are the most common one.

    max over answers of how often it was given
    Unit: answers, 1 upwards. Best: all answers of a unit.

    >>> largest_agreement([1, 1, 1, 2], ["a", "b", "a", "c"]).tolist()
    [2, 1]
    """
    unit, answers = _coded(units, values)
    distinct, value = np.unique(answers, return_inverse=True)
    places, times = np.unique(unit * distinct.size + value, return_counts=True)
    most = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    np.maximum.at(most, places // distinct.size, times)
    return most
