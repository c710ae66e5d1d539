"""Figures of matrices with many targets."""

from __future__ import annotations

import numpy as np

from subitize.benchmarks.geckonum.page_figures import by_number, histograms
from subitize.records import Score
from subitize.reports.grids import (
    Matrix,
    confusion_figure,
    error_figure,
    keys,
    side_by_side,
    variability,
)
from subitize.reports.style import styled


def test_errors_that_nobody_made_have_no_bar() -> None:
    """A run up to 500 would draw a thousand bars without height in every panel."""
    counts = np.zeros((1001, 500))
    counts[np.arange(1, 501), np.arange(500)] = 3  # all right …
    counts[700, 2] = counts[0, 499] = 1  # … but two
    axes = error_figure({"model": {"all": Matrix(counts)}}).axes[0]
    bars = {round(bar.get_x() + 0.43): bar.get_height() for bar in axes.patches}
    assert set(bars) == {-500, 0, 500}
    assert np.isclose(bars[0], 100 * 1500 / 1502)


def test_a_caption_tells_only_of_what_is_drawn() -> None:
    """Of a row marked ≥ and of grey where there were none."""
    whole, beyond, thin = np.eye(11, 10, -1), np.eye(31, 10, -1), np.eye(11, 10, -1)
    beyond[30, 3], thin[:, 6] = 1, 0
    assert keys([Matrix(whole), None]) == ""
    assert "≥" in keys([Matrix(whole), Matrix(beyond)])
    assert "grey" not in keys([Matrix(beyond)])
    assert "grey" in keys([Matrix(whole), Matrix(thin)])


def test_a_last_row_between_two_ticks_has_its_own() -> None:
    """Of GeckoNum's, eleven and more, the caption spoke and the axis did not."""
    counts = np.eye(12, 10, -1)
    counts[11, 9] = 2
    figure = side_by_side({"a": Matrix(counts, clipped=True)}, ("asked", "counted"))
    figure.canvas.draw()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["0", "5", "≥11"]


def test_a_number_that_nobody_was_asked_about_keeps_its_place() -> None:
    """Of 6, 8 and 10 the line was as steep as of 4, 5 and 6."""
    own = {n: Score(0.5) for n in ("4", "5", "6", "8", "10", "10+")}
    axes = by_number({"a": own}, "number asked for").axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        "4", "5", "6", "7", "8", "9", "10", "10+"]  # fmt: skip
    assert [round(x) for x in axes.lines[0].get_xdata()] == [0, 1, 2, 4, 6, 7]


def test_the_bar_of_more_than_ten_is_named() -> None:
    found = {"a": {"asked": {"2": 3}, "counted": {"2": 2, "10+": 1}}}
    axes = histograms(found).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()][-1] == "10+"


def test_a_long_name_above_a_spread_stays_inside() -> None:
    name = "sim/observer?seed=12345&w=0.15 (seed 0, per cell 2, no hold)"
    counts = np.eye(11, 10, -1) + np.eye(11, 10)
    with styled():
        figure = variability({name: Matrix(counts)})
        figure.canvas.draw()
        assert figure.axes[0]._left_title.get_window_extent().x1 <= figure.bbox.x1


def test_titles_stay_out_of_the_key_to_the_colours() -> None:
    own = {f"painter/shapes?size=128&w=0.{n}": Matrix(np.eye(11, 10, -1)) for n in range(10, 17)}
    with styled():
        figure = side_by_side(own, ("asked", "counted"))
        figure.canvas.draw()
        *panels, bar = figure.axes
        key = bar.get_tightbbox()
        for axes in panels:
            for title in (axes.title, axes._left_title):
                assert not (title.get_text() and title.get_window_extent().overlaps(key))
        assert panels[0].get_title(loc="left").replace("\n", "") == next(iter(own))


def test_a_last_row_that_holds_more_says_so_in_every_panel() -> None:
    """Also in the first, whose labels stand for all, where only another has more."""
    within, beyond = np.eye(61, 10, -1), np.eye(61, 10, -1)
    beyond[60, 3] = 1
    figure = confusion_figure({"model": {"a": Matrix(within), "b": Matrix(beyond)}})
    figure.canvas.draw()
    first = figure.axes[0]
    top = int(first.get_ylim()[1])
    assert 10 < top < 60
    assert first.yaxis.get_major_formatter()(top, 0) == f"≥{top}"
    assert [label.get_text() for label in first.get_yticklabels()][-1] == f"≥{top}"
    assert first.yaxis.get_major_formatter()(top - 1, 0) == f"{top - 1}"
    alone = confusion_figure({"model": {"a": Matrix(within)}}).axes[0]
    assert "≥" not in alone.yaxis.get_major_formatter()(10, 0)
