"""Tables that naming and production share: bias, scalar variability, categories, thin cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from subitize.published import PublishedRow
from subitize.reports.cells import Line, columns, data_table, model_table
from subitize.reports.grids import Matrix
from subitize.reports.page import Cell, Column, Table, plain
from subitize.reports.respondents import Respondent, unfolded

__all__ = [
    "bias_tables",
    "category_tables",
    "confusion_data",
    "error_data",
    "flagged_tables",
    "mean_data",
    "scalar_table",
]

_DIRECTIONS = {"over": "Over", "under": "Under", "none": "–"}


def bias_tables(
    name: str,
    respondents: Sequence[Respondent],
    categories: Sequence[str],
    published: Sequence[PublishedRow],
) -> list[Table]:
    """Over- and underestimation per category, as in the paper's Table 2, and the tests behind."""
    lines = [
        Line(one.label, {category: _bias(one, category) for category in categories})
        for one in respondents
    ]
    for row in published:
        if row.bias:
            said = {name: _DIRECTIONS.get(word) for name, word in row.bias.items()}
            lines.append(Line(row.model, said, "published", "not in the text"))
    shown = model_table(
        f"{name}-bias",
        "Systematic over- and underestimation per category, with the effect size r.",
        lines,
        [Column(name, name) for name in categories],
        notes=[
            "Wilcoxon signed rank test of response − target; Over or Under where p < .05 and "
            "r ≥ .3, a dash where not. Published rows hold only what the paper's text says."
        ],
    )
    parts = ("category", "direction", "r", "p", "n")
    tests = (
        [line.label, *(line.values.get(part) for part in parts)]
        for line in unfolded(respondents, "bias", "category")
    )
    return [shown, data_table(f"{name}-bias-tests", ("model", *parts), tests)]


def _bias(one: Respondent, category: str) -> Cell:
    found = one.at("bias", category)
    if not found or found.get("r") is None:
        return Cell(reason=one.at("undefined", f"bias.{category}") or "not tested in this run")
    word = _DIRECTIONS.get(str(found.get("direction")), plain(found.get("direction")))
    shown = f"{word} ({found['r']:.2f})"
    return Cell(shown.replace("–", "-"), shown)


def category_tables(
    name: str, respondents: Sequence[Respondent], categories: Sequence[str]
) -> list[Table]:
    """NAE and accuracy of every model in every category."""
    lines = [
        Line(one.label, one.at("categories") or {}, missing="nothing readable in this category")
        for one in respondents
    ]
    return [
        model_table(
            f"{name}-{measure}",
            f"{title} per category.",
            lines,
            [Column(each, each, form, interval=True, at=(each, measure)) for each in categories],
        )
        for measure, title, form in (("nae", "NAE", ".3f"), ("accuracy", "Accuracy", ".1%"))
    ]


def scalar_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """The test of scalar variability."""
    lines = []
    for one in respondents:
        found = one.at("scalar_variability") or {}
        why = found.get("reason") or one.at("undefined", "scalar_variability") or "not testable"
        lines.append(Line(one.label, found, missing=why))
    return model_table(
        f"{name}-scalar",
        "Regression of log standard error on log mean response, its slope tested against 1.",
        lines,
        columns(
            "verdict",
            "slope::.2f",
            "t:t (slope = 1):.2f",
            "p:p (slope = 1):p",
            "r2:R²:.3f",
            "adjusted_r2:Adjusted R²:.3f",
            "f_p:p (F test):p",
        ),
        notes=[
            "Scalar: the slope is not different from 1 (p ≥ .05). Targets without spread are "
            "left out."
        ],
    )


def flagged_tables(name: str, respondents: Sequence[Respondent]) -> list[Table]:
    """Cells with too few readable trials, gathered by model and category, and each alone."""
    lines, every = [], []
    parts = ("category", "n", "eligible", "needed")
    for one in respondents:
        gathered: dict[str, list[Mapping[str, Any]]] = {}
        for cell in one.scores.get("flagged_cells") or ():
            gathered.setdefault(str(cell.get("category", "")), []).append(cell)
            every.append([one.label, *(cell.get(part) for part in parts)])
        for category, found in gathered.items():
            values = {
                "category": category,
                "targets": _ranges(sorted(int(cell["n"]) for cell in found)),
                "fewest": min(int(cell["eligible"]) for cell in found),
                "needed": max(int(cell["needed"]) for cell in found),
            }
            lines.append(Line(one.label, values))
    if not lines:
        return []
    shown = model_table(
        f"{name}-flagged",
        "Cells of target and category with fewer readable trials than needed.",
        lines,
        columns("category", "targets", "fewest:Fewest readable:n", "needed::n"),
    )
    return [shown, data_table(f"{name}-flagged-cells", ("model", *parts), every)]


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 → `1 to 3, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


Panels = Mapping[str, Mapping[str, Matrix]]
"""by model and category"""


def _every(found: Panels) -> Iterator[tuple[str, str, Matrix]]:
    for label, matrices in found.items():
        for category, matrix in matrices.items():
            yield label, category, matrix


def confusion_data(name: str, found: Panels) -> Table:
    """The counts behind the confusion matrices, one line per count above 0."""
    rows = (
        [label, category, int(target), int(response), int(matrix.counts[row, column])]
        for label, category, matrix in _every(found)
        for row, response in enumerate(matrix.rows)
        for column, target in enumerate(matrix.columns)
        if matrix.counts[row, column]
    )
    return data_table(
        f"{name}-confusion", ("model", "category", "target", "response", "replies"), rows
    )


def mean_data(name: str, found: Panels) -> Table:
    """The means and standard deviations behind the figure."""
    rows = (
        [label, category, int(target), float(mean), float(sd)]
        for label, category, matrix in _every(found)
        for target, mean, sd in zip(matrix.columns, matrix.means(), matrix.sds(), strict=True)
    )
    return data_table(f"{name}-means", ("model", "category", "target", "mean", "sd"), rows)


def error_data(name: str, found: Panels) -> Table:
    """The shares behind the error distributions."""
    rows = (
        [label, category, int(error), float(share)]
        for label, category, matrix in _every(found)
        for error, share in zip(*matrix.errors(), strict=True)
        if share > 0
    )
    return data_table(f"{name}-errors", ("model", "category", "error", "share"), rows)
