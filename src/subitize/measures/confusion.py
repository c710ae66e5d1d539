"""The confusion matrix: rows are responses, columns are targets, always.

With targets 1..m the rows are the responses 0..2m; a response above 2m falls in the last row.
So the index of a row is its response, and column j holds target j + 1. The orientation is never
guessed from the data, and unreadable trials stand beside the matrix, not in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.errors import BadInput
from subitize.measures.trials import Counts, Floats, numbers, readable_trials


class Confusion(NamedTuple):
    """How often each response was given to each target."""

    counts: Counts
    """rows are responses 0..2m (the last also holds all above), columns targets 1..m"""
    unreadable: Counts
    """per column, how many trials had no readable response; no measure uses it"""

    def as_json(self) -> dict[str, list[Any]]:
        """`rows` and `columns` (which response or target each is), `counts` and `unreadable`."""
        return {
            "rows": list(range(self.counts.shape[0])),
            "columns": list(range(1, self.counts.shape[1] + 1)),
            "counts": self.counts.tolist(),
            "unreadable": self.unreadable.tolist(),
        }


def confusion_matrix(
    targets: ArrayLike,
    responses: ArrayLike,
    *,
    highest_target: int = 10,
    unreadable: ArrayLike | None = None,
) -> Confusion:
    """Count each response to each target; `unreadable` lists the targets of unreadable trials.

    counts[g, t − 1] = how many trials with target t have min(response, 2 · highest) = g

    >>> matrix = confusion_matrix([1, 2, 2], [1, 2, 9], highest_target=2, unreadable=[1])
    >>> matrix.counts.tolist(), matrix.unreadable.tolist()
    ([[0, 0], [1, 0], [0, 1], [0, 0], [0, 1]], [1, 0])
    """
    asked, given = readable_trials(targets, responses)
    last = 2 * highest_target
    _whole(given, "response")
    counts = np.zeros((last + 1, highest_target), dtype=np.int64)
    rows = np.minimum(given, last).astype(np.int64)
    np.add.at(counts, (rows, _columns(asked, highest_target)), 1)
    left_out = np.zeros(highest_target, dtype=np.int64)
    if unreadable is not None and np.size(unreadable):
        columns = _columns(numbers(unreadable, "targets of unreadable trials"), highest_target)
        np.add.at(left_out, columns, 1)
    return Confusion(counts, left_out)


def _whole(values: Floats, what: str) -> None:
    broken = values[values != np.floor(values)]
    if broken.size:
        raise BadInput(f"A {what} is {broken[0]:g}: a confusion matrix takes whole numbers only.")


def _columns(targets: Floats, highest_target: int) -> NDArray[np.int64]:
    _whole(targets, "target")
    if targets.min() < 1 or targets.max() > highest_target:
        raise BadInput(
            f"Targets go from {targets.min():g} to {targets.max():g}, outside 1..{highest_target}: "
            "set the highest target to fit."
        )
    return targets.astype(np.int64) - 1


def check_counts(counts: ArrayLike) -> Floats:
    """The counts (or probabilities) of a matrix as floats: 2m + 1 rows, m columns, not empty."""
    matrix = np.asarray(counts, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != 2 * matrix.shape[1] + 1:
        raise BadInput(
            f"A confusion matrix of shape {matrix.shape} can't be used: with targets 1..m in the "
            "columns it has the responses 0..2m in its 2m + 1 rows."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise BadInput("A confusion matrix holds counts: none is negative, none is missing.")
    if matrix.sum() == 0:
        raise BadInput("The confusion matrix is empty: a measure needs a readable trial.")
    return matrix


MOST_FITTED = 100
"""targets up to which observers are fitted: the work grows with the cube of their number"""


def check_fittable(matrix: Floats) -> None:
    """Observers are fitted to as many targets as take seconds, not hours."""
    if matrix.shape[1] > MOST_FITTED:
        raise BadInput(
            f"Observers are fitted to targets up to {MOST_FITTED}: this run has targets up to "
            f"{matrix.shape[1]}."
        )


def percentages(counts: ArrayLike) -> Floats:
    """Column percentages in rows 1..2m; NaN in a column without trials.

    percentage[g, t] = 100 · counts[g, t] / Σ over g = 0..2m of counts[g, t]

    A response of 0 counts in the denominator (it was readable) but has no row here, since
    neither the ideal observer nor the random responder ever says 0.

    >>> percentages([[1, 0], [3, 0], [0, 2], [0, 0], [0, 2]]).tolist()
    [[75.0, 0.0], [0.0, 50.0], [0.0, 0.0], [0.0, 50.0]]
    """
    return 100.0 * column_shares(counts)[1:]


def column_shares(counts: ArrayLike) -> Floats:
    """Shares of each column's trials, rows 0..2m; NaN in a column without trials."""
    matrix = check_counts(counts)
    totals = matrix.sum(axis=0)
    return matrix / np.where(totals > 0, totals, np.nan)
