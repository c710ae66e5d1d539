"""The solver on patterns whose completions are known by thought."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from subitize.errors import UnknownName
from subitize.stimuli.capture.completing import completions

R = 1.0


def grid(
    columns: int, rows: int, step: float = 10.0
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([(x * step, y * step) for y in range(rows) for x in range(columns)])


def split(
    points: np.ndarray[tuple[int, int], np.dtype[np.float64]], square: tuple[float, ...]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    x0, y0, x1, y1 = square
    x, y = points.T
    return points[~((x > x0) & (x < x1) & (y > y0) & (y < y1))]


def totals(
    points: np.ndarray[tuple[int, int], np.dtype[np.float64]], square: tuple[float, ...]
) -> list[int]:
    seen = split(points, square)
    return sorted(len(seen) + len(hidden) for hidden in completions(seen, square, R).found)


def test_a_hole_in_a_grid_has_one_completion() -> None:
    square = (5.0, 5.0, 15.0, 15.0)
    result = completions(split(grid(3, 3), square), square, R)
    assert result.only is not None
    assert result.only.tolist() == [[10.0, 10.0]]


def test_a_hidden_last_row_may_not_be_there() -> None:
    assert totals(grid(3, 4), (-5.0, 25.0, 25.0, 55.0)) == [9, 12, 15, 18]


def test_a_hidden_middle_row_may_be_none_one_or_two() -> None:
    # rows at 0 and 20 are left of three; with three rows in the gap, the outer ones would be seen
    square = (-5.0, 5.0, 15.0, 15.0)
    assert totals(grid(2, 3), square) == [4, 6, 8]


def test_a_line_with_a_hidden_end() -> None:
    assert totals(grid(1, 6), (-5.0, 35.0, 5.0, 65.0)) == [4, 5, 6, 7]


def test_a_line_with_a_hidden_middle() -> None:
    assert totals(grid(1, 6), (-5.0, 15.0, 5.0, 35.0)) == [6]


def test_two_visible_objects_are_too_few() -> None:
    result = completions(np.array([[0.0, 0.0], [10.0, 0.0]]), (20.0, -5.0, 40.0, 15.0), R)
    assert result.unlimited
    assert result.only is None


def test_a_line_beside_the_square_may_be_a_grid_of_any_step() -> None:
    result = completions(grid(1, 3), (5.0, -8.0, 41.0, 28.0), R)
    assert result.unlimited


def test_a_triangle_without_its_tip() -> None:
    rows = [(c - r / 2, r * math.sqrt(3) / 2) for r in range(4) for c in range(r + 1)]
    points = 10 * np.array(rows)
    assert totals(points, (-12.0, -5.0, 12.0, 13.0)) == [10]


def test_scattered_objects_are_no_pattern() -> None:
    places = np.array([[0.0, 0.0], [7.0, 31.0], [40.0, 3.0], [22.0, 17.0], [9.0, 50.0]])
    assert completions(places, (60.0, 60.0, 70.0, 70.0), R).found == ()


def test_unknown_family() -> None:
    with pytest.raises(UnknownName, match="did you mean 'circle'"):
        completions(grid(3, 3), (0, 0, 1, 1), R, ("cirle",))


@given(
    st.integers(6, 24),
    st.floats(0, 6.28),
    st.integers(1, 3),
    st.floats(-50, 50),
    st.integers(0, 2**31),
)
@settings(max_examples=60, deadline=None)
def test_rings_of_any_phase_are_found(
    count: int, phase: float, gone: int, shift: float, seed: int
) -> None:
    """The true pattern is among the completions, with noise below the tolerance."""
    turns = phase + np.arange(count) * 2 * math.pi / count
    ring = 30 * np.stack([np.cos(turns), np.sin(turns)], axis=1) + shift
    hidden = ring[:gone]
    low, high = hidden.min(axis=0) - 1.5, hidden.max(axis=0) + 1.5
    side = float((high - low).max())
    square = (low[0], low[1], low[0] + side, low[1] + side)
    shown = split(ring, square)
    assume(len(shown) >= max(4, count // 2))
    noisy = shown + np.random.default_rng(seed).uniform(-0.05, 0.05, shown.shape)
    found = completions(noisy, square, R, touching=True).found
    assert count in [len(noisy) + len(hidden) for hidden in found]
