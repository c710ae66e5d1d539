"""Patterns of one fixed shape, known up to size and place: how to lay them over visible objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from subitize.stimuli.capture.arrangements import centred_hexagon, ring_in_ring, staggered_rows
from subitize.stimuli.geometry import Points, nearest

_LARGEST = 61
"""objects of the largest template"""
_UNSEEN = 15
"""templates with more objects than the visible ones and these are not tried"""

TEMPLATES: Mapping[str, Callable[[], list[Points]]] = {
    "hexagon": lambda: [centred_hexagon(shells) for shells in (1, 2, 3, 4)],
    "staggered": lambda: [
        staggered_rows(columns, rows)
        for columns in range(2, 9)
        for rows in range(max(columns, 3), min(15, _LARGEST // columns) + 1)
    ],
    "rings": lambda: [ring_in_ring(inner) for inner in range(4, _LARGEST // 3 + 1)],
}
"""families whose shapes are few enough to try each"""


@lru_cache(maxsize=len(TEMPLATES))
def _templates(family: str) -> list[Points]:
    return TEMPLATES[family]()


def fitted(family: str, visible: Points, tolerance: float, apart: float) -> Iterator[Points]:
    """Every template of a family, at every size and place that puts it on two visible objects.

    The two are the most distant ones, so that their noise hardly matters; objects stay at least
    `apart` from each other.
    """
    distances = np.hypot(*(visible[:, None] - visible[None, :]).transpose(2, 0, 1))
    one, other = np.unravel_index(int(distances.argmax()), distances.shape)
    across = visible[other] - visible[one]
    length = float(np.hypot(*across))
    low, high = visible.min(axis=0) + tolerance, visible.max(axis=0) - tolerance
    for template in _templates(family):
        if not len(visible) <= len(template) <= len(visible) + _UNSEEN:
            continue
        steps = template[None, :] - template[:, None]
        lengths = np.hypot(steps[..., 0], steps[..., 1])
        scales = length / np.where(lengths > 0, lengths, np.inf)
        off = np.abs(across - scales[..., None] * steps).max(axis=2)
        good = (lengths > 0) & (off <= 2 * tolerance) & (scales * nearest(template) >= apart)
        for start, end in np.argwhere(good):
            middle = (template[start] + template[end]) / 2
            pattern = (visible[one] + visible[other]) / 2 + scales[start, end] * (template - middle)
            reaches = (pattern.min(axis=0) <= low).all() and (pattern.max(axis=0) >= high).all()
            if reaches:  # most fail this cheap test
                yield pattern
