"""Tables that naming and production share: the leaderboard, bias, variability, categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from subitize.measures.baselines import (
    expected_accuracy,
    expected_nae,
    observer_matrix,
    perfect_matrix,
    random_matrix,
)
from subitize.measures.counting_level import counting_level
from subitize.measures.likeness import human_correlation
from subitize.published.plos2025 import SAMPLED, STATEMENTS, PublishedRow
from subitize.reports.cells import (
    OUTSIDE,
    Line,
    at,
    cell,
    columns,
    data_table,
    model_table,
    text,
    words,
)
from subitize.reports.grids import Matrix, matrix_from
from subitize.reports.leaderboard import (
    Ranking,
    headline,
    leaderboards,
    ranking,
    run_line,
    standing,
    standings,
)
from subitize.reports.page import Card, Cell, Column, Fold, Points, Section, Table, plain
from subitize.reports.respondents import Respondent, unfolded
from subitize.reports.sizes import size_figure

_DIRECTIONS = {"over": "Over", "under": "Under", "none": "–"}
VERBS = {"naming": "counts", "production": "paints"}
PAPERS_HIGHEST = 10
"""the paper asked for 1 to this"""
NOT_PRINTED = "not given in the text of the paper"
COLUMNS = columns(
    "nae:NAE:.3f±; accuracy::.1%±; trials::n; not_read::.1%; per_cell::n; counting_level:Level:n; "
    "category_consistency:Consistency:.2f±; human_correlation:Likeness to people:.3f±; "
    "weber_fraction::.3f±; subitizing_limit::n; prompt; parameters:Size (B):.3g"
)
NAE, ACCURACY = COLUMNS[:2]


def _from_run(one: Respondent) -> Line:
    size = one.scores.get("parameters") or one.run.info.get("parameters")
    return run_line(
        one,
        parameters=size or Cell(reason="not known"),
        per_cell=at(one.run.info, "settings", "per_cell") or Cell(reason="pictures of your own"),
        prompt=_form(one),
    )


def _form(one: Respondent) -> Cell:
    """The prompt form; the best of several is chosen by the scores it gets, so it is said."""
    form, tried = one.scores.get("prompt"), one.scores.get("prompts") or {}
    if not form:
        return Cell(reason="one form")
    return words(form, badge=f"best of {len(tried)} prompts" if len(tried) > 1 else "")


def _from_paper(row: PublishedRow) -> Line:
    naming = row.benchmark == "naming"
    unknown = Cell(reason="" if row.baseline else NOT_PRINTED)
    accuracy = cell(row.accuracy, ".0%" if naming else ".1%", NOT_PRINTED)
    values = {
        **asdict(row),
        # As many digits as were printed.
        "nae": cell(row.nae, ".2f" if naming else ".3f"),
        "accuracy": Cell(None, row.accuracy_bound) if row.accuracy_bound else accuracy,
        "parameters": row.parameters or unknown,
        "trials": row.trials or unknown,
        "per_cell": row.per_cell or unknown,
        "not_read": unknown if row.discarded is None else Cell(None, f"{row.discarded} replies"),
        "prompt": words(row.prompt, badge="best of 3 prompts") if row.prompt else None,
    }
    if row.level_bound:
        values["counting_level"] = Cell(None, row.level_bound)
    return Line(row.model, values, "baseline, published" if row.baseline else "published", "")


def baselines(highest: int) -> dict[str, Matrix]:
    """The two reference respondents of S1, exact rather than sampled."""
    return {
        "Random choice": Matrix(random_matrix(highest_target=highest)),
        "Ideal human observer": Matrix(observer_matrix(highest_target=highest)),
    }


def _from_matrix(label: str, matrix: Matrix, **known: Any) -> Line:
    flat = "all responses are equally likely, so nothing can correlate"
    values = {
        "nae": expected_nae(matrix.counts),
        "accuracy": expected_accuracy(matrix.counts),
        "counting_level": counting_level(matrix.counts),
        "human_correlation": human_correlation(matrix.counts),
        "undefined": {"human_correlation": flat},
        **known,
    }
    return Line(label, values, "baseline", "not defined for a baseline")


def highest_target(respondents: Sequence[Respondent]) -> int:
    """The range that the baselines are asked for: the runs' widest."""
    found = [matrix_from(one.scores) for one in respondents]
    return max((int(matrix.columns[-1]) for matrix in found if matrix), default=10)


class Board(NamedTuple):
    """Runs that were asked for the same numbers, with what may stand beside them."""

    highest: int
    """they were asked for 1 to this"""
    respondents: list[Respondent]
    lines: list[Line]
    found: Ranking
    shown: str
    """which numbers; empty where all runs were asked for the same"""

    def titled(self, column: Column) -> Column:
        """A measure whose name says for which numbers it stands, where that is a question."""
        label = " of ".join(filter(None, (column.label, self.shown)))
        return column._replace(label=label)


def _boards(respondents: Sequence[Respondent], published: Sequence[PublishedRow]) -> list[Board]:
    """One per range of numbers, that of most runs first: an error at 30 is none at 10."""
    by_range: dict[int, list[Respondent]] = {}
    for one in respondents:
        by_range.setdefault(highest_target([one]), []).append(one)
    printed = list(map(_from_paper, published))
    if printed:
        by_range.setdefault(PAPERS_HIGHEST, [])
    boards = []
    for highest, own in sorted(by_range.items(), key=lambda item: (-len(item[1]), item[0])):
        lines = [*map(_from_run, own), *(printed if highest == PAPERS_HIGHEST else ())]
        lines += _baseline_lines(highest)
        shown = f"numbers 1 to {highest}" if len(by_range) > 1 else ""
        boards.append(Board(highest, own, lines, ranking(lines, NAE), shown))
    return boards


def _baseline_lines(highest: int) -> list[Line]:
    random, observer = baselines(highest).items()
    return [
        _from_matrix(f"{random[0]} (expected)", random[1]),
        _from_matrix(*observer, weber_fraction=cell(0.15, ".2f"), subitizing_limit=4),
    ]


def leaderboard_section(
    name: str, respondents: Sequence[Respondent], published: Sequence[PublishedRow]
) -> Section:
    """Headline, figures and table."""
    boards = _boards(respondents, published)
    levels = [level for one in respondents if (level := one.scores.get("counting_level"))]
    highest_level = Card(str(max(levels, default=0)), "highest counting level", "of an n-knower")
    notes = [f"{row.model}: {row.note}." for row in published if row.note]
    told = Points("", [SAMPLED, *STATEMENTS.get(name, ()), *notes])
    named = [(board, name if board is boards[0] else f"{name}-{board.highest}") for board in boards]
    first = boards[0].found._replace(column=boards[0].titled(NAE))
    figures = [
        standing(own, board.found, [board.titled(NAE), ACCURACY])
        for board, own in named
        if board.respondents
    ]
    sizes = (size_figure(own, board.lines, list(map(board.titled, (NAE, ACCURACY))))
             for board, own in named)  # fmt: skip
    return Section(
        f"{name}-leaderboard-section",
        "Leaderboard",
        "NAE is the error as a share of the target, so that missing one of two weighs more than "
        "missing one of ten. Lower is better.",
        [
            headline(first, respondents, *([highest_level] if levels else [])),
            *figures,
            _leaderboard_table(name, boards),
            Fold("What the paper says of these models", [told]),
            *(figure for found in sizes for figure in found),
        ],
        [
            one
            for board in boards
            for one in standings(
                board.respondents, board.titled(NAE), partial(_in_words, VERBS[name])
            )
        ],
    )


def _leaderboard_table(name: str, boards: Sequence[Board]) -> Table:
    every = [line for board in boards for line in board.lines]
    rights = {
        board.highest: human_correlation(perfect_matrix(highest_target=board.highest)) or 0.0
        for board in boards
        if board.respondents
    }
    ranges = [f"{right:.4f} with numbers 1 to {highest}" for highest, right in rights.items()]
    right = " and ".join(ranges if len(ranges) > 1 else (f"{one:.4f}" for one in rights.values()))
    apart = "Runs that were asked for other numbers are ranked apart: large numbers are harder."
    return leaderboards(
        f"{name}-leaderboard",
        "Leaderboard, sorted by NAE (0 is best). Brackets hold 95 % intervals.",
        [(board.shown.capitalize(), board.found) for board in boards],
        [c for c in COLUMNS if any(line.cell(c).shown != "–" for line in every)],
        [
            *([apart] if len(rights) > 1 else []),
            "Level, consistency and likeness depend on how many trials there are per cell of "
            "target and category: compare rows with as many per cell.",
            "The correlation with the ideal human observer is a likeness, not an accuracy: who is "
            f"always right gets {right}, because people estimate above four. {OUTSIDE}",
            "Rows marked published hold what the text of Testolin, Hou and Zorzi (2025) gives; "
            "rows marked baseline are computed, not run.",
        ],
    )


def _in_words(verb: str, one: Respondent) -> str:
    """Up to where a model counts, and how it does above."""
    level, accuracy = one.at("counting_level"), one.at("accuracy", "value")
    if level is None or accuracy is None:
        return f"{verb} no number that could be read"
    right = f"{text(accuracy, '.0%')} right"
    if level >= highest_target([one]):
        return f"{verb} to {level}, {right}"
    known = f"{verb} to {level}" if level else f"{verb} no number reliably"
    if w := one.at("weber_fraction", "value"):
        return f"{known}, estimates{' above' * bool(level)} with w = {text(w, '.2f')}"
    return f"{known}, {right} in all"


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
            "r ≥ .3, a dash where not.",
            *["Published rows hold only what the paper's text says."]
            * (len(lines) > len(respondents)),
        ],
    )
    parts = ("category", "direction", "r", "p", "n")
    tests = (
        [line.label, *(line.values.get(part) for part in parts)]
        for line in unfolded(respondents, "bias", "category")
    )
    heads = ("model", *parts)
    return [shown, data_table(f"{name}-bias-tests", heads, tests, "Every test behind it:")]


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
            "verdict; slope::.2f; t:t (slope = 1):.2f; p:p (slope = 1):p; r2:R²:.3f; "
            "adjusted_r2:Adjusted R²:.3f; f_p:p (F test):p; "
            "rounded_observer.expected:Slope if rounded:.2f; rounded_observer.p:p (rounded):p; "
            "rounded_observer.verdict:As a rounded observer"
        ),
        notes=[
            "Scalar: the slope is not different from 1 (p ≥ .05). Targets without spread are "
            "left out. Rounding to whole numbers adds to every spread, so a true Weber observer "
            "has a slope below 1: the last columns compare with the fitted observer who rounds."
        ],
    )


def flagged_tables(name: str, respondents: Sequence[Respondent]) -> list[Table]:
    """Cells with too few readable trials, gathered by model and category, and each alone."""
    lines, every = [], []
    parts = ("category", "n", "eligible", "needed")
    for one in respondents:
        gathered: dict[str, list[Mapping[str, Any]]] = {}
        for thin in one.scores.get("flagged_cells") or ():
            gathered.setdefault(str(thin.get("category", "")), []).append(thin)
            every.append([one.label, *(thin.get(part) for part in parts)])
        for category, found in gathered.items():
            values = {
                "category": category,
                "targets": _ranges(sorted(int(thin["n"]) for thin in found)),
                "fewest": min(int(thin["eligible"]) for thin in found),
                "needed": max(int(thin["needed"]) for thin in found),
            }
            lines.append(Line(one.label, values))
    if not lines:
        return []
    shown = model_table(
        f"{name}-flagged",
        "Cells of target and category with fewer readable trials than needed.",
        lines,
        columns("category; targets; fewest:Fewest readable:n; needed::n"),
    )
    heads = ("model", *parts)
    return [shown, data_table(f"{name}-flagged-cells", heads, every, "Each cell alone:")]


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 → `1 to 3, 5`."""
    # Numbers in a row are all as far from their places in the list.
    runs = [
        [n for _, n in g] for _, g in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
