"""Tables that naming and production share: bias, scalar variability, prompts, control, cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from subitize.published import PublishedRow
from subitize.reports import cells
from subitize.reports.page import Cell, Column, Table, plain
from subitize.reports.respondents import Respondent

__all__ = [
    "bias_data",
    "bias_table",
    "category_tables",
    "confusion_data",
    "control_table",
    "error_data",
    "flagged_table",
    "mean_data",
    "prompt_table",
    "scalar_table",
]

_DIRECTIONS = {"over": "Over", "under": "Under", "none": "–"}


def bias_table(
    name: str,
    respondents: Sequence[Respondent],
    categories: Sequence[str],
    published: Sequence[PublishedRow],
) -> Table:
    """Over- and underestimation per category, as in the paper's Table 2."""
    lines = []
    for one in respondents:
        bias = one.scores.get("bias") or {}
        lines.append([cells.words(one.label), *(_bias(bias.get(name)) for name in categories)])
    for row in published:
        if row.bias:
            said = [_DIRECTIONS.get(row.bias.get(name, ""), "") for name in categories]
            places = [Cell(word or None, word, reason="not in the text") for word in said]
            lines.append([cells.words(row.model, badge="published"), *places])
    return Table(
        f"{name}-bias",
        "Systematic over- and underestimation per category, with the effect size r.",
        [Column("model", "Model"), *(Column(name, name) for name in categories)],
        lines,
        [
            "Wilcoxon signed rank test of response − target; Over or Under where p < .05 and "
            "r ≥ .3, a dash where not. Published rows hold only what the paper's text says."
        ],
    )


def _bias(found: object) -> Cell:
    if not isinstance(found, dict) or found.get("r") is None:
        return Cell(reason="no readable trials in this category")
    word = _DIRECTIONS.get(str(found.get("direction")), plain(found.get("direction")))
    shown = f"{word} ({found['r']:.2f})"
    return Cell(shown.replace("–", "-"), shown)


def bias_data(name: str, respondents: Sequence[Respondent]) -> Table:
    """The tests behind the bias table."""
    lines = []
    for one in respondents:
        for category, found in (one.scores.get("bias") or {}).items():
            tested = found or {}
            places = [Cell(tested.get(key)) for key in ("direction", "r", "p", "n")]
            lines.append([cells.words(one.label), cells.words(category), *places])
    names = ("model", "category", "direction", "r", "p", "n")
    return Table(f"{name}-bias-tests", "", [Column(n, n) for n in names], lines, hidden=True)


def category_tables(
    name: str, respondents: Sequence[Respondent], categories: Sequence[str]
) -> list[Table]:
    """NAE and accuracy of every model in every category."""
    tables = []
    for measure, title, digits in (("nae", "NAE", 3), ("accuracy", "Accuracy", 1)):
        lines = []
        for one in respondents:
            found = one.scores.get("categories") or {}
            places = [
                cells.score(found.get(each) or {}, measure, digits=digits, share=digits == 1)
                for each in categories
            ]
            lines.append([cells.words(one.label), *places])
        columns = [Column(each, each, numeric=True, interval=True) for each in categories]
        heads = [Column("model", "Model"), *columns]
        tables.append(Table(f"{name}-{measure}", f"{title} per category.", heads, lines))
    return tables


def scalar_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """The test of scalar variability."""
    lines = []
    for one in respondents:
        found = one.scores.get("scalar_variability") or {}
        reason = plain(
            (one.scores.get("undefined") or {}).get("scalar_variability", "not testable")
        )
        verdict = found.get("verdict")
        lines.append(
            [
                cells.words(one.label),
                cells.words(verdict) if verdict else Cell(reason=reason),
                cells.number(found.get("slope"), 2, reason=reason),
                cells.number(found.get("p"), reason=reason),
                cells.number(found.get("r_squared"), 2, reason=reason),
            ]
        )
    return Table(
        f"{name}-scalar",
        "Slope of log standard error on log mean response, tested against 1.",
        [
            Column("model", "Model"),
            Column("verdict", "Verdict"),
            Column("slope", "Slope", numeric=True),
            Column("p", "p (slope = 1)", numeric=True),
            Column("r_squared", "R²", numeric=True),
        ],
        lines,
    )


def prompt_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Every prompt form that was tried."""
    lines = []
    for one in respondents:
        for form, found in (one.scores.get("prompts") or {}).items():
            chosen = "chosen" if form == one.scores.get("prompt") else ""
            lines.append(
                [
                    cells.words(one.label),
                    cells.words(form, badge=chosen),
                    cells.score(found, "mean_error"),
                    cells.score(found, "nae"),
                    cells.score(found, "accuracy", digits=1, share=True),
                    cells.words({True: "yes", False: "no"}.get(found.get("eligible"), "–")),
                    cells.count(found.get("trials")),
                ]
            )
    return Table(
        f"{name}-prompts",
        "The prompt forms; the scores stand on the chosen one.",
        [
            Column("model", "Model"),
            Column("form", "Form"),
            Column("mean_error", "Mean |error|", numeric=True),
            Column("nae", "NAE", numeric=True),
            Column("accuracy", "Accuracy", numeric=True),
            Column("eligible", "Enough in every cell"),
            Column("trials", "Trials", numeric=True),
        ],
        lines,
    )


def control_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Whether a model sees what is in the pictures at all."""
    lines = []
    for one in respondents:
        found = one.scores.get("control_question")
        if not found:
            continue
        understood = {True: "yes", False: "no"}.get(found.get("understood"))
        lines.append(
            [
                cells.words(one.label),
                cells.count(found.get("asked")),
                cells.count(found.get("right")),
                Cell(understood, understood or "", reason="not asked"),
            ]
        )
    return Table(
        f"{name}-control",
        "The control question on the pictures of apples: “What does the image represent?”",
        [
            Column("model", "Model"),
            Column("asked", "Asked", numeric=True),
            Column("right", "Apples or fruit", numeric=True),
            Column("understood", "Understands the pictures"),
        ],
        lines,
    )


def flagged_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Cells with too few readable trials."""
    lines = [
        [
            cells.words(one.label),
            cells.words(cell.get("category", "")),
            cells.count(cell.get("n")),
            cells.count(cell.get("eligible")),
            cells.count(cell.get("needed")),
        ]
        for one in respondents
        for cell in one.scores.get("flagged_cells") or ()
    ]
    return Table(
        f"{name}-flagged",
        "Cells of target and category with fewer readable trials than needed.",
        [
            Column("model", "Model"),
            Column("category", "Category"),
            Column("n", "Target", numeric=True),
            Column("eligible", "Readable", numeric=True),
            Column("needed", "Needed", numeric=True),
        ],
        lines,
    )


def confusion_data(name: str, respondents: Sequence[Respondent]) -> Table:
    """The counts behind the confusion matrices, one line per count above 0."""
    lines = []
    for one in respondents:
        for category, matrix in one.matrices.items():
            for row, response in enumerate(matrix.rows):
                for column, target in enumerate(matrix.columns):
                    if many := int(matrix.counts[row, column]):
                        place = (Cell(int(target)), Cell(int(response)), Cell(many))
                        lines.append([cells.words(one.label), cells.words(category), *place])
    names = ("model", "category", "target", "response", "replies")
    return Table(f"{name}-confusion", "", [Column(n, n) for n in names], lines, hidden=True)


def mean_data(name: str, respondents: Sequence[Respondent]) -> Table:
    """The means and standard deviations behind the figure."""
    lines = []
    for one in respondents:
        for category, matrix in one.matrices.items():
            for target, mean, sd in zip(matrix.columns, matrix.means(), matrix.sds(), strict=True):
                place = (Cell(int(target)), _finite(mean), _finite(sd))
                lines.append([cells.words(one.label), cells.words(category), *place])
    names = ("model", "category", "target", "mean", "sd")
    return Table(f"{name}-means", "", [Column(n, n) for n in names], lines, hidden=True)


def error_data(name: str, respondents: Sequence[Respondent]) -> Table:
    """The shares behind the error distributions."""
    lines = []
    for one in respondents:
        for category, matrix in one.matrices.items():
            for error, share in zip(*matrix.errors(), strict=True):
                if share > 0:
                    place = (Cell(int(error)), Cell(float(share)))
                    lines.append([cells.words(one.label), cells.words(category), *place])
    names = ("model", "category", "error", "share")
    return Table(f"{name}-errors", "", [Column(n, n) for n in names], lines, hidden=True)


def _finite(value: float) -> Cell:
    return Cell(float(value)) if math.isfinite(value) else Cell()
