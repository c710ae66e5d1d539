"""Charts that any page can draw: rows of dots with intervals, lines with error bars, panels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from subitize.records import Score
from subitize.reports.cells import told
from subitize.reports.links import press_point
from subitize.reports.page import Figure
from subitize.reports.style import COLOURS, FAINT, OWN, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
ROW = 0.17
"""inches of a row of a legend"""
LINE = 0.125
"""inches of a further line of a name in it"""


class Series(NamedTuple):
    """What is drawn in one colour and with one mark."""

    label: str
    points: Mapping[Any, Score]
    """by row, or by place on the axis"""
    colour: str = OWN
    mark: str = "o"
    size: float = 4.5
    filled: bool = True
    opened: Mapping[Any, str | None] = MappingProxyType({})
    """where a point leads, by its row or place"""

    @classmethod
    def at(cls, place: int, label: str, points: Mapping[Any, Score]) -> Series:
        """The series at a place in a list, with the colour and mark of that place.

        No two of the first 64 look alike: with every round of colours the marks move on by one.
        """
        round_, nth = divmod(place, len(COLOURS))
        return cls(label, points, COLOURS[nth], MARKS[(nth + round_) % len(MARKS)], 3.5)


def percent_axis(axis: Any) -> None:
    """Shares, shown in per cent; a tick between two whole ones with its decimals."""
    axis.set_major_formatter(lambda value, _: f"{round(100 * value, 6):g} %")


WRAPPED = "<wrapped>"
"""the label of a figure whose panels go on in a further row"""


def panels(
    count: int, across: int, size: tuple[float, float], **more: Any
) -> tuple[Drawing, list[Axes]]:
    """A figure with so many panels of this size, left to right; places left over stay empty."""
    across = min(across, count)
    down = -(-count // across)
    figure = new_figure(size[0] * across + 0.4, size[1] * down + 0.2)
    grid = figure.subplots(down, across, squeeze=False, **more)
    if down > 1:
        figure.set_label(WRAPPED)
    for axes in grid.flat[count:]:
        axes.set_axis_off()
    for axes in grid.flat[max(0, count - across) : count]:  # no panel is below
        axes.tick_params(labelbottom=True)
    return figure, list(grid.flat[:count])


def in_lines(name: str, room: int) -> str:
    """A name in lines of so many letters, cut behind the signs that part it.

    >>> in_lines("painter/shapes?size=128&w=0.3", 20).splitlines()
    ['painter/shapes?', 'size=128&w=0.3']
    """
    found = [""]
    for part in re.split(r"(?<=[?&/ ,-])", name):
        if found[-1] and len(found[-1]) + len(part.rstrip()) > room:
            found.append("")
        found[-1] += part
    return "\n".join(line.strip()[at : at + room] for line in found
                     for at in range(0, len(line.strip()) or 1, room))  # fmt: skip


def legend(figure: Drawing, axes: Axes) -> None:
    """The names of the series, above the panels; the figure grows by what they take."""
    marks, names = axes.get_legend_handles_labels()
    letter, mark = 0.09, 0.6  # inches of each
    room = int((figure.get_figwidth() - mark) / letter)
    names = [fill(name, room) for name in names]
    longest = max((len(line) for name in names for line in name.splitlines()), default=0)
    across = max(1, min(4, int(figure.get_figwidth() / (letter * longest + mark))))
    rows = -(-len(names) // across)
    further = rows * max((name.count("\n") for name in names), default=0)
    grown = ROW * max(0, rows - 1) + LINE * further
    figure.set_figheight(figure.get_figheight() + grown)
    figure.legend(marks, names, loc="outside upper left", ncols=across, frameon=False)


NAME = "row-name"
"""the gid of a row's name"""


def name_row(axes: Axes, name: str) -> None:
    """The name of a row of panels, above the first of them."""
    # A long name must not widen the panel that it stands above.
    axes.annotate(
        name, (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points",
        fontweight="bold", fontsize=8.5, annotation_clip=False, gid=NAME,
    ).set_in_layout(False)  # fmt: skip


def row_name(axes: Axes) -> str:
    """The name of the row that these panels begin; empty where they begin none."""
    return next((text.get_text() for text in axes.texts if text.get_gid() == NAME), "")


def dot_rows(
    axes: Axes, rows: Sequence[str], series: Sequence[Series], spread: float = 0.0
) -> None:
    """A row for each name, in it the dots of the series with their intervals.

    With `spread` the series stand above each other within a row.
    """
    for place in range(len(rows)):
        axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
    for nth, one in enumerate(series):
        shift = spread * (nth - (len(series) - 1) / 2) / max(1, len(series) - 1)
        for row, score in one.points.items():
            if score.low is not None and score.high is not None:
                ends, at = [score.low, score.high], [row + shift] * 2
                axes.plot(ends, at, color=one.colour, linewidth=1.6, alpha=0.55)
        known = {row: score.value for row, score in one.points.items() if score.value is not None}
        if not known:
            continue  # Matplotlib would make room for a mark at the page's corner
        axes.plot(
            list(known.values()), [row + shift for row in known],
            linestyle="none", marker=one.mark, markersize=one.size, markeredgecolor=one.colour,
            markerfacecolor=one.colour if one.filled else "white", markeredgewidth=1.0,
            clip_on=False, label=one.label,
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def dot_figure(
    name: str,
    caption: str,
    rows: Sequence[str],
    series: Sequence[Series],
    label: str,
    *,
    spread: float = 0.0,
    joined: bool = False,
) -> Figure:
    """One panel of rows of dots, in per cent from 0; `joined` ties the dots of a row together."""

    def draw() -> Drawing:
        figure = new_figure(7.6, (0.23 + 0.5 * spread) * len(rows) + 0.8)
        axes = figure.subplots()
        for place in range(len(rows)) if joined else ():
            own = [one for one in series if place in one.points]
            ends = [one.points[place].value or 0.0 for one in own]
            axes.plot(ends, [place] * len(own), color=own[0].colour, linewidth=1.4, alpha=0.5)
        dot_rows(axes, rows, series, spread)
        axes.set(xlim=(0, None), xlabel=label)
        if spread:
            legend(figure, axes)
        return figure

    said = (
        ", ".join(f"{s.label} {told(s.points[n], '.1f')}" for s in series if n in s.points)
        for n in range(len(rows))
    )
    alt = "; ".join(f"{row}: {values}" for row, values in zip(rows, said, strict=True))
    return Figure(name, caption, alt, draw)


def lines(axes: Axes, series: Sequence[Series], *, joined: bool = True, shift: float = 0.0) -> None:
    """Values along an axis, with intervals where there are any; `shift` parts the series."""
    for nth, one in enumerate(series):
        x = np.array(list(one.points), dtype=float) + shift * (nth - (len(series) - 1) / 2)
        y, low, high = (
            np.array([getattr(point, part) for point in one.points.values()], dtype=float)
            for part in ("value", "low", "high")
        )
        ends = np.nan_to_num(np.maximum([y - low, high - y], 0))
        axes.errorbar(
            x, y, yerr=ends, color=one.colour, marker=one.mark, markersize=one.size,
            linewidth=1.2 if joined else 0, elinewidth=0.8, label=one.label, clip_on=False,
        )  # fmt: skip
        for place, across, up in zip(one.points, x, y, strict=True):
            press_point(axes, across, up, one.opened.get(place))
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
