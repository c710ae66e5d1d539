"""Confusion matrices, and small multiples of them: a row per model, a panel per category."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from subitize.reports.charts import LINE, in_lines, name_row, panels
from subitize.reports.links import opens, press_cell, press_point
from subitize.reports.style import (
    FAINT,
    INK,
    MUTED,
    OVER,
    OWN,
    SHADES,
    SMALLEST,
    UNDER,
    log_ticks,
    new_figure,
)

_PANEL = 1.42
HIGHEST_SHOWN = 1.5
"""responses up to so many times the highest target have a row of their own in a drawing"""
TITLE, ABOVE = 23, 30
"""letters above one of a few matrices, and above a panel of spreads"""
Floats = NDArray[np.float64]


class Matrix(NamedTuple):
    """Counts of responses 0, 1, 2 … (rows) to targets in a row (columns)."""

    counts: Floats
    stored: tuple[Floats, Floats] | None = None
    """means and standard deviations from the responses themselves, which the last row clips"""
    first: int = 1
    """the lowest target"""
    chosen: Mapping[str, str] = MappingProxyType({})
    """by what the viewer chooses the trials that it counts"""
    clipped: bool = False
    """whether the last row holds more than the response it is named after"""

    @property
    def rows(self) -> Floats:
        return np.arange(float(self.counts.shape[0]))

    @property
    def columns(self) -> Floats:
        return np.arange(float(self.first), self.counts.shape[1] + self.first)

    def cut(self, top: int) -> Matrix:
        """The same with rows up to `top`, which holds all responses from there on."""
        rest = np.zeros((max(0, top + 1 - len(self.counts)), self.counts.shape[1]))
        whole = np.vstack([self.counts, rest])
        beyond = bool(whole[top + 1 :].any()) or self.clipped
        return self._replace(
            counts=np.vstack([whole[:top], whole[top:].sum(axis=0)]), clipped=beyond
        )

    def shares(self) -> Floats:
        """Each column as shares of its readable trials; a column without any is NaN."""
        return _ratio(self.counts, np.broadcast_to(self.counts.sum(axis=0), self.counts.shape))

    def means(self) -> Floats:
        """Mean response to each target; NaN without trials."""
        if self.stored is not None:
            return self.stored[0]
        return _ratio(self.rows @ self.counts, self.counts.sum(axis=0))

    def sds(self) -> Floats:
        """Standard deviation (n − 1) of the responses to each target; NaN below two trials."""
        if self.stored is not None:
            return self.stored[1]
        squares = ((self.rows[:, None] - self.means()[None, :]) ** 2 * self.counts).sum(axis=0)
        return np.sqrt(_ratio(squares, self.counts.sum(axis=0) - 1))

    def errors(self) -> tuple[NDArray[np.int64], Floats]:
        """Response − target, and the share of readable trials with each such error."""
        differences = (self.rows[:, None] - self.columns[None, :]).astype(np.int64)
        values = np.arange(differences.min(), differences.max() + 1)
        weights = np.bincount(
            (differences - values[0]).ravel(), weights=self.counts.ravel(), minlength=len(values)
        )
        return values, weights / max(1.0, weights.sum())


def _ratio(upper: Floats, lower: Floats) -> Floats:
    """upper / lower, NaN where there is nothing to divide by."""
    found = np.full(upper.shape, np.nan)
    np.divide(upper, lower, out=found, where=lower > 0)
    return found


def matrix_from(scores: Mapping[str, Any] | None) -> Matrix | None:
    """The matrix in the scores of a run or of a category; None where there is none."""
    confusion = (scores or {}).get("confusion")
    if not scores or not confusion or not confusion.get("counts"):
        return None
    # None becomes NaN: nothing was read for that target.
    means, sds = (np.asarray(scores.get(name), dtype=np.float64) for name in ("means", "sds"))
    counts = np.asarray(confusion["counts"], dtype=np.float64)
    return Matrix(counts, (means, sds) if means.ndim and sds.ndim else None)


Rows = Mapping[str, Mapping[str, Matrix | None]]
"""by model, then by panel; every model has the same panels"""


def _grid(
    rows: Rows, draw: Callable[[Axes, Matrix], None], height: float, labels: tuple[str, str]
) -> tuple[Figure, list[list[Axes]]]:
    """Draw every panel; their names stand once at the top, numbers at the outer edges."""
    down, across = len(rows), len(next(iter(rows.values())))
    figure = new_figure(0.6 + _PANEL * across, (height + 0.27) * down + 0.6)
    grid: list[list[Axes]] = figure.subplots(down, across, squeeze=False).tolist()
    for (label, matrices), row in zip(rows.items(), grid, strict=True):
        last = row is grid[-1]
        row[0].set_title(" ", loc="left", pad=5)
        name_row(row[0], label)  # the title only keeps its room
        row[0].set_ylabel(labels[1])
        for axes, (name, matrix) in zip(row, matrices.items(), strict=True):
            if row is grid[0]:
                # A column's heading, above the first model's name.
                axes.annotate(
                    name, (0.5, 1), (0, 19), xycoords="axes fraction",
                    textcoords="offset points", ha="center", color=INK,
                )  # fmt: skip
            if matrix is None or not matrix.counts.any():
                _say(axes, "nothing readable")
            else:
                draw(axes, matrix)
                axes.tick_params(labelleft=axes is row[0], labelbottom=last)
            axes.set_xlabel(labels[0] if last else "")
    return figure, grid


def _say(axes: Axes, words: str) -> None:
    """Words in place of a drawing."""
    axes.text(
        0.5, 0.5, words, ha="center", color=MUTED, fontsize=SMALLEST, transform=axes.transAxes
    )
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_color(FAINT)


def _whole_numbers(axes: Axes) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def _ends(values: Any) -> tuple[float, float]:
    return (values[0] - 0.5, values[-1] + 0.5)


def _heat(axes: Axes, matrix: Matrix) -> None:
    """One matrix: targets to the right, responses upwards, right answers on the dotted line."""
    across, up = _ends(matrix.columns), _ends(matrix.rows)
    axes.imshow(
        np.ma.masked_invalid(matrix.shares() * 100), origin="lower", aspect="equal",
        interpolation="none", cmap=LinearSegmentedColormap.from_list("shades", SHADES),
        vmin=0, vmax=100, extent=(*across, *up),
    )  # fmt: skip
    axes.plot(across, across, color=MUTED, linewidth=0.7, linestyle=(0, (1, 2)))
    axes.set(xlim=across, ylim=up, facecolor=FAINT)
    _whole_numbers(axes)
    if matrix.clipped:  # the top row holds all above it too
        top = int(matrix.rows[-1])
        ticks = [tick for tick in axes.get_yticks() if 0 <= tick <= top]
        apart = (ticks[1] - ticks[0]) / 2 if len(ticks) > 1 else 1
        axes.set_yticks([*(tick for tick in ticks if tick < top - apart), top])
        axes.yaxis.set_major_formatter(lambda y, _: f"≥{top}" if y == top else f"{y:g}")
    for side in axes.spines.values():
        side.set(visible=True, color=FAINT)
    for said, place in np.argwhere(matrix.counts).tolist():
        wanted = matrix.first + place
        exact = not (matrix.clipped and said == len(matrix.counts) - 1)
        what = {"said": said} if exact else {"off": f">={said - wanted}"}
        press_cell(axes, wanted, said, opens(matrix.chosen, wanted=wanted, **what))


def _alike(matrices: Iterable[Matrix | None]) -> Callable[[Matrix], Matrix]:
    """A cut that gives all matrices of a figure as many rows, and none that no one needs."""
    drawn = [matrix for matrix in matrices if matrix is not None and matrix.counts.any()]
    highest = max((int(matrix.columns[-1]) for matrix in drawn), default=1)
    said = max((int(matrix.rows[matrix.counts.sum(axis=1) > 0][-1]) for matrix in drawn), default=1)
    top = min(max(highest, said), math.ceil(HIGHEST_SHOWN * highest))
    # their rows have the same names: the last is "and more" in all of them or in none
    clipped = any(matrix.cut(top).clipped for matrix in drawn)
    return lambda matrix: matrix.cut(top)._replace(clipped=clipped)


def keys(matrices: Iterable[Matrix | None]) -> str:
    """What a caption says of what only some figures of matrices have; a space stands before it."""
    known = [one for one in matrices if one is not None and one.counts.any()]
    cut = _alike(known)
    told = ["A row marked ≥ also holds all responses above it."] * any(
        cut(one).clipped for one in known
    )
    if any(not one.counts.any(axis=0).all() for one in known):
        told.append("Where no answer was read it is grey.")
    return "".join(f" {one}" for one in told)


def _colour_bar(figure: Figure, drawn: Sequence[Axes], length: float) -> None:
    """The key to the colours, so many inches long."""
    images = [image for axes in drawn for image in axes.get_images()]
    if images:
        shrink = min(1.0, length / figure.get_figheight())
        bar = figure.colorbar(images[0], ax=list(drawn), shrink=shrink, aspect=16, pad=0.015)
        bar.outline.set_edgecolor(FAINT)
        bar.set_ticks([0, 50, 100], labels=["0 %", "50 %", "100 %"])
        bar.set_label("share of a target's responses", fontsize=SMALLEST)
        bar.ax.tick_params(length=0)


def confusion_figure(rows: Rows) -> Figure:
    """Share of each response to each target: a row per model, a panel per category."""
    cut = _alike(matrix for own in rows.values() for matrix in own.values())
    shown = {
        label: {name: matrix and cut(matrix) for name, matrix in own.items()}
        for label, own in rows.items()
    }
    sizes = [one.counts.shape for own in shown.values() for one in own.values() if one is not None]
    height = 0.82 * _PANEL * max((down / across for down, across in sizes), default=1.0)
    figure, grid = _grid(shown, _heat, height, ("target", "response"))
    _colour_bar(figure, [axes for row in grid for axes in row], 1.9)
    return figure


def side_by_side(matrices: Mapping[str, Matrix], labels: tuple[str, str]) -> Figure:
    """A few matrices beside each other, drawn like those of `confusion_figure`."""
    cut, across = _alike(matrices.values()), min(3, len(matrices))
    shown = {name: cut(matrix) for name, matrix in matrices.items()}
    down = max(len(matrix.counts) / len(matrix.columns) for matrix in shown.values())
    width = 2.1 if across > 1 else 2.6
    titles = [in_lines(name, TITLE) for name in shown]
    taller = LINE * max(title.count("\n") for title in titles)
    figure, every = panels(len(shown), across, (width, (width - 0.35) * down + 0.5 + taller))
    for axes, title, matrix in zip(every, titles, shown.values(), strict=True):
        _heat(axes, matrix)
        axes.set_title(title, loc="left", fontsize=SMALLEST)
        axes.set(xlabel=labels[0], ylabel=labels[1])
    _colour_bar(figure, every, 1.9)
    return figure


def _mean(axes: Axes, matrix: Matrix) -> None:
    means, sds, ends = matrix.means(), np.nan_to_num(matrix.sds()), _ends(matrix.columns)
    axes.plot(ends, ends, color=MUTED, linewidth=0.7, linestyle=(0, (3, 3)))
    axes.fill_between(matrix.columns, means - sds, means + sds, color=OWN, alpha=0.18, linewidth=0)
    axes.plot(matrix.columns, means, color=OWN, linewidth=1.1, marker="o", markersize=2.4)
    for wanted, mean in zip(matrix.columns, means, strict=True):
        if np.isfinite(mean):
            url = opens(matrix.chosen, wanted=int(wanted), state="read")
            press_point(axes, wanted, mean, url)
    axes.set_xlim(*ends)
    _whole_numbers(axes)


def mean_figure(rows: Rows) -> Figure:
    """Mean response to each target, with one standard deviation to each side."""
    figure, grid = _grid(rows, _mean, 1.2, ("target", "mean response"))
    for row in grid:
        drawn = [axes for axes in row if axes.lines]
        # One scale per model, so that its panels can be compared.
        top = max((axes.get_ylim()[1] for axes in drawn), default=1.0)
        for axes in drawn:
            axes.set_ylim(0, top)
    return figure


def _errors(axes: Axes, matrix: Matrix) -> None:
    values, shares = matrix.errors()
    reach = max(3, int(matrix.columns[-1]))
    inside = np.clip(values, -reach, reach)
    summed = np.bincount(inside + reach, weights=shares * 100, minlength=2 * reach + 1)
    there = np.flatnonzero(summed)  # a bar without height would only cost time
    where, summed = there - reach, summed[there]
    colours = [UNDER if value < 0 else OVER if value > 0 else MUTED for value in where]
    for bar, error in zip(
        axes.bar(where, summed, width=0.86, color=colours, linewidth=0), where, strict=True
    ):
        beyond = {-reach: "<=", reach: ">="}.get(int(error), "")
        bar.set_url(opens(matrix.chosen, off=f"{beyond}{error}"))
    axes.set(xlim=(-reach - 0.7, reach + 0.7), ylim=(0, 100), yticks=[0, 50, 100])
    axes.set_xticks([-reach, 0, reach], [f"−{reach}", "0", f"+{reach}"])


def error_figure(rows: Rows) -> Figure:
    """Response − target, too few in blue and too many in orange."""
    return _grid(rows, _errors, 0.95, ("response − target", "% of replies"))[0]


def variability(matrices: Mapping[str, Matrix]) -> Figure:
    """Standard error against mean response on logarithmic axes; a slope of 1 is scalar."""
    across = min(4, len(matrices))
    figure, every = panels(len(matrices), 4, (1.95, 1.9), sharex=True, sharey=True)
    for axes, (label, matrix) in zip(every, matrices.items(), strict=True):
        axes.set_title(in_lines(label, ABOVE), fontsize=SMALLEST, loc="left")
        axes.set(xscale="log", yscale="log")
        _spread(axes, matrix)
    for index, axes in enumerate(every):
        for axis in (axes.xaxis, axes.yaxis):
            log_ticks(axis)
            axis.set_minor_locator(NullLocator())
        lowest, first = index >= len(matrices) - across, index % across == 0
        axes.tick_params(labelbottom=lowest)
        axes.set(xlabel="mean response (things)" * lowest, ylabel="standard error (things)" * first)
    return figure


def _spread(axes: Axes, matrix: Matrix) -> None:
    means, sds = matrix.means(), matrix.sds()
    spread = (sds > 0) & (means > 0)
    if not spread.any():
        axes.text(0.5, 0.5, "no spread", ha="center", color=MUTED, transform=axes.transAxes)
        return
    errors = sds[spread] / np.sqrt(matrix.counts.sum(axis=0)[spread])
    middle = (np.log(errors) - np.log(means[spread])).mean()
    ends = np.array([means[spread].min() * 0.9, means[spread].max() * 1.1])
    axes.plot(ends, np.exp(middle) * ends, color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
    axes.plot(means[spread], errors, linestyle="none", marker="o", markersize=3, color=OWN)
    for wanted, mean, error in zip(matrix.columns[spread], means[spread], errors, strict=True):
        press_point(axes, mean, error, opens(matrix.chosen, wanted=int(wanted), state="read"))
