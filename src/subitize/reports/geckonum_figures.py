"""How GeckoNum's numbers look: dots with intervals, lines by number, bars of kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from subitize.reports.style import FAINT, INK, MUTED, OVER, OWN, UNDER, new_figure, styled

__all__ = ["Mark", "by_number", "colour_of", "histograms", "pairs", "rows_of_dots", "stacked"]

COLOURS = ("#1f5f99", "#d67a1f", "#3a8f5c", "#a3468f", "#7a6a1f", "#c23b3b", "#3d9db5", "#5b5b5b")
"""told apart by all eyes in neighbouring pairs; more painters begin again"""
KINDS = (OWN, "#c9ced6", UNDER, OVER)
ACROSS = 4
"""small panels in a row"""


class Mark(NamedTuple):
    """One dot: a share with its interval, and what is printed."""

    value: float | None
    low: float | None = None
    high: float | None = None
    published: float | None = None


def colour_of(place: int) -> str:
    """The colour of the painter at a place in the list."""
    return COLOURS[place % len(COLOURS)]


def _percent(axes: Axes, *, along: str = "x") -> None:
    axis = axes.xaxis if along == "x" else axes.yaxis
    axis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")


def _dot(axes: Axes, mark: Mark, height: float, colour: str, *, size: float = 4.0) -> None:
    if mark.low is not None and mark.high is not None:
        axes.plot([mark.low, mark.high], [height, height], color=colour, linewidth=1.4, alpha=0.5)
    if mark.published is not None:
        axes.plot([mark.published], [height], marker="D", markersize=size + 0.8, linestyle="none",
                  markerfacecolor="none", markeredgecolor=INK, markeredgewidth=0.7)  # fmt: skip
    if mark.value is not None:
        axes.plot([mark.value], [height], marker="o", markersize=size, color=colour,
                  linestyle="none", clip_on=False)  # fmt: skip


def _legend(figure: Figure, painters: Sequence[str], *, published: bool = False) -> None:
    """Under the drawing; one painter alone needs none."""
    handles = [
        Line2D(
            [], [], marker="o", linestyle="none", markersize=4, color=colour_of(place), label=one
        )
        for place, one in enumerate(painters)
    ]
    if published:
        handles.append(
            Line2D([], [], marker="D", linestyle="none", markersize=4.5, markerfacecolor="none",
                   markeredgecolor=INK, markeredgewidth=0.7, label="published")
        )  # fmt: skip
    if len(handles) > 1:
        longest = max(len(one) for one in painters)
        columns = max(1, min(len(handles), 100 // (longest + 6)))
        figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False,
                      fontsize=7, handletextpad=0.2, columnspacing=1.2)  # fmt: skip


def rows_of_dots(
    groups: Sequence[str], marks: Mapping[str, Mapping[str, Mark]], label: str
) -> Figure:
    """A row per group, in it a dot per painter."""
    painters = list(marks)
    step = 0.7 / max(1, len(painters))
    with styled():
        height = max(0.3, 0.085 * len(painters) + 0.12) * len(groups) + 0.9
        figure = new_figure(7.2, height + 0.14 * (len(painters) // 3))
        axes = figure.subplots()
        for place, group in enumerate(groups):
            if place:
                axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=0)
            for number, painter in enumerate(painters):
                mark = marks[painter].get(group)
                if mark is not None:
                    shift = (number - (len(painters) - 1) / 2) * step
                    _dot(axes, mark, place + shift, colour_of(number))
        axes.set_yticks(range(len(groups)), groups)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel(label)
        _percent(axes)
        axes.tick_params(axis="y", length=0)
        printed = any(m.published is not None for own in marks.values() for m in own.values())
        _legend(figure, painters, published=printed)
    return figure


def by_number(marks: Mapping[str, Mapping[str, Mark]], label: str = "number asked for") -> Figure:
    """Accuracy against a number, a line per painter or model."""
    painters = list(marks)
    numbers = list(dict.fromkeys(n for own in marks.values() for n in own))
    numbers.sort(key=lambda name: float(name.rstrip("+")) + name.endswith("+"))
    with styled():
        figure = new_figure(7.2, 3.0 + 0.14 * (len(painters) // 3))
        axes = figure.subplots()
        for place, painter in enumerate(painters):
            shift = (place - (len(painters) - 1) / 2) * 0.06
            known = [(numbers.index(n) + shift, mark) for n, mark in marks[painter].items()]
            values = np.array([mark.value for _, mark in known], dtype=np.float64)
            axes.plot([x for x, _ in known], values, color=colour_of(place), linewidth=1.1,
                      marker="o", markersize=3.4)  # fmt: skip
            for x, mark in known:
                ends = np.array([mark.low, mark.high], dtype=np.float64)
                axes.plot([x, x], ends, color=colour_of(place), linewidth=1.2, alpha=0.5)
        axes.set_xticks(range(len(numbers)), numbers)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(label)
        axes.set_ylabel("right")
        _percent(axes, along="y")
        _legend(figure, painters)
    return figure


def pairs(
    panels: Mapping[str, Mapping[str, tuple[Mark, Mark]]], names: Mapping[str, tuple[str, str]]
) -> Figure:
    """A panel per comparison, a row per painter: first group open, second filled."""
    painters = list(dict.fromkeys(one for panel in panels.values() for one in panel))
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    with styled():
        figure = new_figure(7.6, down * (0.24 * len(painters) + 0.85) + 0.1)
        grid = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
        for axes, (table, panel) in zip(grid, panels.items(), strict=False):
            for row, painter in enumerate(painters):
                axes.axhline(row, color=FAINT, linewidth=0.6, zorder=0)
                if painter in panel:
                    _pair(axes, panel[painter], row)
            axes.set_title(f"{names[table][0]} (open), {names[table][1]} (filled)", loc="left",
                           fontsize=7)  # fmt: skip
            axes.set_xlim(-0.02, 1.02)
            axes.set_yticks(range(len(painters)), painters)
            axes.set_ylim(len(painters) - 0.4, -0.6)
            axes.tick_params(axis="y", length=0)
            _percent(axes)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
    return figure


def _pair(axes: Axes, marks: tuple[Mark, Mark], row: int) -> None:
    for mark, shift, filled in ((marks[0], -0.16, False), (marks[1], 0.16, True)):
        if mark.value is None:
            continue
        if mark.low is not None and mark.high is not None:
            axes.plot([mark.low, mark.high], [row + shift] * 2, color=OWN, linewidth=1.3, alpha=0.5)
        axes.plot([mark.value], [row + shift], marker="o", markersize=4, linestyle="none",
                  markeredgecolor=OWN, markerfacecolor=OWN if filled else "white")  # fmt: skip
        if mark.published is not None:
            axes.plot([mark.published], [row + shift], marker="D", markersize=5.2,
                      linestyle="none", markerfacecolor="none", markeredgecolor=INK,
                      markeredgewidth=0.6)  # fmt: skip


def histograms(panels: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Figure:
    """Per painter: numbers asked for as outlines, numbers counted as bars (shares)."""
    numbers = [str(n) for n in range(11)] + ["10+"]
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with styled():
        figure = new_figure(max(3.2, 1.9 * across), 1.55 * down + 0.3)
        grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for axes, (painter, found) in zip(grid.ravel(), panels.items(), strict=False):
            asked, counted = (_shares(found[name], numbers) for name in ("asked", "counted"))
            axes.bar(range(len(numbers)), counted, width=0.8, color=OWN, alpha=0.75)
            axes.step(np.arange(-1, len(numbers) + 1), [0.0, *asked, 0.0], where="mid", color=INK,
                      linewidth=0.9)  # fmt: skip
            axes.set_title(painter, loc="left", fontsize=7)
            axes.set_xticks(range(0, len(numbers), 2), numbers[::2])
            axes.set_xlim(-0.6, len(numbers) - 0.4)
            _percent(axes, along="y")
        for axes in grid.ravel()[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel("number")
    return figure


def _shares(counts: Mapping[str, int], numbers: Sequence[str]) -> list[float]:
    total = sum(counts.values()) or 1
    return [counts.get(number, 0) / total for number in numbers]


def stacked(bars: Mapping[str, Mapping[str, float]], kinds: Sequence[str], label: str) -> Figure:
    """A bar per row, cut into kinds that make up the whole."""
    with styled():
        figure = new_figure(7.2, 0.26 * len(bars) + 0.95)
        axes = figure.subplots()
        for row, parts in enumerate(bars.values()):
            start = 0.0
            for colour, kind in zip(KINDS, kinds, strict=False):
                share = parts.get(kind, 0.0)
                axes.barh(row, share, left=start, height=0.72, color=colour)
                if share >= 0.07:
                    shade = INK if colour == KINDS[1] else "white"
                    axes.text(start + share / 2, row, f"{100 * share:.0f}", ha="center",
                              va="center", fontsize=6.5, color=shade)  # fmt: skip
                start += share
        axes.set_yticks(range(len(bars)), list(bars))
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.set_xlabel(label)
        _percent(axes)
        axes.tick_params(axis="y", length=0)
        handles = [
            Line2D([], [], marker="s", linestyle="none", markersize=6, color=colour, label=kind)
            for colour, kind in zip(KINDS, kinds, strict=False)
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(kinds),
                      frameon=False, fontsize=7, handletextpad=0.2)  # fmt: skip
        axes.spines["left"].set_color(MUTED)
    return figure
