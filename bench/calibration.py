"""How fast thresholds are swept, and how fast counter/blobs counts.

Run it with  python -m bench.calibration.  The sweep is that of the paper's calibration: 99
thresholds × 4,000 pictures × up to 40 boxes, merging at IoU .95. The naive way merges the boxes
that reach a threshold once per threshold and picture, in a plain loop; it is timed on fewer
pictures and scaled up, since every picture costs it the same on average. CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from subitize.measures.boxes import THRESHOLDS, counts_by_threshold
from subitize.models.counters.blobs import find_blobs
from subitize.pictures.decode import decode
from subitize.stimuli.naming import CATEGORIES, draw, recipe

PICTURES = 4_000
MOST_BOXES = 40
NMS = 0.95
NAIVE_PICTURES = 100
TARGET_RATIO = 100


def made_up_boxes(pictures: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Boxes of up to 40 per picture, a fifth of them near-copies of others."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, MOST_BOXES + 1, pictures)
    picture = np.repeat(np.arange(pictures), numbers)
    corner = rng.uniform(0, 900, (len(picture), 2))
    boxes = np.hstack([corner, corner + rng.uniform(20, 120, (len(picture), 2)),
                       rng.random((len(picture), 1))])  # fmt: skip
    copies = np.nonzero((rng.random(len(picture)) < 0.2) & (np.roll(picture, 1) == picture))[0]
    boxes[copies, :4] = boxes[copies - 1, :4] + rng.uniform(-0.5, 0.5, (len(copies), 4))
    return boxes, picture


def overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    areas = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1])
    return float(shared / (areas - shared))


def naive_counts(
    boxes: NDArray[np.float64], picture: NDArray[np.int64], pictures: int
) -> NDArray[np.int64]:
    """For every threshold and picture: take what reaches it, merge, count."""
    counts = np.zeros((pictures, len(THRESHOLDS)), dtype=np.int64)
    for which in range(pictures):
        own = boxes[picture == which]
        for place, threshold in enumerate(THRESHOLDS):
            left = own[own[:, 4] >= threshold]
            kept: list[NDArray[np.float64]] = []
            for box in left[np.argsort(-left[:, 4], kind="stable")]:
                if all(overlap(box, other) <= NMS for other in kept):
                    kept.append(box)
            counts[which, place] = len(kept)
    return counts


def cpu_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of a few runs: what the work needs when nobody disturbs it."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def sweep_ratio() -> tuple[float, float]:
    """CPU seconds of the sweep, and of the naive loop scaled to as many pictures."""
    boxes, picture = made_up_boxes(PICTURES)
    fast = cpu_seconds(lambda: counts_by_threshold(boxes, picture, PICTURES))
    few = picture < NAIVE_PICTURES
    part, owner = boxes[few], picture[few]
    start = time.process_time()
    naive = naive_counts(part, owner, NAIVE_PICTURES)
    slow = (time.process_time() - start) * PICTURES / NAIVE_PICTURES
    if not np.array_equal(naive, counts_by_threshold(part, owner, NAIVE_PICTURES)):
        raise SystemExit("the sweep and the naive loop disagree")
    return fast, slow


def blobs_per_second(size: int, pictures: int = 50) -> tuple[float, float]:
    """Decoded and counted pictures a second, and the share counted rightly."""
    drawn = [
        (draw(recipe(CATEGORIES[i % 5], 1 + i % 10, i, size=size)).png, 1 + i % 10)
        for i in range(pictures)
    ]
    right = sum(len(find_blobs(decode(png))) == n for png, n in drawn)
    seconds = cpu_seconds(lambda: [find_blobs(decode(png)) for png, _ in drawn], 2)
    return pictures / seconds, right / pictures


def main() -> int:
    """Print the numbers; exit 1 if the sweep is less than a hundred times faster."""
    fast, slow = sweep_ratio()
    print(
        f"99 thresholds × {PICTURES:,} pictures × up to {MOST_BOXES} boxes, NMS {NMS}: "
        f"{fast:.2f} s; naive loop {slow:.0f} s (timed on {NAIVE_PICTURES} pictures, scaled); "
        f"naive / ours = {slow / fast:.0f}"
    )
    for size in (256, 512, 1024):
        rate, right = blobs_per_second(size)
        print(f"counter/blobs at {size} px: {rate:.0f} pictures/s, {right:.1%} right")
    return 0 if slow / fast >= TARGET_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
