"""The names above a figure stay inside it, however long they are."""

from __future__ import annotations

import pytest

from subitize.reports.charts import legend, panels
from subitize.reports.style import styled


@pytest.mark.parametrize("long", [8, 23, 47, 80])
def test_a_legend_is_no_wider_than_its_figure(long: int) -> None:
    figure, (axes,) = panels(1, 1, (8, 3))
    for row in range(6):
        axes.plot([0, 1], [row, row], label="e" * long)
    legend(figure, axes)
    figure.canvas.draw()  # type: ignore[no-untyped-call]
    (drawn,) = figure.legends
    assert drawn.get_window_extent().x1 <= figure.bbox.width


def test_a_long_legend_leaves_the_panels_their_height() -> None:
    def height(names: int) -> float:
        with styled():
            figure, (axes,) = panels(1, 1, (7, 3))
            for row in range(names):
                axes.plot([0, 1], [0, 1], label=f"{row} {'e' * 80}")
            legend(figure, axes)
            figure.canvas.draw()  # type: ignore[no-untyped-call]
        return axes.get_window_extent().height

    assert height(12) == pytest.approx(height(1), rel=0.1)
