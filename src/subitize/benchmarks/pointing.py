"""What the reader `points` found: do models point at what they count?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.measures.intervals import mean_interval
from subitize.readers.points import Pointing, told
from subitize.records import Score

if TYPE_CHECKING:
    import polars as pl


def pointing_scores(answers: pl.DataFrame) -> dict[str, Any] | None:
    """Agreement of points with the number said, share of points on a thing, and F1.

    A picture's F1 is 2 p / (points + things), p the things with a point on them; scores are means
    over pictures. None where no reply was read as points.
    """
    found = [one for note in answers["note"] if (one := told(note or "")) is not None]
    if not found:
        return None
    said = [one for one in found if one.said is not None]
    placed = [one for one in found if one.things is not None]
    return {
        "agreement": _share([float(one.said == one.points) for one in said]),
        "on_things": _share([(one.on_things or 0) / one.points for one in placed if one.points]),
        "f1": _share([_f1(one) for one in placed]),
    }


def _f1(one: Pointing) -> float:
    both = one.points + (one.things or 0)
    return 2 * (one.pointed_at or 0) / both if both else 1.0


def _share(values: list[float]) -> Score | None:
    return mean_interval(np.array(values), bounds=(0.0, 1.0)) if values else None
