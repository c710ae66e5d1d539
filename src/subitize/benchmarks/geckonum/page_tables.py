"""GeckoNum's tables as a page, a terminal and files show them.

Our value with its interval, the printed one beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from subitize.benchmarks.geckonum.answers import People
from subitize.benchmarks.geckonum.breakdowns import OUTCOMES, Shares
from subitize.benchmarks.geckonum.comparisons import COMPARISONS, PHRASES
from subitize.benchmarks.geckonum.labels import parts
from subitize.benchmarks.geckonum.page_found import NAME, Found
from subitize.benchmarks.geckonum.tables import Cell
from subitize.datasets.geckonum.recipe import zipf
from subitize.errors import BadInput
from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED, SOURCES, TITLES
from subitize.records import Score
from subitize.reports.cells import COUNT, Line, columns, model_table
from subitize.reports.page import MISSING, Column, Table

CORRECTIONS = {"holm": "Holm", "bh": "Benjamini–Hochberg", "none": "none"}
PAINTER = Column("painter", "Painter")
SHOWN = 3
"""places named per reason and file when not all are wanted"""


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
    """Our value, its n and the printed one; a painter's name may hold anything."""
    (ours,), (theirs,) = columns(f"x::{form}"), columns(f"x::{form.removesuffix('±')}")
    return [
        Column(name, label, ours.form, interval=ours.interval),
        Column(f"{name}_n", "n", COUNT),
        Column(f"{name}_published", "Published", theirs.form),
    ]


def _of_tasks(found: Found, painter: str, tasks: Sequence[int]) -> dict[str, Any]:
    """How many labels there are of each task, and the share of answers not read."""
    cells = {f"task{task}": f"task{task}|{painter}|accuracy" for task in tasks}
    unread = {f"task{task}_unread": found.not_read(painter, task) for task in tasks}
    return {**unread, **found.sizes_of("table2", cells)}


def _titled(words: str) -> str:
    """With painters named as the paper names them."""
    for name, title in TITLES.items():
        words = words.replace(name, title)
    return words


def task_table(found: Found, *, reference: bool) -> Table:
    """Table 2: published values beside the same painters, or as rows of reference."""
    cells = found.tables["table2"]
    known = [task for task in (1, 2, 3) if any(c.startswith(f"task{task}|") for c in cells)]
    places = {f"task{task}": f"task{task}|{{}}|accuracy" for task in known}
    places |= {f"task{task}_sem": f"task{task}|{{}}|sem" for task in known}
    lines = [
        _line(
            painter,
            {name: cells.get(at.format(painter)) for name, at in places.items()},
            **_of_tasks(found, painter, known),
        )
        for painter in found.painters
    ]
    for painter in MODELS if reference else ():
        published = {
            name: PUBLISHED["table2"].get(at.format(painter)) for name, at in places.items()
        }
        values = {name: one.value / 100 for name, one in published.items() if one}
        lines.append(Line(painter, values, "published", ""))
    shown: list[Column] = []
    for task in known:
        ours, size, beside = _pair(f"task{task}", f"Task {task}")
        sem, unread = columns(f"task{task}_sem:SEM:.1%; task{task}_unread:Not read:.1%")
        shown += [ours, size, unread, sem, *([] if reference else [beside])]
    notes = [_on_tasks(known)] if known else []
    theirs = [column for column in shown if column.name.endswith("_published")]
    told = reference or any(line.cell(at).value is not None for line in lines for at in theirs)
    if reference:
        notes.append("Rows marked published were judged by five people, on all prompts.")
    table = model_table(
        f"{NAME}-table2",
        "Right labels per task (Table 2), with 95 % intervals over prompts, the standard error as "
        "the paper computes it" + (", and published values." if told else "."),
        lines, shown, notes=notes, first=PAINTER,
    )  # fmt: skip
    own = len(found.painters)
    return table._replace(groups=[("", own), ("Published", len(lines) - own)][: 1 + reference])


def _on_tasks(known: Sequence[int]) -> str:
    """What guessing gives in the tasks that were asked, and what they count."""
    guessed = ", ".join(f"Task {task}: {BASELINES[task]:.1f} %" for task in known)
    meant = {1: " Task 1 counts all questions about a picture.",
             3: " Task 3 is the share of yes per picture."}  # fmt: skip
    return f"By chance: {guessed}." + "".join(meant.get(task, "") for task in known)


def share_table(name: str, caption: str, groups: Sequence[str], shares: Shares, what: str) -> Table:
    """A row per group, a column per painter."""
    missing = "no such prompt in these answers"
    lines = [
        Line(group, _with_sizes({one: own.get(group) for one, own in shares.items()}), "", missing)
        for group in groups
    ]
    shown = [column for painter in shares for column in _pair(painter, painter)[:2]]
    return model_table(name, caption, lines, shown, first=Column("group", what))


def _with_sizes(shares: Mapping[str, Score | None]) -> dict[str, Any]:
    return {**shares, **{f"{name}_n": one.trials for name, one in shares.items() if one}}


def quantifier_table(found: Found, phrases: Sequence[str]) -> Table:
    """Figure 5: a row per phrase, two columns per painter."""
    made = found.tables["figure5"]
    painters = [one for one in found.painters if any(c.endswith(f"|{one}") for c in made)]
    lines = [
        _line(phrase, {one: made.get(f"{phrase}|{one}") for one in painters},
              **found.sizes_of("figure5", {one: f"{phrase}|{one}" for one in painters}))
        for phrase in phrases
    ]  # fmt: skip
    shown: list[Column] = []
    for one in painters:
        theirs = any(made[c]["published"] is not None for c in made if c.endswith(f"|{one}"))
        shown += _pair(one, one)[: 3 if theirs else 2]
    caption = "Pictures that are described as the prompt asks (Figure 5)."
    return model_table(f"{NAME}-figure5", caption, lines, shown, first=Column("phrase", "Prompt"))


def comparison_table(found: Found, table: str, correction: str = "holm") -> Table:
    """One of Tables A3, A4, A6, A7, A8 with what the paper leaves out."""
    made, (one, other) = found.tables[table], COMPARISONS[table][:2]
    shown = {"first": "accuracy_1", "second": "accuracy_2"}, {"chi2": "chi2", "p": "p"}
    lines = []
    for painter in found.painters:
        if f"{painter}|n" in made:
            shares, test = (
                _line("", {name: made[f"{painter}|{part}"] for name, part in own.items()}, scale)
                for own, scale in zip(shown, (100, 1), strict=True)
            )
            why = {**shares.values["undefined"], **test.values["undefined"]}
            more = found.comparisons.get(table, {}).get(painter, {})
            sizes = found.sizes_of(table, {n: f"{painter}|{part}" for n, part in shown[0].items()})
            values = {**shares.values, **test.values, **more, **sizes, "undefined": why}
            lines.append(Line(painter, values, missing="no test"))
    return model_table(
        f"{NAME}-{table}",
        f"{one.capitalize()} against {other} (Table {table.upper()}), true numbers 1 to 4.",
        lines,
        [
            *_pair("first", one.capitalize()),
            *_pair("second", other.capitalize()),
            *columns("difference:Difference:+.1f±; chi2:χ²:.2f; "
                     "chi2_published:Published:.2f; p:p:p; "
                     f"p_{correction}:p ({CORRECTIONS[correction]}):p; phi:φ:.2f; "
                     "permutation_p:p, shuffled:p"),
        ],
        notes=["The difference is in points, with its interval over prompts; χ² has Yates' "
               "correction, as in the paper; p is corrected over the painters."],
        first=PAINTER,
    )  # fmt: skip


def drops_table(found: Found) -> Table:
    """Table A5: a row per painter and step, two columns per number."""
    steps: dict[tuple[str, str], dict[str, str]] = {}
    for at in found.tables["a5"]:
        painter, step, number = at.split("|")
        steps.setdefault((painter, step.replace("->", " → ")), {})[f"change_{number}"] = at
    lines = [
        _line(painter, {name: found.tables["a5"][at] for name, at in own.items()}, 1, step=step,
              **found.sizes_of("a5", own))
        for (painter, step), own in steps.items()
    ]  # fmt: skip
    shown = columns("step:From → to")
    for name in sorted({name for own in steps.values() for name in own}):
        shown += _pair(name, name.replace("change_", "Number "), "+.1f±")
    caption = "How accuracy changes when a number stands beside others (Table A5), in points."
    return model_table(f"{NAME}-a5", caption, lines, shown, first=PAINTER)


def noun_table(labels: pl.DataFrame) -> Table:
    """How often each noun was asked for and came out right, and its frequency in English."""
    nouns = labels.group_by("noun", maintain_order=True).agg(
        labels=pl.len(), right=pl.col("right").mean()
    )
    lines = [
        Line(noun, {"zipf": zipf(noun), "labels": many, "right": right})
        for noun, many, right in nouns.iter_rows()
    ]
    lines.sort(key=lambda line: (-line.values["zipf"], line.label))
    return model_table(
        f"{NAME}-nouns",
        "Nouns, the most frequent first.",
        lines,
        columns("zipf:Zipf frequency:.2f; labels::n; right:Right labels:.1%"),
        notes=["Zipf frequency: log₁₀ of how often the word comes in a billion words of English; "
               "of a phrase that of its first word. The paper's rare nouns lie below 3.78."],
        first=Column("noun", "Noun"),
    )  # fmt: skip


def outcome_table(outcomes: Mapping[str, Shares]) -> Table:
    """What became of pictures of several things."""
    lines = [
        Line(kind, {"painter": painter, **shares, "n": shares[OUTCOMES[0]].trials})
        for kind, painters in outcomes.items()
        for painter, shares in painters.items()
    ]
    caption = "Prompts that ask for several things: what became of their pictures."
    shown = [PAINTER, *columns("; ".join(f"{one}::.1%±" for one in OUTCOMES) + "; n:Pictures:n")]
    return model_table(
        f"{NAME}-outcomes", caption, lines, shown, first=Column("type", "Prompt type")
    )


def agreement_table(found: Found) -> Table:
    """Table A10: how many people gave the same answer."""
    made = found.tables["a10"]
    ks = sorted({int(cell.rpartition("|")[2]) for cell in made})
    lines = [
        _line(painter, {f"k{k}": made.get(f"{painter}|{k}") for k in ks},
              **found.sizes_of("a10", {"label": painter}))
        for painter in found.painters
    ]  # fmt: skip
    shown = columns("label_n:n:n")
    for k in ks:
        ours, _, theirs = _pair(f"k{k}", f"{k} alike", ".1%")
        shown += [ours, theirs]
    return model_table(f"{NAME}-a10", "Task 1: questions on which exactly k people gave the same "
                       "answer (Table A10).", lines, shown, first=PAINTER)  # fmt: skip


def alpha_table(found: Found) -> Table:
    """Krippendorff's α and the share on which most agree."""
    lines = [
        _line(task.replace("task", "Task "), {"value": cell}, 1, measure=what.format(part),
              why=_titled(cell["why"] or ""), **found.sizes_of(name, {"value": task}))
        for name, what in (("alpha", "α, {}"), ("agreement", "{} of them alike, %"))
        for at, cell in found.tables[name].items()
        for task, _, part in (at.partition("|"),)
    ]  # fmt: skip
    shown = columns("measure; value::.4g; value_n:n:n; value_published:Published:.4g; "
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


def dropped_text(people: People, *, verbose: bool) -> str:
    """How many rows were used, and which were not and why, a line each."""
    rows = people.rows()
    lines = [f"{rows.used:,} rows used"]
    if not people.files:  # a run folder knows how many, the files where
        lines += [f"  {n:,} not used: {reason}" for reason, n in rows.dropped.items()]
    for reason, file, numbers in _unused(people):
        places = [f"{file}:{line}" for line in (numbers if verbose else numbers[:SHOWN])]
        more = f" and {len(numbers) - len(places):,} more" if len(numbers) > len(places) else ""
        lines.append(f"  {len(numbers):,} not used: {reason}: {', '.join(places)}{more}")
    return "\n".join(lines)


def _unused(people: People) -> Iterator[tuple[str, str, list[int]]]:
    """Reason, file and lines of rows that are not used."""
    for (reason, file), own in parts(people.unused.sort("file", "line"), "reason", "file"):
        yield reason, people.files[int(file)].name, own["line"].to_list()


def tables_text(found: Found, correction: str) -> str:
    """All tables as the report has them, without columns that hold nothing."""
    made = {
        "table2": task_table(found, reference=False),
        "figure5": quantifier_table(found, list(PHRASES)),
        **{name: comparison_table(found, name, correction) for name in COMPARISONS},
        "a5": drops_table(found),
        "a10": agreement_table(found),
        "alpha": alpha_table(found),
        "counts": counts_table(found),
    }
    grids = {name: _grid(table) for name, table in made.items()}
    return "\n\n".join(
        f"{name} ({SOURCES[name]})\n{grid}\n{found.noted(made[name]).notes[-1]}"
        for name, grid in grids.items()
        if grid
    )


def _grid(table: Table) -> str:
    """A table as lines of words, its columns below each other; empty where no cell has a value."""
    columns = [
        [column.label, *(f"{row[place].shown} {row[place].interval}".strip() for row in table.rows)]
        for place, column in enumerate(table.columns)
        if not column.wide
    ]
    known = [column for column in columns if set(column[1:]) - {MISSING}]
    padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in known]
    lines = ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]
    return "\n".join(lines) if len(known) > 1 else ""


def write_tables(found: Found, people: People, folder: Path) -> None:
    """One CSV file per table, and unused.csv with every row that was not used."""
    heads = ("cell", "value", "published", "difference", "why", "low", "high", "n", "not_read")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, cells in found.tables.items():
            lines = [
                (at, *map(dict(cell).get, heads[1:5]), *cell.get("interval", (None, None)),
                 found.size_of(name, at), found.not_read_of(name, at))
                for at, cell in cells.items()
            ]  # fmt: skip
            pl.DataFrame(lines, heads, orient="row", infer_schema_length=None).write_csv(
                folder / f"{name}.csv"
            )
        unused = [(file, line, why) for why, file, own in _unused(people) for line in own]
        rows = pl.DataFrame(unused, ["file", "line", "reason"], orient="row")
        rows.write_csv(folder / "unused.csv")
    except OSError as problem:
        raise BadInput(
            f"Can't write the tables to {folder}: {problem.strerror}. Give another --out."
        ) from None
