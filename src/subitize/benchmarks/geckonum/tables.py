"""The paper's tables from labels, each cell beside the printed one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum import comparisons
from subitize.benchmarks.geckonum.labels import ASKED, PICTURE, painters_of, parts, picture_scores
from subitize.errors import BadInput
from subitize.measures.agreement import LEVELS, Level, krippendorff_alphas
from subitize.measures.ranks import chi_square
from subitize.published import geckonum as paper
from subitize.published.geckonum import BASELINES, MODELS, PUBLISHED

TABLES = (
    "table2", "figure5", "a3", "a4", "a5", "a6", "a7", "a8", "a10", "agreement", "alpha", "counts",
)  # fmt: skip
OVER_ALL_MODELS = frozenset({"agreement", "alpha", "counts"})
"""tables the paper computes over its seven models together"""
EXACT = frozenset({"figure5", "a6"})
"""tables without any of the pictures that the release lacks"""
OF_FIVE = frozenset({"a10", "agreement"})
"""tables whose columns mean so many of five people"""
NOT_FIVE = "not beside the printed share: the paper asked five people, here it is another number"
OTHER_DATA = (
    "more than the pictures that the release lacks can explain: other pictures or answers than the "
    "paper's"
)
Values = dict[str, float | str]
"""cell: value, or the reason why there is none as text"""


class Cell(TypedDict):
    """One number beside the printed one."""

    value: float | None
    published: float | None
    difference: float | None
    why: str | None
    interval: NotRequired[list[float]]


Tables = dict[str, dict[str, Cell]]


def geckonum_tables(labels: pl.DataFrame, prompts: int | None = None) -> Tables:
    """Every table that the labels allow; a cell without a value says why.

    `prompts`: how many there are, where some have no answer.
    """
    values: dict[str, Values] = {name: {} for name in TABLES}
    values["alpha"] = _alphas(labels.filter(ASKED))
    labels = labels.drop("values")  # long, and in nobody else's way
    values["table2"] = _table_2(labels)
    values["figure5"] = {c: 100 * _mean(own["right"]) for c, own in comparisons.quantified(labels)}
    for name in comparisons.COMPARISONS:
        for painter, one, other in comparisons.compared(labels, name):
            values[name] |= {
                f"{painter}|{part}": value
                for part, value in _chi_square(one["right"], other["right"]).items()
            }
    values["a5"] = {
        cell: 100 * (_mean(after["right"]) - _mean(before["right"]))
        for cell, before, after in comparisons.drops(labels)
    }
    values["a10"], values["agreement"] = _agreement(labels.filter(ASKED))
    values["counts"] = _counts(labels, prompts)
    painters = set(painters_of(labels))
    absent = [model for model in MODELS if model not in painters]
    return {
        name: {cell: _beside_printed(name, cell, cells, absent) for cell in cells}
        for name, cells in values.items()
    }


def table_sizes(labels: pl.DataFrame) -> dict[str, dict[str, int]]:
    """How many labels (pictures, in task 3) the cells stand on, by table and cell."""
    sizes: dict[str, dict[str, int]] = {name: {} for name in TABLES}
    for cell, _, own in comparisons.task_scores(labels):
        sizes["table2"][f"{cell}|accuracy"] = own.height
    for cell, own in comparisons.quantified(labels):
        sizes["figure5"][cell] = own.height
    for name in comparisons.COMPARISONS:
        for painter, *groups in comparisons.compared(labels, name):
            heights = enumerate((own.height for own in groups), 1)
            sizes[name] |= {f"{painter}|accuracy_{place}": n for place, n in heights}
    for cell, before, after in comparisons.drops(labels):
        sizes["a5"][cell] = before.height + after.height
    asked = labels.filter(ASKED)
    for name, wanted, by in (("a10", pl.col("task") == 1, "painter"), ("agreement", True, "task")):
        for (whose,), own in parts(asked.filter(wanted), by):
            head = whose if by == "painter" else f"task{whose}"
            sizes[name][head] = int(own["weight"].sum())
    sizes["alpha"] = sizes["agreement"]
    return sizes


def _mean(values: pl.Series) -> float:
    return float(values.to_numpy().mean())


def _beside_printed(table: str, cell: str, cells: Values, absent: list[str]) -> Cell:
    value, printed = cells[cell], PUBLISHED[table].get(cell)
    why = value if isinstance(value, str) else None
    number = None if isinstance(value, str) else float(value)
    head = cell.rpartition("|")[0]
    # the paper's columns end with 5
    if table in OF_FIVE and (f"{head}|5" not in cells or f"{head}|6" in cells):
        why = NOT_FIVE if why is None and printed is not None else why
        printed = None
    elif printed is not None and number is not None and not printed.agrees(number):
        why = _why(table, cell, number - printed.value, absent)
    return {
        "value": number,
        "published": None if printed is None else printed.value,
        "difference": None if printed is None or number is None else number - printed.value,
        "why": why,
    }


def _why(table: str, cell: str, gap: float, absent: list[str]) -> str:
    if cell == "prompts":
        return "other prompts than the paper's"
    if len(absent) == len(MODELS):
        return "other painters than the paper's"
    reasons = []
    if table in OVER_ALL_MODELS and absent:
        reasons.append(f"the paper counts seven models; not here: {', '.join(absent)}")
    if table == "alpha" and not cell.startswith("task1"):
        reasons.append(paper.ALPHA_REASON)
    elif cell.startswith(("task2", "task3")) or table in EXACT:
        pass  # nothing is missing from these
    elif reasons or _missing_pictures_explain(table, cell, gap):
        reasons.append(paper.FACES_REASON)
    if reasons:
        return "; ".join(reasons)
    return "unknown" if table in OVER_ALL_MODELS else OTHER_DATA


def _missing_pictures_explain(table: str, cell: str, gap: float) -> bool:
    """Whether 122 of 52,721 pictures can make such a difference; a little above what they do."""
    part = cell.rpartition("|")[2]
    if part == "n" or table == "counts":
        printed = PUBLISHED[table][cell].value
        return -0.03 * printed <= gap <= 0
    most = {"chi2": 3.0, "p": 0.1}.get(part, 0.01 if table == "alpha" else 1.0)
    return abs(gap) <= most


def _table_2(labels: pl.DataFrame) -> Values:
    found: Values = {}
    for cell, task, own in comparisons.task_scores(labels):
        scores = 100 * own["score"].to_numpy()
        found[f"{cell}|accuracy"] = mean = float(scores.mean())
        found[f"{cell}|sem"] = (
            float(scores.std(ddof=1) / np.sqrt(scores.size))
            if scores.size > 1
            else "one picture has no standard error"
        )
        found[f"{cell}|difference"] = mean - BASELINES[task]
    return found


def _chi_square(one: pl.Series, other: pl.Series) -> Values:
    sizes, right = (one.len(), other.len()), (int(one.sum()), int(other.sum()))
    found: Values = {
        f"accuracy_{place}": 100 * r / n if n else "no label is in this group"
        for place, (r, n) in enumerate(zip(right, sizes, strict=True), 1)
    }
    found["n"] = float(sum(sizes))
    try:
        test = chi_square(right, sizes)
    except BadInput as problem:
        return {"p": str(problem), **found, "chi2": str(problem)}
    return {"p": test.p, **found, "chi2": test.chi2}


def _agreement(labels: pl.DataFrame) -> tuple[Values, Values]:
    """Table A10, and the shares on which most agree per task."""
    exactly: Values = {}
    for (painter,), own in parts(labels.filter(pl.col("task") == 1), "painter"):
        for k in range(1, _usual_answers(own) + 1):
            exactly[f"{painter}|{k}"] = _share(own, pl.col("agreeing") == k)
    most: Values = {}
    for (task,), own in parts(labels, "task"):
        usual = _usual_answers(own)
        for k in range(usual, usual // 2, -1):
            cell = f"task{task}|{k}{'' if k == usual else '+'}"
            most[cell] = _share(own, pl.col("agreeing") >= k)
    return exactly, most


def _usual_answers(labels: pl.DataFrame) -> int:
    """How many people answer most questions."""
    return int(np.bincount(labels["answers"].to_numpy()).argmax())


def _share(labels: pl.DataFrame, hit: pl.Expr) -> float:
    weight = pl.col("weight")
    return 100 * float(labels.select(weight.filter(hit).sum() / weight.sum()).item())


def _alphas(labels: pl.DataFrame) -> Values:
    found: Values = {}
    for (task,), own in parts(labels, "task"):
        units = np.repeat(np.arange(own.height), own["answers"].to_numpy())
        answers = own["values"].explode(empty_as_null=False).to_numpy()
        try:
            alphas: Mapping[Level, float | str] = krippendorff_alphas(units, answers)
        except BadInput as problem:
            alphas = dict.fromkeys(LEVELS, str(problem))
        found |= {f"task{task}|{level}": alpha for level, alpha in alphas.items()}
    return found


def _counts(labels: pl.DataFrame, prompts: int | None) -> Values:
    given = pl.col("answers").sum() + pl.col("copies").sum()
    found: Values = {
        "prompts": float(labels["dataset_id"].n_unique() if prompts is None else prompts),
        "images": float(labels.select(PICTURE).n_unique()),
        "annotations": float(labels.select(given).item() or 0),
    }
    for (task,), own in parts(labels, "task"):
        found[f"annotations|task{task}"] = float(own.select(given).item())
        scored = picture_scores(own.filter(ASKED))
        found[f"labels|task{task}"] = float(scored["weight"].sum())
    return found
