"""Figures of matrices with many targets."""

from __future__ import annotations

import numpy as np

from subitize.reports.grids import Matrix, error_figure


def test_errors_that_nobody_made_have_no_bar() -> None:
    """A run up to 500 would draw a thousand bars without height in every panel."""
    counts = np.zeros((1001, 500))
    counts[np.arange(1, 501), np.arange(500)] = 3  # all right …
    counts[700, 2] = counts[0, 499] = 1  # … but two
    axes = error_figure({"model": {"all": Matrix(counts)}}).axes[0]
    bars = {round(bar.get_x() + 0.43): bar.get_height() for bar in axes.patches}
    assert set(bars) == {-500, 0, 500}
    assert np.isclose(bars[0], 100 * 1500 / 1502)
