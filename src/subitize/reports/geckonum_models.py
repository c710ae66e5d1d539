"""The pages of models that see GeckoNum's pictures: counting questions, and automatic metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subitize.published.geckonum import BIBTEX
from subitize.published.geckonum_metrics import SOURCES, VQA
from subitize.reports import cells, replies
from subitize.reports import geckonum_figures as figures
from subitize.reports.geckonum_figures import Mark
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Cell, Column, Figure, Prose, Section, Table
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.stored import StoredRun

__all__ = ["metric_sections", "vqa_sections"]

VQA_NAME, METRIC_NAME = "geckonum-vqa", "geckonum-metric"
PARTS = {
    "by_number": ("numbers", "By number", "Number"),
    "by_type": ("types", "By prompt type", "Type"),
    "by_complexity": ("complexity", "Simple and complex questions", "Question"),
    "by_frequency": ("frequency", "Frequent and rare nouns", "Noun"),
    "by_painter": ("painters", "By painter of the picture", "Painter"),
}
"""score: part of names, title, heading"""


def vqa_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Counting questions: accuracy of each model, broken down, beside the paper's."""
    respondents = respondents_from(runs)
    overall = Section(
        f"{VQA_NAME}-overview",
        "Counting questions with people's answers",
        "A reply is right if it is the number most people gave.",
        [*_missing(respondents), _overall(respondents), _published()],
    )
    parts = [_part(respondents, score) for score in PARTS]
    unread = replies.unreadable_table(VQA_NAME, respondents)
    lost: list[Block] = [unread] if unread.rows else [Prose("Every reply was read.", "note")]
    return [
        overall,
        *(one for one in parts if one is not None),
        Section(f"{VQA_NAME}-not-read", "Unreadable replies", "They enter no accuracy.", lost),
        methods(VQA_NAME, respondents, "by bootstrap over pictures"),
        citations(VQA_NAME, BIBTEX, [SOURCES["vqa"]]),
    ]


def _missing(respondents: Sequence[Respondent]) -> list[Block]:
    found: list[Block] = []
    for one in respondents:
        missing = one.scores.get("missing_pictures") or {}
        if missing.get("count"):
            names = ", ".join(missing["first"])
            found.append(
                Prose(
                    f"{one.label}: {missing['count']} pictures were missing ({names} …); questions "
                    "about them were not asked.",
                    "warning",
                )
            )
    return found


def _overall(respondents: Sequence[Respondent]) -> Table:
    rows = [
        [
            cells.words(one.label),
            cells.score(one.scores, "accuracy", digits=1, share=True),
            cells.score(one.scores, "within_one", digits=1, share=True),
            cells.count(one.scores.get("asked")),
            cells.count(one.scores.get("trials")),
        ]
        for one in respondents
    ]
    return Table(
        f"{VQA_NAME}-accuracy",
        "Right replies, with 95 % intervals over pictures.",
        [
            Column("model", "Model"),
            Column("accuracy", "Right", numeric=True, interval=True),
            Column("within_one", "Off by one at most", numeric=True, interval=True),
            Column("asked", "Asked", numeric=True),
            Column("read", "Read", numeric=True),
        ],
        rows,
    )


def _published() -> Table:
    sets = list(dict.fromkeys(name for values in VQA.values() for name in values))
    rows = [
        [cells.words(model, badge="published"), *(_printed(values.get(name)) for name in sets)]
        for model, values in VQA.items()
    ]
    columns = [Column("model", "Model"), *(Column(name, name, numeric=True) for name in sets)]
    return Table(
        f"{VQA_NAME}-published", f"What the paper prints ({SOURCES['vqa']}).", columns, rows
    )


def _printed(value: float | None) -> Cell:
    return cells.percent(None if value is None else value / 100, reason="not in the paper")


def _part(respondents: Sequence[Respondent], score: str) -> Section | None:
    name, title, heading = PARTS[score]
    shares: dict[str, Mapping[str, Mapping[str, Any]]] = {
        one.label: one.scores[score] for one in respondents if one.scores.get(score)
    }
    if not shares:
        return None
    groups = list(dict.fromkeys(group for own in shares.values() for group in own))
    marks = {
        label: {group: Mark(v["value"], v["low"], v["high"]) for group, v in own.items()}
        for label, own in shares.items()
    }
    draw = (
        (lambda: figures.by_number(marks, "number that people counted"))
        if score == "by_number"
        else (lambda: figures.rows_of_dots(groups, marks, "right"))
    )
    rows = [
        [
            cells.words(group),
            *(
                cells.score({"x": own.get(group)}, "x", digits=1, share=True)
                for own in shares.values()
            ),
        ]
        for group in groups
    ]
    columns = [Column("group", heading)]
    columns += [Column(label, label, numeric=True, interval=True) for label in shares]
    caption = "Right replies with 95 % intervals over pictures."
    return Section(
        f"{VQA_NAME}-{name}",
        title,
        "Where models agree with people.",
        [
            Figure(f"{VQA_NAME}-{name}-figure", caption, f"Dots of accuracy: {title}.", draw),
            Table(f"{VQA_NAME}-{name}-table", caption, columns, rows),
        ],
    )


def metric_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Mean scores of pictures by each metric; whether they mean anything, people decide."""
    respondents = respondents_from(runs)
    rows = []
    for one in respondents:
        for metric, painters in (one.scores.get("means") or {}).items():
            for painter, found in painters.items():
                rows.append(
                    [
                        cells.words(one.label),
                        cells.words(metric),
                        cells.words(painter),
                        cells.score({"x": found}, "x"),
                        cells.count(found["trials"]),
                    ]
                )
    table = Table(
        f"{METRIC_NAME}-means",
        "Mean score of a painter's pictures, with 95 % intervals over prompts.",
        [
            Column("model", "Model"),
            Column("metric", "Metric"),
            Column("painter", "Painter"),
            Column("mean", "Mean", numeric=True, interval=True),
            Column("pictures", "Pictures", numeric=True),
        ],
        rows,
        ["Whether a metric tells right pictures from wrong ones, only people's answers tell: "
         "subitize geckonum metrics --scores RUN."],
    )  # fmt: skip
    return [
        Section(
            f"{METRIC_NAME}-overview",
            "Automatic metrics",
            "How well pictures fit their prompts, by a model's judgement.",
            [table if rows else Prose("No picture has a score yet.", "note")],
        ),
        methods(METRIC_NAME, respondents, "by bootstrap over prompts"),
        citations(METRIC_NAME, BIBTEX, [SOURCES["table3"], SOURCES["ranking"]]),
    ]
