"""What guides answers: number, size or spacing (DeWind, Adams, Platt and Brannon 2015)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.measures.trials import Floats
from subitize.records import Score

NAMES = ("number", "size", "spacing")
_NOTHING = 1e-9


@dataclass(frozen=True)
class CueWeights:
    """Slopes of log₂ answer on log₂ number, size and spacing."""

    number: Score
    """1 for who counts"""
    size: Score
    """0 for who counts"""
    spacing: Score
    """0 for who counts"""
    intercept: float
    angle: float
    """degrees between the three slopes and (1, 0, 0): 0 for who goes by number alone"""
    pictures: int
    """clusters: answers about one picture are not independent"""
    left_out: int
    """answers below 1, which have no logarithm"""

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, **{name: getattr(self, name).as_json() for name in NAMES}}


def cue_weights(
    answers: Floats, cues: tuple[Floats, Floats, Floats], pictures: Sequence[object]
) -> CueWeights:
    """log₂ answer = b₀ + b_n log₂ number + b_s log₂ size + b_p log₂ spacing by least squares.

    Errors are clustered by picture (the sandwich with the usual small-sample factor), intervals
    those of t with one degree less than there are pictures. Answers without any error have none.

    >>> number = np.array([1.0, 2, 4, 8, 1, 2, 4, 8])
    >>> size, spacing = np.array([1.0, 2, 2, 1, 2, 1, 1, 2]), np.array([1.0, 1, 2, 2, 2, 2, 1, 1])
    >>> found = cue_weights(number * size**2, (number, size, spacing), range(8))
    >>> round(found.number.value, 6), round(found.size.value, 6), round(found.angle, 1)
    (1.0, 2.0, 63.4)
    """
    from scipy.stats import t

    given = np.asarray(answers, np.float64)
    usable = given >= 1
    _, cluster = np.unique(np.asarray(list(pictures))[usable], return_inverse=True)
    many = int(cluster.max(initial=-1)) + 1
    columns = [np.log2(np.asarray(cue, np.float64)[usable]) for cue in cues]
    design = np.stack([np.ones(int(usable.sum())), *columns], axis=1)
    if many <= design.shape[1] or np.linalg.matrix_rank(design) < design.shape[1]:
        raise BadInput(
            f"{many} pictures with a number from 1 in the answer can't tell number, size and "
            "spacing apart: ask about more pictures."
        )
    said = np.log2(given[usable])
    slopes, *_ = np.linalg.lstsq(design, said, rcond=None)
    bread = np.linalg.inv(design.T @ design)
    errors = design * (said - design @ slopes)[:, None]
    sums = np.stack([np.bincount(cluster, column, many) for column in errors.T], axis=1)
    rows, terms = design.shape
    factor = many / (many - 1) * (rows - 1) / (rows - terms)
    spread = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * factor)
    half = float(t.ppf(0.975, many - 1)) * spread
    # who lies on the line throughout shows no spread, so nobody knows how far off the line may be
    exact = bool(spread.max() < _NOTHING)
    slopes = np.where(np.abs(slopes) < _NOTHING, 0.0, slopes)
    number, size, spacing = (
        Score(value, trials=rows) if exact else Score(value, value - reach, value + reach, rows)
        for value, reach in zip(slopes[1:].tolist(), half[1:].tolist(), strict=True)
    )
    length = float(np.linalg.norm(slopes[1:]))
    if length == 0:
        raise BadInput("The answers do not change with number, size or spacing: no angle.")
    angle = math.degrees(math.acos(max(-1.0, min(1.0, float(slopes[1]) / length))))
    left_out = int((~usable).sum())
    return CueWeights(number, size, spacing, float(slopes[0]), angle, many, left_out)
