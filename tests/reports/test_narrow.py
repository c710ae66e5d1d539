"""Figures for a phone: panels below each other, nothing lost, nothing outside."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from subitize.benchmarks.geckonum.page_figures import by_number
from subitize.captions.page import _bars_figure
from subitize.records import Score
from subitize.reports.charts import NAME, Series, legend, lines, panels, row_name
from subitize.reports.grids import Matrix, confusion_figure, side_by_side
from subitize.reports.narrow import BAR, WIDTH, narrowed
from subitize.reports.style import new_figure, save, styled


def laid_out(figure: Figure) -> Figure:
    with styled():
        engine = figure.get_layout_engine()
        assert engine is not None
        engine.execute(figure)
        figure.set_layout_engine("none")
    return figure


def boxes(figure: Figure) -> list[tuple[float, float, float, float]]:
    """Everything that is drawn, as shares of the figure."""
    figure.canvas.draw()
    whole = figure.bbox
    found = (one.get_tightbbox() for one in [*figure.axes, *figure.legends])
    return [
        (b.x0 / whole.width, b.y0 / whole.height, b.x1 / whole.width, b.y1 / whole.height)
        for b in found
        if b is not None
    ]


def inside(figure: Figure) -> bool:
    return all(min(one) >= -0.02 and max(one) <= 1.02 for one in boxes(figure))


def apart(figure: Figure) -> bool:
    """No two panels share a place."""
    found = boxes(figure)
    return not any(
        a[0] < b[2] - 0.02 and b[0] < a[2] - 0.02 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01
        for place, a in enumerate(found)
        for b in found[:place]
    )


def test_a_grid_of_matrices_stands_in_twos_with_its_names() -> None:
    own = {name: Matrix(np.eye(11)[:, 1:] * 3) for name in ("apples", "people", "dots", "all")}
    with styled():
        figure = laid_out(confusion_figure({"sim/a": own, "sim/b": own}))
        wide = figure.get_figheight()
        assert narrowed(figure)
        assert figure.get_figwidth() == WIDTH
        assert figure.get_figheight() > 1.5 * wide
        drawn = [axes for axes in figure.axes if axes.get_label() != BAR]
        assert sorted(filter(None, map(row_name, drawn))) == ["sim/a"] * 2 + ["sim/b"] * 2
        assert {axes.get_ylabel() for axes in drawn if row_name(axes)} == {"response"}
        assert inside(figure)
        assert apart(figure)


@pytest.mark.parametrize("many", [1, 9])
def test_a_wide_panel_shrinks_and_its_legend_wraps(many: int) -> None:
    points = {n: Score(0.1 * n, 0.1 * n - 0.05, 0.1 * n + 0.05) for n in range(11)}
    name = "openai/a-model-of-a-name-as-long-as-they-are-on-the-hub-today"
    with styled():
        figure = new_figure(7.6, 3)
        axes = figure.subplots()
        lines(axes, [Series.at(nth, f"{name}-{nth}", points) for nth in range(many)])
        axes.set(xlabel="number", ylabel="right")
        legend(figure, axes)
        assert narrowed(laid_out(figure))
        assert inside(figure)
        assert apart(figure)
        assert b"<svg" in save(figure, "svg")


def test_long_names_of_rows_lose_their_middle() -> None:
    with styled():
        figure, row = panels(2, 2, (3, 2), sharey=True)
        row[0].set_yticks([0, 1], ["short", "a name that takes all the room there is on a phone"])
        assert narrowed(laid_out(figure))
        assert inside(figure)
        names = [label.get_text() for label in row[1].get_yticklabels()]
        assert names == ["short", "a name that … on a phone"]


def test_panels_that_go_on_in_a_further_row_are_read_row_by_row() -> None:
    """Of trainings a phone showed valid, alignment, test, valid+test: column by column."""
    names = ["valid", "test", "alignment", "valid+test"]
    with styled():
        figure, every = panels(len(names), 2, (3.6, 2.1))
        for nth, (axes, name) in enumerate(zip(every, names, strict=True)):
            axes.set(title=name if nth != 3 else f"{name}\nin two lines", xlabel="epoch")
            axes.plot([0, 1], [0, 1000.0**nth], label="seed 0")
        legend(figure, every[0])
        assert narrowed(laid_out(figure))
        assert inside(figure)
        assert apart(figure)
        down = sorted(every, key=lambda axes: -axes.get_position().y0)
        assert [axes.get_title().partition("\n")[0] for axes in down] == names
        assert len({round(axes.get_position().x0, 6) for axes in every}) == 1


def test_matrices_in_rows_are_read_row_by_row_and_tell_their_numbers() -> None:
    own = {f"painter/{n}": Matrix(np.eye(11)[:, 1:] * 3) for n in range(5)}
    with styled():
        figure = laid_out(side_by_side(own, ("asked for", "counted")))
        assert narrowed(figure)
        assert inside(figure)
        assert apart(figure)
        drawn = [axes for axes in figure.axes if axes.axison and axes.get_label() != BAR]
        down = sorted(drawn, key=lambda axes: -axes.get_position().y0)
        assert [axes.get_title(loc="left") for axes in down] == list(own)


def test_a_long_name_of_a_row_of_panels_stays_inside() -> None:
    name = "sim/observer?seed=12345&w=0.15 (seed 4, per cell 3, hold area)"
    own = {part: Matrix(np.eye(11)[:, 1:] * 3) for part in ("apples", "people", "dots")}
    with styled():
        figure = laid_out(confusion_figure({name: own}))
        assert narrowed(figure)
        figure.canvas.draw()
        names = [text for axes in figure.axes for text in axes.texts if text.get_gid() == NAME]
        assert len(names) > 1
        assert all(one.get_window_extent().x1 <= figure.bbox.x1 for one in names)


def test_no_name_of_a_row_stands_under_the_key_to_the_colours() -> None:
    """Where an odd panel was left the key stood beside it, over the name of a painter."""
    name = "painter/shapes?size=256&w=0.15"
    own = {part: Matrix(np.eye(11)[:, 1:] * 3) for part in ("apples", "people", "all")}
    with styled():
        figure = laid_out(confusion_figure({"b": own, name: own}))
        assert narrowed(figure)
        assert inside(figure)
        figure.canvas.draw()
        key = next(axes for axes in figure.axes if axes.get_label() == BAR).get_tightbbox()
        names = [text for axes in figure.axes for text in axes.texts if text.get_gid() == NAME]
        assert names
        assert not any(one.get_window_extent().overlaps(key) for one in names)


def test_panels_with_shared_numbers_tell_them_each_on_a_phone() -> None:
    own = {str(n): Score(0.1 * n, 0.1 * n - 0.05, 0.1 * n + 0.05) for n in range(1, 10)}
    shares = {f"sim/{n}": own for n in range(10)}
    figure = laid_out(by_number(shares, "right number", "acc_r"))
    with styled():
        assert narrowed(figure)
        down = sorted(figure.axes[:10], key=lambda axes: -axes.get_position().y0)
        assert [axes.get_title(loc="left") for axes in down] == list(shares)
        assert {axes.get_xlabel() for axes in down} == {"right number"}
        assert all(axes.xaxis.get_tick_params()["labelbottom"] for axes in down)


@pytest.mark.parametrize("many", [3, 9])
def test_shares_by_number_stand_below_each_other(many: int) -> None:
    """Nine panels kept their full width on a phone."""
    own = {str(n): Score(0.1 * n, 0.1 * n - 0.05, 0.1 * n + 0.05) for n in range(1, 10)}
    figure = laid_out(by_number({f"sim/{n}": own for n in range(many)}, "right number", "acc_r"))
    with styled():
        assert narrowed(figure)
        assert figure.get_figwidth() == WIDTH
        assert inside(figure)
        assert apart(figure)
        labels = [axes.get_ylabel() for axes in figure.axes]
        assert labels.count("acc_r") == len({axes.get_position().y0 for axes in figure.axes})


def test_what_is_narrow_stays_as_it_is() -> None:
    with styled():
        figure, _ = panels(1, 1, (3, 2))
        figure.set_figwidth(3)
        assert not narrowed(laid_out(figure))


def test_panels_below_each_other_stay_in_order_whatever_room_their_numbers_take() -> None:
    """Corpora with axes of 75 % and of 0.5 % were drawn over each other on a phone."""
    corpora = [
        {"name": name, "fit": None, "frequencies": {str(n): of(n) for n in range(1, 60)}}
        for name, of in (
            ("steep", lambda n: 5000 // n**2 + 1),
            ("gentle", lambda n: 900 // n + 1),
            ("flat", lambda n: 50 + n),
        )
    ]
    with styled():
        figure = _bars_figure(corpora).draw()
        assert narrowed(laid_out(figure))
        assert inside(figure)
        assert apart(figure)
        titled = [axes for axes in figure.axes if axes.get_title(loc="left")]
        down = sorted(titled, key=lambda axes: -axes.get_position().y0)
        assert [axes.get_title(loc="left") for axes in down] == ["steep", "gentle", "flat"]
        assert len({round(axes.get_position().x0, 6) for axes in figure.axes}) == 1
