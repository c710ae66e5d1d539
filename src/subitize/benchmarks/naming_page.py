"""The page of the naming benchmark."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from subitize.benchmarks.naming_cues import cues_section
from subitize.benchmarks.numerosity_page import (
    categories_of,
    closing_sections,
    measured_sections,
    numerosity_respondents,
)
from subitize.benchmarks.numerosity_tables import flagged_tables
from subitize.reports.cells import Line, columns, model_table, words
from subitize.reports.page import Block, Exhibit, Fold, Prose, Section
from subitize.reports.replies import examples, gallery_section, pictures, unreadable_section
from subitize.reports.respondents import Respondent, unfolded
from subitize.runs.stored import StoredRun

NAME = "naming"
BEST_OF = "Where a model was asked in several forms, the one with the smallest mean error is kept. "
PICTURES = 120
"""a report stays small enough to send"""
PROMPTS = columns(
    "form; mean_error:Mean |error|:.3f; nae:NAE:.3f; accuracy::.1%; "
    "eligible:Enough in every cell; trials::n"
)
HELD_OUT = columns("forms:Forms chosen; nae:NAE:.3f±; accuracy::.1%±")
POINTING = columns(
    "agreement:Points = number said:.1%±; on_things:Points on a thing:.1%±; f1:F1:.3f±"
)
PEOPLE = columns(
    "number:People:n; accuracy::.1%±; nae:NAE:.3f±; bias:Bias:+.3f±; "
    "weber_fraction:Weber fraction:.3f±"
)
CONTROL = columns("asked::n; right:Apples or fruit:n; understood:Understands the pictures")


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of naming runs."""
    respondents = numerosity_respondents(runs)
    categories = categories_of(respondents)
    places = max(1, len(respondents) * len(categories))
    wrong = max(1, min(3, PICTURES // places - 2))
    return [
        *measured_sections(NAME, respondents),
        cues_section(NAME, respondents),
        *_group_section(respondents),
        _asking_section(respondents),
        unreadable_section(
            NAME,
            respondents,
            "A reply counts only with one number in it. The rest is left out of every score and "
            "shown here; the wording is the model's own.",
        ),
        gallery_section(
            NAME,
            "Per category the largest errors first, then an unreadable reply if there is one, "
            "then a right one. The title says how many there are and what was read.",
            ((one.label, _pictures(one, categories, wrong)) for one in respondents),
        ),
        *closing_sections(NAME, respondents),
    ]


def _pictures(one: Respondent, categories: Sequence[str], wrong: int) -> list[Exhibit]:
    shown = (
        answer
        for category in (categories if len(one.answers) else ())
        for answer in examples(one.answers.filter(pl.col("category") == category), wrong)
    )
    return pictures(one, shown, lambda answer: str(answer["category"]))


def _group_section(respondents: Sequence[Respondent]) -> list[Section]:
    """Groups of people: means of what each person's own scores are; nothing where there is none."""
    lines, apart = [], {""}
    for one in respondents:
        if people := one.at("people"):
            why = {
                name.removeprefix("people."): reason
                for name, reason in (one.at("undefined") or {}).items()
            }
            lines.append(Line(one.label, {**people, "undefined": why}))
            apart |= {why.get(f"{column.name}.interval", "") for column in PEOPLE}
    if not lines:
        return []
    table = model_table(
        f"{NAME}-groups",
        "Groups of people: the mean of everybody's own score, with its interval over people.",
        lines,
        PEOPLE,
        notes=[
            "Bias: mean of (said − target) / target. Weber fraction: of everybody for whom an "
            "observer can be fitted.",
            *(f"Where a score has no interval: {reason}." for reason in sorted(apart - {""})),
        ],
    )
    lead = "Who took part is what was drawn: answers of one person hang together."
    return [Section(f"{NAME}-groups-section", "People as a group", lead, [table])]


def _asking_section(respondents: Sequence[Respondent]) -> Section:
    """How it was asked: prompt forms, the control question and thin cells."""
    blocks: list[Block] = [
        Prose(
            f"{one.label} failed the control question: it does not seem to understand the "
            "pictures, so read its scores with care.",
            "warning",
        )
        for one in respondents
        if one.at("control_question", "understood") is False
    ]
    if lines := _prompt_lines(respondents):
        caption = "The prompt forms; the scores stand on the chosen one."
        table = model_table(f"{NAME}-prompts", caption, lines, PROMPTS)
        blocks.append(Fold("Every prompt form that was tried", [table]))
    if lines := unfolded(respondents, "prompt_held_out"):
        caption = "The form chosen on one half of the pictures, scored on the other half."
        note = (
            "The best form is chosen by the error it makes, so its own scores flatter it a little."
        )
        lines = [
            line._replace(values={**line.values, "forms": ", ".join(line.values["forms"])})
            for line in lines
        ]
        blocks.append(model_table(f"{NAME}-held-out", caption, lines, HELD_OUT, notes=[note]))
    if lines := unfolded(respondents, "pointing"):
        caption = (
            "Models that count by pointing: their points beside what they say and what is there."
        )
        blocks.append(model_table(f"{NAME}-pointing", caption, lines, POINTING))
    if lines := unfolded(respondents, "control_question"):
        caption = "The control question on the pictures of apples: “What does the image represent?”"
        blocks.append(model_table(f"{NAME}-control", caption, lines, CONTROL))
    tried = any(len(one.scores.get("prompts") or {}) > 1 for one in respondents)
    enough = Prose("Every cell of target and category has enough readable trials.", "note")
    blocks += [*flagged_tables(NAME, respondents)] or [enough]
    return Section(
        f"{NAME}-asking",
        "Prompts and checks",
        BEST_OF * tried + "The control question asks what is in the picture, not how many.",
        blocks,
    )


def _prompt_lines(respondents: Sequence[Respondent]) -> list[Line]:
    """Every prompt form that was tried; the chosen one is marked."""
    lines = []
    for one in respondents:
        for line in unfolded([one], "prompts", "form"):
            chosen = line.values["form"] == one.scores.get("prompt")
            form = words(line.values["form"], badge="chosen" if chosen else "")
            lines.append(Line(one.label, {**line.values, "form": form}))
    return lines
