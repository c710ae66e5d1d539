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
    "flagged_data",
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
        lines.append([cells.words(one.label), *(_bias(one, category) for category in categories)])
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


def _bias(one: Respondent, category: str) -> Cell:
    found = (one.scores.get("bias") or {}).get(category)
    if not found or found.get("r") is None:
        why = (one.scores.get("undefined") or {}).get(f"bias.{category}", "not tested in this run")
        return Cell(reason=plain(why))
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
                cells.score(
                    found.get(each) or {},
                    measure,
                    digits=digits,
                    share=digits == 1,
                    missing="nothing readable in this category",
                )
                for each in categories
            ]
            lines.append([cells.words(one.label), *places])
        columns = [Column(each, each, numeric=True, interval=True) for each in categories]
        heads = [Column("model", "Model"), *columns]
        tables.append(Table(f"{name}-{measure}", f"{title} per category.", heads, lines))
    return tables


_SCALAR = (
    Column("slope", "Slope", numeric=True),
    Column("t", "t (slope = 1)", numeric=True),
    Column("p", "p (slope = 1)", numeric=True),
    Column("r2", "R²", numeric=True),
    Column("adjusted_r2", "Adjusted R²", numeric=True),
    Column("f_p", "p (F test)", numeric=True),
)


def scalar_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """The test of scalar variability."""
    lines = []
    for one in respondents:
        found = one.scores.get("scalar_variability") or {}
        undefined = one.scores.get("undefined") or {}
        why = found.get("reason") or undefined.get("scalar_variability") or "not testable"
        verdict = found.get("verdict")
        lines.append(
            [
                cells.words(one.label),
                cells.words(verdict) if verdict else Cell(reason=plain(why)),
                *(cells.number(found.get(each.name), 2, reason=plain(why)) for each in _SCALAR[:2]),
                *(cells.number(found.get(each.name), 3, reason=plain(why)) for each in _SCALAR[2:]),
            ]
        )
    return Table(
        f"{name}-scalar",
        "Regression of log standard error on log mean response, its slope tested against 1.",
        [Column("model", "Model"), Column("verdict", "Verdict"), *_SCALAR],
        lines,
        [
            "Scalar: the slope is not different from 1 (p ≥ .05). Targets without spread are "
            "left out."
        ],
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
    """Cells with too few readable trials, gathered by model and category."""
    lines = []
    for one in respondents:
        gathered: dict[str, list[dict[str, int]]] = {}
        for cell in one.scores.get("flagged_cells") or ():
            gathered.setdefault(str(cell.get("category", "")), []).append(cell)
        for category, found in gathered.items():
            targets = sorted(int(cell["n"]) for cell in found)
            lines.append(
                [
                    cells.words(one.label),
                    cells.words(category),
                    cells.words(_ranges(targets)),
                    cells.count(min(int(cell["eligible"]) for cell in found)),
                    cells.count(max(int(cell["needed"]) for cell in found)),
                ]
            )
    return Table(
        f"{name}-flagged",
        "Cells of target and category with fewer readable trials than needed.",
        [
            Column("model", "Model"),
            Column("category", "Category"),
            Column("targets", "Targets"),
            Column("fewest", "Fewest readable", numeric=True),
            Column("needed", "Needed", numeric=True),
        ],
        lines,
    )


def flagged_data(name: str, respondents: Sequence[Respondent]) -> Table:
    """Every flagged cell on its own line."""
    names = ("category", "n", "eligible", "needed")
    lines = [
        [cells.words(one.label), *(Cell(cell.get(each)) for each in names)]
        for one in respondents
        for cell in one.scores.get("flagged_cells") or ()
    ]
    heads = [Column(each, each) for each in ("model", *names)]
    return Table(f"{name}-flagged-cells", "", heads, lines, hidden=True)


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 → `1 to 3, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


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
