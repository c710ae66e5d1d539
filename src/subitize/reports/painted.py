"""Pictures that models made, with what the counter saw in them: right and wrong ones per target."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import Counted, Rules, rules_from
from subitize.measures.boxes import count as count_boxes
from subitize.models.names import split_settings
from subitize.pictures.decode import decode
from subitize.pictures.showing import annotated
from subitize.records import Row
from subitize.reports import cells
from subitize.reports.page import (
    Block,
    Cell,
    Column,
    Gallery,
    Picture,
    Prose,
    Section,
    Table,
    plain,
)
from subitize.reports.replies import REASONS, picture_received
from subitize.reports.respondents import Respondent
from subitize.runs.folder import read_info
from subitize.runs.stored import Answers, load_answers

__all__ = ["examples_section", "reading_section", "with_boxes"]

SIDE = 320
"""pictures are made smaller before boxes are drawn, so that the lines keep their width"""
MODELS_SHOWN = 6
PER_VERDICT = 1
_log = logging.getLogger(__name__)


def answers_of(one: Respondent) -> tuple[Answers, Rules]:
    """What the run's counter said about each picture, and how its boxes are counted.

    Without answers where people or nobody read the pictures.
    """
    run = one.run
    full = str(run.scores.get("reader") or run.info.get("reader") or "")
    name, settings, _ = split_settings(full, "reader")
    if not name or not (run.folder / "readings" / name / "run.json").exists():
        return {}, Rules()
    reader = get_benchmark(run.info["benchmark"]).answer_reader()
    return load_answers(run.folder, name, reader), rules_from(settings)


def with_boxes(picture: bytes, boxes: Sequence[Sequence[float]]) -> bytes:
    """The picture in small, as PNG, with boxes [x0, y0, x1, y1, …] drawn on it."""
    return annotated(decode(picture), boxes, SIDE)


def _counted(row: Row, answers: Answers, rules: Rules) -> Counted | None:
    """The boxes that count in a row's picture, where a counter gave boxes."""
    found = answers.get((row.trial.id, row.response.sample, row.response.attempt), ())
    for answer in reversed(found):
        if answer.response.kind == "boxes" and isinstance(answer.response.value, Mapping):
            try:
                return count_boxes(answer.response.value, rules)
            except BadInput:
                return None
    return None


def _shown(one: Respondent, row: Row, answers: Answers, rules: Rules) -> Picture | None:
    picture = picture_received(one, row)
    counted = _counted(row, answers, rules)
    if picture is None:
        return None
    try:
        png = with_boxes(picture, [] if counted is None else counted.boxes.tolist())
    except ModelError as problem:
        _log.warning("A picture is left out of the report: %s", problem)
        return None
    target, category = row.trial.target, str(row.trial.condition.get("category", ""))
    if row.reading.state == "read":
        verdict, answer = _verdict(row), f"{row.reading.number}"
    else:
        verdict, answer = "unreadable", REASONS.get(row.reading.state, row.reading.state)
    notes = "; ".join(counted.notes) if counted is not None else ""
    return Picture(
        png,
        f"{target} → {answer}",
        plain(row.trial.question, 160),
        f"Asked for {target} {category}, counted {answer}",
        verdict,  # type: ignore[arg-type]
        plain(f"{category} ({notes})" if notes else category, 120),
    )


def _verdict(row: Row) -> str:
    return "right" if row.reading.number == row.trial.target else "wrong"


def _examples(rows: Sequence[Row]) -> list[Row]:
    """Per target the right pictures first, then the worst wrong one; categories take turns."""
    chosen = []
    categories = list(dict.fromkeys(row.trial.condition.get("category") for row in rows))
    for turn, target in enumerate(sorted({int(row.trial.target) for row in rows})):
        order = {name: (categories.index(name) - turn) % len(categories) for name in categories}
        of_it = [row for row in rows if row.trial.target == target and row.reading.state == "read"]
        right = [row for row in of_it if _verdict(row) == "right"]
        wrong = [row for row in of_it if _verdict(row) == "wrong"]
        right.sort(key=lambda row: (order[row.trial.condition.get("category")], row.trial.id))
        wrong.sort(
            key=lambda row: (-abs(float(row.reading.number or 0) - row.trial.target), row.trial.id)
        )
        chosen += [*right[:PER_VERDICT], *wrong[:PER_VERDICT]]
    chosen += [row for row in rows if row.reading.state == "empty"][:1]
    return chosen


def examples_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """Right and wrong pictures for every target, with the boxes that were counted."""
    blocks: list[Block] = []
    for one in respondents[:MODELS_SHOWN]:
        answers, rules = answers_of(one)
        pictures = [_shown(one, row, answers, rules) for row in _examples(one.scored_rows())]
        found = [picture for picture in pictures if picture is not None]
        if found:
            blocks.append(Gallery(one.label, found))
    if not blocks:
        blocks.append(Prose("There are no pictures to show.", "note"))
    if len(respondents) > MODELS_SHOWN:
        blocks.append(Prose(f"Pictures of the first {MODELS_SHOWN} models are shown.", "note"))
    return Section(
        f"{name}-pictures",
        "Pictures, right and wrong",
        "For each number asked for, a right picture and the one that is furthest off, with a box "
        "around everything that was counted. Check them: a counter makes mistakes too.",
        blocks,
    )


def reading_section(name: str, respondents: Sequence[Respondent]) -> Section:
    """Who counted what: the counter, pictures asked for again, pictures that were left out."""
    lines: list[list[Cell]] = []
    for one in respondents:
        counter, settings = _reader(one)
        attempts: Mapping[str, Any] = one.scores.get("attempts") or {}
        states: Mapping[str, Any] = one.scores.get("states") or {}
        again = sum(int(many) for tries, many in attempts.items() if int(tries) > 1)
        lines.append(
            [
                cells.words(one.label),
                cells.words(counter + (f" ({settings})" if settings else "")),
                cells.count(sum(int(many) for many in attempts.values())),
                cells.count(again),
                cells.count(int(states.get("empty", 0))),
                cells.count(int(states.get("excluded", 0))),
            ]
        )
    table = Table(
        f"{name}-reading",
        "Who counted the pictures, and how many were asked for again or left out.",
        [
            Column("model", "Model"),
            Column("counter", "Counted by"),
            Column("prompts", "Prompts", numeric=True),
            Column("again", "Asked again", numeric=True),
            Column("empty", "Still empty", numeric=True),
            Column("excluded", "Left out by hand", numeric=True),
        ],
        lines,
    )
    blocks: list[Block] = [table]
    if any(one.scores.get("corrected") for one in respondents):
        blocks.append(_corrected_table(name, respondents))
    return Section(
        f"{name}-reading",
        "Counting",
        "Every score below stands on a counter's work. A picture in which it found nothing is "
        "asked for again; one that stays empty is left out of every score.",
        blocks,
    )


def _corrected_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Scores as counted, and without the mistakes that the counter is known to make."""
    lines = []
    for one in respondents:
        found: Mapping[str, Any] = one.scores.get("corrected") or {}
        missing = str(found.get("reason") or "the counter of this run is not calibrated")
        told = {"undefined": dict.fromkeys(("accuracy", "nae"), missing), **found}
        lines.append(
            [
                cells.words(one.label),
                cells.score(one.scores, "accuracy", share=True, digits=1),
                cells.score(told, "accuracy", share=True, digits=1),
                cells.score(one.scores, "nae"),
                cells.score(told, "nae"),
                cells.count(found.get("calibrated_pictures"), reason=missing),
                cells.percent(found.get("assumed_exact"), reason=missing),
            ]
        )
    return Table(
        f"{name}-corrected",
        "Accuracy and NAE as counted, and corrected for the counter's own mistakes as its "
        "calibration knows them; the intervals hold the doubt about both.",
        [
            Column("model", "Model"),
            Column("accuracy", "Accuracy, counted", numeric=True, interval=True),
            Column("accuracy_corrected", "Accuracy, corrected", numeric=True, interval=True),
            Column("nae", "NAE, counted", numeric=True, interval=True),
            Column("nae_corrected", "NAE, corrected", numeric=True, interval=True),
            Column("calibrated", "Calibrated on", numeric=True, help="pictures of known number"),
            Column(
                "assumed",
                "Assumed exact",
                numeric=True,
                help="share of pictures whose number was never calibrated",
            ),
        ],
        lines,
    )


def _reader(one: Respondent) -> tuple[str, str]:
    """The name of the model that read the pictures, and the settings of that reading."""
    full = str(one.run.scores.get("reader") or one.run.info.get("reader") or "")
    name, _, settings = full.partition("?")
    folder = one.run.folder / "readings" / name
    if not name or not (folder / "run.json").exists():
        return "people" if name not in ("", "pending") else "nobody yet", settings
    return plain(read_info(folder)["model"]["name"], 80), settings
