"""Tables for people at a terminal and as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from subitize.benchmarks.geckonum import page_tables as page
from subitize.benchmarks.geckonum.answers import People
from subitize.benchmarks.geckonum.comparisons import COMPARISONS, PHRASES
from subitize.benchmarks.geckonum.labels import parts
from subitize.benchmarks.geckonum.tables import Tables
from subitize.errors import BadInput
from subitize.published.geckonum import SOURCES
from subitize.reports.page import MISSING, Table

SHOWN = 3
"""places named per reason and file when not all are wanted"""


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
    for (reason, file), own in parts(people.unused.sort("file", "record"), "reason", "file"):
        found = people.files[int(file)]
        yield reason, found.name, found.lines(own["record"].to_list())


def tables_text(found: page.Found, correction: str) -> str:
    """All tables as the report has them, without columns that hold nothing."""
    made = {
        "table2": page.task_table(found, reference=False),
        "figure5": page.quantifier_table(found, list(PHRASES)),
        **{name: page.comparison_table(found, name, correction) for name in COMPARISONS},
        "a5": page.drops_table(found),
        "a10": page.agreement_table(found),
        "alpha": page.alpha_table(found),
        "counts": page.counts_table(found),
    }
    shown = {f"{name} ({SOURCES[name]})": _grid(table) for name, table in made.items()}
    return "\n\n".join(f"{title}\n{grid}" for title, grid in shown.items() if grid)


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


def write_tables(tables: Tables, people: People, folder: Path) -> None:
    """One CSV file per table, and unused.csv with every row that was not used."""
    heads = ("cell", "value", "published", "difference", "why", "low", "high")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, cells in tables.items():
            lines = [
                (cell, *map(dict(found).get, heads[1:5]), *found.get("interval", (None, None)))
                for cell, found in cells.items()
            ]
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
