"""The page of the naming benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from subitize.published import plos2025
from subitize.reports import enumeration as shared
from subitize.reports import measured
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Prose, Section
from subitize.reports.respondents import Respondent, categories_of, respondents_from
from subitize.runs.stored import StoredRun

__all__ = ["sections"]

NAME = "naming"


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of naming runs."""
    respondents = respondents_from(runs)
    categories = categories_of(respondents)
    published = plos2025.rows(NAME)
    return [
        shared.leaderboard_section(NAME, respondents, published),
        shared.matrix_section(NAME, respondents, categories),
        shared.mean_section(NAME, respondents, categories),
        shared.error_section(NAME, respondents, categories),
        shared.bias_section(NAME, respondents, categories, published),
        shared.scalar_section(NAME, respondents),
        shared.baselines_section(NAME, respondents),
        _asking_section(respondents),
        shared.unreadable_section(
            NAME,
            respondents,
            "A reply counts only with one number in it. The rest is left out of every score and "
            "shown here; the wording is the model's own.",
        ),
        shared.gallery_section(NAME, respondents, categories, painted=False),
        methods(NAME, respondents),
        citations(NAME, plos2025.BIBTEX, plos2025.sources(NAME)),
    ]


def _asking_section(respondents: Sequence[Respondent]) -> Section:
    """How it was asked: prompt forms, the control question and thin cells."""
    blocks: list[Block] = [
        Prose(
            f"{one.label} failed the control question: it does not seem to understand the "
            "pictures, so read its scores with care.",
            "warning",
        )
        for one in respondents
        if (one.scores.get("control_question") or {}).get("understood") is False
    ]
    for table in (
        measured.prompt_table(NAME, respondents),
        measured.control_table(NAME, respondents),
        measured.flagged_table(NAME, respondents),
        measured.flagged_data(NAME, respondents),
    ):
        if table.rows:
            blocks.append(table)
    if not any(one.scores.get("flagged_cells") for one in respondents):
        blocks.append(
            Prose("Every cell of target and category has enough readable trials.", "note")
        )
    return Section(
        f"{NAME}-asking",
        "Prompts and checks",
        "Each form is asked of every model and the one with the smallest mean error is kept. The "
        "control question asks what is in the picture, not how many.",
        blocks,
    )
