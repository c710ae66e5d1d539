"""Answers that stand alone on their line, or are chosen by the letter of an option."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subitize.readers.mentions import Mention
from subitize.readers.wrappings import OPEN

NAMES_ANSWER = re.compile(
    r"\banswer\b|\b(?:correct|right|best) (?:option|choice|number|count|value|one)\b|答案"
    r"|\bclosest(?: (?:option|choice|match|one|value))?(?= (?:is|would be) \(?[A-H]\b)"
    r"|\bfinal (?:count|number|tally|result|total|estimate|value|integer|integer value|figure)\b"
    r"|\b(?:final|conclusion|solution|verdict)(?=\s?:)",
    re.IGNORECASE,
)
AROUND = " \t\n\x1e\x1f.*_\"'`()[]:;,!$"
_ALONE = re.compile(
    r"[\W_]*(?:(?:the |my |your )?(?:final |correct )?(?:answer|option)(?: is)?[\W_]*)?"
    r"(?:[A-H][).:][\W_]*)?(?:Answer:\s*)?",
    re.IGNORECASE,
)


def stands_alone(text: str, mention: Mention) -> bool:
    """Whether a number is all that its line says, an option's letter aside."""
    begin = text.rfind("\n", 0, mention.start) + 1
    if mention.start - begin > 40:
        return False
    after = text[mention.end : mention.end + 20].partition("\n")[0]
    return bool(_ALONE.fullmatch(text[begin : mention.start])) and not after.strip(AROUND)


def first_line(text: str, mentions: Sequence[Mention]) -> Mention | None:
    """The answer that stands alone on the first line, before its explanation."""
    first = mentions[0]
    begins = not text[: max(0, text.rfind("\n", 0, first.start))].strip(AROUND)
    alone = begins and stands_alone(text, first) and not lists_options(text, mentions[:2])
    return first if alone else None


def boxed_last_line(text: str, mentions: Sequence[Mention]) -> Mention | None:
    """The answer in a box or answer element that stands alone on the last line."""
    last = mentions[-1]
    boxed = OPEN in text[max(0, last.start - 3) : last.start]
    ends = not text[last.end :].strip(AROUND)
    return last if boxed and ends and stands_alone(text, last) else None


LEAST_BEFORE = 20
"""characters before an option that opens a reply, at the most"""
_SIGNS_OF_OPTION = " \t\n*([.):]ABCDEFGH"
_OPTION = re.compile(r"[(\[]?\b[A-H][).:\]]+[ \t]*[(\"'$*]*$")
_CHOICE_GAP = re.compile(r"[^\n.!?]{0,60}(?:\n\s*)?[(\[]?\b[A-H][).:\]]+[ \t]*[(\"'$*]*")


def opening_option(text: str, counts: Sequence[Mention]) -> Mention | None:
    """3 in "(C) 3 - there are three ducks in the pond, and 2 on the shore"."""
    places = _lettered(text, counts)
    opens = len(places) == 1 and places[0].start < LEAST_BEFORE
    return places[0] if opens and not text[: places[0].start].strip(_SIGNS_OF_OPTION) else None


def chosen_option(text: str, counts: Sequence[Mention]) -> Mention | None:
    """The option that a reply chooses in its closing words: "so the correct answer is (B) 3".

    Whoever names a letter and its number answers a question of choice, whatever was counted on
    the way there; a reply that goes on with another number, or lists options, has not chosen.
    """
    places = _lettered(text, counts)
    if not places:
        return None
    if first := opening_option(text, counts):
        return first
    last = places[-1]
    cue = None
    for cue in NAMES_ANSWER.finditer(text, max(0, last.start - 100), last.start):  # noqa: B007
        pass
    if cue is None or not _CHOICE_GAP.fullmatch(text, cue.end(), last.start):
        return None
    lettered = {one.value for one in places if one.start > cue.end()}
    after = {one.value for one in counts if one.start > last.start}
    return last if lettered | after <= {last.value} else None


def _lettered(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    return [one for one in mentions if _OPTION.search(text, max(0, one.start - 8), one.start)]


def lists_options(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether these are only options to choose from: "(A) 1", "(B) 2" on lines of their own."""
    several = len({one.value for one in _lettered(text, mentions)}) == len(mentions) > 1
    return several and all(stands_alone(text, one) for one in mentions)
