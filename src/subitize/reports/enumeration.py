"""The sections that naming and production share; each page says the rest in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from subitize.measures.baselines import perfect_matrix
from subitize.measures.likeness import human_correlation
from subitize.published import PublishedRow
from subitize.reports import grids, measured, replies
from subitize.reports.leaderboard import (
    Entry,
    baseline_matrices,
    entries,
    highest_target,
    leaderboard,
    standing,
)
from subitize.reports.page import Block, Card, Cards, Figure, Prose, Section
from subitize.reports.respondents import Respondent

__all__ = [
    "baselines_section",
    "bias_section",
    "error_section",
    "gallery_section",
    "leaderboard_section",
    "matrix_section",
    "mean_section",
    "scalar_section",
    "unreadable_section",
]

MODELS_PER_FIGURE = 6
PICTURES = 120
"""a report stays small enough to send"""


def _parts(respondents: Sequence[Respondent]) -> Iterator[tuple[str, Sequence[Respondent]]]:
    """A figure takes so many models; more models make more figures."""
    drawn = [one for one in respondents if _readable(one)]
    for start in range(0, len(drawn), MODELS_PER_FIGURE):
        number = f"-{start // MODELS_PER_FIGURE + 1}" if len(drawn) > MODELS_PER_FIGURE else ""
        yield number, drawn[start : start + MODELS_PER_FIGURE]


def _readable(one: Respondent) -> bool:
    return one.overall is not None and one.overall.readable > 0 and bool(one.matrices)


def _headline(lines: Sequence[Entry], respondents: Sequence[Respondent]) -> Cards:
    own = [line for line in lines if line.origin == "run"]
    best = next((line for line in own if line.cells["nae"].value is not None), None)
    stand = sum(int(one.scores.get("trials") or 0) for one in respondents)
    cards = [
        Card(str(len(own)), "models run", f"beside {len(lines) - len(own)} reference rows"),
        Card(f"{stand:,}".replace(",", "\N{THIN SPACE}"), "trials scored"),
    ]
    if best is not None:
        detail = best.cells["nae"].shown
        interval = best.cells["nae"].interval
        cards.append(Card(best.label, "lowest NAE", f"{detail} {interval}" if interval else detail))
        levels = [line.cells["counting_level"].value for line in own]
        known = [int(level) for level in levels if level is not None]
        if known:
            cards.append(Card(str(max(known)), "highest counting level", "the n of an n-knower"))
    return Cards(cards)


def leaderboard_section(
    name: str, respondents: Sequence[Respondent], published: Sequence[PublishedRow]
) -> Section:
    """Headline, figure and table."""
    lines = entries(respondents, published)
    perfect = perfect_matrix(highest_target=highest_target(respondents))
    always_right = human_correlation(perfect) or 0.0
    notes = [
        "The correlation with the ideal human observer is a likeness, not an accuracy: who is "
        f"always right gets {always_right:.4f}, because people estimate above four.",
        "Rows marked published hold what the text of Testolin, Hou and Zorzi (2025) gives; rows "
        "marked baseline are computed, not run.",
    ]
    return Section(
        f"{name}-leaderboard-section",
        "Leaderboard",
        "NAE is the error as a share of the target, so that missing one of two weighs more than "
        "missing one of ten. Lower is better.",
        [
            _headline(lines, respondents),
            standing(name, lines),
            leaderboard(name, lines, notes),
        ],
    )


def matrix_section(
    name: str, respondents: Sequence[Respondent], categories: Sequence[str]
) -> Section:
    """Confusion matrices per model and category."""
    blocks: list[Block] = []
    for number, part in _parts(respondents):
        blocks.append(
            Figure(
                f"{name}-confusion{number}",
                "Share of each response (up) to each target (right), per category and over all. "
                "The dotted line is where right responses lie; the top row also holds all "
                "responses above it. Unreadable replies are left out.",
                f"Confusion matrices of {', '.join(one.label for one in part)}.",
                lambda part=part: grids.confusion_figure(part, categories),  # type: ignore[misc]
                measured.confusion_data(f"{name}{number}", part),
            )
        )
    if left_out := [one.label for one in respondents if not _readable(one)]:
        why = "Not drawn, since nothing they said could be read: "
        blocks.append(Prose(f"{why}{', '.join(left_out)}.", "note"))
    blocks += measured.category_tables(name, respondents, categories)
    return Section(
        f"{name}-matrices",
        "Confusion matrices",
        "Counting gives a clean diagonal. Estimation gives a band that widens with number. A "
        "horizontal stripe is an anchor: one response given to many targets.",
        blocks,
    )


def mean_section(
    name: str, respondents: Sequence[Respondent], categories: Sequence[str]
) -> Section:
    """Mean and spread of responses against target."""
    blocks = [
        Figure(
            f"{name}-means{number}",
            "Mean response to each target; the band is one standard deviation to each side, the "
            "dashed line is a perfect responder.",
            f"Mean responses of {', '.join(one.label for one in part)}.",
            lambda part=part: grids.mean_figure(part, categories),  # type: ignore[misc]
            measured.mean_data(f"{name}{number}", part),
        )
        for number, part in _parts(respondents)
    ]
    return Section(
        f"{name}-responses",
        "Mean and spread",
        "Below the dashed line a model says too few, above it too many.",
        blocks,
    )


def error_section(
    name: str, respondents: Sequence[Respondent], categories: Sequence[str]
) -> Section:
    """Distributions of errors."""
    blocks = [
        Figure(
            f"{name}-errors{number}",
            "Response minus target: too few in blue, right in grey, too many in orange. Errors "
            "beyond the axis are counted in its last bar.",
            f"Error distributions of {', '.join(one.label for one in part)}.",
            lambda part=part: grids.error_figure(part, categories),  # type: ignore[misc]
            measured.error_data(f"{name}{number}", part),
        )
        for number, part in _parts(respondents)
    ]
    return Section(
        f"{name}-error-distributions",
        "Errors",
        "How far off the responses are, and to which side.",
        blocks,
    )


def bias_section(
    name: str,
    respondents: Sequence[Respondent],
    categories: Sequence[str],
    published: Sequence[PublishedRow],
) -> Section:
    """Over- and underestimation."""
    return Section(
        f"{name}-biases",
        "Bias",
        "Whether a model leans to one side within a category.",
        [
            measured.bias_table(name, respondents, categories, published),
            measured.bias_data(name, respondents),
        ],
    )


def scalar_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """Scalar variability."""
    drawn = [one for one in respondents if _readable(one)]
    blocks: list[Block] = []
    if drawn:
        blocks.append(
            Figure(
                f"{name}-variability",
                "Standard error of the responses to each target against their mean, both on "
                "logarithmic axes. The dashed line has slope 1.",
                "Log–log plots of standard error against mean response, one per model.",
                lambda: grids.scalar_figure(drawn),
            )
        )
    blocks.append(measured.scalar_table(name, respondents))
    return Section(
        f"{name}-scalar-variability",
        "Scalar variability",
        "In people who can't count, spread grows in proportion to number: a slope of 1.",
        blocks,
    )


def unreadable_section(name: str, respondents: Sequence[Respondent], lead: str) -> Section:
    """Replies without a number."""
    table = replies.unreadable_table(name, respondents)
    blocks: list[Block] = [table] if table.rows else [Prose("Every reply was read.", "note")]
    return Section(f"{name}-not-read", "Unreadable replies", lead, blocks)


def gallery_section(
    name: str,
    respondents: Sequence[Respondent],
    categories: Sequence[str],
    *,
    painted: bool,
) -> Section:
    """Pictures with their replies."""
    shown = replies.picture_received if painted else replies.picture_sent
    places = max(1, len(respondents) * max(1, len(categories)))
    wrong = max(1, min(3, PICTURES // places - 2))
    galleries = (
        replies.gallery(one, categories, shown, painted=painted, wrong=wrong) for one in respondents
    )
    blocks: list[Block] = [found for found in galleries if found.pictures]
    if not blocks:
        blocks.append(Prose("There are no pictures to show.", "note"))
    lead = (
        "Per category the largest errors first, then a right one. The title says what was asked "
        "for and how many were counted."
        if painted
        else "Per category the largest errors first, then an unreadable reply if there is one, "
        "then a right one. The title says how many there are and what was read."
    )
    return Section(f"{name}-pictures", "Pictures and replies", lead, blocks)


def baselines_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """The reference respondents of S1."""
    highest = highest_target(respondents)
    return Section(
        f"{name}-baselines",
        "Baselines",
        f"Random choice says any number from 1 to {2 * highest}. The ideal human observer is "
        "exact up to four and estimates above with a Weber fraction of 0.15.",
        [
            Figure(
                f"{name}-baseline-matrices",
                "Exact response shares of the two reference respondents (S1 Fig of the paper "
                "shows a sample of them).",
                "Confusion matrices of random choice (flat) and of the ideal human observer "
                "(a diagonal that widens above four).",
                lambda: grids.baseline_figure(baseline_matrices(highest)),
            )
        ],
    )
