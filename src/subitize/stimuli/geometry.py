"""Points in the plane, without SciPy: pictures have few corners."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
_MANY = 64
"""points from which it pays to sort out those inside"""
_LOOKS = 4
"""at all points at once"""
_TURNS = 2 * np.pi * np.arange(8) / 8
_SIDES = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
_SURE = 1e-6
"""so far inside, that rounding does not matter"""


def convex_hull(points: Points) -> Points:
    """Corners of the hull in order (Andrew's monotone chain).

    >>> convex_hull(np.array([[0.0, 0], [2, 0], [1, 1], [2, 2], [0, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    outer = _outer(points) if len(points) > _MANY else points
    ordered: Points = outer[np.lexsort((outer[:, 1], outer[:, 0]))]
    ordered = ordered[np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(ordered)]]
    if len(ordered) < 3:
        return ordered
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _outer(points: Points) -> Points:
    """The points without those that surely are no corners: inside the farthest to some sides."""
    corners = points[(points @ _SIDES).argmax(axis=0)]
    along = np.concatenate([corners[1:], corners[:1]]) - corners
    outward = np.stack([along[:, 1], -along[:, 0]])
    # a corner that is the farthest to two sides has no edge between them, and nothing beyond it
    edge = (corners.T * outward).sum(axis=0) - _SURE + 1e9 * ~along.any(axis=1)
    return np.concatenate([corners, points[(points @ outward >= edge).any(axis=1)]])


def _chain(ordered: Points) -> list[list[float]]:
    """The lower half of the hull of different points in order.

    A point on or above the line between its neighbours is no corner, whichever others go with it:
    so looks at all points at once leave few to be looked at one by one.
    """
    for _ in range(_LOOKS if len(ordered) > _MANY else 0):
        along = ordered[1:] - ordered[:-1]
        turns = along[:-1, 0] * along[1:, 1] > along[:-1, 1] * along[1:, 0]
        ordered = ordered[np.concatenate([[True], turns, [True]])]
    chain: list[list[float]] = []
    for point in ordered.tolist():
        x, y = point
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2], chain[-1]
            if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                break
            chain.pop()
        chain.append(point)
    return chain


def nearest(points: Points, order: float = 2) -> float:
    """Distance of the two nearest points, infinite for one; of order ∞, along the farther axis."""
    apart = np.linalg.norm(points[:, None] - points[None, :], order, axis=2)
    return float(apart[~np.eye(len(points), dtype=bool)].min(initial=math.inf))


def signed_area(points: Points) -> float:
    """Area of a closed polygon, below 0 if it turns the other way.

    >>> signed_area(np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]]))
    4.0
    """
    x, y = points[:, 0], points[:, 1]
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2
