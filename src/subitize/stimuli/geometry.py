"""Points in the plane, without SciPy: pictures have few corners."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def convex_hull(points: Points) -> Points:
    """Corners of the hull in order (Andrew's monotone chain).

    >>> convex_hull(np.array([[0.0, 0], [2, 0], [1, 1], [2, 2], [0, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    ordered: list[tuple[float, float]] = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        return np.array(ordered, np.float64).reshape(-1, 2)
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2], chain[-1]
            if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                break
            chain.pop()
        chain.append((x, y))
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
