"""The page of the CAPTURE benchmark: a part for each set that was run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from subitize.published import capture as paper
from subitize.records import Row
from subitize.reports import capture_figures as figures
from subitize.reports import capture_printed as printed
from subitize.reports import capture_tables as tables
from subitize.reports.capture_tables import found
from subitize.reports.methods import citations, methods
from subitize.reports.page import (
    Block,
    Card,
    Cards,
    Figure,
    Gallery,
    Picture,
    Prose,
    Section,
    Table,
    plain,
)
from subitize.reports.replies import REASONS, picture_sent, unreadable_table
from subitize.reports.respondents import Respondent, respondents_from
from subitize.runs.stored import StoredRun

__all__ = ["sections"]

NAME = "capture"
PAIRS = 6
"""configurations shown per model, with both their pictures"""


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of CAPTURE runs."""
    everyone = sorted(respondents_from(runs), key=_error)
    parts: list[Section] = []
    for set_ in ("synthetic", "real"):
        respondents = [one for one in everyone if one.scores.get("set") == set_]
        if respondents:
            parts += _set_sections(set_, respondents)
    described = methods(NAME, everyone)
    paragraph = Prose(_paragraph(everyone))
    return [
        *parts,
        Section(
            f"{NAME}-published-section",
            "What the paper prints",
            "Every number of Tables 2 to 8, so that nothing has to be looked up.",
            [printed.paper_table()],
        ),
        Section(described.id, described.title, described.lead, [paragraph, *described.blocks[1:]]),
        citations(NAME, paper.BIBTEX, paper.sources()),
    ]


def _error(one: Respondent) -> tuple[float, str]:
    score = found(one.scores, "smape", "occluded")
    return (float("inf") if score is None else float(score["value"]), one.label)


def _set_sections(set_: str, respondents: Sequence[Respondent]) -> list[Section]:
    every = [
        _standing(set_, respondents),
        _facts(set_, respondents),
        _kept(
            f"{NAME}-{set_}-help-section",
            "What helps",
            "Each help is a condition of its own on the same occluded pictures. Coordinates take "
            "the seeing away, an inpainted picture takes the guessing away, a counter's visible "
            "count takes the counting away.",
            [figures.hybrid(set_, respondents), tables.help_table(set_, respondents)],
        ),
        _kept(
            f"{NAME}-{set_}-tasks-section",
            "Only the hidden ones; the pattern's name",
            "A model that names the pattern but can't say how many are hidden recognises what it "
            "does not continue.",
            [tables.task_table(set_, respondents)],
        ),
        _kept(
            f"{NAME}-{set_}-matrices",
            "Which number is said",
            "Models like some numbers more than others: a dark column is a number said whatever "
            "the total.",
            [figures.confusion(set_, respondents), tables.over_table(set_, respondents)],
        ),
        _kept(
            f"{NAME}-{set_}-confidence-section",
            "Confidence",
            "A confidence is asked for, or is the share of the most common of several answers.",
            [
                figures.reliability(set_, respondents),
                printed.confidence_table(set_, respondents),
            ],
        ),
        _kept(
            f"{NAME}-{set_}-asking",
            "Prompts and replies",
            "Ten prompts per variant are tried on the validation part and the best is kept. A "
            "reply without a single final number is skipped and scores 100.",
            [
                tables.prompt_table(set_, respondents),
                unreadable_table(f"{NAME}-{set_}", respondents),
                printed.agreement_table(set_, respondents),
            ],
        ),
        _gallery(set_, respondents),
    ]
    return [section for section in every if section is not None]


def _kept(
    id_: str, title: str, lead: str, blocks: Sequence[Figure | Table | None]
) -> Section | None:
    """A section of the blocks that have anything to show; None without any."""
    kept: list[Block] = [
        block
        for block in blocks
        if block is not None and not (isinstance(block, Table) and not block.rows)
    ]
    return Section(id_, title, lead, kept) if kept else None


def _standing(set_: str, respondents: Sequence[Respondent]) -> Section:
    best = respondents[0]
    smape = found(best.scores, "smape", "occluded")
    trials = sum(int(one.scores.get("trials") or 0) for one in respondents)
    cards = [
        Card(str(len(respondents)), "models run", f"{set_} set"),
        Card(f"{trials:,}".replace(",", "\N{THIN SPACE}"), "trials scored"),
    ]
    if smape is not None:
        cards.append(Card(best.label, "lowest sMAPE, occluded", f"{smape['value']:.2f} %"))
    prices = {one.label: found(one.scores, "price_of_occlusion") for one in respondents}
    known = {label: float(price["value"]) for label, price in prices.items() if price}
    if known:
        worst = max(known, key=lambda label: known[label])
        cards.append(
            Card(f"{known[worst]:+.2f}".replace("-", "−"), "largest price of occlusion", worst)
        )
    blocks: list[Block] = [Cards(cards)]
    if known:
        blocks.append(figures.price(set_, respondents))
    blocks.append(tables.leaderboard(set_, respondents))
    return Section(
        f"{NAME}-{set_}-leaderboard-section",
        f"Leaderboard, {set_} set",
        "sMAPE is 100 · |said − true| / (said + true), from 0 (right) to 100 (no answer). The "
        "price of occlusion is how much worse the same configuration is with a black box on it.",
        blocks,
    )


def _facts(set_: str, respondents: Sequence[Respondent]) -> Section | None:
    shown = tables.breakdown_tables(set_, respondents)
    if not shown:
        return None
    return Section(
        f"{NAME}-{set_}-facts",
        "What makes it hard",
        "If hiding is what is hard, the error grows with the number hidden, not with the total.",
        [figures.by_facts(set_, respondents), *shown],
    )


def _gallery(set_: str, respondents: Sequence[Respondent]) -> Section:
    galleries: list[Block] = [
        Gallery(one.label, pictures, opened=place == 0)
        for place, one in enumerate(respondents)
        if (pictures := _pairs(one))
    ]
    return Section(
        f"{NAME}-{set_}-gallery",
        "Pictures and replies",
        "Each configuration without and with its box, the largest errors first, then one that was "
        "answered rightly.",
        galleries,
    )


def _pairs(one: Respondent) -> list[Picture]:
    """Both pictures of the configurations with the largest errors, and of a right one."""
    plain_rows: dict[str, dict[str, Row]] = {}
    for row in one.run.rows:
        about = row.trial.condition
        if (row.trial.stage, about.get("help"), row.response.sample) == ("total", "", 0):
            plain_rows.setdefault(about["configuration"], {})[about["variant"]] = row
    covered = {name: pair["occluded"] for name, pair in plain_rows.items() if "occluded" in pair}
    order = sorted(covered, key=lambda name: (-_wrong(covered[name]), name))
    right = [name for name in order if _wrong(covered[name]) == 0]
    wrong = [name for name in order if _wrong(covered[name]) > 0]
    chosen = [*wrong[: PAIRS - 1], *right[:1]] if wrong else right[:2]
    return [
        pictured
        for name in chosen
        for variant in ("unoccluded", "occluded")
        if variant in plain_rows[name]
        and (pictured := _pictured(one, plain_rows[name][variant])) is not None
    ]


def _wrong(row: Row) -> float:
    if row.reading.number is None:
        return 100.0
    given, right = float(row.reading.number), float(row.trial.target)
    return 100 * abs(given - right) / (given + right) if given + right else 0.0


def _pictured(one: Respondent, row: Row) -> Picture | None:
    png = picture_sent(one, row)
    if png is None:
        return None
    about, number = row.trial.condition, row.reading.number
    verdict: Literal["right", "wrong", "unreadable"] = "unreadable"
    answer = REASONS.get(row.reading.state, row.reading.state)
    if number is not None:
        verdict, answer = ("right" if number == row.trial.target else "wrong"), str(number)
    hides = about["variant"] == "occluded" and about.get("hidden")
    return Picture(
        png,
        f"{row.trial.target} → {answer}",
        _reply(row),
        f"{row.trial.target} {about['thing']}, {about['variant']}",
        verdict,
        plain(f"{about['variant']}, {about['hidden']} hidden" if hides else about["variant"]),
    )


def _reply(row: Row) -> str:
    if row.response.kind == "boxes":
        return f"{len((row.response.value or {}).get('boxes', ()))} boxes"
    return plain(row.response.note if row.response.value is None else row.response.value, 160)


def _paragraph(respondents: Sequence[Respondent]) -> str:
    asked = sum(int(one.scores.get("asked") or 0) for one in respondents)
    stand = sum(int(one.scores.get("trials") or 0) for one in respondents)
    readers = ", ".join(
        dict.fromkeys(str(one.run.info.get("reader") or "final") for one in respondents)
    )
    return (
        f"{len(respondents)} run{'s' if len(respondents) != 1 else ''} of CAPTURE with {asked:,} "
        f"trials asked, prompts on the validation part included; the scores stand on {stand:,} of "
        f"them. Replies were read with the reader {readers}; a reply without a single final number "
        "scores 100. Intervals cover 95 %, by 10,000 bootstrap samples of configurations; "
        "differences are paired by configuration."
    )
