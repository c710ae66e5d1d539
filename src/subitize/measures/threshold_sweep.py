"""Counts at many thresholds at once: boxes are merged once, then scores are only compared.

Greedy merging (NMS) does not depend on the threshold: whether a box is kept hangs on boxes with
higher scores alone (see `boxes.py`). Pictures with about as many boxes go through it
together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subitize.measures.boxes import NMS, Rules, clip, group_drops, keep_by_nms
from subitize.measures.trials import Counts, Floats

__all__ = ["THRESHOLDS", "counts_by_threshold", "kept_boxes"]

THRESHOLDS: Floats = np.arange(1, 100) / 100
TOGETHER = 128
"""pictures merged in one step: few enough to stay in the processor's cache"""


def counts_by_threshold(
    boxes: Floats,
    picture: Counts,
    pictures: int,
    *,
    sizes: Floats | None = None,
    rules: Rules | None = None,
    thresholds: Floats = THRESHOLDS,
) -> Counts:
    """How many boxes of each picture count at each threshold: shape (pictures, thresholds).

    `boxes` holds [x0, y0, x1, y1, score] of all pictures, `picture` says which is whose, and
    `sizes` the width and height of each picture (infinite where unknown); without them nothing
    is clipped and no group box is known.

    >>> boxes = np.array([[0, 0, 5, 5, 0.9], [0, 0, 5, 5, 0.8], [6, 0, 9, 5, 0.2]])
    >>> counts_by_threshold(boxes, np.array([0, 0, 1]), 3, thresholds=np.array([0.1, 0.5])).tolist()
    [[1, 1], [1, 0], [0, 0]]
    """
    rules = rules or Rules()
    if sizes is not None:
        boxes, outside = clip(boxes, sizes[picture])
        boxes, picture = boxes[~outside], picture[~outside]
    order = np.lexsort((-boxes[:, 4], picture))
    boxes, picture = boxes[order], picture[order]
    kept = kept_boxes(boxes, picture, pictures, NMS if rules.nms is None else rules.nms)
    boxes, picture = boxes[kept], picture[kept]
    counts = _reaching(boxes[:, 4], picture, pictures, thresholds)
    if sizes is not None and rules.group <= 1:
        counts -= _dropped(boxes, picture, sizes, rules.group, thresholds)
    return counts


def _reaching(scores: Floats, picture: Counts, pictures: int, thresholds: Floats) -> Counts:
    """How many of each picture's scores reach each threshold."""
    many = len(thresholds)
    reached = np.searchsorted(thresholds, scores, side="right")
    cells = np.bincount(picture * (many + 1) + reached, minlength=pictures * (many + 1))
    table = cells.reshape(pictures, many + 1)[:, ::-1].cumsum(axis=1)[:, ::-1]
    return table[:, 1:].copy()


def kept_boxes(
    boxes: Floats, picture: Counts, pictures: int, most: float = NMS
) -> NDArray[np.bool_]:
    """Which boxes stay after merging; boxes come by picture, then by falling score."""
    numbers = np.bincount(picture, minlength=pictures)
    first = np.concatenate([[0], np.cumsum(numbers)[:-1]])
    kept = np.ones(len(boxes), dtype=bool)
    several = np.nonzero(numbers > 1)[0]
    several = several[np.argsort(numbers[several], kind="stable")]
    for start in range(0, len(several), TOGETHER):
        chunk = several[start : start + TOGETHER]
        longest = int(numbers[chunk[-1]])
        place = np.arange(longest)
        real = place < numbers[chunk][:, None]
        where = np.where(real, first[chunk][:, None] + place, 0)
        stack = np.where(real[..., None], boxes[where, :4], 0.0)  # of no area: overlaps nothing
        kept[where[real]] = keep_by_nms(stack, most)[real]
    return kept


def _dropped(
    boxes: Floats,
    picture: Counts,
    sizes: Floats,
    group: float,
    thresholds: Floats,
) -> Counts:
    """How many group boxes each picture loses at each threshold; few pictures have any."""
    areas = (boxes[:, 2:4] - boxes[:, 0:2]).prod(axis=1)
    large = areas >= group * sizes[picture].prod(axis=1)
    lost: Counts = np.zeros((len(sizes), len(thresholds)), dtype=np.int64)
    for one in np.unique(picture[large]):
        start, stop = np.searchsorted(picture, [one, one + 1])
        drops = group_drops(boxes[start:stop], (sizes[one, 0], sizes[one, 1]), group)
        lost[one] = (drops[:, None] >= thresholds).sum(axis=0)
    return lost
