"""The page of the production benchmark: who counted, and pictures with what the counter saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from subitize.benchmarks.numerosity_page import (
    closing_sections,
    measured_sections,
    numerosity_respondents,
)
from subitize.benchmarks.numerosity_tables import flagged_tables
from subitize.pictures.decode import decode
from subitize.pictures.showing import annotated
from subitize.reports.cells import Line, columns, model_table
from subitize.reports.page import Block, Exhibit, Prose, Section, Table, plain
from subitize.reports.replies import (
    Answer,
    gallery_section,
    how_far_off,
    pictures,
    unreadable_section,
)
from subitize.reports.respondents import Respondent, boxes_of, reading_model
from subitize.runs.stored import StoredRun

NAME = "production"
SIDE = 320
"""pictures are made smaller before boxes are drawn, so that the lines keep their width"""
MODELS_SHOWN = 6


def sections(runs: Sequence[StoredRun]) -> list[Section]:
    """Everything a researcher wants to see of production runs."""
    respondents = numerosity_respondents(runs)
    leaderboard, *measured = measured_sections(NAME, respondents)
    found = [leaderboard, _reading_section(respondents), *measured]
    if flagged := flagged_tables(NAME, respondents):
        lead = "Cells with fewer countable pictures than needed stay in the scores and stand here."
        found.append(Section(f"{NAME}-thin", "Thin cells", lead, flagged))
    return [
        *found,
        unreadable_section(
            NAME,
            respondents,
            "A picture counts only if something countable was found in it; the rest is left out "
            "of every score.",
        ),
        _examples_section(respondents),
        *closing_sections(NAME, respondents),
    ]


def with_boxes(picture: bytes, boxes: Sequence[Sequence[float]]) -> bytes:
    """The picture in small, as PNG, with boxes [x0, y0, x1, y1, …] drawn on it."""
    return annotated(decode(picture), boxes, SIDE)


def _examples(answers: pl.DataFrame) -> list[Answer]:
    """Per target a right picture and the worst wrong one; categories take turns."""
    chosen: list[Answer] = []
    if not len(answers):
        return chosen
    off, categories = how_far_off(), answers["category"].unique(maintain_order=True).to_list()
    read = answers.filter(pl.col("state") == "read")
    for turn, target in enumerate(answers["target"].unique().sort()):
        rows = read.filter(pl.col("target") == target)
        start = turn % len(categories)
        order = {name: place for place, name in enumerate(categories[start:] + categories[:start])}
        right = rows.filter(off == 0).sort(pl.col("category").replace_strict(order), "trial")
        wrong = rows.filter(off > 0).sort(off, "trial", descending=[True, False])
        chosen += [*right.head(1).to_dicts(), *wrong.head(1).to_dicts()]
    return [*chosen, *answers.filter(pl.col("state") == "empty").head(1).to_dicts()]


def _pictures(one: Respondent) -> list[Exhibit]:
    boxes = boxes_of(one.run)

    def detail(answer: Answer) -> str:
        notes = counted.notes if (counted := boxes(answer)) is not None else ()
        return f"{answer['category']} ({'; '.join(notes)})" if notes else f"{answer['category']}"

    def boxed(answer: Answer, picture: bytes) -> bytes:
        counted = boxes(answer)
        return with_boxes(picture, [] if counted is None else counted.boxes.tolist())

    shown = (answer for answer in _examples(one.answers) if answer["kind"] == "picture")
    return pictures(one, shown, detail, boxed)


def _examples_section(respondents: Sequence[Respondent]) -> Section:
    """Right and wrong pictures for every target, with the boxes that were counted."""
    shown = gallery_section(
        NAME,
        "For each number asked for, a right picture and the one that is furthest off, with a box "
        "around everything that was counted. Check them: a counter makes mistakes too.",
        ((one.label, _pictures(one)) for one in respondents[:MODELS_SHOWN]),
        title="Pictures, right and wrong",
    )
    if len(respondents) <= MODELS_SHOWN:
        return shown
    note = Prose(f"Pictures of the first {MODELS_SHOWN} models are shown.", "note")
    return shown._replace(blocks=[*shown.blocks, note])


def _reading_section(respondents: Sequence[Respondent]) -> Section:
    """Who counted what: the counter, pictures asked for again, pictures that were left out."""
    blocks: list[Block] = [
        model_table(
            f"{NAME}-reading",
            "Who counted the pictures, and how many were asked for again or left out.",
            [Line(one.label, _reading(one)) for one in respondents],
            columns(
                "counter:Counted by; prompts::n; again:Asked again:n; empty:Still empty:n; "
                "excluded:Left out by hand:n"
            ),
        )
    ]
    for one in respondents:
        if doubts := one.scores.get("counter_doubts"):
            said = f"of {doubts['pictures']} pictures the counter says: {doubts['why']}."
            blocks.append(Prose(plain(f"{one.label}: {said}"), "warning"))
    if any(one.scores.get("corrected") for one in respondents):
        blocks.append(_corrected_table(respondents))
    return Section(
        f"{NAME}-reading",
        "Counting",
        "Every score below stands on a counter's work. A picture in which it found nothing is "
        "asked for again; one that stays empty is left out of every score.",
        blocks,
    )


def _reading(one: Respondent) -> dict[str, Any]:
    counter, settings = reading_model(one.run)
    if not counter:
        counter = "people" if one.scores.get("reader") not in (None, "pending") else "nobody yet"
    attempts: Mapping[str, int] = one.scores.get("attempts") or {}
    states: Mapping[str, int] = one.scores.get("states") or {}
    return {
        "counter": counter + (f" ({settings})" if settings else ""),
        "prompts": sum(attempts.values()),
        "again": sum(many for tries, many in attempts.items() if int(tries) > 1),
        "empty": states.get("empty", 0),
        "excluded": states.get("excluded", 0),
    }


def _corrected_table(respondents: Sequence[Respondent]) -> Table:
    """Scores as counted, and without the mistakes that the counter is known to make."""
    lines = []
    for one in respondents:
        found: Mapping[str, Any] = one.scores.get("corrected") or {}
        missing = str(found.get("reason") or "the counter of this run is not calibrated")
        lines.append(Line(one.label, {**one.scores, "corrected": found}, missing=missing))
    return model_table(
        f"{NAME}-corrected",
        "Accuracy and NAE as counted, and corrected for the counter's own mistakes as its "
        "calibration knows them; the intervals hold the doubt about both.",
        lines,
        columns(
            "accuracy:Accuracy, counted:.1%±; corrected.accuracy:Accuracy, corrected:.1%±; "
            "nae:NAE, counted:.3f±; corrected.nae:NAE, corrected:.3f±; "
            "corrected.calibrated_pictures:Calibrated on:n; "
            "corrected.assumed_exact:Assumed exact:.1%"
        ),
        notes=["Assumed exact: the share of pictures whose number was never calibrated."],
    )
