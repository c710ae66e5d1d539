"""The page of the production benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from subitize.published import plos2025
from subitize.reports import enumeration as shared
from subitize.reports import measured, painted
from subitize.reports.methods import citations, methods
from subitize.reports.page import Section
from subitize.reports.respondents import categories_of, respondents_from
from subitize.runs.stored import StoredRun

__all__ = ["sections"]

NAME = "production"


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of production runs."""
    respondents = respondents_from(runs)
    categories = categories_of(respondents)
    published = plos2025.rows(NAME)
    flagged = measured.flagged_table(NAME, respondents)
    found = [
        shared.leaderboard_section(NAME, respondents, published),
        painted.reading_section(NAME, respondents),
        shared.matrix_section(NAME, respondents, categories),
        shared.mean_section(NAME, respondents, categories),
        shared.error_section(NAME, respondents, categories),
        shared.bias_section(NAME, respondents, categories, published),
        shared.scalar_section(NAME, respondents),
        shared.baselines_section(NAME, respondents),
    ]
    if flagged.rows:
        blocks = [flagged, measured.flagged_data(NAME, respondents)]
        lead = "Cells with fewer countable pictures than needed stay in the scores and stand here."
        found.append(Section(f"{NAME}-thin", "Thin cells", lead, blocks))
    return [
        *found,
        shared.unreadable_section(
            NAME,
            respondents,
            "A picture counts only if something countable was found in it; the rest is left out "
            "of every score.",
        ),
        painted.examples_section(NAME, respondents),
        methods(NAME, respondents),
        citations(NAME, plos2025.BIBTEX, plos2025.sources(NAME)),
    ]
