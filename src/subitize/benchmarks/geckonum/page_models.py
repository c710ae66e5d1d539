"""The pages of models that see GeckoNum's pictures: counting questions, and automatic metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from subitize.benchmarks.geckonum import page_figures as figures
from subitize.benchmarks.geckonum.page_tables import share_table
from subitize.published.geckonum import BIBTEX, VQA
from subitize.published.geckonum import MODEL_SOURCES as SOURCES
from subitize.reports.cells import Line, as_score, columns, model_table
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Figure, Prose, Section
from subitize.reports.replies import unreadable_section
from subitize.reports.respondents import Respondent, respondents_from, unfolded
from subitize.runs.stored import StoredRun

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
        columns("accuracy:Right:.1%±; within_one:Off by one at most:.1%±; asked::n; "
                "trials:Read:n"),
    )  # fmt: skip
    printed = [
        Line(model, {name: value / 100 for name, value in values.items()},
             "published", "not in the paper")
        for model, values in VQA.items()
    ]  # fmt: skip
    sets = dict.fromkeys(name for line in printed for name in line.values)
    published = model_table(
        f"{VQA_NAME}-published",
        f"What the paper prints ({SOURCES['vqa']}).",
        printed,
        columns("; ".join(f"{name}:{name}:.1%" for name in sets)),
    )
    missing: list[Block] = [
        Prose(
            f"{one.label}: {count:,} pictures were missing "
            f"({', '.join(one.at('missing_pictures', 'first'))} …); questions about them were not "
            "asked.",
            "warning",
        )
        for one in respondents
        if (count := one.at("missing_pictures", "count"))
    ]
    overall = Section(
        f"{VQA_NAME}-overview",
        "Counting questions with people's answers",
        "A reply is right if it is the number most people gave.",
        [*missing, ours, published],
    )
    parts = [_part(respondents, score) for score in PARTS]
    return [
        overall,
        *(one for one in parts if one is not None),
        unreadable_section(VQA_NAME, respondents, "They enter no accuracy."),
        methods(VQA_NAME, respondents, "over pictures"),
        citations(VQA_NAME, BIBTEX, [SOURCES["vqa"]]),
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
    caption, where = "Right replies with 95 % intervals over pictures.", f"{VQA_NAME}-{name}"
    figure = Figure(f"{where}-figure", caption, f"Dots of accuracy: {title}.", draw)
    table = share_table(f"{where}-table", caption, groups, shares, heading)
    return Section(where, title, "Where models agree with people.", [figure, table])


def metric_sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Mean scores of pictures by each metric; whether they mean anything, people decide."""
    respondents = respondents_from(runs)
    means = [
        line._replace(values={**line.values, "mean": line.values})
        for line in unfolded(respondents, "means", "metric", "painter")
    ]
    table = model_table(
        f"{METRIC_NAME}-means",
        "Mean score of a painter's pictures, with 95 % intervals over prompts.",
        means,
        columns("metric; painter; mean::.3f±; trials:Pictures:n"),
        notes=["Whether a metric tells right pictures from wrong ones, only people's answers tell: "
               "subitize geckonum metrics --scores RUN."],
    )  # fmt: skip
    return [
        Section(
            f"{METRIC_NAME}-overview",
            "Automatic metrics",
            "How well pictures fit their prompts, by a model's judgement.",
            [table if means else Prose("No picture has a score yet.", "note")],
        ),
        methods(METRIC_NAME, respondents, "over prompts"),
        citations(METRIC_NAME, BIBTEX, [SOURCES["table3"], SOURCES["ranking"]]),
    ]
