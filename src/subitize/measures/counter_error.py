"""A painter's scores corrected for the mistakes of the counter that read its pictures.

A counter that miscounts makes a good painter look worse (or, rarely, better) than it is. Where
the counter's own mistakes are known from pictures that people counted, they can be taken out:

    observed(c | t) = Σ over k of  counter(c | k) · painter(k | t)

with t the number asked for, k the number truly in the picture and c the number counted. Accuracy
and NAE are linear in `painter(k | t)`, so with C the matrix counter(c | k) and f(k) = [k = t] or
|k − t| / t, the corrected score is the mean over pictures of g(c), where Cᵀ g = f. Nothing is
forced to be positive: that would bias a small sample towards the middle and make its interval
too short.

The interval carries both samples: pictures are resampled within category × target, and the
counter's columns are drawn from their posterior given the calibration.

What it can't do it says: a true number that was never calibrated is taken as counted rightly
(`assumed_exact` is the share of pictures that rests on it), and when the matrix can hardly be
inverted, or too much is assumed, there is no corrected value but a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.measures.accuracy import proportion_interval
from subitize.measures.bootstrap import resampled_cells
from subitize.measures.trials import Counts, Floats, readable_trials

__all__ = ["corrected_scores", "counter_columns"]

HIGHEST = 40
"""larger counts are taken as this one"""
SAMPLES = 2_000
LEAST_PICTURES = 5
"""a true number with fewer calibrated pictures counts as not calibrated"""
OWN_PICTURES = 100
"""a category with fewer calibrated pictures uses those of all categories"""
WORST_CONDITION = 20.0
"""beyond this condition number noise is blown up more than anything is corrected"""
MOST_ASSUMED = 0.2
"""share of pictures that may rest on true numbers without calibration"""
CHUNK = 200

Pairs = Mapping[str, Sequence[Sequence[int]]]
"""by category: [true count, counted, how many pictures]"""


@dataclass(frozen=True, slots=True)
class Columns:
    """What calibration says of a counter: pseudo-counts of counted (row) given true (column)."""

    counts: Floats
    calibrated: NDArray[np.bool_]
    """which true numbers have pictures; the others are taken as counted rightly"""

    @property
    def matrix(self) -> Floats:
        shares: Floats = self.counts / self.counts.sum(axis=0)
        return shares

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """Matrices from the posterior: a Dirichlet distribution per calibrated column."""
        drawn = rng.standard_gamma(self.counts, size=(samples, *self.counts.shape))
        drawn[:, :, ~self.calibrated] = self.counts[:, ~self.calibrated]
        shares: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return shares


def counter_columns(pairs: Iterable[Sequence[int]], top: int, *, zeros: bool = True) -> Columns:
    """A counter's columns from (true, counted, times); `zeros`: pictures counted 0 stay.

    A column is what was seen plus one picture's worth of the counter's overall error pattern
    (counted − true over all columns): a column of twenty right counts is not a proof of none
    wrong.
    """
    seen = np.zeros((top + 1, top + 1))
    for true, counted, times in pairs:
        if counted or zeros:
            seen[min(counted, top), min(true, top)] += times
    numbers = seen.sum(axis=0)
    calibrated = numbers >= LEAST_PICTURES
    rows, columns = np.indices(seen.shape)
    pattern = np.bincount((rows - columns + top).ravel(), seen.ravel(), minlength=2 * top + 1)
    prior = pattern[rows - columns + top]
    if not zeros:
        prior[0] = 0
    totals = prior.sum(axis=0)
    prior = np.divide(prior, totals, out=np.zeros_like(prior), where=totals > 0)
    counts = np.where(calibrated, seen + prior, np.eye(top + 1))
    return Columns(counts, calibrated)


def corrected_scores(
    painted: Iterable[tuple[str, int, int]],
    calibration: Pairs,
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> dict[str, Any]:
    """Accuracy and NAE of a painter as counted, and corrected for the counter's mistakes.

    `painted` has (category, number asked for, number counted) of every readable picture,
    `calibration` the pairs of a calibration file.

    >>> pairs = {"dots": [[1, 1, 500], [2, 2, 400], [2, 1, 100]]}
    >>> painted = [("dots", 2, 2)] * 80 + [("dots", 2, 1)] * 20
    >>> found = corrected_scores(painted, pairs, np.random.default_rng(0), samples=200)
    >>> found["raw"]["accuracy"], round(found["accuracy"]["value"], 2)
    (0.8, 1.0)
    """
    names, asked, counted = _trials(painted)
    top = int(min(HIGHEST, max(counted.max(), 2 * asked.max())))
    zeros = bool((counted == 0).any())
    kinds, kind = np.unique(names, return_inverse=True)
    used = _columns_for([str(name) for name in kinds], calibration, top, zeros)
    targets = np.unique(asked)
    cells = np.zeros((len(kinds), len(targets), top + 1), dtype=np.int64)
    place = (kind, np.searchsorted(targets, asked), np.minimum(counted, top).astype(np.int64))
    np.add.at(cells, place, 1)
    found: dict[str, Any] = {
        "raw": {
            "accuracy": float(np.mean(asked == counted)),
            "nae": float(np.mean(np.abs(counted - asked) / asked)),
        },
        "trials": int(asked.size),
        "calibrated_pictures": sum(int(t) for triples in calibration.values() for *_, t in triples),
        "calibration": {name: where for name, (_, where) in used.items()},
        "counted_above": {"limit": top, "pictures": int((counted > top).sum())},
    }
    columns = [used[str(name)][0] for name in kinds]
    found |= _identifiable(columns, cells)
    if found["identifiable"]:
        values = _values(columns, cells, targets)
        drawn = _samples(columns, cells, targets, rng, samples)
        edge = _at_the_edge(asked, counted)
        for index, (name, highest) in enumerate((("accuracy", 1.0), ("nae", np.inf))):
            low, high = np.quantile(drawn[index], [0.025, 0.975])
            ends = (min(low, edge[index][0]), max(high, edge[index][1]))
            value, low, high = np.clip([values[index], *ends], 0.0, highest).tolist()
            found[name] = {"value": value, "low": low, "high": high, "trials": int(asked.size)}
    else:
        found |= {"accuracy": None, "nae": None}
    return found


def _trials(painted: Iterable[tuple[str, int, int]]) -> tuple[NDArray[Any], Floats, Floats]:
    rows = list(painted)
    if not rows:
        raise BadInput("There are no counted pictures to correct: at least one is needed.")
    asked, counted = readable_trials([row[1] for row in rows], [row[2] for row in rows])
    return np.array([str(row[0]) for row in rows]), asked, counted


def _columns_for(
    names: Sequence[str], calibration: Pairs, top: int, zeros: bool
) -> dict[str, tuple[Columns, str]]:
    """Each category's own columns where it was calibrated well, else those of all together."""
    every = [triple for triples in calibration.values() for triple in triples]
    together = counter_columns(every, top, zeros=zeros)
    found = {}
    for name in names:
        own = calibration.get(name, ())
        if sum(int(times) for _, _, times in own) >= OWN_PICTURES:
            found[name] = (counter_columns(own, top, zeros=zeros), "own")
        else:
            found[name] = (together, "all categories")
    return found


def _identifiable(columns: Sequence[Columns], cells: Counts) -> dict[str, Any]:
    """Whether the counter's mistakes can be taken out, and if not, why."""
    worst = max(float(np.linalg.cond(one.matrix)) for one in columns)
    assumed = sum(
        float(cells[index][:, ~one.calibrated].sum()) for index, one in enumerate(columns)
    ) / float(cells.sum())
    reason = ""
    if not any(one.calibrated.any() for one in columns):
        reason = f"no true number has {LEAST_PICTURES} calibrated pictures"
    elif not worst <= WORST_CONDITION:
        reason = (
            f"the counter confuses numbers so much that different painters look alike to it "
            f"(condition number {worst:.3g}, at most {WORST_CONDITION:g} can be undone)"
        )
    elif assumed > MOST_ASSUMED:
        reason = (
            f"{assumed:.0%} of the pictures were counted as numbers that the calibration does not "
            "cover: count more such pictures by hand"
        )
    return {
        "identifiable": not reason,
        "reason": reason,
        "condition": worst if np.isfinite(worst) else None,
        "assumed_exact": assumed,
    }


def _at_the_edge(asked: Floats, counted: Floats) -> tuple[tuple[float, float], ...]:
    """What the ends must at least reach when all or no pictures were counted as asked.

    Then resampling shows no spread at all. Accuracy takes the exact interval of a share; NAE as
    much as that many pictures with one thing too many or too few would make.
    """
    right = int((asked == counted).sum())
    nothing = ((np.inf, -np.inf), (np.inf, -np.inf))
    if 0 < right < asked.size:
        return nothing
    _, low, high = proportion_interval(right, asked.size)
    wrong = (0.0, float((1 - low) * np.mean(1 / asked))) if right else nothing[1]
    return (low, high), wrong


def _wanted(targets: Floats, top: int) -> Floats:
    """f(k) for each target: shape (numbers, 2 × targets), rightness first, then error."""
    numbers = np.arange(top + 1)[:, None]
    return np.hstack([numbers == targets, np.abs(numbers - targets) / targets]).astype(np.float64)


def _values(columns: Sequence[Columns], cells: Counts, targets: Floats) -> Floats:
    stack = [one.matrix[None] for one in columns]
    found: Floats = _scores(stack, cells[None], targets)[:, 0]
    return found


def _samples(
    columns: Sequence[Columns],
    cells: Counts,
    targets: Floats,
    rng: np.random.Generator,
    samples: int,
) -> Floats:
    """Both scores for each resampled set of pictures and of calibration: shape (2, samples)."""
    # Categories that share their columns share every draw of them.
    shared: dict[int, Columns] = {id(one): one for one in columns}
    parts = []
    for pictures in resampled_cells(cells, rng, samples=samples):
        for start in range(0, len(pictures), CHUNK):
            chunk = pictures[start : start + CHUNK]
            drawn = {key: one.draw(rng, len(chunk)) for key, one in shared.items()}
            parts.append(_scores([drawn[id(one)] for one in columns], chunk, targets))
    return np.concatenate(parts, axis=1)


def _scores(matrices: Sequence[Floats], cells: Counts, targets: Floats) -> Floats:
    """Accuracy and NAE for stacks of counter matrices (per category) and of counted pictures."""
    many = len(targets)
    wanted = _wanted(targets, cells.shape[-1] - 1)
    total = np.zeros((2, len(cells)))
    for index, matrix in enumerate(matrices):
        turned = np.swapaxes(matrix, -1, -2)
        weights = np.linalg.solve(turned, np.broadcast_to(wanted, (len(matrix), *wanted.shape)))
        by_target = np.einsum("stc,sct->st", cells[:, index], weights[:, :, :many])
        total[0] += by_target.sum(axis=1)
        total[1] += np.einsum("stc,sct->s", cells[:, index], weights[:, :, many:])
    trials: Floats = total / cells[0].sum()
    return trials
