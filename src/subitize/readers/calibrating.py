"""Calibration of a counter against human counts: which threshold, and how wrong it is with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.measures.accuracy import proportion_interval
from subitize.measures.boxes import NMS, THRESHOLDS, Rules
from subitize.measures.error_size import nae_terms
from subitize.measures.resampling import bootstrap_mean
from subitize.readers.calibration import Calibration

__all__ = ["calibrate"]

FOLDS = 10
SAMPLES = 2_000
"""of thousands of pictures: more would move the interval's ends in the third digit"""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def calibrate(
    counts: Ints,
    truth: Ints,
    categories: list[str],
    rng: np.random.Generator,
    *,
    rules: Rules | None = None,
    counter: str = "",
) -> Calibration:
    """From counts at each threshold (pictures × `THRESHOLDS`) and human counts to a calibration.

    The best threshold has the least NAE; of several that do, the middle one. Pictures in which
    people counted 0 have no NAE: they count for accuracy only.
    """
    some = truth > 0
    if not some.any():
        raise BadInput("People counted 0 in every picture: NAE needs a picture with a thing in it.")
    errors = np.abs(counts - truth[:, None]) / np.where(some, truth, 1)[:, None]
    curve = errors[some].mean(axis=0)
    best = middle_of_best(curve)
    chosen = counts[:, best]
    kinds = np.array(categories)
    scores = _scores(chosen, truth, rng)
    scores["held_out_nae"] = _held_out(errors[some], rng)
    scores["categories"] = {
        name: _scores(chosen[kinds == name], truth[kinds == name], rng)
        for name in sorted(set(categories))
    }
    merged = NMS if rules is None or rules.nms is None else rules.nms
    group = rules.group if rules else Rules().group
    return Calibration(
        Rules(float(THRESHOLDS[best]), merged, group),
        len(truth),
        {
            "thresholds": THRESHOLDS.tolist(),
            "nae": curve.tolist(),
            "accuracy": (counts == truth[:, None]).mean(axis=0).tolist(),
        },
        scores,
        {name: _pairs(truth[kinds == name], chosen[kinds == name]) for name in set(categories)},
        counter,
    )


def middle_of_best(curve: Floats) -> int:
    """Index of the least value; of a flat bottom its middle.

    >>> middle_of_best(np.array([3.0, 1.0, 1.0, 1.0, 2.0]))
    2
    """
    least = np.nonzero(curve <= curve.min() + 1e-12)[0]
    runs = np.split(least, np.nonzero(np.diff(least) > 1)[0] + 1)
    longest = max(runs, key=len)
    return int(longest[(len(longest) - 1) // 2])


def _scores(counted: Ints, truth: Ints, rng: np.random.Generator) -> dict[str, Any]:
    some = truth > 0
    right = proportion_interval(int((counted == truth).sum()), len(truth))
    found: dict[str, Any] = {"accuracy": right.as_json(), "nae": None}
    if some.any():
        errors = nae_terms(truth[some], counted[some])
        found["nae"] = bootstrap_mean(errors, rng, samples=SAMPLES).as_json()
    return found


def _held_out(errors: Floats, rng: np.random.Generator) -> float | None:
    """NAE of pictures that had no say in the choice of the threshold (ten folds)."""
    if len(errors) < 2 * FOLDS:
        return None
    fold = rng.permutation(len(errors)) % FOLDS
    sums = np.stack([errors[fold == one].sum(axis=0) for one in range(FOLDS)])
    total = 0.0
    for one in range(FOLDS):
        total += sums[one, middle_of_best(sums.sum(axis=0) - sums[one])]
    return float(total / len(errors))


def _pairs(truth: Ints, counted: Ints) -> list[list[int]]:
    pairs, times = np.unique(np.stack([truth, counted]), axis=1, return_counts=True)
    return [[int(t), int(c), int(n)] for t, c, n in zip(*pairs, times, strict=True)]
