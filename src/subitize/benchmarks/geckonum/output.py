"""Tables for people and as files."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.tables import Cell, Tables
from subitize.errors import BadInput
from subitize.published.geckonum import PUBLISHED, SOURCES

__all__ = ["dropped_text", "tables_text", "write_tables"]

SHOWN = 3
"""places named per reason and file when not all are wanted"""
DIGITS = {"p": 3, "n": 0, "chi2": 2}


def dropped_text(labelled: Labelled, *, verbose: bool) -> str:
    """How many rows were used, and which were not and why, a line each."""
    lines = [f"{sum(labelled.used.values()):,} rows used"]
    for one in labelled.dropped:
        size = int(one.records.size)
        places = one.places(None if verbose else SHOWN)
        more = f" and {size - len(places):,} more" if size > len(places) else ""
        lines.append(f"  {size:,} not used: {one.reason}: {', '.join(places)}{more}")
    return "\n".join(lines)


def tables_text(tables: Tables, statistics: Mapping[str, Any] | None, correction: str) -> str:
    """All tables, models below each other; a printed value in brackets where ours differs."""
    parts = [
        _grid(f"{name} ({SOURCES[name]})", _pivot(name, cells))
        for name, cells in tables.items()
        if cells
    ]
    if statistics is not None:
        for name, models in statistics["comparisons"].items():
            if models:
                title = f"{name}, intervals over prompts ({statistics['samples']} samples)"
                parts.append(_grid(title, _comparison_rows(models, correction)))
    return "\n\n".join(parts)


def _pivot(table: str, cells: Mapping[str, Cell]) -> dict[str, dict[str, str]]:
    """Rows of a grid: the part of a cell's name that is the model (or the task) is the row."""
    rows: dict[str, dict[str, str]] = {}
    for name, cell in cells.items():
        parts = name.split("|")
        place = 1 if table in {"table2", "figure5"} else 0
        row = parts.pop(place) if len(parts) > 1 else name
        column = " ".join(parts) if len(name.split("|")) > 1 else "value"
        rows.setdefault(row, {})[column] = _shown(table, name, cell)
    return rows


def _shown(table: str, name: str, cell: Cell) -> str:
    value, interval = cell["value"], cell.get("interval")
    if value is None:
        return "–"
    part = name.rpartition("|")[2]
    usual = {"alpha": 3, "counts": 0}.get(table, 1)
    text = f"{value:,.{DIGITS.get(part, usual)}f}"
    if interval is not None:
        text += f" ({interval[0]:.1f} to {interval[1]:.1f})"
    printed = PUBLISHED[table].get(name)
    if cell["published"] is not None and printed is not None and not printed.agrees(value):
        text += f" [{printed.text}]"
    return text


def _comparison_rows(models: Mapping[str, Any], correction: str) -> dict[str, dict[str, str]]:
    rows = {}
    for model, found in models.items():
        difference = found["difference"]
        low, high = difference["low"], difference["high"]
        row = {"difference": f"{difference['value']:+.1f} ({low:+.1f} to {high:+.1f})"}
        row["Cohen's h"] = f"{found['cohens_h']:+.2f}"
        if found["p"] is None:
            row["p"] = "–"
        else:
            row |= {"φ": f"{found['phi']:+.3f}", "p": f"{found['p']:.3f}"}
            row["permuted p"] = f"{found['permutation_p']:.3f}"
            if correction != "none":
                row[f"p ({correction})"] = f"{found[f'p_{correction}']:.3f}"
        rows[model] = row
    return rows


def _grid(title: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    table = [
        ["", *columns],
        *([name, *(row.get(c, "") for c in columns)] for name, row in rows.items()),
    ]
    widths = [max(len(line[place]) for line in table) for place in range(len(columns) + 1)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]
    return "\n".join([title, *lines])


def write_tables(tables: Tables, labelled: Labelled, folder: Path) -> None:
    """One CSV file per table, and unused.csv with every row that was not used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, cells in tables.items():
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(("cell", "value", "published", "difference", "why", "low", "high"))
                for cell, found in cells.items():
                    low, high = found.get("interval", (None, None))
                    writer.writerow(
                        (cell, found["value"], found["published"], found["difference"],
                         found["why"], low, high)
                    )  # fmt: skip
        with (folder / "unused.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("file", "line", "reason"))
            for one in labelled.dropped:
                for line in one.file.lines(one.records.tolist()):
                    writer.writerow((one.file.name, line, one.reason))
    except OSError as problem:
        raise BadInput(
            f"Can't write the tables to {folder}: {problem.strerror}. Give another --out."
        ) from None
