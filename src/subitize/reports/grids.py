"""Small multiples: a row per model, a panel per category, as in Fig 3 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from subitize.reports.matrices import Matrix
from subitize.reports.respondents import Respondent
from subitize.reports.style import FAINT, INK, MUTED, OVER, OWN, UNDER, bare, new_figure, styled

__all__ = ["baseline_figure", "confusion_figure", "error_figure", "mean_figure", "scalar_figure"]

COLOURS = "viridis"
POOLED = "all"
_PANEL = 1.42
_SMALL = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


def _panels(one: Respondent, categories: Sequence[str]) -> list[tuple[str, Matrix | None]]:
    panels: list[tuple[str, Matrix | None]] = [
        (name, one.matrices.get(name)) for name in categories
    ]
    return panels if len(categories) == 1 else [*panels, (POOLED, one.overall)]


def _grid(
    respondents: Sequence[Respondent],
    categories: Sequence[str],
    draw: Callable[[Axes, Matrix], None],
    *,
    height: float,
    labels: tuple[str, str],
) -> tuple[Figure, list[list[Axes]]]:
    """Draw every panel; categories stand once at the top, numbers at the outer edges."""
    down, across = len(respondents), len(_panels(respondents[0], categories))
    figure = new_figure(0.6 + _PANEL * across, (height + 0.27) * down + 0.6)
    grid: list[list[Axes]] = figure.subplots(down, across, squeeze=False).tolist()
    for one, row in zip(respondents, grid, strict=True):
        first, last = row is grid[0], row is grid[-1]
        row[0].set_title(one.label, loc="left", fontweight="bold", pad=5)
        row[0].set_ylabel(labels[1])
        for axes, (name, matrix) in zip(row, _panels(one, categories), strict=True):
            if first:
                _over(axes, name)
            if matrix is None or not matrix.readable:
                _say(axes, "nothing readable")
            else:
                draw(axes, matrix)
                bare(axes, left=axes is row[0], bottom=last)
            axes.set_xlabel(labels[0] if last else "")
    return figure, grid


def _over(axes: Axes, name: str) -> None:
    """A column's heading, above the first model's name."""
    axes.annotate(
        name,
        (0.5, 1),
        (0, 19),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="center",
        color=INK,
    )


def _say(axes: Axes, words: str) -> None:
    """Words in place of a drawing."""
    axes.text(0.5, 0.5, words, ha="center", color=MUTED, fontsize=7, transform=axes.transAxes)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_color(FAINT)


def _heat(axes: Axes, matrix: Matrix) -> Any:
    """One matrix: targets to the right, responses upwards, right answers on the dotted line."""
    shares = np.ma.masked_invalid(matrix.shares() * 100)
    edges = (matrix.columns[0] - 0.5, matrix.columns[-1] + 0.5, matrix.rows[0] - 0.5)
    image = axes.imshow(
        shares,
        origin="lower",
        aspect="auto",
        interpolation="none",
        cmap=COLOURS,
        vmin=0,
        vmax=100,
        extent=(*edges, matrix.rows[-1] + 0.5),
    )
    axes.set_facecolor(FAINT)
    ends = (matrix.columns[0] - 0.5, matrix.columns[-1] + 0.5)
    axes.plot(ends, ends, color="white", linewidth=0.6, linestyle=(0, (1, 3)), alpha=0.8)
    axes.set_xlim(*ends)
    axes.set_ylim(matrix.rows[0] - 0.5, matrix.rows[-1] + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    for side in axes.spines.values():
        side.set_visible(False)
    return image


def _colour_bar(figure: Figure, panels: Sequence[Axes], length: float) -> None:
    """The key to the colours, so many inches long."""
    images = [image for axes in panels for image in axes.get_images()]
    if images:
        shrink = min(1.0, length / figure.get_figheight())
        bar = figure.colorbar(images[0], ax=list(panels), shrink=shrink, aspect=16, pad=0.015)
        bar.outline.set_visible(False)
        bar.set_ticks([0, 50, 100], labels=["0 %", "50 %", "100 %"])
        bar.ax.tick_params(labelsize=6.5, length=0)


def confusion_figure(respondents: Sequence[Respondent], categories: Sequence[str]) -> Figure:
    """Share of each response to each target."""
    with styled():
        figure, grid = _grid(
            respondents, categories, _heat, height=1.75, labels=("target", "response")
        )
        _colour_bar(figure, [axes for row in grid for axes in row], 1.9)
    return figure


def baseline_figure(baselines: Sequence[tuple[str, Matrix]]) -> Figure:
    """The reference respondents of S1: random choice and the ideal human observer."""
    with styled():
        figure = new_figure(2.3 * len(baselines) + 0.6, 2.6)
        row = figure.subplots(1, len(baselines), squeeze=False, sharey=True)[0]
        for axes, (name, matrix) in zip(row, baselines, strict=True):
            _heat(axes, matrix)
            axes.set_title(name)
            axes.set_xlabel("target")
        row[0].set_ylabel("response")
        _colour_bar(figure, list(row), 2.0)
    return figure


def _mean(axes: Axes, matrix: Matrix) -> None:
    means, sds = matrix.means(), np.nan_to_num(matrix.sds())
    ends = (matrix.columns[0] - 0.5, matrix.columns[-1] + 0.5)
    axes.plot(ends, ends, color=MUTED, linewidth=0.7, linestyle=(0, (3, 3)))
    axes.fill_between(matrix.columns, means - sds, means + sds, color=OWN, alpha=0.18, linewidth=0)
    axes.plot(matrix.columns, means, color=OWN, linewidth=1.1, marker="o", markersize=2.4)
    axes.set_xlim(*ends)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def mean_figure(respondents: Sequence[Respondent], categories: Sequence[str]) -> Figure:
    """Mean response to each target, with one standard deviation to each side."""
    with styled():
        figure, grid = _grid(
            respondents, categories, _mean, height=1.2, labels=("target", "response")
        )
        for row in grid:
            drawn = [axes for axes in row if axes.lines]
            # One scale per model, so that its categories can be compared.
            top = max((axes.get_ylim()[1] for axes in drawn), default=1.0)
            for axes in drawn:
                axes.set_ylim(0, top)
    return figure


def _errors(axes: Axes, matrix: Matrix) -> None:
    values, shares = matrix.errors()
    reach = max(3, int(matrix.columns[-1]))
    inside = np.clip(values, -reach, reach)
    summed = np.bincount(inside + reach, weights=shares * 100, minlength=2 * reach + 1)
    where = np.arange(-reach, reach + 1)
    colours = [UNDER if value < 0 else OVER if value > 0 else MUTED for value in where]
    axes.bar(where, summed, width=0.86, color=colours, linewidth=0)
    axes.set_ylim(0, 100)
    axes.set_xlim(-reach - 0.7, reach + 0.7)
    axes.set_xticks([-reach, 0, reach], [f"−{reach}", "0", f"+{reach}"])
    axes.set_yticks([0, 50, 100])


def error_figure(respondents: Sequence[Respondent], categories: Sequence[str]) -> Figure:
    """Response − target, too few in blue and too many in orange."""
    with styled():
        return _grid(
            respondents,
            categories,
            _errors,
            height=0.95,
            labels=("response − target", "% of replies"),
        )[0]


def scalar_figure(respondents: Sequence[Respondent]) -> Figure:
    """Standard error against mean response on logarithmic axes; a slope of 1 is scalar."""
    across = min(4, len(respondents))
    down = -(-len(respondents) // across)
    with styled():
        figure = new_figure(1.95 * across + 0.4, 1.9 * down + 0.2)
        grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for index, axes in enumerate(grid.ravel()):
            if index >= len(respondents):
                axes.set_axis_off()
                continue
            one = respondents[index]
            axes.set_title(one.label, fontsize=7.5, loc="left")
            axes.set_xscale("log")
            axes.set_yscale("log")
            if one.overall is not None:
                _scalar(axes, one.overall)
            for axis, ticks in ((axes.xaxis, (1, 2, 5, 10, 20, 50)), (axes.yaxis, _SMALL)):
                axis.set_major_locator(FixedLocator(ticks))
                axis.set_major_formatter(lambda value, _: f"{value:g}")
                axis.set_minor_locator(NullLocator())
            lowest = index >= len(respondents) - across
            axes.tick_params(labelbottom=lowest)
            axes.set_xlabel("mean response" if lowest else "")
            axes.set_ylabel("standard error" if index % across == 0 else "")
    return figure


def _scalar(axes: Axes, matrix: Matrix) -> None:
    totals = matrix.counts.sum(axis=0)
    means, sds = matrix.means(), matrix.sds()
    spread = (sds > 0) & (means > 0)
    if not spread.any():
        axes.text(0.5, 0.5, "no spread", ha="center", color=MUTED, transform=axes.transAxes)
        return
    errors = sds[spread] / np.sqrt(totals[spread])
    middle = (np.log(errors) - np.log(means[spread])).mean()
    ends = np.array([means[spread].min() * 0.9, means[spread].max() * 1.1])
    axes.plot(ends, np.exp(middle) * ends, color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
    axes.plot(means[spread], errors, linestyle="none", marker="o", markersize=3, color=OWN)
