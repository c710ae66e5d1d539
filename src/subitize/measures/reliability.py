"""Does a respondent know when it errs? Confidence against error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from subitize.errors import BadInput
from subitize.measures.trials import numbers, one_for_each

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same confidence."""

    low: float
    high: float
    trials: int
    confidence: float
    """mean confidence, 0 to 1"""
    error: float
    """mean error in percent"""


@dataclass(frozen=True, slots=True)
class Reliability:
    """A reliability curve and what it comes to."""

    curve: tuple[Bin, ...]
    """bins with answers in them, from low to high confidence"""
    calibration_error: float
    """0 when the error falls with confidence as it should"""
    correlation: float | None
    """Pearson's, of confidence and error; None where one of them does not vary"""


def reliability(confidence: ArrayLike, errors: ArrayLike, *, bins: int = BINS) -> Reliability:
    """Mean error by confidence in equal bins; a confidence on an edge is in the upper bin.

    calibration error = Σ n_b / n · |mean confidence_b − (1 − mean error_b / 100)|
    Errors are in percent (the sMAPE of each answer). Unit: share, 0 to 1. Best: 0.

    >>> found = reliability([0.95, 0.95, 0.25], [0, 10, 75])
    >>> [(bin.low, bin.trials, bin.error) for bin in found.curve]
    [(0.2, 1, 75.0), (0.9, 2, 5.0)]
    >>> abs(found.calibration_error) < 1e-9
    True
    """
    sure, wrong = numbers(confidence, "confidences"), numbers(errors, "errors")
    one_for_each(sure, "confidences", wrong, "errors")
    if ((sure < 0) | (sure > 1)).any() or ((wrong < 0) | (wrong > 100)).any():
        raise BadInput("A confidence lies outside 0..1 or an error outside 0..100 percent.")
    # 0.3 * 10 is a little above 3 and 0.7 * 10 a little below 7: round before the floor
    place = np.minimum(np.floor(np.round(sure * bins, 9)).astype(np.int64), bins - 1)
    curve = tuple(
        Bin(
            float(round(index / bins, 12)),
            float(round((index + 1) / bins, 12)),
            int((place == index).sum()),
            float(sure[place == index].mean()),
            float(wrong[place == index].mean()),
        )
        for index in np.unique(place).tolist()
    )
    off = sum(one.trials * abs(one.confidence - (1 - one.error / 100)) for one in curve)
    varies = np.ptp(sure) > 0 and np.ptp(wrong) > 0
    return Reliability(
        curve, off / sure.size, float(np.corrcoef(sure, wrong)[0, 1]) if varies else None
    )
