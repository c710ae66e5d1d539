"""The pages of models that see GeckoNum's pictures: counting questions, and automatic metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from subitize.benchmarks.geckonum import page_figures as figures
from subitize.published.geckonum import BIBTEX
from subitize.published.geckonum_metrics import SOURCES, VQA
from subitize.reports.cells import COUNT, Line, as_score, model_table
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Column, Figure, Prose, Section
from subitize.reports.replies import unreadable_section
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
    ours = model_table(
        f"{VQA_NAME}-accuracy",
        "Right replies, with 95 % intervals over pictures.",
        [Line(one.label, one.scores) for one in respondents],
        [
            Column("accuracy", "Right", ".1%", interval=True),
            Column("within_one", "Off by one at most", ".1%", interval=True),
            Column("asked", "Asked", COUNT),
            Column("trials", "Read", COUNT),
        ],
    )
    sets = list(dict.fromkeys(name for values in VQA.values() for name in values))
    published = model_table(
        f"{VQA_NAME}-published",
        f"What the paper prints ({SOURCES['vqa']}).",
        [
            Line(model, {name: value / 100 for name, value in values.items()}, "published",
                 "not in the paper")
            for model, values in VQA.items()
        ],
        [Column(name, name, ".1%") for name in sets],
    )  # fmt: skip
    overall = Section(
        f"{VQA_NAME}-overview",
        "Counting questions with people's answers",
        "A reply is right if it is the number most people gave.",
        [*_missing(respondents), ours, published],
    )
    parts = [_part(respondents, score) for score in PARTS]
    return [
        overall,
        *(one for one in parts if one is not None),
        unreadable_section(VQA_NAME, respondents, "They enter no accuracy."),
        methods(VQA_NAME, respondents, "by bootstrap over pictures"),
        citations(VQA_NAME, BIBTEX, [SOURCES["vqa"]]),
    ]


def _missing(respondents: Sequence[Respondent]) -> list[Block]:
    return [
        Prose(
            f"{one.label}: {missing['count']} pictures were missing "
            f"({', '.join(missing['first'])} …); questions about them were not asked.",
            "warning",
        )
        for one in respondents
        if (missing := one.scores.get("missing_pictures") or {}).get("count")
    ]


def _part(respondents: Sequence[Respondent], score: str) -> Section | None:
    name, title, heading = PARTS[score]
    shares = {
        one.label: {group: as_score(share) for group, share in one.scores[score].items()}
        for one in respondents
        if one.scores.get(score)
    }
    if not shares:
        return None
    groups = list(dict.fromkeys(group for own in shares.values() for group in own))
    draw = (
        partial(figures.by_number, shares, "number that people counted")
        if score == "by_number"
        else partial(figures.dots, groups, shares, {})
    )
    caption = "Right replies with 95 % intervals over pictures."
    lines = [Line(g, {label: own.get(g) for label, own in shares.items()}) for g in groups]
    columns = [Column(label, label, ".1%", interval=True) for label in shares]
    table = model_table(
        f"{VQA_NAME}-{name}-table", caption, lines, columns, first=Column("group", heading)
    )
    figure = Figure(f"{VQA_NAME}-{name}-figure", caption, f"Dots of accuracy: {title}.", draw)
    return Section(f"{VQA_NAME}-{name}", title, "Where models agree with people.", [figure, table])


def metric_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Mean scores of pictures by each metric; whether they mean anything, people decide."""
    respondents = respondents_from(runs)
    lines = [
        Line(one.label, {"metric": metric, "painter": painter, "mean": found,
                         "pictures": found["trials"]})
        for one in respondents
        for metric, painters in (one.scores.get("means") or {}).items()
        for painter, found in painters.items()
    ]  # fmt: skip
    table = model_table(
        f"{METRIC_NAME}-means",
        "Mean score of a painter's pictures, with 95 % intervals over prompts.",
        lines,
        [
            Column("metric", "Metric"),
            Column("painter", "Painter"),
            Column("mean", "Mean", ".3f", interval=True),
            Column("pictures", "Pictures", COUNT),
        ],
        notes=["Whether a metric tells right pictures from wrong ones, only people's answers tell: "
               "subitize geckonum metrics --scores RUN."],
    )  # fmt: skip
    return [
        Section(
            f"{METRIC_NAME}-overview",
            "Automatic metrics",
            "How well pictures fit their prompts, by a model's judgement.",
            [table if lines else Prose("No picture has a score yet.", "note")],
        ),
        methods(METRIC_NAME, respondents, "by bootstrap over prompts"),
        citations(METRIC_NAME, BIBTEX, [SOURCES["table3"], SOURCES["ranking"]]),
    ]
