"""The leaderboard: our runs, the papers' models and the baselines, sorted by NAE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from subitize.measures.baselines import (
    expected_accuracy,
    expected_nae,
    observer_matrix,
    random_matrix,
)
from subitize.measures.counting_level import counting_level
from subitize.measures.likeness import human_correlation
from subitize.published import PublishedRow
from subitize.reports import cells
from subitize.reports.matrices import Matrix
from subitize.reports.page import Cell, Column, Figure, Table
from subitize.reports.respondents import Respondent
from subitize.reports.style import FAINT, INK, MUTED, OWN, new_figure, styled

__all__ = ["Entry", "baseline_matrices", "entries", "leaderboard", "standing"]

NOT_PRINTED = "not given in the text of the paper"
NOT_DEFINED = "not defined for a baseline"
COLUMNS = (
    Column("model", "Model"),
    Column("parameters", "Size (B)", numeric=True, help="billions of parameters, where known"),
    Column("nae", "NAE", numeric=True, interval=True, help="mean |response − target| / target"),
    Column("accuracy", "Accuracy", numeric=True, interval=True, help="right of readable trials"),
    Column("counting_level", "Level", numeric=True, help="n of the n-knower"),
    Column(
        "human_correlation", "Corr. with human", numeric=True, interval=True,
        help="correlation with the ideal human observer: a likeness, not an accuracy",
    ),
    Column(
        "category_consistency", "Consistency", numeric=True, interval=True,
        help="smallest correlation between two categories",
    ),
    Column("weber_fraction", "Weber fraction", numeric=True, interval=True),
    Column("subitizing_limit", "Subitizing limit", numeric=True),
    Column("not_read", "Not read", numeric=True, help="unreadable, refused, cut off or failed"),
    Column("prompt", "Prompt"),
)  # fmt: skip

Origin = Literal["run", "published", "baseline"]


@dataclass(frozen=True)
class Entry:
    """One line of the leaderboard."""

    label: str
    origin: Origin
    cells: Mapping[str, Cell]

    @property
    def order(self) -> tuple[float, float, str]:
        """By NAE; without one, after all others by accuracy."""
        nae, accuracy = self.cells["nae"].value, self.cells["accuracy"].value
        return (
            math.inf if nae is None else nae,
            math.inf if accuracy is None else -accuracy,
            self.label,
        )


def _not_read(one: Respondent) -> Cell:
    states = one.scores.get("states") or {}
    asked = sum(states.values())
    if not asked:
        return Cell(reason="no trials")
    return cells.percent(1 - states.get("read", 0) / asked)


def _from_run(one: Respondent) -> Entry:
    scores = one.scores
    size = scores.get("parameters") or one.run.info.get("parameters")
    found = {
        "model": cells.words(one.label),
        "parameters": _size(size, "not known"),
        "nae": cells.score(scores, "nae"),
        "accuracy": cells.score(scores, "accuracy", digits=1, share=True),
        "counting_level": cells.score(scores, "counting_level", digits=0),
        "human_correlation": cells.score(scores, "human_correlation"),
        "category_consistency": cells.score(scores, "category_consistency", digits=2),
        "weber_fraction": cells.score(scores, "weber_fraction"),
        "subitizing_limit": cells.score(scores, "subitizing_limit", digits=0),
        "not_read": _not_read(one),
        "prompt": cells.words(scores["prompt"])
        if scores.get("prompt")
        else Cell(reason="one form"),
    }
    return Entry(one.label, "run", found)


def _size(value: float | None, reason: str) -> Cell:
    return Cell(reason=reason) if value is None else Cell(value, f"{value:.3g}")


def _from_paper(row: PublishedRow) -> Entry:
    mark = "baseline" if row.baseline else "published"
    accuracy = cells.percent(row.accuracy, 0 if row.benchmark == "naming" else 1)
    if row.accuracy is None:
        accuracy = Cell(None, row.accuracy_bound, reason="" if row.accuracy_bound else NOT_PRINTED)
    found = {
        "model": cells.words(
            row.model, badge="published" if not row.baseline else "baseline, published"
        ),
        "parameters": _size(row.parameters, "" if row.baseline else NOT_PRINTED),
        "nae": cells.number(row.nae, 2 if row.benchmark == "naming" else 3),
        "accuracy": accuracy,
        "counting_level": cells.number(row.counting_level, 0),
        "human_correlation": cells.number(row.human_correlation),
        "category_consistency": cells.number(row.category_consistency, 2),
        "weber_fraction": Cell(),
        "subitizing_limit": Cell(),
        "not_read": Cell(None, f"{row.discarded} replies" if row.discarded is not None else ""),
        "prompt": cells.words(row.prompt) if row.prompt else Cell(),
    }
    return Entry(row.model, "baseline" if mark == "baseline" else "published", found)


def _from_matrix(label: str, matrix: np.ndarray, weber: tuple[float, int] | None) -> Entry:
    likeness = human_correlation(matrix)
    found = {
        "model": cells.words(label, badge="baseline"),
        "parameters": Cell(reason=NOT_DEFINED),
        "nae": cells.number(expected_nae(matrix)),
        "accuracy": cells.percent(expected_accuracy(matrix)),
        "counting_level": cells.number(counting_level(matrix), 0),
        "human_correlation": cells.number(
            likeness, reason="all responses are equally likely, so nothing can correlate"
        ),
        "category_consistency": Cell(reason=NOT_DEFINED),
        "weber_fraction": cells.number(weber[0], 2) if weber else Cell(reason=NOT_DEFINED),
        "subitizing_limit": cells.number(weber[1], 0) if weber else Cell(reason=NOT_DEFINED),
        "not_read": Cell(reason=NOT_DEFINED),
        "prompt": Cell(),
    }
    return Entry(label, "baseline", found)


def highest_target(respondents: Sequence[Respondent]) -> int:
    """The range that the baselines are asked for: the runs' widest."""
    return max((int(one.overall.columns[-1]) for one in respondents if one.overall), default=10)


def baseline_matrices(highest: int) -> list[tuple[str, Matrix]]:
    """The two reference respondents of S1, exact rather than sampled."""
    rows, columns = np.arange(2 * highest + 1.0), np.arange(1.0, highest + 1)
    return [
        ("Random choice", Matrix(rows, columns, random_matrix(highest_target=highest))),
        ("Ideal human observer", Matrix(rows, columns, observer_matrix(highest_target=highest))),
    ]


def entries(respondents: Sequence[Respondent], published: Sequence[PublishedRow]) -> list[Entry]:
    """All lines of the leaderboard, best first."""
    random, observer = baseline_matrices(highest_target(respondents))
    lines = [
        *(_from_run(one) for one in respondents),
        *(_from_paper(row) for row in published),
        _from_matrix("Random choice (expected)", random[1].counts, None),
        _from_matrix("Ideal human observer", observer[1].counts, (0.15, 4)),
    ]
    return sorted(lines, key=lambda line: line.order)


def leaderboard(name: str, lines: Sequence[Entry], notes: Sequence[str]) -> Table:
    """The leaderboard as a table."""
    shown = [c for c in COLUMNS if any(line.cells[c.name].shown != "–" for line in lines)]
    return Table(
        f"{name}-leaderboard",
        "Leaderboard, sorted by NAE (0 is best). Brackets hold 95 % intervals.",
        shown,
        [[line.cells[column.name] for column in shown] for line in lines],
        notes,
        sorted_by="nae",
    )


def _dots(axes: Axes, lines: Sequence[Entry], measure: str) -> None:
    colours = {"run": OWN, "published": INK, "baseline": MUTED}
    for place, line in enumerate(lines):
        cell = line.cells[measure]
        axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
        if cell.value is None:
            continue
        colour = colours[line.origin]
        if cell.low is not None and cell.high is not None:
            axes.plot(
                [cell.low, cell.high], [place, place], color=colour, linewidth=1.6, alpha=0.55
            )
        axes.plot(
            [cell.value],
            [place],
            marker={"run": "o", "published": "D", "baseline": "|"}[line.origin],
            markersize={"run": 4.5, "published": 3.8, "baseline": 7}[line.origin],
            markerfacecolor="white" if line.origin == "published" else colour,
            markeredgecolor=colour,
            markeredgewidth=1.0,
            linestyle="none",
            clip_on=False,
        )


def _reach(cell: Cell) -> float:
    return max(cell.value or 0.0, cell.high or 0.0)


def standing(name: str, lines: Sequence[Entry]) -> Figure:
    """The leaderboard as a picture: NAE and accuracy side by side."""
    kept = [line for line in lines if line.cells["nae"].value is not None
            or line.cells["accuracy"].value is not None]  # fmt: skip

    def draw() -> Drawing:
        with styled():
            figure = new_figure(7.6, 0.21 * len(kept) + 0.75)
            left, right = figure.subplots(1, 2, sharey=True)
            _dots(left, kept, "nae")
            _dots(right, kept, "accuracy")
            # A square-root axis keeps 0 (never wrong) on the page and still parts small errors.
            left.set_xscale("function", functions=(np.sqrt, np.square))
            top = max((_reach(line.cells["nae"]) for line in kept), default=1.0)
            left.set_xlim(0, max(top * 1.05, 0.3))
            left.set_xticks(
                [tick for tick in (0, 0.05, 0.2, 0.5, 1, 2) if tick <= max(top * 1.05, 0.3)]
            )
            left.set_xlabel("NAE (square-root scale; 0 is best)")
            right.set_xlim(-0.02, 1.02)
            right.set_xlabel("accuracy")
            right.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
            left.set_yticks(range(len(kept)), [line.label for line in kept])
            left.set_ylim(len(kept) - 0.4, -0.6)
            for axes in (left, right):
                axes.spines["left"].set_visible(False)
                axes.tick_params(axis="y", length=0)
        return figure

    caption = (
        "NAE and accuracy with 95 % intervals. Filled dots are the runs of this report, open "
        "diamonds are published values (printed without intervals), bars are baselines."
    )
    best = next((line.label for line in kept if line.origin == "run"), "no run")
    return Figure(
        f"{name}-standing", caption, f"Dot plot of NAE and accuracy; best run: {best}.", draw
    )
