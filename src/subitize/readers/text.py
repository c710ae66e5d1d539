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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from subitize.readers.alone import boxed_last_line, chosen_option, first_line
from subitize.readers.conditions import bounds_in
from subitize.readers.hedges import has_vague_addition, has_vague_word
from subitize.readers.hidden import adds_unseen, covers_some, hidden_part
from subitize.readers.mentions import Mention, find_mentions
from subitize.readers.parts import are_several_things, set_aside
from subitize.readers.refusals import is_refusal
from subitize.readers.sentences import starts_of
from subitize.readers.sums import are_summed, result_of
from subitize.readers.totals import last_retraction, stated_total
from subitize.readers.wrappings import CLOSE, OPEN, take_confidence, unwrap, without_thinking
from subitize.readers.zeros import (
    begins_with_another,
    denies_asked,
    has_zero_headline,
    implied_number,
    none_is_left,
    of_asked,
)
from subitize.records import Reading, Response, State, Trial

__all__ = [
    "WordsReader",
    "ended_early",
    "final",
    "hidden",
    "read_final",
    "read_strict",
    "strict",
    "take_confidence",
]

LONGEST = 60_000
"""of a longer reply only the beginning and the end are read, this many characters in all"""


SHORT = 200
"""characters of a reply that may well come again"""
LONG = 600
"""characters of a reply in which "a single measure" need not be what was counted"""


def strict(reply: str, question: str = "") -> Reading:
    """The one exact number that a reply names, whatever stands around it.

    >>> strict("There are **seven** apples (7).").number
    7
    >>> strict("about 7 apples").state, strict("3 red and 4 green").state
    ('vague', 'several-numbers')
    """
    text, found = _found(reply)
    mentions = set_aside(text, found, bounds_in(question), headline=True)
    counts = [mention for mention in mentions if mention.role in ("count", "hedged")]
    marked = _marked(text, mentions)
    if marked is not None and marked.state != "read":
        return marked
    if _breaks_off(text, counts):
        return Reading("truncated", note="it breaks off")
    if any(mention.role == "range" for mention in mentions):
        return Reading("vague", note="a range or alternatives")
    values = _values(counts)
    if len(values) > 1:
        alone = _unmistakable(text, counts)
        if (
            alone is not None
            and alone.role == "count"
            and alone.value == _concluded(text, found, "").number
        ):
            return Reading("read", alone.value, note="named as the answer")
        return Reading("several-numbers", note=", ".join(str(value) for value in values[:6]))
    if not values:
        return _without_number(text, mentions)
    denied = has_zero_headline(text, counts[0].start) or denies_asked(text, question)
    if values[0] and (denied or none_is_left(text, counts[-1].end)):
        return Reading("several-numbers", note=f"0, {values[0]}")
    if values[0] > 1 and begins_with_another(text, counts[0].start, question):
        return Reading("several-numbers", note=f"{values[0]} of other things")
    if all(mention.role == "hedged" for mention in counts):
        return Reading("vague", note=f"a hedged {values[0]}")
    if "!" in text and any(_FACTORIAL.match(text, mention.end) for mention in counts):
        return Reading("not-a-count", note="a factorial")
    if are_several_things(text, counts):
        return Reading("several-numbers", note=f"{values[0]} of two things each")
    if has_vague_addition(text, _sentences_of(text, counts)):
        return Reading("vague", note=f"{values[0]} and a vague quantity")
    return Reading("read", values[0])


_BROKEN = frozenset((
    "has", "have", "is", "are", "was", "were", "the", "a", "an", "of", "and", "with", "contain",
    "contains", "in", "to", "plus", "than", "each", "or", "but", "which", "that", "there", "from",
    "by", "for", "on", "if", "=", "+", "×",
))  # fmt: skip
"""the last words of a reply that was cut"""


def _breaks_off(text: str, counts: Sequence[Mention]) -> bool:
    """Whether a reply ends in the middle of a sentence, with no answer on its first line."""
    last = text[-20:].rsplit(None, 1)[-1:]
    if not counts or not last or last[0].lower() not in _BROKEN:
        return False
    within = starts_of(text)[-1] <= counts[-1].start and counts[-1].end > len(text) - 20
    return not within and first_line(text, counts) is None


def _unmistakable(text: str, counts: Sequence[Mention]) -> Mention | None:
    """The one of several numbers that can only be the answer: alone on its line, or chosen."""
    alone = first_line(text, counts) or boxed_last_line(text, counts)
    return alone or chosen_option(text, counts)


def final(reply: str, question: str = "") -> Reading:
    """The number that a reply ends up with: what it marks or names as its answer, else the last
    stated total, else the number of its closing words.

    >>> final("3 rows of 4, so 12").number, final("3 + 4 + 5 = 12").number
    (12, 12)
    >>> final("There are 3 red and 4 green ones.").state
    'several-numbers'
    """
    own, *others = _ECHO.split(reply[:LONGEST], maxsplit=1)
    reading = _final(own if others else reply, question)
    if others and reading.number != (whole := _final(reply, question)).number and whole.number:
        return Reading("several-numbers", note="it goes on with questions of its own")
    return reading


_ECHO = re.compile(r"(?<=\S)\s{0,9}\n\s{0,9}(?:Hint: Please|Question:|Q:|User:|Human:)\s")
"""where a model goes on with a question of its own"""


def hidden(reply: str) -> Reading:
    """What a reply to "How many are hidden?" concludes: the hidden part where it names the whole
    too, else what `final` reads.

    >>> hidden("There are 12 cups in total, with 4 hidden behind the box.").number
    4
    >>> hidden("I think 4.").number
    4
    """
    reading = final(reply)
    text, found = _found(reply)
    if reading.state in ("refused", "truncated") or _marked(text, found) is not None:
        return reading
    if part := hidden_part(text, found):
        return Reading("read", part.value, note="the hidden part")
    return Reading("vague", note="some of them") if covers_some(text) else reading


def _final(reply: str, question: str) -> Reading:
    return _concluded(*_found(reply), question)


def _concluded(text: str, found: Sequence[Mention], question: str) -> Reading:
    """What `final` reads in a plain text with its numbers."""
    mentions = set_aside(text, found, bounds_in(question), headline=False)
    marked = _marked(text, mentions)
    if marked is not None:
        return marked
    if _breaks_off(text, [one for one in mentions if one.role in ("count", "hedged")]):
        return Reading("truncated", note="it breaks off")
    if place := last_retraction(text, mentions):
        corrected = _final(text[place:], question)
        if corrected.number is not None:
            return corrected
    counts = [one for one in mentions if one.role in ("count", "hedged")]
    if counts and none_is_left(text, counts[-1].end):
        return Reading("read", 0, note="none is left")
    stated = stated_total(text, mentions)
    if stated is not None:
        if stated.role in ("count", "hedged"):
            return Reading("read", stated.value, note="stated total")
        state: State = "vague" if stated.role == "range" else "not-a-count"
        return Reading(state, note="the stated total")
    closing = _closing(text, mentions)
    if not closing:
        return _without_number(text, mentions)
    if counts and has_zero_headline(text, counts[0].start):
        return Reading("read", 0, note="headline")
    values = _values(closing)
    if values and values[0] and denies_asked(text, question):
        return Reading("several-numbers", note=f"0, {values[0]}")
    if counts and values and values[0] > 1 and begins_with_another(text, counts[0].start, question):
        return Reading("several-numbers", note=f"{values[0]} of other things")
    if any(mention.role == "range" for mention in closing):
        return Reading("vague", note="a range or alternatives in the closing statement")
    made_up = len(closing) > 1 and sum(one.value or 0 for one in closing) == counts[0].value
    if made_up and counts[0] not in closing:
        return Reading("read", counts[0].value, note="headline and its parts")
    if len(values) > 1:
        if result := result_of(text, closing):
            return Reading("read", result.value, note="made up of the others")
        if len(closing) == len(counts) and (asked := of_asked(text, closing, question)):
            return Reading("read", asked.value, note="the things asked for")
        return Reading("several-numbers", note=", ".join(str(value) for value in values[:6]))
    if adds_unseen(text, closing[0].end):
        return Reading("vague", note="and an unknown number of hidden ones")
    return _against_the_headline(text, mentions, closing[0], values[0])


_OF_THOSE = re.compile(r"\s*(?:of|among|out of) (?:these|those|them|which|the)\b", re.IGNORECASE)
_ALSO = re.compile(r"\b(?:also|additionally|in addition|as well as|besides)\b", re.IGNORECASE)
_STATES = re.compile(
    r"\b(?:there (?:are|is|was|were|will be|would be|seems?|appears?)|left|remains?|"
    r"remaining \w+ (?:is|are)|i (?:can )?(?:see|count)|is:|are:)",
    re.IGNORECASE,
)


_THAT_IS = re.compile(r"\s*(?:that|this)(?:'s| is| makes| gives) (?:a total of )?", re.IGNORECASE)


def _against_the_headline(
    text: str, mentions: Sequence[Mention], closing: Mention, value: int
) -> Reading:
    """The closing number, unless the reply began by stating another and ends in details."""
    counts = [mention for mention in mentions if mention.role in ("count", "hedged")]
    starts = [*starts_of(text), len(text)]
    ends = starts[bisect_right(starts, counts[0].start)]
    opening = {mention.value for mention in counts if mention.start < ends}
    begin = starts[bisect_right(starts, closing.start) - 1]
    stop = starts[bisect_right(starts, closing.start)]
    agreed = sum(mention.value == value for mention in counts) > 1
    if begin >= ends and (_THAT_IS.match(text, begin) or are_summed(counts, closing)):
        return Reading("read", value, note="made up of the others")
    if not agreed and begin >= ends and _ALSO.search(text, begin, closing.start):
        return Reading("several-numbers", note=f"{counts[0].value}, {value}")
    if agreed or begin < ends or _STATES.search(text, begin, stop):
        if are_several_things(text, [one for one in counts if begin <= one.start < stop]):
            return Reading("several-numbers", note=f"{value} of two things each")
        return Reading("read", value, note="closing statement")
    if len(opening) == 1 and _STATES.search(text, 0, ends) and not _OF_THOSE.match(text, begin):
        return Reading("read", counts[0].value, note="headline")
    return Reading("several-numbers", note=f"{counts[0].value}, {value}")


@dataclass(frozen=True)
class WordsReader:
    """Reads a reply by its words and the question: two that are alike in both say the same."""

    read: Callable[[str, str], Reading]

    def __call__(self, trial: Trial, response: Response) -> Reading:
        said = str(response.value)
        read = _read_before if len(said) <= SHORT else _read_anew
        return ended_early(response) or read(self.read, said, trial.question)


def _read_anew(read: Callable[[str, str], Reading], reply: str, question: str) -> Reading:
    return read(reply, question)


_read_before = lru_cache(maxsize=4096)(_read_anew)
"""most replies to one question are a few words that were read before"""


read_strict = WordsReader(strict)
"""`strict` as the reader of a benchmark, which knows what was asked"""
read_final = WordsReader(final)
"""`final` as the reader of a benchmark, which knows what was asked"""

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


def _found(reply: str) -> tuple[str, list[Mention]]:
    """A reply as plain text, and its numbers."""
    text = without_thinking(reply)
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    text = unwrap(text)
    return text, find_mentions(text)


_FACTORIAL = re.compile(rf"\s?!\s{{0,2}}{CLOSE}")
_TIMES_A_LETTER = re.compile(rf"[a-z]\s{{0,2}}{CLOSE}")
_WORDS = re.compile(r"[^\W\d_]{2}")
_MARKED = re.compile(rf"{OPEN}([^{OPEN}{CLOSE}]*)(?:{CLOSE}|$)")


def _marked(text: str, mentions: Sequence[Mention]) -> Reading | None:
    """What stands in the last box or answer element that says anything."""
    if OPEN not in text:
        return None
    for box in reversed(list(_MARKED.finditer(text))):
        inside = [one for one in mentions if box.start() <= one.start < box.end()]
        if not inside:
            implied = implied_number(box[1])
            if implied is not None:
                return Reading("read", implied, note="marked as the answer")
            if _WORDS.search(box[1]):
                state: State = "refused" if is_refusal(box[1]) else "no-number"
                return Reading(state, note="what is marked as the answer has no number")
            continue
        equals = box[1].rfind("=") + box.start(1)
        last = [one for one in inside if one.start > equals] or inside
        if any(one.role == "range" for one in last):
            return Reading("vague", note="a range or alternatives")
        if all(one.role in ("quantity", "vague") for one in last):
            return Reading("not-a-count", note="what is marked as the answer is no count")
        values = list(dict.fromkeys(one.value for one in last))
        if len(values) > 1:
            return Reading("several-numbers", note=", ".join(map(str, values[:6])))
        end = last[0].end
        if values[0] is None or _FACTORIAL.match(text, end) or _TIMES_A_LETTER.match(text, end):
            return Reading("not-a-count", note="what is marked as the answer is no count")
        return Reading("read", values[0], note="marked as the answer")
    return None


def _values(mentions: Sequence[Mention]) -> list[int]:
    """The different values, in order."""
    return list(dict.fromkeys(m.value for m in mentions if m.value is not None))


def _sentences_of(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end that hold one of these."""
    starts = [*starts_of(text), len(text)]
    for mention in mentions:
        after = bisect_right(starts, mention.start)
        yield starts[after - 1], starts[after]


def _without_number(text: str, mentions: Sequence[Mention]) -> Reading:
    """The reading of a text that names no count outright."""
    if any(mention.role == "vague" for mention in mentions):
        return Reading("vague", note="an indefinite number")
    if is_refusal(text):
        return Reading("refused", note="declines to answer")
    implied = implied_number(text) if len(text) < LONG else None
    if implied is not None:
        return Reading("read", implied, note="implied")
    if any(mention.role == "quantity" for mention in mentions):
        return Reading("not-a-count", note="a number that is no count")
    if has_vague_word(text):
        return Reading("vague", note="a vague word")
    if any(mention.role == "label" for mention in mentions):
        return Reading("not-a-count", note="a label, date, size or name")
    return Reading("no-number")


def _closing(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The counts of the last sentence that has any; those in brackets only if alone there."""
    counts = [mention for mention in mentions if mention.role in ("count", "hedged", "range")]
    if not counts:
        return []
    starts = starts_of(text)
    begin = starts[bisect_right(starts, counts[-1].start) - 1]
    closing = [mention for mention in counts if mention.start >= begin]
    outside, depth, place = [], 0, begin
    for mention in closing:
        depth += text.count("(", place, mention.start) - text.count(")", place, mention.start)
        place = mention.start
        if depth <= 0:
            outside.append(mention)
    return outside or closing
