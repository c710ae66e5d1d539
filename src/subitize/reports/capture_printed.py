"""Further tables of the CAPTURE page: calibration, agreement of readers, the paper's own."""

from __future__ import annotations

from collections.abc import Sequence

from subitize.published import capture as paper
from subitize.reports import cells
from subitize.reports.page import Column, Table
from subitize.reports.respondents import Respondent

__all__ = ["agreement_table", "confidence_table", "paper_table"]

NAME = "capture"


def confidence_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """How well confidence tells the error."""
    lines = [
        [
            cells.words(one.label),
            cells.words(variant),
            cells.words(found["source"]),
            cells.number(found["calibration_error"]),
            cells.number(found["correlation"], 2, reason="confidence or error does not vary"),
            cells.count(found["trials"]),
            cells.count(found["without"]),
        ]
        for one in respondents
        for variant, found in (one.scores.get("confidence") or {}).items()
        if found
    ]
    return Table(
        f"{NAME}-{set_}-confidence",
        "Calibration error: mean |confidence − (1 − sMAPE / 100)| over ten bins, weighted by their "
        "answers; 0 is best. The correlation of confidence and error should be negative.",
        [
            Column("model", "Model"),
            Column("variant", "Pictures"),
            Column("source", "Confidence"),
            Column("calibration_error", "Calibration error", numeric=True),
            Column("correlation", "Correlation", numeric=True),
            Column("trials", "Answers", numeric=True),
            Column("without", "Without confidence", numeric=True),
        ],
        lines,
    )


def agreement_table(set_: str, respondents: Sequence[Respondent]) -> Table:
    """Rules and a language model as readers of the same replies."""
    lines = [
        [
            cells.words(one.label),
            cells.words(reader),
            cells.percent(found["share"], reason="nothing was read by both"),
            cells.count(found["replies"]),
            cells.quotes(
                [f"{u['rules']} / {u['model']}: {u['reply']}" for u in found["unlike"][:3]]
            ),
        ]
        for one in respondents
        for reader, found in (one.scores.get("reader_agreement") or {}).items()
    ]
    return Table(
        f"{NAME}-{set_}-agreement",
        "How often a language model reads the same final number as the rules do, and replies "
        "where it does not (rules / model).",
        [
            Column("model", "Model"),
            Column("reader", "Read by"),
            Column("share", "Alike", numeric=True),
            Column("replies", "Replies", numeric=True),
            Column("unlike", "Unlike", wide=True),
        ],
        lines,
    )


def paper_table() -> Table:
    """Every number of Tables 2 to 8, a line per table, model, task and help."""
    lines: dict[tuple[str, ...], dict[tuple[str, str], float]] = {}
    notes: dict[str, None] = {}
    for row in paper.ROWS:
        key = (row.table, row.model, row.task, row.help)
        lines.setdefault(key, {})[row.set, row.variant] = row.value
        if row.note:
            notes[f"{row.model}: {row.note}."] = None
    splits = [(set_, v) for set_ in ("real", "synthetic") for v in ("unoccluded", "occluded")]
    return Table(
        f"{NAME}-published",
        "Tables 2 to 8 and Figure 5 of the paper: sMAPE in percent; patterns: percent right.",
        [
            Column("table", "Printed in"),
            Column("model", "Model"),
            Column("task", "Task"),
            Column("help", "With"),
            *(Column(f"{s}_{v}", f"{s.capitalize()}, {v}", numeric=True) for s, v in splits),
        ],
        [
            [*map(cells.words, key), *(cells.number(values.get(split), 2) for split in splits)]
            for key, values in lines.items()
        ],
        list(notes),
    )
