"""How numbers and words are shown, in tables and on the terminal: one form for each kind."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from subitize.records import Score
from subitize.reports.page import Cell, Column, Marked, Table, plain
from subitize.reports.terms import explained

COUNT = ",.0f"
"""the form of whole numbers"""
MODEL = Column("model", "Model")
LABELS = {"nae": "NAE", "smape": "sMAPE"}
NOT_THERE = "not in the scores of this run"
OUTSIDE = "Few trials pull a likeness down; its interval leaves this out and may lie above it."
"""why a value can lie outside its own interval"""


def text(value: float, form: str = ".3f") -> str:
    """A number by a form as Python's `format` has them, or `p` for a probability.

    >>> text(1234567, COUNT), text(-0.5, "+.2f"), text(0.125, ".1%")
    ('1,234,567', '−0.50', '12.5 %')
    >>> text(0.0000462, ".3g")
    '0.0000462'
    >>> text(0.0004, "p"), text(0.04, "p")
    ('< .001', '.040')
    >>> text(0.9997, ".0%"), text(1, ".0%")  # all is not nearly all
    ('99.9 %', '100 %')
    >>> text(0.965, ".0%"), text(0.835, ".0%")  # a half goes up
    ('97 %', '84 %')
    """
    if form == ".0%" and (0 < value < 0.005 or 0.995 <= value < 1):
        value, form = min(max(value, 0.001), 0.999), ".1%"
    if form == "p":
        shown = f"{value:.{4 if 0.0495 <= value < 0.05 else 3}f}"  # which side of .05 must be seen
        return "< .001" if value < 0.001 else shown.lstrip("0")
    if form.endswith("%"):
        value *= 1 + 1e-12  # Python rounds a half to the even neighbour
    shown = f"{value:{form}}"
    if "e" in shown:
        shown = f"{Decimal(shown):f}"
    if not re.search(r"[1-9]", shown):
        shown = shown.replace("-", "+" if form.startswith("+") else "")
    shown = shown.replace("%", " %")
    return shown.replace("-", "−")


def at(values: Mapping[str, Any], *path: str) -> Any:
    """A value inside values; None where any part of the path is missing."""
    found: Any = values
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def as_score(found: Any) -> Score:
    """A score as scores.json has it (an object or a bare number), or as a cell shows it."""
    if isinstance(found, Mapping):
        return Score(found.get("value"), found.get("low"), found.get("high"))
    if isinstance(found, Cell):
        return Score(found.value, found.low, found.high)
    return found if isinstance(found, Score) else Score(found)


def _interval(found: Score, form: str) -> str:
    """In brackets; nothing where there is none."""
    if found.low is None or found.high is None:
        return ""
    ends = (text(end, form.removeprefix("+")) for end in (found.low, found.high))
    return f"[{', '.join(end.removesuffix(' %') for end in ends)}]"


def told(found: Any, form: str = ".3f") -> str:
    """A score in running text.

    >>> told({"value": 0.5, "low": 0.4, "high": 0.6}, ".0%"), told(None)
    ('50 % [40, 60]', '–')
    """
    known = as_score(found)
    shown = "–" if known.value is None else text(known.value, form)
    return f"{shown} {_interval(known, form)}".rstrip()


def cell(found: Any, form: str = "", reason: str = "") -> Cell:
    """A place in a table: words, a number or a score with its interval, or why there is none."""
    if isinstance(found, Cell):
        return found
    if isinstance(found, bool):
        return words("yes" if found else "no")
    if isinstance(found, list):
        return quotes([plain(" / ".join(map(str, one.values()))) for one in found[:3]])
    if found is not None and not form:
        return words(found)
    known = as_score(found)
    if known.value is None:
        return Cell(reason=plain(reason))
    shown = text(known.value, form)
    return Cell(known.value, shown, known.low, known.high, _interval(known, form))


def open_ended(found: Any, form: str, looked_at: tuple[float, float]) -> tuple[Cell, bool]:
    """A score whose interval says where it reaches an end of what was looked at, and if it does.

    >>> open_ended({"value": 1.0, "low": 0.5, "high": 3.0}, ".1f", (0.1, 3.0))[0].interval
    '[0.5, ≥ 3.0]'
    """
    made = cell(found, form)
    if made.low is None or made.high is None:
        return made, False
    reached = made.low <= looked_at[0], made.high >= looked_at[1]
    low, high = made.interval.strip("[]").split(", ")
    shown = f"[{'≤ ' * reached[0]}{low}, {'≥ ' * reached[1]}{high}]"
    return made._replace(interval=shown), any(reached)


def words(found: object, *, badge: str = "") -> Cell:
    """Plain text, also a model's."""
    return Cell(plain(found), plain(found), badge=badge)


def quotes(replies: Sequence[str | Marked]) -> Cell:
    """What models or captions said, each on its own line."""
    return Cell(" | ".join(map(str, replies)), quotes=tuple(replies))


class Line(NamedTuple):
    """What a row of a table is made of."""

    label: str
    """whose it is, such as a model"""
    values: Mapping[str, Any]
    """by the names of columns; `undefined` says why one is null"""
    badge: str = ""
    """such as `published`"""
    missing: str = NOT_THERE
    """why a value is not there, where `undefined` does not say"""
    unranked: str = ""
    """why a run has no rank, such as `partial`"""

    def cell(self, column: Column) -> Cell:
        """The line's place in a column."""
        path = column.at or (column.name,)
        reason = (self.values.get("undefined") or {}).get(".".join(path), self.missing)
        return cell(at(self.values, *path), column.form, reason)


def column(path: Sequence[str], label: str = "", form: str = "") -> Column:
    """A column of what lies at a path in a line's values; a known measure brings its help.

    Beside the forms of `text` there are `n` for counts and `wide` for running text; ± at the end
    is for intervals.
    """
    bare = form.removesuffix("±")
    said = ", ".join(LABELS.get(step, step.replace("_", " ")) for step in path)
    return Column(
        "_".join(path),
        label or (said if path[0] in LABELS else said[:1].upper() + said[1:]),
        {"n": COUNT, "wide": ""}.get(bare, bare),
        interval=bare != form,
        help=explained(tuple(path)),
        wide=bare == "wide",
        at=tuple(path),
    )


def columns(listed: str) -> list[Column]:
    """Columns as NAME:LABEL:FORM, all but the name optional; a dotted name is a path.

    >>> _, share = columns("model; smape.occluded:Occluded:.2f±")
    >>> share.name, share.label, share.form, share.interval, share.at
    ('smape_occluded', 'Occluded', '.2f', True, ('smape', 'occluded'))
    """
    parts = (one.strip().split(":") for one in listed.split(";"))
    return [column(name.split("."), *more) for name, *more in parts]


def model_table(
    name: str,
    caption: str,
    lines: Iterable[Line],
    shown: Sequence[Column],
    *,
    notes: Sequence[str] = (),
    sorted_by: str = "",
    first: Column = MODEL,
) -> Table:
    """A table with a row per respondent, whose name stands first."""
    rows = [
        [
            words(line.label, badge=line.badge or line.unranked),
            *(line.cell(column) for column in shown),
        ]
        for line in lines
    ]
    return Table(name, caption, (first, *shown), rows, notes, sorted_by)


def data_table(
    name: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = ""
) -> Table:
    """The numbers behind a figure or a table, as a file only."""
    filled = [
        [Cell(None if isinstance(value, float) and math.isnan(value) else value) for value in row]
        for row in rows
    ]
    return Table(name, caption, [Column(head, head) for head in heads], filled, hidden=True)
