"""From raw boxes to a number, and the sweep that does it for all thresholds at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures.boxes import THRESHOLDS, Rules, count, counts_by_threshold, rules_from


def naive_nms(boxes: list[list[float]], most: float) -> list[list[float]]:
    """Greedy merging as everybody writes it first."""

    def iou(a: list[float], b: list[float]) -> float:
        width = min(a[2], b[2]) - max(a[0], b[0])
        height = min(a[3], b[3]) - max(a[1], b[1])
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)

    kept: list[list[float]] = []
    for box in sorted(boxes, key=lambda box: -box[4]):
        if all(iou(box, other) <= most for other in kept):
            kept.append(box)
    return kept


def naive_number(boxes: list[list[float]], size: tuple[float, float], rules: Rules) -> int:
    """Threshold first, then merge, then drop boxes around a group: the plain order."""
    left = naive_nms([box for box in boxes if box[4] >= (rules.threshold or 0)], rules.nms or 0.95)

    def area(box: list[float]) -> float:
        return (box[2] - box[0]) * (box[3] - box[1])

    large = [box for box in left if area(box) >= rules.group * size[0] * size[1]]
    others = [box for box in left if box not in large]

    def inside(box: list[float], big: list[float]) -> bool:
        width = min(box[2], big[2]) - max(box[0], big[0])
        height = min(box[3], big[3]) - max(box[1], big[1])
        return max(width, 0) * max(height, 0) >= 0.9 * area(box)

    groups = [big for big in large if sum(inside(box, big) for box in others) >= 2]
    return len(left) - len(groups)


def random_boxes(rng: np.random.Generator, pictures: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes with near-copies, ties in score, scores on the thresholds, and some of everything."""
    parts, owners = [], []
    for picture in range(pictures):
        many = int(rng.integers(0, 12))
        corner = rng.integers(0, 70, (many, 2)).astype(float)
        boxes = np.hstack([corner, corner + rng.integers(1, 30, (many, 2)),
                           rng.integers(0, 11, (many, 1)) / 10])  # fmt: skip
        for place in range(1, many):
            if rng.random() < 0.4:
                boxes[place, :4] = boxes[place - 1, :4] + rng.choice([0, 0.1, 1.0], 4)
        if many and rng.random() < 0.4:
            boxes[0, :4] = [0, 0, 100, 97]
        parts.append(boxes)
        owners.append(np.full(many, picture))
    return np.concatenate(parts), np.concatenate(owners)


@pytest.mark.parametrize("nms", [0.3, 0.7, 0.95])
def test_merging_once_serves_every_threshold(nms: float) -> None:
    boxes, picture = random_boxes(np.random.default_rng(int(nms * 100)), 60)
    sizes = np.full((60, 2), 100.0)
    swept = counts_by_threshold(boxes, picture, 60, sizes=sizes, rules=Rules(nms=nms))
    for place in range(0, len(THRESHOLDS), 3):
        rules = Rules(float(THRESHOLDS[place]), nms)
        for which in range(60):
            own = boxes[picture == which].tolist()
            expected = naive_number(own, (100.0, 100.0), rules)
            assert swept[which, place] == expected
            value = {"boxes": own, "size": [100, 100]}
            assert count(value, rules).number == expected


def test_the_order_of_boxes_in_the_file_does_not_matter_for_untied_scores() -> None:
    rng = np.random.default_rng(3)
    boxes, picture = random_boxes(rng, 40)
    boxes[:, 4] = rng.permutation(len(boxes)) / len(boxes)
    order = rng.permutation(len(boxes))
    plain = counts_by_threshold(boxes, picture, 40)
    assert np.array_equal(plain, counts_by_threshold(boxes[order], picture[order], 40))


def test_a_thing_that_fills_the_picture_is_no_group() -> None:
    filling = [0, 0, 100, 98, 0.9]
    small = [[10, 10, 20, 20, 0.8], [50, 50, 60, 60, 0.7]]
    assert count({"boxes": [filling], "size": [100, 100]}).number == 1
    assert count({"boxes": [filling, small[0]], "size": [100, 100]}).number == 2
    whole = {"boxes": [filling, *small], "size": [100, 100]}
    found = count(whole)
    assert found.number == 2
    assert found.notes == ("1 box around the whole group dropped",)
    # a member below the threshold is no member
    assert count(whole, Rules(threshold=0.75)).number == 2
    assert count(whole, Rules(group=1.5)).number == 3


def test_boxes_outside_are_clipped_or_dropped_and_noted() -> None:
    boxes = [[-20, 5, 10, 15, 0.9], [200, 200, 220, 220, 0.9], [95, 95, 100.4, 100, 0.8]]
    found = count({"boxes": boxes, "size": [100, 100]})
    assert found.number == 2
    assert found.boxes[0].tolist() == [0, 5, 10, 15, 0.9]
    assert found.notes == (
        "1 box outside the picture dropped", "1 box beyond the picture's edge clipped",
    )  # fmt: skip


@pytest.mark.parametrize("given", [
    {"threshold": 2}, {"threshold": "high"}, {"nms": True}, {"treshold": 0.3}, {"group": -1},
])  # fmt: skip
def test_rules_out_of_place_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(given))):
        rules_from(given)


def test_the_sweep_clips_and_drops_as_a_reader_does() -> None:
    rng = np.random.default_rng(11)
    corner = rng.uniform(-60, 160, (400, 2))
    boxes = np.hstack([corner, corner + rng.uniform(5, 60, (400, 2)), rng.random((400, 1))])
    boxes[::5, :4] += [-300, 0, 0, 0]  # cut at the left edge, many are near-copies
    picture = np.sort(rng.integers(0, 20, 400))
    sizes = np.full((20, 2), [100.0, 80.0])
    sizes[0] = np.inf  # of unknown size
    swept = counts_by_threshold(boxes, picture, 20, sizes=sizes, rules=Rules(nms=0.5))
    for which in range(20):
        value = {"boxes": boxes[picture == which].tolist(), "size": [100, 80] if which else None}
        read = [count(value, Rules(float(t), 0.5)).number for t in THRESHOLDS]
        assert swept[which].tolist() == read
    assert swept[1:, 0].sum() < (picture > 0).sum() * 0.8
