"""What the models said: unreadable replies by reason, and pictures beside their replies."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence

from subitize.errors import UsageError
from subitize.records import UNREADABLE, Row
from subitize.reports import cells
from subitize.reports.page import Cell, Column, Gallery, Picture, Table, plain
from subitize.reports.respondents import Respondent
from subitize.stimuli import render

__all__ = ["REASONS", "gallery", "picture_received", "picture_sent", "unreadable_table"]

REASONS = {
    "no-number": "no number in it",
    "several-numbers": "several different numbers",
    "vague": "a vague or hedged quantity",
    "not-a-count": "a number that is no count",
    "refused": "the model refused",
    "truncated": "cut off by the token limit",
    "too-long": "too long to keep",
    "empty": "nothing countable in the picture",
    "excluded": "left out by hand",
    "pending": "left for people to read",
    "failed": "the call failed",
}
EXAMPLES = 3
_log = logging.getLogger(__name__)

Shown = Callable[[Respondent, Row], bytes | None]


def _reply(row: Row, limit: int = 240) -> str:
    # A picture's name says nothing; what was asked for does.
    value = row.trial.question if row.response.kind == "picture" else row.response.value
    return plain(row.response.note if value is None else value, limit)


def unreadable_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Replies without a number, by reason, with up to three different examples."""
    lines: list[list[Cell]] = []
    for one in respondents:
        rows = [row for row in one.scored_rows() if row.reading.state != "read"]
        counts = Counter(row.reading.state for row in rows)
        total = max(1, len(one.scored_rows()))
        for state, many in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            replies = [_reply(row) for row in rows if row.reading.state == state]
            common = [reply for reply, _ in Counter(replies).most_common(EXAMPLES)]
            lines.append(
                [
                    cells.words(one.label),
                    cells.words(REASONS.get(state, state)),
                    cells.count(many),
                    cells.percent(many / total),
                    cells.quotes(common),
                ]
            )
    return Table(
        f"{name}-unreadable",
        "Replies that were not read as a number, by reason, with their most frequent wordings.",
        [
            Column("model", "Model"),
            Column("reason", "Reason"),
            Column("replies", "Replies", numeric=True),
            Column("share", "Share", numeric=True),
            Column("examples", "Examples", wide=True),
        ],
        lines,
    )


def picture_sent(one: Respondent, row: Row) -> bytes | None:
    """The picture a model was shown, drawn again."""
    try:
        return render(row.trial.stimulus).png
    except UsageError as problem:
        # A report on an old run is worth having without its pictures.
        _log.warning("A picture is left out of the report: %s", problem)
        return None


def picture_received(one: Respondent, row: Row) -> bytes | None:
    """The picture a model made, from the run's folder."""
    images = one.run.folder / "images"
    found = sorted(images.glob(f"{str(row.response.value).split('.')[0]}.*"))
    return found[0].read_bytes() if found and row.response.kind == "picture" else None


def _error(row: Row) -> float:
    """How far off, as a share of the target; a right reply is 0."""
    target = float(row.trial.target)
    return abs(float(row.reading.number or 0) - target) / max(1.0, target)


def _chosen(rows: Sequence[Row], wrong: int, right: int) -> list[Row]:
    """Worst errors first, each target once; then an unreadable and right replies."""
    read = [row for row in rows if row.reading.state == "read"]
    worst = sorted(
        (row for row in read if _error(row) > 0), key=lambda row: (-_error(row), row.trial.id)
    )
    once = list({row.trial.target: row for row in reversed(worst)}.values())
    once.sort(key=lambda row: (-_error(row), row.trial.id))
    good = sorted(
        (row for row in read if _error(row) == 0), key=lambda row: (-row.trial.target, row.trial.id)
    )
    lost = [row for row in rows if row.reading.state in UNREADABLE]
    return [*once[:wrong], *lost[:1], *good[:right]]


def _pictured(row: Row, png: bytes, *, painted: bool) -> Picture:
    category, target = row.trial.condition.get("category", ""), row.trial.target
    number = row.reading.number
    if row.reading.state != "read":
        verdict, answer = "unreadable", REASONS.get(row.reading.state, row.reading.state)
    else:
        verdict, answer = ("right" if number == target else "wrong"), f"{number}"
    return Picture(
        png,
        f"{target} → {answer}",
        _reply(row, 160),
        f"{'Asked for' if painted else 'Picture of'} {target} {category}",
        verdict,  # type: ignore[arg-type]
        plain(category),
    )


def gallery(
    one: Respondent,
    categories: Sequence[str],
    shown: Shown,
    *,
    painted: bool = False,
    wrong: int = 2,
) -> Gallery:
    """A model's pictures: per category the worst errors, an unreadable reply, and a right one."""
    rows = one.scored_rows()
    pictures = []
    for category in categories:
        of_category = [row for row in rows if row.trial.condition.get("category") == category]
        for row in _chosen(of_category, wrong, 1):
            png = shown(one, row)
            if png is not None:
                pictures.append(_pictured(row, png, painted=painted))
    return Gallery(one.label, pictures)
