"""The answers of one or more runs as one table to look at: a row per answer, in the plan's order.

An *item* is a trial, with the answers of everybody who was asked it: the same picture and the same
question have the same id in all runs.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, UnknownName
from subitize.records import Trial
from subitize.reports.people import as_wanted
from subitize.reports.replies import how_far_off
from subitize.runs.answers import build_answers
from subitize.runs.folder import read_info
from subitize.runs.reading import choose_reader
from subitize.runs.stored import StoredRun, each_once, stored_run

OF_READINGS = ("state", "number", "choice", "note", "counts")
UNSEEN = ("settings_hash", "tokens", "of_trial", "of_sample", "of_attempt")
"""columns that the viewer does without"""
MOST_VALUES = 60
"""a condition with more different values is no filter"""
KEPT_READINGS = 3
"""readers whose readings stay in memory"""
SAID = pl.coalesce(
    "choice",
    pl.when(pl.col("number") == pl.col("number").round())
    .then(pl.col("number").cast(pl.Int64, strict=False).cast(pl.String))
    .otherwise(pl.col("number").cast(pl.String)),
)
WANTED = (
    pl.when(pl.col("target").is_null())
    .then(pl.col("target_choice"))
    .when(pl.col("target") == pl.col("target").round())
    .then(pl.col("target").cast(pl.Int64, strict=False).cast(pl.String))
    .otherwise(pl.col("target").cast(pl.String))
)
_MADE = {"said": SAID, "right": as_wanted(), "error": how_far_off()}
"""columns made of a reading"""
OWN = (
    "run", "benchmark", "model", "came", "item", "wanted", "changed", "row", *_MADE,
    "search", "pair", "sort", "page", "reader", "off",
)  # fmt: skip
"""what the viewer calls by names of its own, in its table and in an address"""


class RunsTable:
    """What lies in the run folders, kept in memory as columns."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.runs = each_once(_open(folder) for folder in folders)
        if not self.runs:
            raise BadInput("There is no run to look at: give one or more run folders.")
        self.own, self._order = _table(self.runs)
        # The table has them: once is enough in memory.
        self.runs = [replace(run, answers=run.answers.clear()) for run in self.runs]
        self._by_reader: OrderedDict[str, pl.DataFrame] = OrderedDict()
        self._reading = Lock()

    @cached_property
    def models(self) -> list[str]:
        """Everybody whose answers count, in the order of the runs."""
        found: list[str] = self.own.filter("counts")["model"].unique(maintain_order=True).to_list()
        return found

    @cached_property
    def facets(self) -> dict[str, list[tuple[str, int]]]:
        """What can be chosen from: column and its values, each with how many answers it has."""
        counted = self.own.filter("counts")
        names = ["model", "benchmark", "stage", "state", "wanted", *self._conditions]
        found = {}
        for name in names:
            values = _values(counted, name)
            if name == "wanted":  # targets are chosen by in every benchmark, the usual ones here
                usual = sorted(values, key=lambda pair: -pair[1])[:MOST_VALUES]
                values = [pair for pair in values if pair in usual]
            several = name in ("model", "state", "wanted") or len(values) > 1
            if several and len(values) <= (10_000 if name == "model" else MOST_VALUES):
                found[name] = values
        return found

    @cached_property
    def _conditions(self) -> list[str]:
        """The columns of the trials' conditions."""
        named = (condition_column(name) for run in self.runs for name in run.benchmark.CONDITION)
        return list(dict.fromkeys(named))

    @cached_property
    def folders(self) -> list[str]:
        """What the runs' folders are called."""
        return [run.folder.name for run in self.runs]

    @cached_property
    def filters(self) -> list[str]:
        """Columns that trials are chosen by: also those that have one value in these runs."""
        counted = self.own.filter("counts")
        few = [name for name in ("benchmark", "stage", *self._conditions)
               if counted[name].n_unique() <= MOST_VALUES]  # fmt: skip
        shown = [name for name in self.facets if name not in ("model", "state")]
        # Every cell of the matrix is a link by its target.
        return list(dict.fromkeys([*shown, *few, "wanted"]))

    @cached_property
    def readers(self) -> list[str]:
        """Readers that any of the runs can be read by without asking anybody."""
        names: dict[str, None] = {}
        for run in self.runs:
            names |= dict.fromkeys([*run.benchmark.READERS, *_helpers(run)])
        return list(names)

    def trial(self, item: int) -> Trial:
        """The trial of an item, from the plan of the first run that has it."""
        run, trial = self._order.row(item)
        found: Trial = self.runs[run].trials[trial]
        return found

    def items_of(self, trials: Collection[str]) -> list[int]:
        """The items of these trials, of those that are here."""
        found = self._order["trial"].is_in(list(trials)).arg_true()
        items: list[int] = found.to_list()
        return items

    @property
    def items(self) -> int:
        return self._order.height

    def read_by(self, reader: str) -> pl.DataFrame:
        """The table with other readings; nothing is asked and nothing is written.

        `changed`: whether it reads otherwise than the run's own reader. A run that does not know
        the reader keeps its own readings.
        """
        if not reader:
            return self.own
        if reader not in self.readers:
            raise UnknownName("reader", reader, self.readers)
        with self._reading:
            if reader not in self._by_reader:
                parts = [self._read_anew(place, reader) for place in range(len(self.runs))]
                self._by_reader[reader] = pl.concat(parts)
                while len(self._by_reader) > KEPT_READINGS:
                    self._by_reader.popitem(last=False)
            self._by_reader.move_to_end(reader)
            return self._by_reader[reader]

    def _read_anew(self, place: int, reader: str) -> pl.DataFrame:
        run = self.runs[place]
        own = self.own.filter(pl.col("run") == place)
        if reader == run.reader or reader not in [*run.benchmark.READERS, *_helpers(run)]:
            return own
        chosen = choose_reader(run.benchmark, run.info, reader)
        anew = build_answers(run.folder, run.info, chosen, run.settings).select(OF_READINGS)
        # The table is sorted as planned, the answers lie as they came.
        anew = anew[own["came"].to_list()]
        before = own.select(pl.format("{} {}", "state", pl.col("said").fill_null(""))).to_series()
        found = own.with_columns(anew).with_columns(**_MADE)
        after = pl.format("{} {}", "state", pl.col("said").fill_null(""))
        return found.with_columns(changed=after != before)


def condition_column(name: str) -> str:
    """What a condition is called here: a benchmark may use a name that is the viewer's own."""
    return f"{name}_" if name in OWN else name


def _open(folder: Path) -> StoredRun:
    return stored_run(folder, get_benchmark(read_info(folder)["benchmark"]))


def _helpers(run: StoredRun) -> list[str]:
    return [str(one["name"]) for one in run.info.get("readers", ())]


def _values(counted: pl.DataFrame, name: str) -> list[tuple[str, int]]:
    """The values of a column as text, in their order, with how often each is there."""
    found = counted.select(pl.col(name).cast(pl.String)).drop_nulls()
    many = found.group_by(name, maintain_order=True).len()
    pairs = [(str(value), int(times)) for value, times in many.iter_rows() if value != ""]
    if name == "model":
        return pairs
    if name == "state":
        return sorted(pairs, key=lambda pair: (pair[0] != "read", -pair[1], pair[0]))
    return sorted(pairs, key=lambda pair: in_order(pair[0]))


def in_order(value: str) -> tuple[float, str]:
    """Numbers by their size, before words by their letters."""
    try:
        return float(value), value
    except ValueError:
        return math.inf, value


def _table(runs: Sequence[StoredRun]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All answers with what is made of them; and run and trial of each item."""
    labels = _labels(runs)
    parts = [
        run.answers.drop(UNSEEN)
        .rename({name: condition_column(name) for name in run.benchmark.CONDITION}, strict=False)
        .with_columns(
            run=pl.lit(place, pl.Int64),
            benchmark=pl.lit(run.benchmark.NAME),
            model=pl.col("respondent").replace(labels[place]),
            came=pl.int_range(pl.len()),
        )
        for place, run in enumerate(runs)
    ]
    every = pl.concat(parts, how="diagonal_relaxed").sort(
        "run", "order", "sample", "attempt", maintain_order=True
    )
    order = every.select("run", "trial").unique("trial", keep="first", maintain_order=True)
    places = order.select("trial", item=pl.int_range(pl.len()))
    every = every.join(places, on="trial", how="left", maintain_order="left").with_columns(
        wanted=WANTED, changed=pl.lit(False), row=pl.int_range(pl.len()), **_MADE
    )
    return every, order


def _labels(runs: Sequence[StoredRun]) -> list[Mapping[str, Any]]:
    """What each run's respondents are called: with the folder where two runs share a name."""
    names = [run.answers["respondent"].unique().to_list() for run in runs]
    every = [
        (run.benchmark.NAME, name) for run, own in zip(runs, names, strict=True) for name in own
    ]
    return [
        {
            name: f"{name} ({run.told_from(runs)})"
            for name in own
            if every.count((run.benchmark.NAME, name)) > 1
        }
        for run, own in zip(runs, names, strict=True)
    ]
