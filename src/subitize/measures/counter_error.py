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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subitize.measures.accuracy import accuracy, proportion_interval
from subitize.measures.error_size import nae
from subitize.measures.resampling import resampled
from subitize.measures.trials import Counts, Floats, readable_trials
from subitize.records import Score

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


class Columns(NamedTuple):
    """What calibration says of a counter: pseudo-counts of counted (row) given true (column)."""

    counts: Floats
    calibrated: NDArray[np.bool_]
    """which true numbers have pictures; the others are taken as counted rightly"""

    @property
    def matrix(self) -> Floats:
        return np.asarray(self.counts / self.counts.sum(axis=0))

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """Matrices from the posterior: a Dirichlet distribution per calibrated column."""
        drawn = rng.standard_gamma(self.counts, size=(samples, *self.counts.shape))
        drawn[:, :, ~self.calibrated] = self.counts[:, ~self.calibrated]
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


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
    targets: ArrayLike,
    counts: ArrayLike,
    categories: ArrayLike,
    calibration: Pairs,
    rng: np.random.Generator,
    *,
    samples: int = SAMPLES,
) -> dict[str, Any]:
    """Accuracy and NAE of a painter as counted, and corrected for the counter's mistakes.

    The numbers asked for and counted and the category of every readable picture; `calibration`
    has the pairs of a calibration file.

    >>> pairs = {"dots": [[1, 1, 500], [2, 2, 400], [2, 1, 100]]}
    >>> found = corrected_scores([2] * 100, [2] * 80 + [1] * 20, ["dots"] * 100, pairs,
    ...                          np.random.default_rng(0), samples=200)
    >>> found["raw"]["accuracy"], round(found["accuracy"]["value"], 2)
    (0.8, 1.0)
    """
    asked, counted = readable_trials(targets, counts)
    top = int(min(HIGHEST, max(counted.max(), 2 * asked.max())))
    kinds, kind = np.unique(np.asarray(categories).astype(str), return_inverse=True)
    columns, which = _columns_for(kinds.tolist(), calibration, top, bool((counted == 0).any()))
    every = np.stack([kind, asked.astype(np.int64), np.minimum(counted, top).astype(np.int64)])
    entries, times = np.unique(every, axis=1, return_counts=True)
    found: dict[str, Any] = {
        "raw": {"accuracy": accuracy(asked, counted), "nae": nae(asked, counted)},
        "trials": int(asked.size),
        "calibrated_pictures": sum(int(t) for triples in calibration.values() for *_, t in triples),
        "calibration": {
            str(name): "own" if own else "all categories"
            for name, own in zip(kinds, which, strict=True)
        },
        "counted_above": {"limit": top, "pictures": int((counted > top).sum())},
        "accuracy": None,
        "nae": None,
    }
    needed, used = np.unique(np.array(which)[entries[0]], return_inverse=True)
    columns = [columns[index] for index in needed]
    found |= _identifiable(columns, used, entries[2], times)
    if not found["identifiable"]:
        return found

    def scores(numbers: Floats) -> Floats:
        drawn = [one.draw(rng, numbers.shape[1]) for one in columns]
        return _scores(numbers, drawn, used, entries) / asked.size

    value = _scores(times[:, None], [one.matrix[None] for one in columns], used, entries)[:, 0]
    strata, width = entries[0] * (asked.max() + 1) + entries[1], 4 * len(columns) * (top + 1) ** 2
    drawn = resampled(times, scores, rng, strata=strata, samples=samples, width=width)
    for index, (name, highest) in enumerate((("accuracy", 1.0), ("nae", np.inf))):
        ends = np.quantile(drawn[index], [0.025, 0.975])
        least, most = _at_the_edge(asked, counted)[index]
        parts = [value[index] / asked.size, min(ends[0], least), max(ends[1], most)]
        middle, low, high = np.clip(parts, 0.0, highest).tolist()
        found[name] = Score(middle, low, high, asked.size).as_json()
    return found


def _columns_for(
    names: Sequence[str], calibration: Pairs, top: int, zeros: bool
) -> tuple[list[Columns], list[int]]:
    """Columns of all categories together, then those of each that was calibrated well by itself.

    With them which of these each category uses.
    """
    every = [triple for triples in calibration.values() for triple in triples]
    columns, which = [counter_columns(every, top, zeros=zeros)], []
    for name in names:
        own = calibration.get(name, ())
        alone = sum(int(times) for _, _, times in own) >= OWN_PICTURES
        if alone:
            columns.append(counter_columns(own, top, zeros=zeros))
        which.append(len(columns) - 1 if alone else 0)
    return columns, which


def _identifiable(
    columns: Sequence[Columns], used: Counts, counted: Counts, times: Counts
) -> dict[str, Any]:
    """Whether the counter's mistakes can be taken out, and if not, why."""
    worst = max(float(np.linalg.cond(one.matrix)) for one in columns)
    calibrated = np.stack([one.calibrated for one in columns])[used, counted]
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
    condition = worst if np.isfinite(worst) else None
    verdict = {"identifiable": not reason, "reason": reason}
    return verdict | {"condition": condition, "assumed_exact": assumed}


def _at_the_edge(asked: Floats, counted: Floats) -> tuple[tuple[float, float], ...]:
    """What the ends must at least reach when all or no pictures were counted as asked.

    Then resampling shows no spread at all. Accuracy takes the exact interval of a share; NAE as
    much as that many pictures with one thing too many or too few would make.
    """
    right = int((asked == counted).sum())
    nothing = ((np.inf, -np.inf), (np.inf, -np.inf))
    if 0 < right < asked.size:
        return nothing
    exact = proportion_interval(right, asked.size)
    low, high = exact.low or 0.0, exact.high or 0.0
    wrong = (0.0, float((1 - low) * np.mean(1 / asked))) if right else nothing[1]
    return (low, high), wrong


def _scores(
    numbers: NDArray[Any], matrices: Sequence[Floats], used: Counts, entries: Counts
) -> Floats:
    """Sums of rightness and of error for numbers of each entry: [score, sample]."""
    _, asked, counted = entries
    targets, place = np.unique(asked, return_inverse=True)
    true = np.arange(matrices[0].shape[-1])[:, None]
    wanted = np.hstack([true == targets, np.abs(true - targets) / targets])
    total = np.zeros((2, numbers.shape[1]))
    for index, matrix in enumerate(matrices):
        weights = np.linalg.solve(np.swapaxes(matrix, -1, -2), wanted[None])
        own = used == index
        places = place[own] + np.array([[0], [targets.size]])
        total += np.einsum("es,sae->as", numbers[own], weights[:, counted[own], places])
    return total
