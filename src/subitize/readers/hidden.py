"""The hidden part of what a reply counts, for the question that asks for it alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from subitize.readers.hedges import QUANTIFIER
from subitize.readers.mentions import Mention
from subitize.readers.sentences import sentence_around, starts_of

_UNSEEN = (
    r"(?:hidden|covered|occluded|obscured|concealed|blocked|obstructed|behind|beneath|underneath|"
    r"under|inside|within|not visible|invisible|out of (?:sight|view))"
)
_IS_HIDDEN = re.compile(
    rf"(?:,? (?!(?:not|never|visible|seen|shown|and|but|while|with|in total|altogether)\b)"
    rf"[\w'-]{{1,20}}){{0,6}}? \(?{_UNSEEN}\b",
    re.IGNORECASE,
)
_HIDES = re.compile(
    r"\b(?:hid(?:es?|ing)|cover(?:s|ing)?|block(?:s|ing)?|obscur(?:es?|ing)|conceal(?:s|ing)?"
    r"|occlud(?:es?|ing))(?: (?:up|to|about|around|the|other|exactly|only|another|at|least|most"
    r"|roughly|approximately|a|total|of)){0,4} $",
    re.IGNORECASE,
)
_HIDDEN_ARE = re.compile(
    rf"\b{_UNSEEN}\b(?: [\w'-]{{1,20}}){{0,6}}?(?::| (?:is|are|=|equals|be))"
    r"(?: (?:therefore|thus|then|about|around|exactly|likely|probably|only|just)){0,2} $",
    re.IGNORECASE,
)
_COVERS_SOME = re.compile(
    r"\b(?:hid(?:es?|ing)|cover(?:s|ing)?|conceal(?:s|ing)?|block(?:s|ing)?|obscur(?:es?|ing))"
    r" (?:several|some|many|most|a few|few|part|parts|half) of\b",
    re.IGNORECASE,
)
_OF_THE = re.compile(
    r"(?:\bout)?(?: of)(?: (?:the|these|those|all|a|total|of|original|\w+ly))* $", re.IGNORECASE
)


def hidden_part(text: str, mentions: Sequence[Mention]) -> Mention | None:
    """The last number that is said to be hidden, among those that count something."""
    sentences = starts_of(text)
    found = None
    for index, mention in enumerate(mentions):
        if mention.role not in ("count", "hedged"):
            continue
        begin, end = sentence_around(sentences, text, mention.start)
        before = mentions[index - 1].end if index else 0
        behind = mentions[index + 1].start if index + 1 < len(mentions) else len(text)
        earlier = text[max(begin, before, mention.start - 90) : mention.start]
        later = text[mention.end : min(end, behind, mention.end + 90)]
        whole = _OF_THE.search(earlier)
        if _IS_HIDDEN.match(later):
            # "4 of the 12 are hidden", but not "how many of the 12 are hidden"
            part = mentions[index - 1] if index else None
            if not whole:
                found = mention
            elif part and whole.start() == 0 and part.role in ("count", "hedged"):
                found = part
        elif not whole and (_HIDES.search(earlier) or _HIDDEN_ARE.search(earlier)):
            found = mention
    return found


_MORE_UNSEEN = re.compile(
    r"(?:[ ][\w'-]{1,20}){0,6},? (?:and|plus|with|but)"
    r"(?: (?:there (?:are|is|may be|might be)|also))*"
    rf" (?:{QUANTIFIER}|others?|more)\b[^.;\n]{{0,30}}?\b{_UNSEEN}\b",
    re.IGNORECASE,
)


def adds_unseen(text: str, place: int) -> bool:
    """Whether an unknown number of hidden ones is added to those that were counted.

    >>> adds_unseen("13 visible cups and an unknown number of hidden ones", 2)
    True
    """
    return _MORE_UNSEEN.match(text, place) is not None


def covers_some(text: str) -> bool:
    """Whether a reply says that some are hidden, and not how many.

    >>> covers_some("The box covers several of the 12 dots.")
    True
    """
    return _COVERS_SOME.search(text) is not None
