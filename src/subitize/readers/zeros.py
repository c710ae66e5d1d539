"""Where a reply says that there is none of a thing, or a single one, without a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from subitize.nouns import PLURALS, singular
from subitize.readers.mentions import Mention

LOOKED_AT = 400
"""characters of a reply in which its headline is looked for"""

_NOT_COUNTED = (
    r"(?!(?:\w+ )?(?:one|idea|image|images|picture|pictures|photo|photograph|way|more|less|fewer|"
    r"longer|doubt|problem|information|matter|number|numbers|text|need|question|reason|clear|"
    r"context|attachment|file|data|sense|difference|answer|exact|definite|such|further|access|"
    r"visual|ability)\b)"
)
_NOUN = r"(?:[a-z][\w'-]{0,20} ){0,3}"
_PLURAL = rf"(?:[a-z][\w'-]{{1,20}}s|persons?|{'|'.join(sorted(PLURALS.values()))})\b"
_ZERO = re.compile(
    rf"\bno {_NOT_COUNTED}{_NOUN}{_PLURAL}"
    rf"|\b(?:there (?:is|are|were|was)|i see|i count|contains?|shows?|has|have|depicts?) no "
    rf"{_NOT_COUNTED}\w"
    r"|\bnone\b(?! of the (?:above|options|choices|answers|given))"
    r"|(?:\bnot|n't|\bwithout) (?:even )?(?:a single|one) [a-z]"
    r"|\b(?:does not|doesn't|did not|didn't) (?:(?:seem|appear) to )?(?:contain|show|depict|have|"
    rf"include|feature|display) any {_NOT_COUNTED}{_NOUN}{_PLURAL}"
    r"|\b(?:aren't|are not|isn't|is not|don't see|do not see|can't see|cannot see) any"
    r"(?=[.!,;]|$| (?:in|on|at|here|there|visible|present)\b)"
    r"|\b(?:aren't|are not|isn't|is not|don't see|do not see|can't see|cannot see|without) any "
    rf"{_NOT_COUNTED}{_NOUN}{_PLURAL}",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?:a|one|only a|just a|the|only one|exactly one)? ?(?:single|lone|solitary) "
    r"(?!(?:\w+ )?(?:image|picture|photo|row|line|column|file|number|digit|integer|group|color|"
    r"colour|word|answer|layer|frame|circle of|pile|cluster|pattern|shot|scene|kind|type)\b)[a-z]",
    re.IGNORECASE,
)


_ASIDE_OF_NONE = (
    r"(?:other|more|additional|further|hidden|visible|obvious|clear|specific|indication)\b"
)
_ZERO_STATED = re.compile(
    rf"\b(?:there (?:is|are|were|was)|i (?:can )?see|i count|contains?|shows?|depicts?) no "
    rf"(?!{_ASIDE_OF_NONE})"
    rf"{_NOT_COUNTED}\w"
    rf"|\b(?:none|zero|0) of (?:the|these|those)\b(?! (?:\w+ )?(?:choices|options"
    rf"|given|available|above))"
    rf"|\b(?:do not|don't|can't|cannot|are not|aren't|is not|isn't) (?:see )?any "
    rf"(?!{_ASIDE_OF_NONE}){_NOT_COUNTED}\w"
    rf"|^\W*no (?!{_ASIDE_OF_NONE}){_NOT_COUNTED}{_NOUN}{_PLURAL} "
    rf"(?:are|is|can be|were|was) (?:visible|seen|present|shown|found|in|on|there)\b"
    rf"|^\W*no (?!{_ASIDE_OF_NONE}){_NOT_COUNTED}{_NOUN}{_PLURAL}(?:[.;!]|, (?:only|just)\b)"
    r"|^\W*(?:none|not (?:even )?(?:a single|one)|no (?!more|less|fewer|greater|later|other))\b"
    r"[^.,;:\n]{0,80}\b(?:than|above|below|under|over|least|most|exceed\w*|of(?: the| these"
    r"| those| all)?) ?$",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def _asked_for(question: str) -> str:
    """The things a question asks for: "dogs" in "How many brown dogs are there?"."""
    plurals = "|".join(sorted(PLURALS.values()))
    asked = re.search(
        rf"\bhow many (?:[a-z]{{1,15}} ){{0,2}}?([a-z]{{3,20}}s|{plurals})\b", question[:400], re.I
    )
    return asked[1] if asked else ""


@lru_cache(maxsize=64)
def _none_of(things: str) -> re.Pattern[str]:
    return re.compile(
        rf"\bno {things}\b"
        r"(?! (?:are |is |were )?(?:hidden|behind|covered|occluded|missing|left))",
        re.IGNORECASE,
    )


def denies_asked(text: str, question: str) -> bool:
    """Whether a reply says that there are none of the things that were asked for.

    >>> denies_asked("There are 3 cans but no bottles.", "How many bottles are there?")
    True
    """
    things = _asked_for(question) if question and "no " in text.lower() else ""
    denied = _none_of(things).search(text[:LOOKED_AT]) if things else None
    if not denied:
        return False
    return not re.search(rf"(?<!no)(?<!zero) {things}\b", text[: denied.start()], re.IGNORECASE)


_NOT_ANY = re.compile(
    rf"^[^.;:\n]{{0,60}}\b(?:do not|don't|does not|doesn't) (?:(?:seem|appear) to )?(?:contain|show"
    rf"|depict|have|include|feature|display) any (?!{_ASIDE_OF_NONE}|(?:\w+ )?(?:labels?|ax[ei]s"
    rf"|legend|values?|units?|scale|title)\b){_NOT_COUNTED}"
    rf"(?P<things>(?:(?!(?:and|but|or|in|on|at)\b)[a-z][\w'-]{{0,20}} ){{0,2}}{_PLURAL})",
    re.IGNORECASE,
)
_ONE_ALONE = re.compile(
    r"^\W*(?:there(?: is|'s)|i (?:can )?(?:only )?see|(?:the|this) (?:image|picture|photo) "
    r"(?:only )?(?:shows|contains|features|depicts|has)) (?:only |just )?"
    r"(?:a|one) (?:single|lone|solitary) "
    r"(?P<things>[^.,;:\n]{2,60})(?:[.,;]| and )",
    re.IGNORECASE,
)


def begins_with_another(text: str, first: int, question: str) -> bool:
    """Whether a reply first tells of none, or of a single thing, and then of the number of others:
    "The picture doesn't contain any dogs. It shows 3 horses." Whom the question asks for decides.

    >>> begins_with_another("There is a single dog, beside two people.", 30, "")
    True
    """
    if " any " not in text[:LOOKED_AT] and " single " not in text[:LOOKED_AT]:
        return False
    told = _NOT_ANY.search(text, 0, first) or _ONE_ALONE.search(text, 0, first)
    if told is None:
        return False
    asked = _asked_for(question).lower() if question else ""
    return not asked or singular(asked) in told["things"].lower()


_THING = re.compile(
    r" (?:(?!(?:on|in|at|of|to|are|is|and|with|behind|from|by|for|or)\b)[a-z][\w'-]{0,20} ){0,2}?"
    rf"(?P<things>{_PLURAL})(?<!ss)",
    re.IGNORECASE,
)


_MULTIPLIES = re.compile(r"\b(?:of|with|each|per|every|times)\b", re.IGNORECASE)


def of_asked(text: str, counts: Sequence[Mention], question: str) -> Mention | None:
    """Which of several numbers is that of the things asked for, where each names things of its
    own: 11 in "11 trees and 3 bushes" when trees were asked for. Of parts none is."""
    asked = _asked_for(question).lower() if question else ""
    if not asked or _MULTIPLIES.search(text, counts[0].end, counts[-1].start + 60):
        return None
    found = [_THING.match(text, one.end, one.end + 60) for one in counts]
    named = [one["things"].lower() if one else "" for one in found]
    return counts[named.index(asked)] if all(named) and named.count(asked) == 1 else None


_NONE_LEFT = re.compile(
    r"\bno (?:other )?(?:objects?|items?|things?|shapes?)(?: that)? "
    r"(?:(?:are|is|were|will be|would be) )?(?:left|remain(?:s|ing)?)\b"
    r"(?! (?:to|of|side|hand|in|un\w+|besides?|except|but)\b)"
    r"|\bnone (?:of them )?(?:(?:are|is|will be|would be) )?(?:left|remains?)\b"
    r"(?! (?:to|in|un\w+)\b)"
    r"|\bleav(?:es?|ing) (?:us |you )?(?:with )?(?:none|no (?:objects?|items?|things?))\b",
    re.IGNORECASE,
)


def none_is_left(text: str, place: int) -> bool:
    """Whether a reply ends, behind the last number, by saying that nothing remains.

    >>> none_is_left("There are 5 objects. All are removed, so no objects are left.", 11)
    True
    """
    return "no" in text[place:].lower() and _NONE_LEFT.search(text, place) is not None


def has_zero_headline(text: str, first: int) -> bool:
    """Whether a text says that there is no such thing before it names the first number."""
    if first < 8:
        return False
    head = text[: min(first, LOOKED_AT)].lower()
    if not ("no" in head or " any " in head or "zero of" in head or "0 of" in head):
        return False
    return bool(_ZERO_STATED.search(text, 0, min(first, LOOKED_AT)))


def implied_number(text: str) -> int | None:
    """0 for "no apples" and the like, 1 for "a single apple"; for texts without another number."""
    if _ZERO.search(text):
        return 0
    return 1 if _SINGLE.search(text) else None
