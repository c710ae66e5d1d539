"""The leaderboard of naming and production: runs, the papers' models and baselines, by NAE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from subitize.measures.baselines import (
    expected_accuracy,
    expected_nae,
    observer_matrix,
    perfect_matrix,
    random_matrix,
)
from subitize.measures.counting_level import counting_level
from subitize.measures.likeness import human_correlation
from subitize.published import PublishedRow
from subitize.reports.cells import Line, columns, model_table, number, percent
from subitize.reports.grids import Matrix, matrix_from
from subitize.reports.leaderboard import headline, ranked, standing
from subitize.reports.page import Card, Cell, Section
from subitize.reports.respondents import Respondent

__all__ = ["baselines", "highest_target", "leaderboard_section"]

NOT_PRINTED = "not given in the text of the paper"
COLUMNS = columns(
    "parameters:Size (B):.3g",
    "nae:NAE:.3f±",
    "accuracy::.1%±",
    "counting_level:Level:n",
    "human_correlation:Corr. with human:.3f±",
    "category_consistency:Consistency:.2f±",
    "weber_fraction::.3f±",
    "subitizing_limit::n",
    "not_read::.1%",
    "prompt",
)
NAE, ACCURACY = COLUMNS[1:3]


def _from_run(one: Respondent) -> Line:
    size = one.scores.get("parameters") or one.run.info.get("parameters")
    values = {
        **one.scores,
        "parameters": size or Cell(reason="not known"),
        "not_read": percent(one.not_read, reason="no trials"),
        "prompt": one.scores.get("prompt") or Cell(reason="one form"),
    }
    return Line(one.label, values)


def _from_paper(row: PublishedRow) -> Line:
    naming = row.benchmark == "naming"
    accuracy = percent(row.accuracy, 0 if naming else 1, reason=NOT_PRINTED)
    values = {
        **asdict(row),
        # As many digits as were printed.
        "nae": number(row.nae, 2 if naming else 3),
        "accuracy": Cell(None, row.accuracy_bound) if row.accuracy_bound else accuracy,
        "parameters": row.parameters or Cell(reason="" if row.baseline else NOT_PRINTED),
        "not_read": None if row.discarded is None else Cell(None, f"{row.discarded} replies"),
        "prompt": row.prompt or None,
    }
    return Line(row.model, values, "baseline, published" if row.baseline else "published", "")


def baselines(highest: int) -> dict[str, Matrix]:
    """The two reference respondents of S1, exact rather than sampled."""
    rows, columns = np.arange(2 * highest + 1.0), np.arange(1.0, highest + 1)
    return {
        "Random choice": Matrix(rows, columns, random_matrix(highest_target=highest)),
        "Ideal human observer": Matrix(rows, columns, observer_matrix(highest_target=highest)),
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


def leaderboard_section(
    name: str, respondents: Sequence[Respondent], published: Sequence[PublishedRow]
) -> Section:
    """Headline, figure and table."""
    highest = highest_target(respondents)
    random, observer = baselines(highest).items()
    lines = ranked(
        [
            *map(_from_run, respondents),
            *map(_from_paper, published),
            _from_matrix(f"{random[0]} (expected)", random[1]),
            _from_matrix(*observer, weber_fraction=number(0.15, 2), subitizing_limit=4),
        ],
        [NAE, ACCURACY],
    )
    levels = [level for one in respondents if (level := one.scores.get("counting_level"))]
    highest_level = Card(str(max(levels, default=0)), "highest counting level", "of an n-knower")
    always_right = human_correlation(perfect_matrix(highest_target=highest)) or 0.0
    table = model_table(
        f"{name}-leaderboard",
        "Leaderboard, sorted by NAE (0 is best). Brackets hold 95 % intervals.",
        lines,
        [c for c in COLUMNS if any(line.cell(c).shown != "–" for line in lines)],
        notes=[
            "The correlation with the ideal human observer is a likeness, not an accuracy: who is "
            f"always right gets {always_right:.4f}, because people estimate above four.",
            "Rows marked published hold what the text of Testolin, Hou and Zorzi (2025) gives; "
            "rows marked baseline are computed, not run.",
        ],
        sorted_by="nae",
    )
    return Section(
        f"{name}-leaderboard-section",
        "Leaderboard",
        "NAE is the error as a share of the target, so that missing one of two weighs more than "
        "missing one of ten. Lower is better.",
        [
            headline(lines, respondents, NAE, *([highest_level] if levels else [])),
            standing(name, lines, [NAE, ACCURACY]),
            table,
        ],
    )
