"""A matcher's scores → Reading: how well a sentence fits a picture, or which fits best."""

from __future__ import annotations

from math import isfinite

from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Trial

COSINE = "cosine"
"""the unit of CLIP's scores, the only ones that CLIPScore is made of"""
CLIP_WEIGHT = 2.5
"""Hessel et al. 2021, section 3"""


def clipscore(cosine: float) -> float:
    """CLIPScore (Hessel et al. 2021) of a cosine.

    >>> clipscore(0.3), clipscore(-0.1)
    (0.75, 0.0)
    """
    return CLIP_WEIGHT * max(cosine, 0.0)


def read_match(trial: Trial, response: Response) -> Reading:
    """How well the first sentence fits: of a cosine its CLIPScore, any other score as it is."""
    scores = _scores(trial, response)
    if isinstance(scores, Reading):
        return scores
    unit = response.data.get("unit", "score")
    number = clipscore(scores[0]) if unit == COSINE else scores[0]
    return Reading("read", number=number, note=f"{unit} {scores[0]}")


def read_best_match(trial: Trial, response: Response) -> Reading:
    """The sentence that fits best; scores that can't be are a failed reply."""
    scores = _scores(trial, response)
    if isinstance(scores, Reading):
        return scores
    return Reading("read", choice=trial.options[scores.index(max(scores))])


def _scores(trial: Trial, response: Response) -> list[float] | Reading:
    """A score for each sentence, or why there is none."""
    early = ended_early(response)
    if early is not None:
        return early
    try:
        scores = [float(one) for one in response.data["scores"]]
        calibrated = bool(response.data["calibrated"])
    except (KeyError, TypeError, ValueError):
        return Reading(
            "failed", note="the reply holds no scores, or not whether they are calibrated"
        )
    if len(scores) != len(trial.options) or not all(map(isfinite, scores)):
        return Reading("failed", note=f"{len(trial.options)} sentences got scores {scores[:5]}")
    if calibrated and not all(0 <= one <= 1 for one in scores):
        return Reading("failed", note=f"a match probability lies outside 0..1: {scores[:5]}")
    return scores
