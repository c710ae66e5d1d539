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
from subitize.measures.accuracy import accuracy, exact_ends
from subitize.measures.error_size import nae
from subitize.measures.resampling import resampled
from subitize.measures.trials import Counts, Floats, readable_trials
from subitize.records import Score, as_json

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
    kinds, kind = np.unique(names, return_inverse=True)
    used = _columns_for(kinds.tolist(), calibration, top, bool((counted == 0).any()))
    every = np.stack([kind, asked.astype(np.int64), np.minimum(counted, top).astype(np.int64)])
    entries, times = np.unique(every, axis=1, return_counts=True)
    found: dict[str, Any] = {
        "raw": {"accuracy": accuracy(asked, counted), "nae": nae(asked, counted)},
        "trials": int(asked.size),
        "calibrated_pictures": sum(int(t) for triples in calibration.values() for *_, t in triples),
        "calibration": {name: where for name, (_, where) in used.items()},
        "counted_above": {"limit": top, "pictures": int((counted > top).sum())},
    }
    columns = [own for own, _ in used.values()]
    found |= _identifiable(columns, entries, times) | {"accuracy": None, "nae": None}
    if found["identifiable"]:
        scores = _Scores(columns, entries, asked.size, rng)
        values = scores.of(times[:, None].astype(np.float64), [one.matrix[None] for one in columns])
        strata = entries[0] * (entries[1].max() + 1) + entries[1]
        width = 4 * len(columns) * (top + 1) ** 2
        drawn = resampled(times, scores, rng, strata=strata, samples=samples, width=width)
        edges = _at_the_edge(asked, counted)
        for index, (name, highest) in enumerate((("accuracy", 1.0), ("nae", np.inf))):
            low, high = np.quantile(drawn[index], [0.025, 0.975])
            ends = (min(low, edges[index][0]), max(high, edges[index][1]))
            value, low, high = np.clip([values[index, 0], *ends], 0.0, highest).tolist()
            found[name] = as_json(Score(value, low, high, asked.size))
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


def _identifiable(columns: Sequence[Columns], entries: Counts, times: Counts) -> dict[str, Any]:
    """Whether the counter's mistakes can be taken out, and if not, why."""
    worst = max(float(np.linalg.cond(one.matrix)) for one in columns)
    calibrated = np.stack([one.calibrated for one in columns])[entries[0], entries[2]]
    assumed = float(times[~calibrated].sum() / times.sum())
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
    low, high = exact_ends(right, asked.size)
    wrong = (0.0, float((1 - low) * np.mean(1 / asked))) if right else nothing[1]
    return (low, high), wrong


class _Scores:
    """Accuracy and NAE of counted pictures, given counter matrices drawn from their posterior."""

    def __init__(
        self, columns: Sequence[Columns], entries: Counts, trials: int, rng: np.random.Generator
    ) -> None:
        self.columns, self.rng, self.trials = columns, rng, trials
        self.kind, asked, self.counted = entries
        targets, self.place = np.unique(asked, return_inverse=True)
        numbers = np.arange(len(columns[0].matrix))[:, None]
        # f(k) for each target: rightness first, then error
        self.wanted = np.hstack([numbers == targets, np.abs(numbers - targets) / targets])

    def __call__(self, counts: Floats) -> Floats:
        """Both scores of each sample: [score, sample]."""
        # Categories that share their columns share every draw of them.
        shared = {id(one): one for one in self.columns}
        drawn = {key: one.draw(self.rng, counts.shape[1]) for key, one in shared.items()}
        return self.of(counts, [drawn[id(one)] for one in self.columns])

    def of(self, counts: Floats, matrices: Sequence[Floats]) -> Floats:
        total = np.zeros((2, counts.shape[1]))
        for index, matrix in enumerate(matrices):
            weights = np.linalg.solve(np.swapaxes(matrix, -1, -2), self.wanted[None])
            own = self.kind == index
            places = self.place[own] + np.array([[0], [self.wanted.shape[1] // 2]])
            total += np.einsum("es,sae->as", counts[own], weights[:, self.counted[own], places])
        return total / self.trials
