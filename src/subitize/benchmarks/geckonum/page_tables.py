"""GeckoNum's tables as a page shows them: our value with its interval, the printed one beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from subitize.benchmarks.geckonum.breakdowns import OUTCOMES, Shares
from subitize.benchmarks.geckonum.comparisons import COMPARISONS
from subitize.benchmarks.geckonum.labels import painters_of
from subitize.benchmarks.geckonum.tables import Cell, Tables
from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED
from subitize.records import Score
from subitize.reports.cells import Line, columns, model_table
from subitize.reports.page import Column, Table

NAME = "geckonum"
PAINTER = Column("painter", "Painter")


class Found(NamedTuple):
    """What the page of some labels is made from."""

    labels: pl.DataFrame
    """a row per picture and question"""
    tables: Tables
    """the paper's, with intervals over prompts"""
    comparisons: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """table: painter: differences, effect sizes, corrected p-values"""

    @property
    def painters(self) -> list[str]:
        return painters_of(self.labels)


def score(cell: Cell | None, scale: float = 100.0) -> Score:
    """Our value of a cell."""
    if cell is None or cell["value"] is None:
        return Score(None)
    low, high = (end / scale for end in cell["interval"]) if "interval" in cell else (None, None)
    return Score(cell["value"] / scale, low, high)


def printed(cell: Cell | None, scale: float = 100.0) -> Score:
    """The value that the paper prints for a cell."""
    value = None if cell is None else cell["published"]
    return Score(None if value is None else value / scale)


def _line(label: str, cells: Mapping[str, Cell | None], scale: float = 100.0, **more: Any) -> Line:
    """Our values by name, the printed ones as NAME_published, and why there is none."""
    ours = {name: score(cell, scale) for name, cell in cells.items()}
    theirs = {f"{name}_published": printed(cell, scale) for name, cell in cells.items()}
    why = dict.fromkeys(theirs, "not in the paper") | {
        name: cell["why"] for name, cell in cells.items() if cell is not None and cell["why"]
    }
    values = {**ours, **theirs, **more, "undefined": why}
    return Line(label, values, missing="not in these answers")


def _pair(name: str, label: str, form: str = ".1%±") -> list[Column]:
    """Our value and the printed one; a painter's name may hold anything."""
    (ours,), (theirs,) = columns(f"x::{form}"), columns(f"x::{form.removesuffix('±')}")
    return [
        Column(name, label, ours.form, interval=ours.interval),
        Column(f"{name}_published", "Published", theirs.form),
    ]


def task_table(found: Found, *, reference: bool) -> Table:
    """Table 2: published values beside the same painters, or as rows of reference."""
    cells = found.tables["table2"]
    known = [task for task in (1, 2, 3) if any(c.startswith(f"task{task}|") for c in cells)]
    parts = {f"task{task}": f"task{task}|{{}}|accuracy" for task in known}
    parts |= {f"task{task}_sem": f"task{task}|{{}}|sem" for task in known}
    lines = [
        _line(painter, {name: cells.get(at.format(painter)) for name, at in parts.items()})
        for painter in found.painters
    ]
    for painter in MODELS if reference else ():
        published = {
            name: PUBLISHED["table2"].get(at.format(painter)) for name, at in parts.items()
        }
        values = {name: one.value / 100 for name, one in published.items() if one}
        lines.append(Line(painter, values, "published", ""))
    shown: list[Column] = []
    for task in known:
        ours, beside = _pair(f"task{task}", f"Task {task}")
        shown += [ours, *columns(f"task{task}_sem:SEM:.1%"), *([] if reference else [beside])]
    guessed = ", ".join(f"Task {task}: {value:.1f} %" for task, value in BASELINES.items())
    notes = [f"By chance: {guessed}. Task 1 counts all questions about a picture, Task 3 is the "
             "share of yes per picture."]  # fmt: skip
    if reference:
        notes.append("Rows marked published were judged by five people, on all prompts.")
    return model_table(
        f"{NAME}-table2",
        "Right labels per task (Table 2), with 95 % intervals over prompts, the standard error as "
        "the paper computes it, and published values.",
        lines, shown, notes=notes, first=PAINTER,
    )  # fmt: skip


def share_table(name: str, caption: str, groups: Sequence[str], shares: Shares, what: str) -> Table:
    """A row per group, a column per painter."""
    missing = "no such prompt in these answers"
    lines = [
        Line(group, {painter: own.get(group) for painter, own in shares.items()}, "", missing)
        for group in groups
    ]
    shown = [_pair(painter, painter)[0] for painter in shares]
    return model_table(name, caption, lines, shown, first=Column("group", what))


def quantifier_table(found: Found, phrases: Sequence[str]) -> Table:
    """Figure 5: a row per phrase, two columns per painter."""
    made = found.tables["figure5"]
    painters = [one for one in found.painters if any(c.endswith(f"|{one}") for c in made)]
    lines = [
        _line(phrase, {one: made.get(f"{phrase}|{one}") for one in painters}) for phrase in phrases
    ]
    shown: list[Column] = []
    for one in painters:
        theirs = any(made[c]["published"] is not None for c in made if c.endswith(f"|{one}"))
        shown += _pair(one, one) if theirs else _pair(one, one)[:1]
    caption = "Pictures that are described as the prompt asks (Figure 5)."
    return model_table(f"{NAME}-figure5", caption, lines, shown, first=Column("phrase", "Prompt"))


def comparison_table(found: Found, table: str, correction: str = "holm") -> Table:
    """One of Tables A3, A4, A6, A7, A8 with what the paper leaves out."""
    made, (one, other) = found.tables[table], COMPARISONS[table][:2]
    parts = {"first": "accuracy_1", "second": "accuracy_2"}, {"chi2": "chi2", "p": "p"}
    lines = []
    for painter in found.painters:
        if f"{painter}|n" in made:
            shares, test = (
                _line("", {name: made[f"{painter}|{part}"] for name, part in own.items()}, scale)
                for own, scale in zip(parts, (100, 1), strict=True)
            )
            why = {**shares.values["undefined"], **test.values["undefined"]}
            more = found.comparisons.get(table, {}).get(painter, {})
            values = {**shares.values, **test.values, **more, "undefined": why}
            lines.append(Line(painter, values, missing="no test"))
    return model_table(
        f"{NAME}-{table}",
        f"{one.capitalize()} against {other} (Table {table.upper()}), true numbers 1 to 4.",
        lines,
        [
            *_pair("first", one.capitalize()),
            *_pair("second", other.capitalize()),
            *columns("difference:Difference:+.1f±; chi2:χ²:.2f; "
                     "chi2_published:Published:.2f; p:p:.3f; "
                     f"p_{correction}:p ({correction}):.3f; phi:φ:.2f; "
                     "permutation_p:p, shuffled:.3f"),
        ],
        notes=["The difference is in points, with its interval over prompts; χ² has Yates' "
               "correction, as in the paper; p is corrected over the painters."],
        first=PAINTER,
    )  # fmt: skip


def drops_table(found: Found) -> Table:
    """Table A5: a row per painter and step, two columns per number."""
    steps: dict[tuple[str, str], dict[str, Cell]] = {}
    for name, cell in found.tables["a5"].items():
        painter, step, number = name.split("|")
        steps.setdefault((painter, step.replace("->", " → ")), {})[f"change_{number}"] = cell
    lines = [_line(painter, own, 1, step=step) for (painter, step), own in steps.items()]
    shown = columns("step:From → to")
    for name in sorted({name for own in steps.values() for name in own}):
        shown += _pair(name, name.replace("change_", "Number "), "+.1f±")
    caption = "How accuracy changes when a number stands beside others (Table A5), in points."
    return model_table(f"{NAME}-a5", caption, lines, shown, first=PAINTER)


def outcome_table(outcomes: Mapping[str, Shares]) -> Table:
    """What became of pictures of several things."""
    lines = [
        Line(kind, {"painter": painter, **parts})
        for kind, painters in outcomes.items()
        for painter, parts in painters.items()
    ]
    caption = "Prompts that ask for several things: what became of their pictures."
    shown = [PAINTER, *columns(*(f"{one}::.1%±" for one in OUTCOMES))]
    return model_table(
        f"{NAME}-outcomes", caption, lines, shown, first=Column("type", "Prompt type")
    )


def agreement_table(found: Found) -> Table:
    """Table A10: how many people gave the same answer."""
    made = found.tables["a10"]
    ks = sorted({int(cell.rpartition("|")[2]) for cell in made})
    lines = [
        _line(painter, {f"k{k}": made.get(f"{painter}|{k}") for k in ks})
        for painter in found.painters
    ]
    shown = [column for k in ks for column in _pair(f"k{k}", f"{k} alike", ".1%")]
    return model_table(f"{NAME}-a10", "Task 1: questions on which exactly k people gave the same "
                       "answer (Table A10).", lines, shown, first=PAINTER)  # fmt: skip


def alpha_table(found: Found) -> Table:
    """Krippendorff's α and the share on which most agree."""
    lines = [
        _line(task.replace("task", "Task "), {"value": cell}, 1, measure=what.format(part),
              why=cell["why"] or "")
        for name, what in (("alpha", "α, {}"), ("agreement", "{} of them alike, %"))
        for at, cell in found.tables[name].items()
        for task, _, part in (at.partition("|"),)
    ]  # fmt: skip
    shown = columns("measure; value::.4g; value_published:Published:.4g; "
                    "why:Why they differ:wide")  # fmt: skip
    caption = "Agreement over all painters (appendix C.2)."
    return model_table(
        f"{NAME}-agreement-table", caption, lines, shown, first=Column("task", "Task")
    )


def counts_table(found: Found) -> Table:
    """How many prompts, pictures, annotations and labels there are."""
    lines = [
        _line(at.replace("|", ", "), {"number": cell}, 1)
        for at, cell in found.tables["counts"].items()
    ]
    shown = columns("number::n; number_published:Published:n")
    return model_table(f"{NAME}-counts", "", lines, shown, first=Column("what", "What"))
