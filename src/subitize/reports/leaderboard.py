"""Who stands where: the headline and the picture of any benchmark's leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from subitize.reports.cells import (
    COUNT,
    MODEL,
    Line,
    as_score,
    cell,
    columns,
    model_table,
    text,
    told,
)
from subitize.reports.charts import Series, dot_rows, panels, percent_axis
from subitize.reports.page import Card, Cards, Cell, Column, Figure, Standing, Table
from subitize.reports.respondents import Respondent
from subitize.reports.style import INK, MUTED, OWN
from subitize.reports.terms import known_measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

LOOKS: dict[str, tuple[Any, ...]] = {
    "run": (OWN, "o", 4.5),
    "published": (INK, "D", 3.8, False),
    "baseline": (MUTED, "|", 7),
}
"""colour, mark, size and whether it is filled, by where a line comes from"""
SEEN = {
    "run": "Filled dots are the runs of this report.",
    "published": "Open diamonds are published values (printed without intervals).",
    "baseline": "Bars are baselines.",
}
RANK = Column(
    "rank", "Rank", COUNT, help="Among the runs of this report; = marks runs that share a rank."
)
COUNTED = columns("trials::n; not_read::.1%")
"""what every row of a leaderboard tells: how many trials, and the share not read"""
TICKS = (0.05, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def _best(column: Column) -> float | None:
    known = known_measure(column.at[0])
    return float(known.best) if known and isinstance(known.best, int | float) else None


class Ranking(NamedTuple):
    """Lines in the order of a leaderboard."""

    column: Column
    """the measure that decides"""
    ranked: list[Line]
    """who has a value, the best first: runs with their ranks, references in their places"""
    unranked: list[Line]
    """runs that are partial, failed or without an answer"""
    silent: list[Line]
    """references of which the measure is not known"""
    perfect: float | None
    """the best value that the measure can have; without one there are no ranks"""

    @property
    def groups(self) -> list[tuple[str, list[Line]]]:
        """The parts with their headings, as far as there are any."""
        every = (
            ("", self.ranked),
            ("Not ranked: partial, failed or without an answer that was read", self.unranked),
            (f"Published without {self.column.label}", self.silent),
        )
        return [(heading, lines) for heading, lines in every if lines]

    @property
    def best(self) -> list[Line]:
        """The runs on the first rank: several where they are tied."""
        ranks = zip(self.ranked, self.ranks(), strict=False)
        return [line for line, rank in ranks if rank.value == 1]

    def ranks(self) -> list[Cell]:
        """A place for each line of all groups: runs that show the same value share a rank."""
        own = [line.cell(self.column).shown for line in self.ranked if not line.badge]
        places = [Cell()] * sum(len(lines) for _, lines in self.groups)
        for place, line in enumerate(self.ranked):
            if not line.badge and self.perfect is not None:
                value = line.cell(self.column).shown
                rank = own.index(value) + 1
                places[place] = Cell(rank, f"{rank} =" if own.count(value) > 1 else f"{rank}")
        return places


def ranking(lines: Iterable[Line], column: Column, perfect: float | None = None) -> Ranking:
    """Nearest to the best value of the measure first; whoever has none stands apart."""
    best = _best(column) if perfect is None else perfect
    found = Ranking(column, [], [], [], best)

    def far(line: Line) -> tuple[float, str]:
        value = as_score(line.cell(column)).value
        return 0.0 if best is None or value is None else abs(best - value), line.label

    for line in sorted(lines, key=far):
        known = line.cell(column).value is not None
        if line.badge:
            (found.ranked if known else found.silent).append(line)
        else:
            (found.ranked if known and not line.unranked else found.unranked).append(line)
    return found


def run_line(one: Respondent, **more: Any) -> Line:
    """A run in a leaderboard."""
    values = {**one.scores, "not_read": cell(one.not_read, ".1%", "no trials"), **more}
    return Line(one.label, values, unranked=one.unranked)


def leaderboard(
    name: str,
    caption: str,
    found: Ranking,
    shown: Sequence[Column],
    notes: Sequence[str] = (),
    first: Column = MODEL,
) -> Table:
    """The lines in their groups, runs with their ranks."""
    every = [line for _, lines in found.groups for line in lines]
    table = model_table(name, caption, every, shown, notes=notes, first=first)
    rows = [[row[0], rank, *row[1:]] for row, rank in zip(table.rows, found.ranks(), strict=True)]
    return table._replace(
        columns=(first, RANK, *shown),
        rows=rows,
        sorted_by=found.column.name,
        groups=[(heading, len(lines)) for heading, lines in found.groups],
    )


def leaderboards(
    name: str,
    caption: str,
    found: Sequence[tuple[str, Ranking]],
    shown: Sequence[Column],
    notes: Sequence[str] = (),
    first: Column = MODEL,
) -> Table:
    """Several in one table, each under its heading: what was asked otherwise is ranked apart."""
    found = found or [("", ranking((), shown[0]))]
    tables = [leaderboard(name, caption, one, shown, notes, first) for _, one in found]
    groups = [
        (": ".join(filter(None, (heading, group))), many)
        for (heading, _), table in zip(found, tables, strict=True)
        for group, many in table.groups
    ]
    return tables[0]._replace(rows=[row for table in tables for row in table.rows], groups=groups)


TIED = 4
"""names of tied runs that a card has room for"""


def headline(found: Ranking, respondents: Sequence[Respondent], *more: Card) -> Cards:
    """How many runs and trials, and which run is best by this measure."""
    references = sum(bool(line.badge) for _, lines in found.groups for line in lines)
    beside = f"beside {references} reference rows" if references else ""
    stand = sum(int(one.scores.get("trials") or 0) for one in respondents)
    unread = sum(
        round((one.not_read or 0) * int(one.scores.get("trials") or 0)) for one in respondents
    )
    read = f"{text(stand - unread, COUNT)} of them read" if unread else ""
    cards = [
        Card(str(len(respondents)), "runs", beside),
        Card(text(stand, COUNT), "trials", read),
    ]
    if best := found.best:
        names = ", ".join(line.label for line in best[:TIED])
        names += f" and {len(best) - TIED} more" if len(best) > TIED else ""
        value = told(best[0].cell(found.column), found.column.form)
        tied = (f"{len(best)} tied", f"{names}: {value}")
        first, detail = (names, value) if len(best) == 1 else tied
        cards.append(Card(first, f"best by {found.column.label}", detail))
    return Cards([*cards, *more])


def standings(
    respondents: Sequence[Respondent], column: Column, said: Callable[[Respondent], str]
) -> list[Standing]:
    """What the overview shows of each run: one measure, and its scores in words."""
    return [
        Standing(
            one.model,
            column.label,
            Line(one.label, one.scores).cell(column)._replace(badge=one.unranked),
            said(one) if one.at("states", "read") else "gave no answer that could be read",
            column.help,
        )
        for one in respondents
    ]


def standing(name: str, found: Ranking, columns: Sequence[Column]) -> Figure:
    """The leaderboard as a picture: a panel per measure."""
    rows: list[tuple[str, Line | None]] = []
    left_out: list[str] = []
    for heading, lines in found.groups:
        kept = [line for line in lines if any(line.cell(c).value is not None for c in columns)]
        rows += [(heading.partition(":")[0], None)] if heading and kept else []
        rows += [(line.label, line) for line in kept]
        left_out += [line.label for line in lines if line not in kept]

    def draw() -> Drawing:
        size = (7.2 / len(columns), 0.21 * len(rows) + 0.55)
        figure, row = panels(len(columns), len(columns), size, sharey=True)
        for axes, column in zip(row, columns, strict=True):
            _draw(axes, rows, column)
        return figure

    origins = {_origin(line) for _, line in rows if line is not None}
    first = ", ".join(line.label for line in found.best) or "no run"
    said = " and ".join(column.label for column in columns)
    caption = [f"{said}, with 95 % intervals.", *(SEEN[one] for one in SEEN if one in origins)]
    caption += [f"Without a number to draw: {', '.join(left_out)}."] * bool(left_out)
    return Figure(
        f"{name}-standing",
        " ".join(caption),
        f"Dot plot of {said}; best run: {first}.",
        draw,
    )


def _draw(axes: Axes, rows: Sequence[tuple[str, Line | None]], column: Column) -> None:
    scores = {place: as_score(line.cell(column)) for place, (_, line) in enumerate(rows) if line}
    series = []
    for origin, look in LOOKS.items():
        own = [p for p, (_, line) in enumerate(rows) if line and _origin(line) == origin]
        series.append(Series(origin, {p: scores[p] for p in own}, *look))
    dot_rows(axes, [label for label, _ in rows], series)
    for label, (_, line) in zip(axes.get_yticklabels(), rows, strict=False):
        if line is None:
            label.set(color=MUTED, style="italic")
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
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(f"{column.label} (square-root scale; 0 is best)")


def _origin(line: Line) -> str:
    return "baseline" if "baseline" in line.badge else "published" if line.badge else "run"
