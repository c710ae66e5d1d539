"""A matcher's scores → Reading: how well a sentence fits a picture, or which fits best."""

from __future__ import annotations

from math import isfinite

from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Trial

CLIP_WEIGHT = 2.5
"""Hessel et al. 2021, section 3"""


def clipscore(cosine: float) -> float:
    """CLIPScore (Hessel et al. 2021) of a cosine.

    >>> clipscore(0.3), clipscore(-0.1)
    (0.75, 0.0)
    """
    return CLIP_WEIGHT * max(cosine, 0.0)


def read_clipscore(trial: Trial, response: Response) -> Reading:
    """CLIPScore of the first sentence that was matched."""
    early = ended_early(response)
    if early is not None:
        return early
    cosines = response.data["scores"]
    if not cosines:
        return Reading("failed", note="no score came back")
    return Reading("read", number=clipscore(float(cosines[0])), note=f"cosine {cosines[0]}")


def read_best_match(trial: Trial, response: Response) -> Reading:
    """The sentence that fits best; scores that can't be are a failed reply."""
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
    return Reading("read", choice=trial.options[scores.index(max(scores))])
