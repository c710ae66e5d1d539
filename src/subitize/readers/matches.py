"""A matcher's scores → Reading: how well a sentence fits a picture, as CLIPScore."""

from __future__ import annotations

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
