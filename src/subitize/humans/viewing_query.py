"""What the viewer is asked for: which trials, in which order, and the figures made of them.

`viewing-bundle.js` answers the same questions in the browser for a copy without a server; a test
holds both to the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from subitize.errors import BadInput, UnknownName
from subitize.humans.viewing_pictures import named_picture
from subitize.humans.viewing_table import RunsTable, in_order

PAGE = 20
"""trials on a page"""
CUT = 4000
"""letters of a reply that are shown at once"""
SORTS = ("plan", "disagreement", "error", "slowest")
PAIRS = ("both-right", "only-first", "only-second", "both-wrong")
MOST_CELLS = 40
"""rows or columns of the matrix; further values are left out of it"""
OF_ANSWERS = ("state", "said", "right", "changed", "off")
OFF = re.compile(r"(<=|>=|)(-?[0-9]{1,9})")
"""how far the number said is from the target: so many, at most or at least so many"""
NOT_READ = "–"
"""stands in the matrix for answers that were not read"""


@dataclass(frozen=True)
class Query:
    """Which trials, in which order."""

    models: tuple[str, ...] = ()
    """whose answers are looked at; empty: everybody's"""
    trials: Mapping[str, str] = field(default_factory=dict)
    """column of a trial: its value"""
    answers: Mapping[str, str] = field(default_factory=dict)
    """column of an answer: its value; a trial is there when any answer to it fits all of them"""
    search: str = ""
    """words that all stand in one reply"""
    pair: str = ""
    """of two models: one of PAIRS"""
    sort: str = SORTS[0]
    page: int = 0
    reader: str = ""
    """another reader than the runs' own"""
    run: str = ""
    """the folder of one run, whose answers are looked at"""


def query_from(table: RunsTable, given: Mapping[str, str], models: tuple[str, ...]) -> Query:
    """From what stands in an address; unknown names and values are told."""
    known = table.filters
    trials: dict[str, str] = {}
    answers: dict[str, str] = {}
    rest: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("search", "pair", "sort", "reader", "run"):
            rest[name] = value
        elif name == "page":
            rest["page"] = int(value) if value.isdecimal() and len(value) < 9 else 0
        elif name in OF_ANSWERS:
            answers[name] = value
        elif name in known:
            trials[name] = value
        elif name != "model":
            raise UnknownName("filter", name, sorted({*known, *OF_ANSWERS, *rest}))
    made = Query(models=models, trials=trials, answers=answers, **rest)
    if made.sort not in SORTS:
        raise UnknownName("order", made.sort, SORTS)
    if made.pair and (made.pair not in PAIRS or len(models) != 2):
        raise BadInput("Two models can be compared: choose two, and one of the four outcomes.")
    for model in models:
        if model not in table.models:
            raise UnknownName("model", model, table.models)
    if made.run and made.run not in table.folders:
        raise UnknownName("run", made.run, table.folders)
    if "off" in answers and not OFF.fullmatch(answers["off"]):
        raise BadInput(f"How far off is {answers['off']!r}: give a number such as -2 or >=3.")
    return made


def scope(table: RunsTable, query: Query, without: tuple[str, ...] = ()) -> pl.DataFrame:
    """The answers that count of the chosen models to the chosen trials."""
    every = table.read_by(query.reader)
    wanted = pl.col("counts")
    if query.models:
        wanted &= pl.col("model").is_in(list(query.models))
    if query.run:
        wanted &= pl.col("run") == table.folders.index(query.run)
    for name, value in query.trials.items():
        if name not in without:
            wanted &= pl.col(name).cast(pl.String) == value
    return every.filter(wanted)


def fitting(found: pl.DataFrame, query: Query, without: tuple[str, ...] = ()) -> pl.Series:
    """Which of these answers fit all that is wanted of an answer."""
    fits = pl.repeat(True, pl.len())
    for name, value in query.answers.items():
        if name in without:
            continue
        if name in ("right", "changed"):
            fits &= pl.col(name) == (value == "yes")
        elif name == "off":
            fits &= (pl.col("state") == "read") & _off(value)
        elif name == "said" and value == NOT_READ:
            fits &= pl.col("state") != "read"
        elif name == "said":
            fits &= (pl.col("state") == "read") & (pl.col("said") == value)
        else:
            fits &= pl.col(name) == value
    for word in query.search.split():
        pattern = f"(?i){_escaped(word)}"
        fits &= pl.col("value").str.contains(pattern)
    return found.select(fits=fits.fill_null(False)).to_series()


def _off(value: str) -> pl.Expr:
    """How far the number said is from the target."""
    found = OFF.fullmatch(value)
    assert found is not None  # it was looked at where it came in
    off, bound = pl.col("number") - pl.col("target"), float(found[2])
    return off <= bound if found[1] == "<=" else off >= bound if found[1] == ">=" else off == bound


def _escaped(word: str) -> str:
    """A word as it stands, for the expressions of Rust."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&\-~])", r"\\\1", word)


def _ordered(found: pl.DataFrame, query: Query) -> list[int]:
    """The items of these answers, in the order wanted."""
    if query.sort == "plan":
        items: list[int] = found["item"].unique().sort().to_list()
        return items
    if query.sort == "slowest":
        keyed = found.group_by("item").agg(
            key=pl.col("seconds").max().fill_null(0.0), more=pl.lit(0.0)
        )
    elif query.sort == "error":
        keyed = found.group_by("item").agg(
            key=pl.col("error").max().fill_null(-1.0), more=pl.lit(0.0)
        )
    else:
        keyed = disagreement(found).rename({"disagreement": "key", "spread": "more"})
    ordered: list[int] = keyed.sort("key", "more", "item", descending=[True, True, False])[
        "item"
    ].to_list()
    return ordered


def disagreement(found: pl.DataFrame) -> pl.DataFrame:
    """How far the answers to each item differ.

    `disagreement`: the share of answers that are not the most common one, where one that was not
    read is an answer by its state; `spread`: largest minus smallest number, as a share of the
    largest.
    """
    what = pl.when(pl.col("state") == "read").then("said").otherwise(pl.format("({})", "state"))
    read = pl.col("number").filter(pl.col("state") == "read")
    times = found.select("item", "number", "state", what=what).with_columns(
        times=pl.len().over("item", "what")
    )
    return times.group_by("item").agg(
        disagreement=1 - pl.col("times").max() / pl.len(),
        spread=((read.max() - read.min()) / pl.max_horizontal(read.max(), 1.0)).fill_null(0.0),
    )


def _of_pair(found: pl.DataFrame, query: Query) -> pl.DataFrame:
    """Items that both models answered, with who was right in all answers to it."""
    first, second = query.models
    right = pl.col("right").fill_null(False)
    each = found.group_by("item").agg(
        first=right.filter(pl.col("model") == first).all(),
        second=right.filter(pl.col("model") == second).all(),
        models=pl.col("model").n_unique(),
    )
    return each.filter(pl.col("models") == 2)


def _outcome(pair: str) -> pl.Expr:
    one, two = {
        "both-right": (True, True), "only-first": (True, False),
        "only-second": (False, True), "both-wrong": (False, False),
    }[pair]  # fmt: skip
    return (pl.col("first") == one) & (pl.col("second") == two)


def trials_page(table: RunsTable, query: Query) -> dict[str, Any]:
    """One page of trials, each with all its answers side by side."""
    every = scope(table, query)
    fits = every.filter(fitting(every, query))
    found = every.join(fits, on="item", how="semi", maintain_order="left")
    if query.pair:
        pairs = _of_pair(every, query).filter(_outcome(query.pair))
        found = found.join(pairs, on="item", how="semi", maintain_order="left")
    items = _ordered(found, query)
    pages = max(1, -(-len(items) // PAGE))
    page = min(query.page, pages - 1)
    shown = items[page * PAGE : (page + 1) * PAGE]
    told = _items(table, query, shown, set(fits.filter(pl.col("item").is_in(shown))["row"]))
    return {
        "trials": len(items), "answers": found.height, "page": page, "pages": pages, "items": told
    }  # fmt: skip


def _items(
    table: RunsTable, query: Query, shown: list[int], fits: set[int]
) -> list[dict[str, Any]]:
    every = table.read_by(query.reader)
    rows = every.filter(pl.col("item").is_in(shown))
    own = table.own.filter(pl.col("item").is_in(shown)).select("row", "state", "said")
    before = {row: said if state == "read" else state for row, state, said in own.iter_rows()}
    grouped: dict[int, list[dict[str, Any]]] = {item: [] for item in shown}
    chosen = set(query.models or table.models)
    for row in rows.iter_rows(named=True):
        counts = row["counts"] and row["model"] in chosen
        if counts or not row["counts"]:
            told = answer_of(row)
            told["fits"] = row["row"] in fits
            if row["changed"]:
                told["before"] = before[row["row"]]
            grouped[row["item"]].append(told)
    return [_item(table, item, grouped[item]) for item in shown]


def answer_of(row: Mapping[str, Any], cut: int = CUT) -> dict[str, Any]:
    """An answer as the page shows it."""
    value = row["value"] or ""
    return {
        "row": row["row"], "model": row["model"], "kind": row["kind"], "value": value[:cut],
        "cut": max(0, len(value) - cut), "stop": row["stop"], "state": row["state"],
        "said": row["said"], "right": row["right"], "note": row["note"] or "",
        "seconds": row["seconds"], "sample": row["sample"], "attempt": row["attempt"],
        "counts": row["counts"],
    }  # fmt: skip


def _item(table: RunsTable, item: int, answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {"item": item, **trial_facts(table, item), "answers": answers}


def trial_facts(table: RunsTable, item: int) -> dict[str, Any]:
    """What a page tells of a trial beside the answers to it."""
    trial = table.trial(item)
    target = trial.target_choice if trial.target is None else f"{trial.target:.15g}"
    return {
        "trial": trial.id, "benchmark": trial.benchmark, "stage": trial.stage, "wanted": target,
        "question": trial.question, "options": list(trial.options),
        "condition": {name: one for name, one in trial.condition.items() if one not in ("", None)},
        "picture": trial.stimulus.kind in ("drawn", "file")
        or named_picture(trial.stimulus) is not None,
    }  # fmt: skip


def figures(table: RunsTable, query: Query) -> dict[str, Any]:
    """The matrix of wanted and said, means by target, states, and the pair's outcomes.

    What a figure's own marks choose (target, what was said, state) is left out of its filter.
    """
    every = scope(table, query, ("wanted",))
    if query.search or query.answers.get("changed") or query.answers.get("right"):
        every = every.filter(fitting(every, query, ("said", "state")))
    made = {
        "matrix": matrix(every), "means": means(every), "states": _states(every),
    }  # fmt: skip
    if len(query.models) == 2:
        pairs = _of_pair(scope(table, query), query)
        made["pairs"] = {pair: pairs.filter(_outcome(pair)).height for pair in PAIRS}
    return made


def matrix(every: pl.DataFrame) -> dict[str, Any]:
    """How often what was said to which target; answers that were not read have the last row.

    Where some targets are numbers and others words, those with numbers.
    """
    known = every.filter(pl.col("target").is_not_null())
    if not known.height:
        known = every.filter(pl.col("wanted") != "")
    said = pl.when(pl.col("state") == "read").then("said").otherwise(pl.lit(NOT_READ))
    cells = known.select("wanted", said=said).group_by("wanted", "said").len().drop_nulls()
    columns, rows = _first(cells, "wanted"), _first(cells, "said")
    counts = {(one, two): many for one, two, many in cells.iter_rows()}
    filled = [[counts.get((column, row), 0) for column in columns] for row in rows]
    return {
        "columns": columns, "rows": rows, "counts": filled,
        "left_out": known.height - sum(map(sum, filled)),
    }  # fmt: skip


def _first(cells: pl.DataFrame, name: str) -> list[str]:
    """The most common values of a column, as many as fit, in their order."""
    most = cells.group_by(name).agg(pl.col("len").sum()).sort("len", name, descending=[True, False])
    values: list[str] = most.head(MOST_CELLS)[name].to_list()
    return sorted(values, key=lambda value: (value == NOT_READ, *in_order(value)))


def means(every: pl.DataFrame) -> list[dict[str, Any]]:
    """The mean number said to each target by each model: the marks of a figure."""
    read = every.filter((pl.col("state") == "read") & pl.col("target").is_not_null())
    read = read.filter(pl.col("number").is_not_null() & pl.col("number").is_finite())
    found = read.group_by("model", "wanted", "target", maintain_order=True).agg(
        mean=pl.col("number").mean(), answers=pl.len()
    )
    return found.sort("model", "target").to_dicts()


def _states(every: pl.DataFrame) -> list[dict[str, Any]]:
    found = every.group_by("model", "state").len("answers")
    return found.sort("model", "answers", "state", descending=[False, True, False]).to_dicts()
