"""From raw boxes to a number: clipping, merging (NMS), group boxes, threshold. Nothing is asked.

A box is [x0, y0, x1, y1, score] in pixels. The order of the steps is fixed:

1. Boxes are clipped to the picture; one that lies wholly outside is dropped. Both are noted.
2. Near-identical boxes are merged: from the highest score down, a box is kept unless it overlaps
   a kept one by more than `nms` (intersection over union). Equal scores keep their order.
3. A *group box* is dropped: one that covers at least `group` of the picture and holds at least
   two other boxes that count (each with nine tenths of its area). A single thing that fills the
   picture has no two others in it, so it stays.
4. Boxes with a score below `threshold` do not count.

Step 2 does not depend on step 4: whether a box is kept hangs only on boxes with higher scores, so
merging once serves every threshold. Step 3 does, but in one way only: a group box is dropped at
each threshold that its own score and the second highest score inside it both reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.measures.trials import Counts, Floats

NMS = 0.95
"""boxes that overlap more than this are one; PLOS ONE 2025, NumGen's code"""
GROUP = 0.9
"""share of the picture from which a box may be a group's"""
INSIDE = 0.9
"""share of a box that lies in another when it counts as held by it"""
MEMBERS = 2
"""so many boxes make a group"""

THRESHOLDS: Floats = np.arange(1, 100) / 100
TOGETHER = 128
"""pictures merged in one step: few enough to stay in the processor's cache"""

Mask = NDArray[np.bool_]


class Rules(NamedTuple):
    """How raw boxes become a number; None is the counter's own default."""

    threshold: float | None = None
    """least score of a box that counts"""
    nms: float | None = None
    """largest overlap (IoU) of two boxes that both count; 1 merges nothing"""
    group: float = GROUP
    """least share of the picture of a group box; above 1 none is dropped"""


class Counted(NamedTuple):
    """What the rules make of one picture's boxes."""

    boxes: Floats
    """those that count, [x0, y0, x1, y1, score], highest score first"""
    notes: tuple[str, ...]
    """what was clipped, dropped or cut off, and what the counter itself noted"""

    @property
    def number(self) -> int:
        return len(self.boxes)


def rules_from(given: Mapping[str, Any], what: str = "the reader") -> Rules:
    """Rules from names and values; anything out of place is a clear error.

    >>> rules_from({"threshold": 0.3})
    Rules(threshold=0.3, nms=None, group=0.9)
    """
    values: dict[str, float] = {}
    for name, value in given.items():
        if name not in Rules._fields:
            raise BadInput(f"{what} has no setting {name!r}: known are {', '.join(Rules._fields)}.")
        top = 1.0 if name != "group" else 2.0
        wrong = isinstance(value, bool) or not isinstance(value, (int, float))
        if wrong or not 0 <= value <= top:
            raise BadInput(f"{name} of {what} is {value!r}: give a number from 0 to {top:g}.")
        values[name] = float(value)
    return Rules(**values)


def count(value: Mapping[str, Any], rules: Rules | None = None) -> Counted:
    """The boxes of a counter's reply that count; a reply that is none is a `BadInput`.

    >>> count({"boxes": [[0, 0, 5, 5, 0.9], [0, 0, 5, 5, 0.8], [5, 5, 9, 9, 0.1]]},
    ...       Rules(threshold=0.3)).number
    1
    """
    rules = rules or Rules()
    boxes = checked(value.get("boxes", ()))
    threshold = rules.threshold if rules.threshold is not None else value.get("threshold", 0.0)
    nms = rules.nms if rules.nms is not None else value.get("nms", NMS)
    edges = np.array(value.get("size") or (np.inf, np.inf), dtype=np.float64)
    cut, outside = cut_to(edges, boxes)
    # A detector's own rounding lies within a pixel: not worth a word.
    beyond = (np.abs(cut - boxes).max(axis=1, initial=0) > 1) & ~outside
    boxes = cut[~outside]
    boxes = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    boxes = boxes[keep_by_nms(boxes, float(nms))]
    grouped = group_drops(boxes, edges, rules.group) >= threshold
    noted = (
        (outside, "outside the picture dropped"),
        (beyond, "beyond the picture's edge clipped"),
        (grouped, "around the whole group dropped"),
    )
    notes = [
        f"{which.sum()} box{'es' if which.sum() > 1 else ''} {what}"
        for which, what in noted
        if which.any()
    ]
    if value.get("saturated"):
        notes.append("the counter gave as many boxes as it can: there may be more things")
    if value.get("note"):
        notes.append(str(value["note"]))
    return Counted(boxes[~grouped & (boxes[:, 4] >= threshold)], tuple(notes))


def checked(boxes: Any) -> Floats:
    """Boxes as an array of n × 5 numbers; what is none says which and why."""
    try:
        array = np.asarray(boxes if len(boxes) else np.zeros((0, 5)), dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("the boxes are not lists of five numbers [x0, y0, x1, y1, score]") from None
    if array.ndim != 2 or array.shape[1] != 5:
        raise BadInput("the boxes are not lists of five numbers [x0, y0, x1, y1, score]")
    odd = ~np.isfinite(array).all(axis=1)
    if odd.any():
        where = int(odd.argmax())
        part = "score" if not np.isfinite(array[where, 4]) else "place"
        raise BadInput(f"the {part} of box {where + 1} is not a finite number")
    turned = (array[:, 2] < array[:, 0]) | (array[:, 3] < array[:, 1])
    if turned.any():
        raise BadInput(f"box {int(turned.argmax()) + 1} ends before it begins (x1 < x0 or y1 < y0)")
    return array


def cut_to(edges: Floats, boxes: Floats) -> tuple[Floats, Mask]:
    """Boxes cut at their pictures' edges (infinite where unknown), and which lie wholly outside.

    >>> sides = np.array([8.0, 8.0])
    >>> cut, outside = cut_to(sides, np.array([[-2, 0, 9, 5, 0.5], [8, 0, 9, 5, 0.5]]))
    >>> cut[0].tolist(), outside.tolist()
    ([0.0, 0.0, 8.0, 5.0, 0.5], [False, True])
    """
    start = np.where(np.isfinite(edges), 0.0, -np.inf)
    outside = ((boxes[:, 0:2] >= edges) | (boxes[:, 2:4] <= start)).max(axis=1)
    cut = boxes.copy()
    cut[:, 0:4] = np.clip(cut[:, 0:4], np.tile(start, 2), np.tile(edges, 2))
    return cut, outside


def _areas(boxes: Floats) -> Floats:
    return np.asarray((boxes[..., 2:4] - boxes[..., 0:2]).prod(axis=-1))


def _large(boxes: Floats, edges: Floats, group: float) -> Mask:
    """Which boxes cover at least `group` of their picture; none where its size is unknown."""
    whole = edges.prod(axis=-1)
    return np.asarray(_areas(boxes) >= group * np.where(np.isfinite(whole), whole, np.nan))


def overlaps(boxes: Floats) -> Floats:
    """Intersection over union of every two boxes; leading axes are pictures."""
    low = np.maximum(boxes[..., :, None, 0:2], boxes[..., None, :, 0:2])
    high = np.minimum(boxes[..., :, None, 2:4], boxes[..., None, :, 2:4])
    shared = np.clip(high - low, 0, None).prod(axis=-1)
    areas = _areas(boxes)
    union = areas[..., :, None] + areas[..., None, :] - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def keep_by_nms(boxes: Floats, most: float) -> Mask:
    """Which boxes stay, of boxes sorted by falling score (leading axes are pictures).

    Boxes of no area (points) never overlap anything.
    """
    many = boxes.shape[-2]
    if many < 2 or most >= 1:
        return np.ones(boxes.shape[:-1], dtype=bool)
    near = overlaps(boxes) > most
    kept = np.ones(near.shape[:-1], dtype=bool)
    for first in range(many - 1):
        kept[..., first + 1 :] &= ~(near[..., first, first + 1 :] & kept[..., first, None])
    return kept


def group_drops(boxes: Floats, size: Floats, group: float) -> Floats:
    """For each box the highest threshold at which it is dropped as a group box; −inf if never."""
    drops = np.full(len(boxes), -np.inf)
    large = _large(boxes, size, group)
    others = boxes[~large]
    for index in np.nonzero(large)[0]:
        low = np.maximum(others[:, 0:2], boxes[index, 0:2])
        high = np.minimum(others[:, 2:4], boxes[index, 2:4])
        inside = np.clip(high - low, 0, None).prod(axis=1) >= INSIDE * _areas(others)
        scores = np.sort(others[inside, 4])[::-1]
        if len(scores) >= MEMBERS:
            drops[index] = min(boxes[index, 4], scores[MEMBERS - 1])
    return drops


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
    edges = np.full((pictures, 2), np.inf) if sizes is None else sizes
    boxes, outside = cut_to(edges[picture], boxes)
    boxes, picture = boxes[~outside], picture[~outside]
    order = np.lexsort((-boxes[:, 4], picture))
    boxes, picture = boxes[order], picture[order]
    kept = kept_boxes(boxes, picture, pictures, NMS if rules.nms is None else rules.nms)
    boxes, picture = boxes[kept], picture[kept]
    drops = np.full(len(boxes), -np.inf)
    for one in np.unique(picture[_large(boxes, edges[picture], rules.group)]):  # few have any
        own = slice(*np.searchsorted(picture, [one, one + 1]))
        drops[own] = group_drops(boxes[own], edges[one], rules.group)

    def reaching(scores: Floats) -> Counts:
        """How many of each picture's scores reach each threshold."""
        many = len(thresholds) + 1
        place = picture * many + np.searchsorted(thresholds, scores, side="right")
        table = np.bincount(place, minlength=pictures * many).reshape(pictures, many)
        return table[:, ::-1].cumsum(axis=1)[:, -2::-1]

    return reaching(boxes[:, 4]) - reaching(drops)


def kept_boxes(boxes: Floats, picture: Counts, pictures: int, most: float = NMS) -> Mask:
    """Which boxes stay after merging; boxes come by picture, then by falling score.

    Pictures with about as many boxes go through it together.
    """
    numbers = np.bincount(picture, minlength=pictures)
    first = np.cumsum(numbers) - numbers
    kept = np.ones(len(boxes), dtype=bool)
    several = np.nonzero(numbers > 1)[0]
    several = several[np.argsort(numbers[several], kind="stable")]
    for start in range(0, len(several), TOGETHER):
        chunk = several[start : start + TOGETHER]
        place = np.arange(int(numbers[chunk[-1]]))
        real = place < numbers[chunk][:, None]
        where = np.where(real, first[chunk][:, None] + place, 0)
        stack = np.where(real[..., None], boxes[where, :4], 0.0)  # of no area: overlaps nothing
        kept[where[real]] = keep_by_nms(stack, most)[real]
    return kept
