"""What the models said: unreadable replies by reason, and pictures beside their replies."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from subitize.errors import SubitizeError
from subitize.records import UNREADABLE
from subitize.reports.cells import Line, columns, model_table, quotes
from subitize.reports.page import Block, Exhibit, Gallery, Prose, Section, Table, Verdict, plain
from subitize.reports.respondents import Respondent
from subitize.stimuli import render

if TYPE_CHECKING:
    import polars as pl

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
UNCHOSEN = "none of the answers asked for, or several"
"""of questions that are answered by yes and no, or by one of several options"""
Answer = Mapping[str, Any]
"""a row of the answers, by column"""
_log = logging.getLogger(__name__)


def how_far_off() -> pl.Expr:
    """As a share of the target; a right answer is 0, a wrong choice 1."""
    import polars as pl

    return pl.coalesce(
        (pl.col("number") - pl.col("target")).abs() / pl.max_horizontal(pl.col("target"), 1.0),
        (pl.col("choice") != pl.col("target_choice")).cast(pl.Float64),
    )


def _reply(one: Respondent, answer: Answer, limit: int = 240) -> str:
    """What was said; of boxes how many, of a picture, whose name says nothing, its prompt."""
    value = answer["value"]
    if answer["kind"] == "picture":
        value = one.trials[answer["trial"]].question
    elif answer["kind"] == "boxes" and value is not None:
        value = f"{len(orjson.loads(value).get('boxes', ()))} boxes"
    return plain(answer["note"] if value is None else value, limit)


def _reason(answer: Answer) -> str:
    """Why a reply was not read, in words."""
    state = str(answer["state"])
    asked_to_choose = state == "no-number" and answer["target_choice"]
    return UNCHOSEN if asked_to_choose else REASONS.get(state, state)


def unreadable_table(name: str, respondents: Sequence[Respondent]) -> Table:
    """Replies that were not read, by reason, with up to three different examples."""
    lines: list[Line] = []
    for one in respondents:
        lost: dict[str, list[str]] = {}
        for answer in one.answers.filter(one.answers["state"] != "read").iter_rows(named=True):
            lost.setdefault(_reason(answer), []).append(_reply(one, answer))
        for reason, said in sorted(lost.items(), key=lambda item: (-len(item[1]), item[0])):
            common, many = Counter(said).most_common(3), len(said)
            values = {"reason": reason, "replies": many}
            values |= {"examples": quotes([reply for reply, _ in common])}
            lines.append(Line(one.label, {**values, "share": many / len(one.answers)}))
    return model_table(
        f"{name}-unreadable",
        "Replies that were not read, by reason, with their most frequent wordings.",
        lines,
        columns("reason; replies::n; share::.1%; examples::wide"),
    )


def unreadable_section(name: str, respondents: Sequence[Respondent], lead: str) -> Section:
    """Replies without a number."""
    table = unreadable_table(name, respondents)
    blocks: list[Block] = [table] if table.rows else [Prose("Every reply was read.", "note")]
    return Section(f"{name}-not-read", "Unreadable replies", lead, blocks)


def picture_received(one: Respondent, name: str) -> bytes | None:
    """The picture a model made, from the run's folder."""
    found = sorted((one.run.folder / "images").glob(f"{name.partition('.')[0]}.*"))
    return found[0].read_bytes() if found else None


def examples(answers: pl.DataFrame, wrong: int) -> list[Answer]:
    """Worst errors first, each target once; then an unreadable answer and a right one."""
    read = answers.filter(answers["state"] == "read").with_columns(error=how_far_off())
    worst = read.filter(read["error"] > 0).sort("error", "trial", descending=[True, False])
    once = worst.unique(["target", "target_choice"], keep="first", maintain_order=True)
    good = read.filter(read["error"] == 0).sort("target", "trial", descending=[True, False])
    lost = answers.filter(answers["state"].is_in(list(UNREADABLE)))
    return [*once.head(wrong).to_dicts(), *lost.head(1).to_dicts(), *good.head(1).to_dicts()]


def pictures(
    one: Respondent,
    answers: Iterable[Answer],
    detail: Callable[[Answer], str],
    edit: Callable[[Answer, bytes], bytes] = lambda answer, picture: picture,
) -> list[Exhibit]:
    """The pictures that were shown or made, with what is right and what was read of the reply.

    A report on an old run is worth having without its pictures: what can't be drawn is left out.
    """
    found = []
    for answer in answers:
        painted = answer["kind"] == "picture"
        try:
            png = (
                picture_received(one, answer["value"])
                if painted
                else render(one.trials[answer["trial"]].stimulus).png
            )
            if png is not None:
                shown = edit(answer, png)
                found.append(_pictured(one, answer, shown, plain(detail(answer), 120)))
        except SubitizeError as problem:
            _log.warning("A picture is left out of the report: %s", problem)
    return found


def _pictured(one: Respondent, answer: Answer, png: bytes, detail: str) -> Exhibit:
    number, choice = answer["number"], answer["choice"]
    right = answer["target_choice"] if answer["target"] is None else f"{answer['target']:.15g}"
    said = choice if number is None else f"{number:.15g}"
    verdict: Verdict = "right" if said == right else "wrong"
    if answer["state"] != "read":
        verdict, said = "unreadable", _reason(answer)
    title, alt = plain(f"{right} → {said}", 80), plain(f"{right}, {detail}: {said}", 120)
    return Exhibit(png, title, _reply(one, answer, 160), alt, verdict, detail)


def gallery_section(
    name: str,
    lead: str,
    galleries: Iterable[tuple[str, Sequence[Exhibit]]],
    *,
    title: str = "Pictures and replies",
) -> Section:
    """Pictures by model, as far as there are any; the first model's are in sight."""
    blocks: list[Block] = []
    for label, shown in galleries:
        if shown:
            blocks.append(Gallery(label, shown, opened=not blocks))
    none = [Prose("There are no pictures to show.", "note")]
    return Section(f"{name}-pictures", title, lead, blocks or none)
