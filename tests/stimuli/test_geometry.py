"""Points in the plane, against SciPy and exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from subitize.stimuli.geometry import convex_hull, signed_area


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 400), st.integers(1, 60))
def test_the_hull_has_the_corners_that_scipy_finds(seed: int, many: int, wide: int) -> None:
    """Whole coordinates with many equal and collinear points, as pixels have."""
    points = np.random.default_rng(seed).integers(0, wide, (many, 2)).astype(np.float64)
    corners = convex_hull(points)
    assert {tuple(corner) for corner in corners} <= {tuple(point) for point in points}
    if np.linalg.matrix_rank(points - points[0]) < 2:
        assert len(corners) == min(2, len(np.unique(points, axis=0)))
        return
    assert signed_area(corners) == pytest.approx(ConvexHull(points).volume)
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    (ax, ay), (bx, by) = (corners - before).T, (after - corners).T
    assert (ax * by > ay * bx).all(), "every corner turns the same way, none lies on a line"


def test_none_and_one() -> None:
    assert convex_hull(np.zeros((0, 2))).shape == (0, 2)
    assert convex_hull(np.full((90, 2), 3.0)).tolist() == [[3.0, 3.0]]
