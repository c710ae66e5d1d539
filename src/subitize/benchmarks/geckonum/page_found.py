"""What GeckoNum's tables are made from, and what each of them stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from subitize.benchmarks.geckonum.labels import painters_of
from subitize.benchmarks.geckonum.tables import Tables, table_sizes
from subitize.published.geckonum import TITLES
from subitize.reports.cells import text
from subitize.reports.page import Table

NAME = "geckonum"
SEVERAL_TASKS = ("table2", "types", "agreement-table", "agreement", "alpha", "counts")
"""tables about more than one task; Figure 5 is about Task 2, all others about Task 1"""


def readable(name: str) -> str:
    """A painter or prompt type as a reader knows it; files of annotations write _ for a space.

    >>> readable("dalle_3"), readable("painter_shapes_size_256"), readable("painter/my_own")
    ('DALL-E 3', 'painter shapes size 256', 'painter/my_own')
    """
    return TITLES.get(name) or (name if "/" in name else name.replace("_", " "))


@dataclass(frozen=True)
class Found:
    """What the page of some labels is made from."""

    labels: pl.DataFrame
    """a row per picture and question"""
    tables: Tables
    """the paper's, with intervals over prompts"""
    comparisons: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """table: painter: differences, effect sizes, corrected p-values"""
    unread: pl.DataFrame
    """painter, task, answers, unread: how many answers could not be read"""

    @cached_property
    def sizes(self) -> Mapping[str, Mapping[str, int]]:
        """table: cell: how many labels it stands on"""
        return table_sizes(self.labels.drop("values"))

    @property
    def painters(self) -> list[str]:
        return painters_of(self.labels)

    def sizes_of(self, table: str, cells: Mapping[str, str]) -> dict[str, Any]:
        """How many labels cells stand on, as NAME_n by the names they have in a line."""
        return {f"{name}_n": self.sizes[table].get(cell) for name, cell in cells.items()}

    def size_of(self, table: str, cell: str) -> int | None:
        """How many labels one cell stands on; those of one share stand on the same."""
        known = self.sizes[table]
        places = (cell, cell.partition("|")[0], f"{cell.rpartition('|')[0]}|accuracy")
        return next((known[place] for place in places if place in known), None)

    def not_read(self, painter: str | None, task: int | None = None) -> float | None:
        """The share of answers about a painter's pictures (or all) that could not be read."""
        chosen = [
            (answers, unread) for whose, of, answers, unread in self._unread
            if painter in {None, whose} and task in {None, of}
        ]  # fmt: skip
        asked = sum(answers for answers, _ in chosen)
        return sum(unread for _, unread in chosen) / asked if asked else None

    @cached_property
    def _unread(self) -> list[tuple[str, int, int, int]]:
        return self.unread.select("painter", "task", "answers", "unread").rows()

    def not_read_of(self, table: str, cell: str) -> float | None:
        """The share not read of the painter and task that a cell is about."""
        words = cell.split("|")
        painter = next((word for word in words if word in self.painters), None)
        named = next((int(word[-1]) for word in words if word in ("task1", "task2", "task3")), None)
        return self.not_read(painter, named or _task_of(table))

    def noted(self, table: Table) -> Table:
        """A table with the share not read, of its own task, as its last note."""
        task = _task_of(table.name.removeprefix(f"{NAME}-"))
        painters = self.unread["painter"].unique().sort()
        shares = {one: self.not_read(one, task) for one in painters}
        listed = ", ".join(
            f"{readable(one)} {text(share, '.1%')}"
            for one, share in shares.items()
            if share is not None
        )
        about = f"Answers of Task {task}" if task else "Answers"
        told = f"{about} not read: {listed}." if any(shares.values()) else "Every answer was read."
        return table._replace(notes=[*table.notes, f"n: labels. {told}"])


def _task_of(table: str) -> int | None:
    """The one task that a table is about."""
    return None if table in SEVERAL_TASKS else 2 if table == "figure5" else 1
