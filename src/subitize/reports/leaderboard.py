"""Who stands where: the headline and the picture of any benchmark's leaderboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.reports.cells import COUNT, Line, as_score, known_measure, text, told
from subitize.reports.charts import Series, dot_rows, panels, percent_axis
from subitize.reports.page import Card, Cards, Column, Figure, Standing
from subitize.reports.respondents import Respondent
from subitize.reports.style import INK, MUTED, OWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

LOOKS: dict[str, tuple[Any, ...]] = {
    "run": (OWN, "o", 4.5),
    "published": (INK, "D", 3.8, False),
    "baseline": (MUTED, "|", 7),
}
"""colour, mark, size and whether it is filled, by where a line comes from"""
TICKS = (0.05, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def _best(column: Column) -> float | None:
    known = known_measure(column.at[0])
    return float(known.best) if known and isinstance(known.best, int | float) else None


def ranked(lines: Iterable[Line], columns: Sequence[Column]) -> list[Line]:
    """Nearest to the best value of the first measure first, then of the next; unknown last."""

    def place(line: Line) -> tuple[list[float], str]:
        far = []
        for column in columns:
            value, best = as_score(line.cell(column)).value, _best(column)
            far.append(math.inf if value is None or best is None else abs(best - value))
        return far, line.label

    return sorted(lines, key=place)


def headline(
    lines: Sequence[Line], respondents: Sequence[Respondent], column: Column, *more: Card
) -> Cards:
    """How many runs and trials, and which run is best by this measure."""
    own = [line for line in lines if not line.badge]
    beside = f"beside {len(lines) - len(own)} reference rows" if len(own) < len(lines) else ""
    stand = sum(int(one.scores.get("trials") or 0) for one in respondents)
    cards = [Card(str(len(own)), "models run", beside), Card(text(stand, COUNT), "trials scored")]
    if own and _best(column) is not None and own[0].cell(column).value is not None:
        value = told(own[0].cell(column), column.form)
        cards.append(Card(own[0].label, f"best by {column.label}", value))
    return Cards([*cards, *more])


def standings(
    respondents: Sequence[Respondent], column: Column, said: Callable[[Respondent], str]
) -> list[Standing]:
    """What the overview shows of each run: one measure, and its scores in words."""
    return [
        Standing(one.model, column.label, Line(one.label, one.scores).cell(column), said(one))
        for one in respondents
    ]


def standing(name: str, lines: Sequence[Line], columns: Sequence[Column]) -> Figure:
    """The leaderboard as a picture: a panel per measure."""
    kept = [line for line in lines if any(line.cell(c).value is not None for c in columns)]

    def draw() -> Drawing:
        size = (7.2 / len(columns), 0.21 * len(kept) + 0.55)
        figure, row = panels(len(columns), len(columns), size, sharey=True)
        for axes, column in zip(row, columns, strict=True):
            _draw(axes, kept, column)
        return figure

    reference = any(line.badge for line in kept)
    first = next((line.label for line in kept if not line.badge), "no run")
    said = "; ".join(column.label for column in columns)
    return Figure(
        f"{name}-standing",
        f"{said}, with 95 % intervals."
        + " Filled dots are the runs of this report, open diamonds are published values (printed "
        "without intervals), bars are baselines." * reference,
        f"Dot plot of {said}; best run: {first}.",
        draw,
    )


def _draw(axes: Axes, lines: Sequence[Line], column: Column) -> None:
    scores = {place: as_score(line.cell(column)) for place, line in enumerate(lines)}
    series = []
    for origin, look in LOOKS.items():
        own = [p for p, line in enumerate(lines) if _origin(line) == origin]
        series.append(Series(origin, {p: scores[p] for p in own}, *look))
    dot_rows(axes, [line.label for line in lines], series)
    axes.set_xlabel(column.label)
    if column.form.endswith("%"):
        percent_axis(axes.xaxis)
        axes.set_xlim(-0.02, 1.02)
    elif _best(column) == 0:
        # A square-root axis keeps 0 (never wrong) on the page and still parts small errors.
        axes.set_xscale("function", functions=(np.sqrt, np.square))
        ends = [end or 0 for one in scores.values() for end in (one.value, one.high)]
        top = 1.05 * max(0.3, *ends)
        axes.set_xlim(0, top)
        axes.set_xticks([0, *(tick for tick in TICKS if top / 60 <= tick <= top)])
        axes.set_xlabel(f"{column.label} (square-root scale; 0 is best)")


def _origin(line: Line) -> str:
    return "baseline" if "baseline" in line.badge else line.badge or "run"
