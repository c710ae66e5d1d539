"""How GeckoNum's numbers look: dots with intervals, lines by number, bars of kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from types import MappingProxyType

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from subitize.benchmarks.geckonum.page_found import readable
from subitize.records import Score
from subitize.reports.charts import Series, dot_rows, legend, lines, panels, percent_axis
from subitize.reports.grids import Matrix
from subitize.reports.links import opens
from subitize.reports.style import INK, MUTED, OVER, OWN, SHADES, SMALLEST, new_figure, styled

LIGHT = ("#c9ced6", "#e3d9b8", "#e6c3dd")
FEW = SHADES[1]
KINDS = (OWN, *LIGHT, FEW, OVER)
"""of bars: what is right, what is not there as it should be, too few, too many"""
WORDS = (OWN, LIGHT[0], FEW)
HIGHEST = 10
NUMBERS = [*map(str, range(11)), "10+"]
TOGETHER, TICKS, TITLE = 8, 16, 40
"""lines that one panel can hold; numbers named along an axis; signs in a row of a title"""
Scores = Mapping[str, Mapping[str, Score]]
"""painter: group: share"""


def _dots(axes: Axes, rows: Sequence[str], ours: Sequence[Series], printed: Scores) -> None:
    """Dots with intervals, the printed values as open diamonds around them."""
    marks = [
        Series("published" if not nth else "_", _placed(rows, own), INK, "D", 5.2, filled=False)
        for nth, own in enumerate(printed.values())
    ]
    for series in (marks, ours) if printed else (ours,):
        dot_rows(axes, [readable(row) for row in rows], series, spread=0.7 * (1 - 1 / len(ours)))
    axes.set_xlim(-0.02, 1.02)
    percent_axis(axes.xaxis)


def _placed(groups: Sequence[str], shares: Mapping[str, Score]) -> dict[int, Score]:
    return {groups.index(name): one for name, one in shares.items() if name in groups}


def _series(groups: Sequence[str], shares: Scores) -> list[Series]:
    return [
        Series.at(nth, readable(painter), _placed(groups, own))
        for nth, (painter, own) in enumerate(shares.items())
    ]


def dots(groups: Sequence[str], shares: Scores, printed: Scores) -> Figure:
    """A row per group, in it a dot per painter."""
    with styled():
        height = max(0.3, 0.085 * len(shares) + 0.12) * len(groups) + 0.9
        figure = new_figure(7.2, height)
        axes = figure.subplots()
        _dots(axes, groups, _series(groups, shares), printed)
        axes.set_xlabel("right labels")
        legend(figure, axes)
    return figure


def by_number(
    shares: Scores,
    label: str,
    score: str = "right labels",
    chosen: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Figure:
    """Accuracy against a number, a line per painter or model; a panel each where they are many.

    `chosen`: by what the viewer chooses the trials of a line, whose condition `n` is the number.
    """
    known = {name for own in shares.values() for name in own}
    asked = sorted(int(name) for name in known if name.isdecimal())
    between = range(asked[0], asked[-1] + 1) if asked else range(0)
    # A number that nobody was asked about keeps its place, but not 2,000 of them.
    numbers = [*map(str, between if len(between) <= TICKS else asked)]
    numbers += sorted(known.difference(numbers))
    series, step = _series(numbers, shares), -(-len(numbers) // TICKS)
    for nth, whose in enumerate(shares):
        places = {place: opens(chosen.get(whose, {}), n=numbers[place])
                  for place in series[nth].points}  # fmt: skip
        series[nth] = series[nth]._replace(opened=places)
    with styled():
        if len(series) <= TOGETHER:
            figure = new_figure(7.2, 3.0)
            grid = [figure.subplots()]
            lines(grid[0], series, shift=0.06)
            legend(figure, grid[0])
            across = 1
        else:
            step, across = 2 * step, 3
            figure, grid = panels(len(series), across, (2.5, 1.7), sharex=True, sharey=True)
            for axes, one in zip(grid, series, strict=True):
                lines(axes, [one._replace(colour=OWN, mark="o")])
                axes.set_title(fill(one.label, TITLE), loc="left", fontsize=SMALLEST)
        for axes in grid:
            axes.set_xticks(range(0, len(numbers), step), numbers[::step])
            axes.set_ylim(-0.02, 1.02)
            percent_axis(axes.yaxis)
        for axes in grid[-across:]:  # with no panel below
            axes.set_xlabel(label)
        for axes in grid[::across]:
            axes.set_ylabel(score)
    return figure


def pairs(comparisons: Mapping[tuple[str, str], tuple[Scores, Scores]]) -> Figure:
    """A panel per comparison, a row per painter: first group open, second filled.

    (names of the groups): shares and printed shares of both groups, by painter.
    """
    shown = [own for both, _ in comparisons.values() for own in both.values()]
    painters = list(dict.fromkeys(painter for own in shown for painter in own))
    with styled():
        size = (max(2.4, 7.2 / len(comparisons)), 0.24 * len(painters) + 0.85)
        figure, grid = panels(len(comparisons), 3, size, sharey=True)
        for axes, (names, (ours, printed)) in zip(grid, comparisons.items(), strict=True):
            series = [
                Series(name, _placed(painters, ours[name]), OWN, size=4, filled=filled)
                for name, filled in zip(names, (False, True), strict=True)
            ]
            _dots(axes, painters, series, printed)
            heading = f"{names[0]} (open),\n{names[1]} (filled)"
            axes.set_title(heading, loc="left", fontsize=SMALLEST)
            axes.set_xlabel("right labels")
    return figure


def histograms(counts: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Figure:
    """Per painter: numbers asked for as outlines, numbers counted as bars (shares)."""
    with styled():
        figure, grid = panels(len(counts), 4, (1.9, 1.55), sharex=True, sharey=True)
        for axes, (painter, found) in zip(grid, counts.items(), strict=True):
            asked, counted = (
                np.array([found[name].get(n, 0) for n in NUMBERS]) / sum(found[name].values())
                for name in ("asked", "counted")
            )
            axes.bar(range(len(NUMBERS)), counted, width=0.8, color=OWN, alpha=0.75)
            axes.step(np.arange(-1, len(NUMBERS) + 1), [0.0, *asked, 0.0], where="mid", color=INK,
                      linewidth=0.9)  # fmt: skip
            axes.set_title(readable(painter), loc="left", fontsize=SMALLEST)
            axes.set_xticks(range(1, len(NUMBERS), 2), NUMBERS[1::2])  # the last, 10+, is named
            axes.set_xlim(-0.6, len(NUMBERS) - 0.4)
            percent_axis(axes.yaxis)
        for axes in grid[-4:]:
            axes.set_xlabel("number")
        for axes in grid[::4]:
            axes.set_ylabel("share of questions")
    return figure


def matrices(labels: pl.DataFrame) -> dict[str, Matrix]:
    """Per painter: how often which number was counted where which was asked for."""
    found: dict[str, Matrix] = {}
    asked = labels.filter(pl.col("asked").is_between(1, HIGHEST))
    for (painter,), own in asked.group_by("painter", maintain_order=True):
        counts = np.zeros((HIGHEST + 2, HIGHEST))
        for wanted, counted in own.select("asked", "label").iter_rows():
            counts[int(counted), int(wanted) - 1] += 1
        found[readable(str(painter))] = Matrix(counts, clipped=bool(counts[-1].any()))
    return found


def stacked(bars: Mapping[str, Mapping[str, float]], kinds: Sequence[str], label: str) -> Figure:
    """A bar per row, cut into kinds that make up the whole."""
    with styled():
        figure = new_figure(7.2, 0.26 * len(bars) + 0.95)
        axes = figure.subplots()
        start = np.zeros(len(bars))
        for colour, kind in zip(KINDS if len(kinds) > len(WORDS) else WORDS, kinds, strict=True):
            written = INK if colour in (*LIGHT, FEW) else "white"
            shares = np.array([parts.get(kind, 0.0) for parts in bars.values()])
            if not shares.any():
                continue
            drawn = axes.barh(range(len(bars)), shares, left=start, height=0.72, color=colour,
                              label=kind)  # fmt: skip
            axes.bar_label(
                drawn, [f"{100 * share:.0f}" if share >= 0.07 else "" for share in shares],
                label_type="center", fontsize=SMALLEST, color=written,
            )  # fmt: skip
            start += shares
        axes.set_yticks(range(len(bars)), [readable(row) for row in bars])
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.set_xlabel(label)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_color(MUTED)
        percent_axis(axes.xaxis)
        legend(figure, axes)
    return figure
