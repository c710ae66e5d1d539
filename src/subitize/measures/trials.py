"""Readable trials as two arrays; every measure begins by checking them here.

A response that could not be read is left out before, never coded as −1 or 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def numbers(values: ArrayLike, what: str) -> Floats:
    """A flat array of finite numbers, or a `BadInput` that says which `what` is not."""
    try:
        array = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise BadInput(f"The {what} are not all numbers: leave unreadable trials out.") from None
    if array.size == 0:
        raise BadInput(f"There are no {what}: a measure needs at least one readable trial.")
    if not np.isfinite(array).all():
        raise BadInput(
            f"{int((~np.isfinite(array)).sum())} of {array.size} {what} are not finite numbers: "
            "leave unreadable trials out."
        )
    return array


def one_for_each(
    first: NDArray[Any], ones: str, second: NDArray[Any], others: str, do: str = "give one for each"
) -> None:
    """A `BadInput` unless both arrays are as long."""
    if first.size != second.size:
        raise BadInput(f"There are {first.size} {ones} but {second.size} {others}: {do}.")


def skippable_trials(targets: ArrayLike, responses: ArrayLike) -> tuple[Floats, Floats]:
    """Targets and responses of trials of which some were skipped: a response of NaN or None.

    >>> skippable_trials([1, 2], [1, None])
    (array([1., 2.]), array([ 1., nan]))
    """
    asked, given = numbers(targets, "targets"), np.asarray(responses, dtype=np.float64).ravel()
    one_for_each(asked, "targets", given, "responses", "give one for each trial, NaN for a skip")
    return asked, given


def readable_trials(targets: ArrayLike, responses: ArrayLike) -> tuple[Floats, Floats]:
    """Targets (above 0) and responses (0 or more) of the readable trials, checked.

    >>> readable_trials([1, 2], [1, 3])
    (array([1., 2.]), array([1., 3.]))
    """
    asked, given = numbers(targets, "targets"), numbers(responses, "responses")
    one_for_each(asked, "targets", given, "responses", "give one for each trial")
    if (asked <= 0).any():
        raise BadInput(f"A target is {asked.min():g}: targets are numbers above 0.")
    if (given < 0).any():
        raise BadInput(
            f"A response is {given.min():g}: a count is never negative; "
            "leave trials without an answer out instead of coding them."
        )
    return asked, given


def trials_of(counts: NDArray[Any]) -> tuple[Floats, Floats]:
    """Targets and responses of a confusion matrix (row = response from 0, column = target − 1).

    >>> trials_of(np.array([[0, 0], [2, 0], [0, 1]]))
    (array([1., 1., 2.]), array([1., 1., 2.]))
    """
    responses, columns = np.nonzero(counts)
    times = np.asarray(counts)[responses, columns].astype(np.int64)
    return (
        np.repeat(columns + 1, times).astype(np.float64),
        np.repeat(responses, times).astype(np.float64),
    )
