"""GeckoNum's tables as a page shows them: our value with its interval, the printed one beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subitize.benchmarks.geckonum import tables as computed
from subitize.benchmarks.geckonum.comparisons import COMPARISONS
from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED
from subitize.reports import cells
from subitize.reports.geckonum_evidence import Evidence, Shares
from subitize.reports.geckonum_figures import Mark
from subitize.reports.page import Cell, Column, Table

__all__ = [
    "agreement_table",
    "alpha_table",
    "comparison_table",
    "drops_table",
    "mark",
    "outcome_table",
    "quantifier_table",
    "share_table",
    "task_table",
]

NAME = "geckonum"


def mark(cell: computed.Cell | None) -> Mark:
    """A cell in percent as a dot."""
    if cell is None:
        return Mark(None)
    low, high = cell.get("interval", (None, None))
    return Mark(*(None if end is None else end / 100
                  for end in (cell["value"], low, high, cell["published"])))  # fmt: skip


def _percent(cell: computed.Cell | None) -> Cell:
    """Our value with its interval."""
    found = mark(cell)
    if found.value is None:
        return Cell(reason=_why(cell))
    interval = ""
    if found.low is not None and found.high is not None:
        interval = f"[{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return Cell(found.value, f"{100 * found.value:.1f} %", found.low, found.high, interval)


def _why(cell: computed.Cell | None) -> str:
    """Why there is no value."""
    return (cell["why"] if cell is not None else None) or "not in these answers"


def _printed(cell: computed.Cell | None) -> Cell:
    value = None if cell is None else cell["published"]
    return cells.percent(None if value is None else value / 100, reason="not in the paper")


def share(found: Mapping[str, Any] | None) -> Cell:
    """A share with its interval."""
    if found is None:
        return Cell(reason="no such prompt in these answers")
    return cells.score({"share": found}, "share", digits=1, share=True)


def task_table(found: Evidence, *, reference: bool) -> Table:
    """Table 2: published values beside the same painters, or as rows of reference."""
    known = [task for task in (1, 2, 3) if _has_task(found, task)]
    rows = [
        [cells.words(painter), *_tasks(found, painter, known, printed=not reference)]
        for painter in found.painters
    ]
    if reference:
        rows += [
            [cells.words(painter, badge="published"), *_printed_tasks(painter, known)]
            for painter in MODELS
        ]
    columns = [Column("painter", "Painter")]
    for task in known:
        columns += [
            Column(f"task{task}", f"Task {task}", numeric=True, interval=True),
            Column(f"task{task}_sem", "SEM", numeric=True),
        ]
        if not reference:
            columns.append(Column(f"task{task}_published", "Published", numeric=True))
    guessed = ", ".join(f"Task {task}: {value:.1f} %" for task, value in BASELINES.items())
    notes = [f"By chance: {guessed}. Task 1 counts all questions about a picture, Task 3 is the "
             "share of yes per picture."]  # fmt: skip
    if reference:
        notes.append("Rows marked published were judged by five people, on all prompts.")
    return Table(
        f"{NAME}-table2",
        "Right labels per task (Table 2), with 95 % intervals over prompts, the standard error as "
        "the paper computes it, and published values.",
        columns,
        rows,
        notes,
    )


def _has_task(found: Evidence, task: int) -> bool:
    return any(cell.startswith(f"task{task}|") for cell in found.tables["table2"])


def _tasks(found: Evidence, painter: str, known: Sequence[int], *, printed: bool) -> list[Cell]:
    row: list[Cell] = []
    for task in known:
        cell = found.tables["table2"].get(f"task{task}|{painter}|accuracy")
        error = found.tables["table2"].get(f"task{task}|{painter}|sem")
        value = None if error is None or error["value"] is None else error["value"] / 100
        row += [_percent(cell), cells.percent(value), *([_printed(cell)] if printed else [])]
    return row


def _printed_tasks(painter: str, known: Sequence[int]) -> list[Cell]:
    row: list[Cell] = []
    for task in known:
        for part in ("accuracy", "sem"):
            printed = PUBLISHED["table2"].get(f"task{task}|{painter}|{part}")
            row.append(cells.percent(printed.value / 100 if printed else None))
    return row


def share_table(name: str, caption: str, groups: Sequence[str], shares: Shares, what: str) -> Table:
    """A row per group, a column per painter."""
    painters = list(shares)
    rows = [
        [cells.words(group), *(share(shares[painter].get(group)) for painter in painters)]
        for group in groups
    ]
    columns = [Column("group", what)] + [
        Column(painter, painter, numeric=True, interval=True) for painter in painters
    ]
    return Table(f"{NAME}-{name}", caption, columns, rows)


def quantifier_table(found: Evidence) -> Table:
    """Figure 5: a row per phrase, two columns per painter."""
    made = found.tables["figure5"]
    phrases = dict.fromkeys(cell.partition("|")[0] for cell in made)
    painters = [one for one in found.painters if any(c.endswith(f"|{one}") for c in made)]
    known = {cell for cell, value in made.items() if value["published"] is not None}
    printed = [one for one in painters if any(cell.endswith(f"|{one}") for cell in known)]
    rows, columns = [], [Column("phrase", "Prompt")]
    for painter in painters:
        columns.append(Column(painter, painter, numeric=True, interval=True))
        if painter in printed:
            columns.append(Column(f"{painter}_published", "Published", numeric=True))
    for phrase in phrases:
        row = [cells.words(phrase)]
        for painter in painters:
            cell = made.get(f"{phrase}|{painter}")
            row += [_percent(cell), *([_printed(cell)] if painter in printed else [])]
        rows.append(row)
    caption = "Pictures that are described as the prompt asks (Figure 5)."
    return Table(f"{NAME}-figure5", caption, columns, rows)


def comparison_table(found: Evidence, table: str) -> Table:
    """One of Tables A3, A4, A6, A7, A8 with what the paper leaves out."""
    one, other = COMPARISONS[table].first, COMPARISONS[table].second
    rows = []
    for painter in found.painters:
        made = {
            part: found.tables[table].get(f"{painter}|{part}")
            for part in ("accuracy_1", "accuracy_2", "chi2", "p", "n")
        }
        if made["n"] is None:
            continue
        more = found.comparisons.get(table, {}).get(painter, {})
        rows.append(
            [
                cells.words(painter),
                _percent(made["accuracy_1"]),
                _printed(made["accuracy_1"]),
                _percent(made["accuracy_2"]),
                _printed(made["accuracy_2"]),
                _points(more.get("difference")),
                _number(made["chi2"], 2),
                _number_printed(made["chi2"], 2),
                _number(made["p"], 3),
                cells.number(more.get("p_holm"), 3, reason="no test"),
                cells.number(more.get("phi"), 2, reason="no test"),
                cells.number(more.get("permutation_p"), 3, reason="no test"),
            ]
        )
    return Table(
        f"{NAME}-{table}",
        f"{one.capitalize()} against {other} (Table {table.upper()}), true numbers 1 to 4.",
        [
            Column("painter", "Painter"),
            Column("first", one.capitalize(), numeric=True, interval=True),
            Column("first_published", "Published", numeric=True),
            Column("second", other.capitalize(), numeric=True, interval=True),
            Column("second_published", "Published", numeric=True),
            Column("difference", "Difference", numeric=True, interval=True,
                   help="points, with interval over prompts"),
            Column("chi2", "χ²", numeric=True, help="with Yates' correction, as the paper"),
            Column("chi2_published", "Published", numeric=True),
            Column("p", "p", numeric=True),
            Column("p_holm", "p, Holm", numeric=True, help="corrected over the painters"),
            Column("phi", "φ", numeric=True, help="effect size"),
            Column("permutation", "p, shuffled", numeric=True, help="permutation control"),
        ],
        rows,
    )  # fmt: skip


def _points(found: Mapping[str, Any] | None) -> Cell:
    if found is None:
        return Cell(reason="one of the groups is empty")
    low, high = found["low"], found["high"]
    text = f"{found['value']:+.1f}".replace("-", "−")
    return Cell(found["value"], text, low, high, f"[{low:.1f}, {high:.1f}]".replace("-", "−"))


def _number(cell: computed.Cell | None, digits: int) -> Cell:
    if cell is None or cell["value"] is None:
        return Cell(reason=_why(cell))
    return cells.number(cell["value"], digits)


def _number_printed(cell: computed.Cell | None, digits: int) -> Cell:
    value = None if cell is None else cell["published"]
    return cells.number(value, digits, reason="not in the paper")


def drops_table(found: Evidence) -> Table:
    """Table A5: a row per painter and step, two columns per number."""
    steps: dict[tuple[str, str], dict[str, computed.Cell]] = {}
    for name, cell in found.tables["a5"].items():
        painter, step, number = name.split("|")
        steps.setdefault((painter, step), {})[number] = cell
    numbers = sorted({number for own in steps.values() for number in own})
    rows = []
    for (painter, step), own in steps.items():
        row = [cells.words(painter), cells.words(step.replace("->", " → "))]
        for number in numbers:
            row += [_change(own.get(number)), _number_printed(own.get(number), 1)]
        rows.append(row)
    columns = [Column("painter", "Painter"), Column("step", "From → to")]
    for number in numbers:
        columns += [
            Column(f"change_{number}", f"Number {number}", numeric=True, interval=True),
            Column(f"published_{number}", "Published", numeric=True),
        ]
    caption = "How accuracy changes when a number stands beside others (Table A5), in points."
    return Table(f"{NAME}-a5", caption, columns, rows)


def _change(cell: computed.Cell | None) -> Cell:
    interval = None if cell is None else cell.get("interval")
    if cell is None or cell["value"] is None or not interval:
        return _number(cell, 1)
    return _points({"value": cell["value"], "low": interval[0], "high": interval[1]})


def outcome_table(found: Evidence) -> Table:
    """What became of pictures of several things."""
    rows = [
        [cells.words(kind), cells.words(painter), *(share(one) for one in parts.values())]
        for kind, painters in found.outcomes.items()
        for painter, parts in painters.items()
    ]
    names = next(
        (list(parts) for painters in found.outcomes.values() for parts in painters.values()), []
    )
    columns = [Column("type", "Prompt type"), Column("painter", "Painter")]
    columns += [Column(name, name.capitalize(), numeric=True, interval=True) for name in names]
    caption = "Prompts that ask for several things: what became of their pictures."
    return Table(f"{NAME}-outcomes", caption, columns, rows)


def agreement_table(found: Evidence) -> Table:
    """Table A10: how many people gave the same answer."""
    tables = found.tables["a10"]
    ks = sorted({int(cell.rpartition("|")[2]) for cell in tables})
    rows = []
    for painter in found.painters:
        row = [cells.words(painter)]
        for k in ks:
            cell = tables.get(f"{painter}|{k}")
            row += [_percent(cell), _printed(cell)]
        rows.append(row)
    columns = [Column("painter", "Painter")]
    for k in ks:
        columns += [
            Column(f"k{k}", f"{k} alike", numeric=True),
            Column(f"k{k}_published", "Published", numeric=True),
        ]
    return Table(f"{NAME}-a10", "Task 1: questions on which exactly k people gave the same answer "
                 "(Table A10).", columns, rows)  # fmt: skip


def alpha_table(found: Evidence) -> Table:
    """Krippendorff's α and the share on which most agree."""
    rows = []
    for name, scale in (("alpha", 1), ("agreement", 100)):
        for cell, value in found.tables[name].items():
            task, _, what = cell.partition("|")
            digits = 4 if scale == 1 else 1
            rows.append(
                [
                    cells.words(task.replace("task", "Task ")),
                    cells.words(f"α, {what}" if name == "alpha" else f"{what} of them alike, %"),
                    _number(value, digits),
                    _number_printed(value, 3 if scale == 1 else 0),
                    cells.words(value["why"] or ""),
                ]
            )
    return Table(
        f"{NAME}-agreement-table",
        "Agreement over all painters (appendix C.2).",
        [
            Column("task", "Task"),
            Column("measure", "Measure"),
            Column("value", "Value", numeric=True),
            Column("published", "Published", numeric=True),
            Column("why", "Why they differ", wide=True),
        ],
        rows,
    )
