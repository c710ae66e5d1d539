"""The page of the CAPTURE benchmark: a part for each set that was run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from subitize.benchmarks.capture import page_figures as figures
from subitize.benchmarks.capture.page_people import people_section
from subitize.benchmarks.capture.page_set import set_section
from subitize.benchmarks.capture.page_tables import (
    BOTH,
    NAME,
    OCCLUDED,
    breakdown_tables,
    leaderboard_lines,
    leaderboard_table,
    paper_table,
    score_tables,
)
from subitize.published import capture as paper
from subitize.reports.cells import as_score, text
from subitize.reports.leaderboard import headline, standings
from subitize.reports.methods import citations, methods
from subitize.reports.page import Block, Card, Exhibit, Fold, Section
from subitize.reports.replies import (
    Answer,
    gallery_section,
    how_far_off,
    pictures,
    unreadable_table,
)
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.stored import StoredRun

PAIRS = 6
"""configurations shown per model, with both their pictures"""
SAME_PRICE = 0.05
"""points of sMAPE that round to nothing"""
FOLDED = {
    "prompts": "Every prompt that was tried",
    "over-predicted": "Numbers that are said too often",
}
"""tables that are long and seldom read"""
SECTIONS = (
    (
        "facts",
        "What makes it hard",
        "If hiding is what is hard, the error grows with the number hidden, not with the total.",
        ("by_facts", "breakdowns"),
    ),
    (
        "help-section",
        "What helps",
        "Each help is a condition of its own on the same occluded pictures. Coordinates take the "
        "seeing away, an inpainted picture takes the guessing away, a counter's visible count "
        "takes the counting away.",
        ("hybrid", "help"),
    ),
    (
        "tasks-section",
        "Only the hidden ones; the pattern's name",
        "A model that names the pattern but can't say how many are hidden recognises what it does "
        "not continue.",
        ("tasks",),
    ),
    (
        "matrices",
        "Which number is said",
        "Models like some numbers more than others: a horizontal stripe is a number said whatever "
        "the total.",
        ("confusion", "over-predicted"),
    ),
    (
        "confidence-section",
        "Confidence",
        "A confidence is asked for, or is the share of the most common of several answers.",
        ("reliability", "confidence"),
    ),
    (
        "asking",
        "Prompts and replies",
        "Ten prompts per variant are tried on the validation part and the best is kept. A reply "
        "without a single final number is skipped and scores 100.",
        ("prompts", "unreadable", "backoff", "agreement"),
    ),
)
"""id, title, lead, and the figures and tables of a section"""


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of CAPTURE runs."""
    everyone = respondents_from(
        runs, lambda scores: as_score((scores.get("smape") or {}).get("occluded")).value
    )
    parts: list[Section] = []
    for set_ in ("synthetic", "real"):
        if respondents := [one for one in everyone if one.scores.get("set") == set_]:
            parts += _parts(set_, respondents)
    return [
        *parts,
        Section(
            f"{NAME}-published-section",
            "What the paper prints",
            "Every number of Tables 2 to 8, so that nothing has to be looked up.",
            [Fold("Tables 2 to 8 and Figure 5", [paper_table()])],
        ),
        methods(
            NAME,
            everyone,
            "over configurations; differences are paired by configuration",
            unread="a reply without a single final number scores 100",
            tell_questions=False,
        ),
        citations(NAME, paper.BIBTEX, paper.sources()),
    ]


def _parts(set_: str, respondents: Sequence[Respondent]) -> Iterator[Section]:
    """A set's sections, with what there is to show."""
    unread = unreadable_table(f"{NAME}-{set_}", respondents)
    made: dict[str, Sequence[Block]] = {
        **{
            about: [Fold(FOLDED[about], [table]) if about in FOLDED else table]
            for about, table in score_tables(set_, respondents).items()
        },
        "breakdowns": [Fold("As tables", breakdown_tables(set_, respondents))],
        "unreadable": [unread] if unread.rows else [],
    }
    for draw in (figures.by_facts, figures.hybrid, figures.confusion, figures.reliability):
        figure = draw(set_, respondents)
        made[draw.__name__] = [figure] if figure is not None else []
    yield _standing(set_, respondents)
    yield from people_section(set_, respondents)
    yield from set_section(set_, respondents)
    for id_, title, lead, shown in SECTIONS:
        blocks = [block for about in shown for block in made.get(about, ())]
        if blocks:
            yield Section(f"{NAME}-{set_}-{id_}", title, lead, blocks)
    yield gallery_section(
        f"{NAME}-{set_}",
        "Each configuration without and with its box, the largest errors first, then one that was "
        "answered rightly.",
        ((one.label, _pairs(one)) for one in respondents),
    )


def _standing(set_: str, respondents: Sequence[Respondent]) -> Section:
    found = leaderboard_lines(set_, respondents)
    prices = {one.label: as_score(one.scores.get("price_of_occlusion")) for one in respondents}
    known = {label: price.value for label, price in prices.items() if price.value is not None}
    cards, drawn = [], []
    if known:
        worst = max(known, key=lambda label: known[label])
        cards = [Card(text(known[worst], "+.2f"), "largest price of occlusion", worst)]
        drawn = [figures.price(set_, found.ranked)]
    return Section(
        f"{NAME}-{set_}-leaderboard-section",
        f"Leaderboard, {set_} set",
        "sMAPE is 100 · |said − true| / (said + true), from 0 (right) to 100 (no answer). The "
        "price of occlusion is how much worse the same configuration is with a black box on it.",
        [headline(found, respondents, *cards), *drawn, leaderboard_table(set_, found)],
        standings(respondents, OCCLUDED._replace(label=f"sMAPE occluded, {set_}"), _in_words),
    )


def _in_words(one: Respondent) -> str:
    occluded, price = one.at("smape", "occluded", "value"), one.at("price_of_occlusion", "value")
    if occluded is None:
        return ""
    if not occluded:
        return "makes no error where things are hidden"
    said = f"errs by {text(occluded, '.1f')} % where things are hidden"
    if price is None:
        return said
    if abs(price) < SAME_PRICE:
        return f"{said}, as much as where all are in sight"
    more = "more" if price > 0 else "less"
    return f"{said}, {text(abs(price), '.1f')} points {more} than where all are in sight"


def _pairs(one: Respondent) -> list[Exhibit]:
    """Both pictures of the configurations with the largest errors, and of a right one."""
    plain = one.answers.filter(
        (pl.col("stage") == "total") & (pl.col("help") == "") & (pl.col("sample") == 0)
    ).with_columns(error=how_far_off().fill_null(float("inf")))
    covered = plain.filter(pl.col("variant") == "occluded").sort(
        "error", "configuration", descending=[True, False]
    )
    wrong, right = (
        covered.filter(those)["configuration"].to_list()
        for those in (pl.col("error") > 0, pl.col("error") == 0)
    )
    pairs = {(row["configuration"], row["variant"]): row for row in plain.to_dicts()}
    shown = (
        pairs[name, variant]
        for name in ([*wrong[: PAIRS - 1], *right[:1]] if wrong else right[:2])
        for variant in BOTH
        if (name, variant) in pairs
    )
    return pictures(one, shown, _detail)


def _detail(answer: Answer) -> str:
    hides = answer["variant"] == "occluded" and answer.get("hidden")
    return f"{answer['variant']}, {answer['hidden']:g} hidden" if hides else answer["variant"]
