"""Read a number out of a reply in words: `strict` for naming, `final` for CAPTURE.

Both take the reply out of its wrappings first (`readers.wrappings`), then find its numbers and
what they are there for (`readers.mentions`, which lists the finer decisions). States other than
`read`: `vague` (range, alternatives, vague word; for `strict` also a hedged number),
`several-numbers`, `refused`, `not-a-count` (only ordinals, fractions, percentages, decimals,
negatives, labels), `no-number`.

A vague word beside an exact number does not take the number away ("Many apples; I count 12" is
12), except where it adds to it ("3 apples and a few pears" is vague for `strict`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from subitize.readers.hedges import has_vague_addition, has_vague_word, is_refusal
from subitize.readers.mentions import Mention, find_mentions, implied_number
from subitize.readers.totals import sentence_starts, stated_total
from subitize.readers.wrappings import take_confidence, unwrap, without_thinking
from subitize.records import Reading, Response, State, Trial

__all__ = ["ended_early", "final", "read_final", "read_strict", "strict", "take_confidence"]

LONGEST = 60_000
"""of a longer reply only the beginning and the end are read, this many characters in all"""


def strict(reply: str) -> Reading:
    """The one exact number that a reply names, whatever stands around it.

    >>> strict("There are **seven** apples (7).").number
    7
    >>> strict("about 7 apples").state, strict("3 red and 4 green").state
    ('vague', 'several-numbers')
    """
    text, mentions = _prepared(reply)
    counts = [mention for mention in mentions if mention.role in ("count", "hedged")]
    if any(mention.role == "range" for mention in mentions):
        return Reading("vague", note="a range or alternatives")
    values = _values(counts)
    if len(values) > 1:
        return Reading("several-numbers", note=", ".join(str(value) for value in values[:6]))
    if not values:
        return _without_number(text, mentions)
    if all(mention.role == "hedged" for mention in counts):
        return Reading("vague", note=f"a hedged {values[0]}")
    if has_vague_addition(text):
        return Reading("vague", note=f"{values[0]} and a vague quantity")
    return Reading("read", values[0])


def final(reply: str) -> Reading:
    """The number that a reply ends up with: the last stated total, else that of its closing words.

    >>> final("3 rows of 4, so 12").number, final("3 + 4 + 5 = 12").number
    (12, 12)
    >>> final("There are 3 red and 4 green ones.").state
    'several-numbers'
    """
    text, mentions = _prepared(reply)
    stated = stated_total(text, mentions)
    if stated is not None:
        if stated.role in ("count", "hedged"):
            return Reading("read", stated.value, note="stated total")
        state: State = "vague" if stated.role == "range" else "not-a-count"
        return Reading(state, note="the stated total")
    closing = _closing(text, mentions)
    if not closing:
        return _without_number(text, mentions)
    values = _values(closing)
    if any(mention.role == "range" for mention in closing):
        return Reading("vague", note="a range or alternatives in the closing statement")
    if len(values) > 1:
        return Reading("several-numbers", note=", ".join(str(value) for value in values[:6]))
    return Reading("read", values[0], note="closing statement")


def reader_of(read: Callable[[str], Reading]) -> Callable[[Trial, Response], Reading]:
    """A function that reads words as the reader of a benchmark."""
    return lambda _trial, response: ended_early(response) or read(str(response.value))


read_strict, read_final = reader_of(strict), reader_of(final)


_ENDS: dict[str, State] = {
    "failed": "failed",
    "refused": "refused",
    "content_filter": "refused",
    "length": "truncated",
    "too-long": "too-long",
}


def ended_early(response: Response) -> Reading | None:
    """The reading of a response that holds no whole reply, by the way it ended."""
    state = _ENDS.get(response.stop)
    return None if state is None else Reading(state, note=response.note or response.stop)


def _prepared(reply: str) -> tuple[str, list[Mention]]:
    text = without_thinking(reply)
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    text = unwrap(text)
    return text, find_mentions(text)


def _values(mentions: Sequence[Mention]) -> list[int]:
    """The different values, in order."""
    return list(dict.fromkeys(m.value for m in mentions if m.value is not None))


def _without_number(text: str, mentions: Sequence[Mention]) -> Reading:
    """The reading of a text that names no count outright."""
    if any(mention.role == "vague" for mention in mentions):
        return Reading("vague", note="an indefinite number")
    if is_refusal(text):
        return Reading("refused", note="declines to answer")
    implied = implied_number(text)
    if implied is not None:
        return Reading("read", implied, note="implied")
    if any(mention.role == "quantity" for mention in mentions):
        return Reading("not-a-count", note="a number that is no count")
    if has_vague_word(text):
        return Reading("vague", note="a vague word")
    if any(mention.role == "label" for mention in mentions):
        return Reading("not-a-count", note="a label, date, size or name")
    return Reading("no-number")


_PART = re.compile(r" of (?:them|these|those|which)\b", re.IGNORECASE)


def _closing(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The counts of the last sentence that has any; those in brackets only if alone there."""
    counts = [mention for mention in mentions if mention.role in ("count", "hedged", "range")]
    if not counts:
        return []
    # "3 of them are hidden" tells of a part, not of the whole
    counts = [mention for mention in counts if not _PART.match(text, mention.end)] or counts
    starts = sentence_starts(text)
    begin = starts[bisect_right(starts, counts[-1].start) - 1]
    closing = [mention for mention in counts if mention.start >= begin]
    outside, depth, place = [], 0, begin
    for mention in closing:
        depth += text.count("(", place, mention.start) - text.count(")", place, mention.start)
        place = mention.start
        if depth <= 0:
            outside.append(mention)
    return outside or closing
