"""Confusion matrices as the figures need them: shares, means, spreads and errors per target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "matrix_from"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """Counts of responses (rows) to targets (columns)."""

    rows: Floats
    columns: Floats
    counts: Floats
    unreadable: int = 0
    stored: tuple[Floats, Floats] | None = None
    """means and standard deviations from the responses themselves, which the last row clips"""

    @property
    def readable(self) -> int:
        return int(self.counts.sum())

    def shares(self) -> Floats:
        """Each column as shares of its readable trials; a column without any is NaN."""
        totals = self.counts.sum(axis=0)
        return _ratio(self.counts, np.broadcast_to(totals, self.counts.shape))

    def means(self) -> Floats:
        """Mean response to each target; NaN without trials."""
        if self.stored is not None:
            return self.stored[0]
        totals = self.counts.sum(axis=0)
        sums = self.rows @ self.counts
        return _ratio(sums, totals)

    def sds(self) -> Floats:
        """Standard deviation (n − 1) of the responses to each target; NaN below two trials."""
        if self.stored is not None:
            return self.stored[1]
        totals = self.counts.sum(axis=0)
        squares = ((self.rows[:, None] - self.means()[None, :]) ** 2 * self.counts).sum(axis=0)
        return np.asarray(np.sqrt(_ratio(squares, totals - 1)), dtype=np.float64)

    def errors(self) -> tuple[NDArray[np.int64], Floats]:
        """Response − target, and the share of readable trials with each such error."""
        differences = (self.rows[:, None] - self.columns[None, :]).astype(np.int64)
        values = np.arange(differences.min(), differences.max() + 1)
        weights = np.bincount(
            (differences - values[0]).ravel(), weights=self.counts.ravel(), minlength=len(values)
        )
        total = weights.sum()
        return values, weights / total if total else np.zeros(len(values))


def _ratio(upper: Floats, lower: Floats) -> Floats:
    """upper / lower, NaN where there is nothing to divide by."""
    found = np.full(upper.shape, np.nan)
    np.divide(upper, lower, out=found, where=lower > 0)
    return found


def matrix_from(scores: Mapping[str, Any] | None) -> Matrix | None:
    """The matrix in the scores of a run or of a category; None where there is none."""
    confusion = (scores or {}).get("confusion")
    if not confusion or not confusion.get("counts"):
        return None
    unreadable = confusion.get("unreadable") or 0
    stored = None
    if scores and scores.get("means") and scores.get("sds"):
        # None becomes NaN: nothing was read for that target.
        stored = (
            np.asarray(scores["means"], dtype=np.float64),
            np.asarray(scores["sds"], dtype=np.float64),
        )
    return Matrix(
        np.asarray(confusion["rows"], dtype=np.float64),
        np.asarray(confusion["columns"], dtype=np.float64),
        np.asarray(confusion["counts"], dtype=np.float64),
        int(np.sum(unreadable)),
        stored,
    )
