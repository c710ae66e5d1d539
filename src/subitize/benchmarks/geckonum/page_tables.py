"""GeckoNum's tables as a page shows them: our value with its interval, the printed one beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from subitize.benchmarks.geckonum.breakdowns import Shares
from subitize.benchmarks.geckonum.comparisons import COMPARISONS
from subitize.benchmarks.geckonum.labels import painters_of
from subitize.benchmarks.geckonum.tables import Cell, Tables
from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED
from subitize.records import Score
from subitize.reports.cells import COUNT, Line, model_table
from subitize.reports.page import Column, Table

__all__ = [
    "Found",
    "agreement_table",
    "alpha_table",
    "comparison_table",
    "counts_table",
    "drops_table",
    "outcome_table",
    "printed",
    "quantifier_table",
    "score",
    "share_table",
    "task_table",
]

NAME = "geckonum"
PAINTER = Column("painter", "Painter")
Cells = Mapping[str, Cell | None]


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


def _beside(cells: Cells, scale: float = 100.0, **more: Any) -> dict[str, Any]:
    """A line's values: ours by name, the printed ones as NAME_published, and why there is none."""
    ours = {name: score(cell, scale) for name, cell in cells.items()}
    theirs = {f"{name}_published": printed(cell, scale) for name, cell in cells.items()}
    why = {name: cell["why"] for name, cell in cells.items() if cell is not None and cell["why"]}
    return {**ours, **theirs, **more, "undefined": why}


def _line(label: str, values: Mapping[str, Any]) -> Line:
    return Line(label, values, missing="not in these answers")


def _pair(name: str, label: str, form: str = ".1%", *, interval: bool = True) -> list[Column]:
    """Our value and the printed one."""
    beside = Column(f"{name}_published", "Published", form, missing="not in the paper")
    return [Column(name, label, form, interval=interval), beside]


def task_table(found: Found, *, reference: bool) -> Table:
    """Table 2: published values beside the same painters, or as rows of reference."""
    cells = found.tables["table2"]
    known = [task for task in (1, 2, 3) if any(c.startswith(f"task{task}|") for c in cells)]
    lines = []
    for painter in found.painters:
        ours = {f"task{task}": cells.get(f"task{task}|{painter}|accuracy") for task in known}
        sem = {f"task{t}_sem": score(cells.get(f"task{t}|{painter}|sem")) for t in known}
        lines.append(_line(painter, _beside(ours, **sem)))
    for painter in MODELS if reference else ():
        values = {
            f"task{task}{end}": value.value / 100
            for task in known
            for part, end in (("accuracy", ""), ("sem", "_sem"))
            if (value := PUBLISHED["table2"].get(f"task{task}|{painter}|{part}"))
        }
        lines.append(Line(painter, values, "published", ""))
    columns: list[Column] = []
    for task in known:
        ours, beside = _pair(f"task{task}", f"Task {task}")
        sem_column = Column(f"task{task}_sem", "SEM", ".1%")
        columns += [ours, sem_column] if reference else [ours, sem_column, beside]
    guessed = ", ".join(f"Task {task}: {value:.1f} %" for task, value in BASELINES.items())
    notes = [f"By chance: {guessed}. Task 1 counts all questions about a picture, Task 3 is the "
             "share of yes per picture."]  # fmt: skip
    if reference:
        notes.append("Rows marked published were judged by five people, on all prompts.")
    return model_table(
        f"{NAME}-table2",
        "Right labels per task (Table 2), with 95 % intervals over prompts, the standard error as "
        "the paper computes it, and published values.",
        lines, columns, notes=notes, first=PAINTER,
    )  # fmt: skip


def share_table(name: str, caption: str, groups: Sequence[str], shares: Shares, what: str) -> Table:
    """A row per group, a column per painter."""
    missing = "no such prompt in these answers"
    lines = [
        Line(group, {painter: own.get(group) for painter, own in shares.items()}, "", missing)
        for group in groups
    ]
    columns = [Column(painter, painter, ".1%", interval=True) for painter in shares]
    return model_table(f"{NAME}-{name}", caption, lines, columns, first=Column("group", what))


def quantifier_table(found: Found, phrases: Sequence[str]) -> Table:
    """Figure 5: a row per phrase, two columns per painter."""
    made = found.tables["figure5"]
    painters = [one for one in found.painters if any(c.endswith(f"|{one}") for c in made)]
    lines = [
        _line(phrase, _beside({one: made.get(f"{phrase}|{one}") for one in painters}))
        for phrase in phrases
    ]
    columns: list[Column] = []
    for one in painters:
        theirs = any(made[c]["published"] is not None for c in made if c.endswith(f"|{one}"))
        columns += _pair(one, one) if theirs else _pair(one, one)[:1]
    caption = "Pictures that are described as the prompt asks (Figure 5)."
    return model_table(f"{NAME}-figure5", caption, lines, columns, first=Column("phrase", "Prompt"))


def comparison_table(found: Found, table: str, correction: str = "holm") -> Table:
    """One of Tables A3, A4, A6, A7, A8 with what the paper leaves out."""
    made, (one, other) = found.tables[table], COMPARISONS[table][:2]
    lines = []
    for painter in found.painters:
        if f"{painter}|n" in made:
            more = found.comparisons.get(table, {}).get(painter, {})
            shares = {
                "first": made[f"{painter}|accuracy_1"],
                "second": made[f"{painter}|accuracy_2"],
            }
            test = {part: made[f"{painter}|{part}"] for part in ("chi2", "p")}
            values = {**_beside(shares), **_beside(test, 1), **more}
            values["undefined"] = _beside(shares | test)["undefined"]
            lines.append(Line(painter, values, missing="no test"))
    return model_table(
        f"{NAME}-{table}",
        f"{one.capitalize()} against {other} (Table {table.upper()}), true numbers 1 to 4.",
        lines,
        [
            *_pair("first", one.capitalize()),
            *_pair("second", other.capitalize()),
            Column("difference", "Difference", "+.1f", interval=True,
                   help="points, with interval over prompts", missing="one of the groups is empty"),
            Column("chi2", "χ²", ".2f", help="with Yates' correction, as the paper"),
            _pair("chi2", "", ".2f")[1],
            Column("p", "p", ".3f"),
            Column(f"p_{correction}", f"p ({correction})", ".3f", help="corrected over painters"),
            Column("phi", "φ", ".2f", help="effect size"),
            Column("permutation_p", "p, shuffled", ".3f", help="permutation control"),
        ],
        first=PAINTER,
    )  # fmt: skip


def drops_table(found: Found) -> Table:
    """Table A5: a row per painter and step, two columns per number."""
    steps: dict[tuple[str, str], dict[str, Cell]] = {}
    for name, cell in found.tables["a5"].items():
        painter, step, number = name.split("|")
        steps.setdefault((painter, step), {})[f"change_{number}"] = cell
    lines = [
        _line(painter, _beside(own, 1, step=step.replace("->", " → ")))
        for (painter, step), own in steps.items()
    ]
    numbers = sorted({name for own in steps.values() for name in own})
    columns = [Column("step", "From → to")]
    for name in numbers:
        columns += _pair(name, name.replace("change_", "Number "), "+.1f")
    caption = "How accuracy changes when a number stands beside others (Table A5), in points."
    return model_table(f"{NAME}-a5", caption, lines, columns, first=PAINTER)


def outcome_table(outcomes: Mapping[str, Shares]) -> Table:
    """What became of pictures of several things."""
    lines = [
        Line(kind, {"painter": painter, **parts})
        for kind, painters in outcomes.items()
        for painter, parts in painters.items()
    ]
    names = [name for name in lines[0].values if name != "painter"] if lines else []
    columns = [PAINTER, *(Column(one, one.capitalize(), ".1%", interval=True) for one in names)]
    caption = "Prompts that ask for several things: what became of their pictures."
    return model_table(
        f"{NAME}-outcomes", caption, lines, columns, first=Column("type", "Prompt type")
    )


def agreement_table(found: Found) -> Table:
    """Table A10: how many people gave the same answer."""
    made = found.tables["a10"]
    ks = sorted({int(cell.rpartition("|")[2]) for cell in made})
    lines = [
        _line(painter, _beside({f"k{k}": made.get(f"{painter}|{k}") for k in ks}))
        for painter in found.painters
    ]
    columns = [column for k in ks for column in _pair(f"k{k}", f"{k} alike", interval=False)]
    return model_table(f"{NAME}-a10", "Task 1: questions on which exactly k people gave the same "
                       "answer (Table A10).", lines, columns, first=PAINTER)  # fmt: skip


def counts_table(found: Found) -> Table:
    """How many prompts, pictures, annotations and labels there are."""
    lines = [
        _line(at.replace("|", ", "), _beside({"value": cell}, 1, why=cell["why"] or ""))
        for at, cell in found.tables["counts"].items()
    ]
    columns = [*_pair("value", "Number", COUNT), Column("why", "Why they differ", wide=True)]
    return model_table(f"{NAME}-counts", "What there is.", lines, columns)


def alpha_table(found: Found) -> Table:
    """Krippendorff's α and the share on which most agree."""
    lines = [
        _line(task.replace("task", "Task "), _beside(
            {"value": cell}, 1, measure=what.format(part), why=cell["why"] or ""
        ))
        for name, what in (("alpha", "α, {}"), ("agreement", "{} of them alike, %"))
        for at, cell in found.tables[name].items()
        for task, _, part in (at.partition("|"),)
    ]  # fmt: skip
    return model_table(
        f"{NAME}-agreement-table",
        "Agreement over all painters (appendix C.2).",
        lines,
        [
            Column("measure", "Measure"),
            *_pair("value", "Value", ".4g", interval=False),
            Column("why", "Why they differ", wide=True),
        ],
        first=Column("task", "Task"),
    )
