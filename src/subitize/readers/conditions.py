"""Numbers that say which things were counted, not how many there are.

"3 bars with values smaller than 6", "the number of cities with fewer than 70 billboards is 5".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from subitize.numerals import find_numbers
from subitize.readers.mentions import Mention
from subitize.readers.sentences import sentence_around

_THAN = (
    r"(?:(?:smaller|larger|bigger|greater|higher|lower|less|more|fewer|longer|shorter|older|younger"
    r"|taller|heavier|better|worse|other|different) than(?: or equal to)?|at (?:least|most)|below"
    r"|above|under|over|exactly|up to|equal to|between|beyond|exceed(?:s|ing)?|only)"
)
_CONDITION = re.compile(rf"\b{_THAN}(?: (?:a|an|the|about|value of|total of))*[ $~]{{1,2}}$", re.I)
_CONDITION_ENDS = (
    "than", "to", "least", "most", "below", "above", "under", "over", "exactly", "between",
    "beyond", "exceed", "exceeds", "exceeding", "only", "a", "an", "the", "about", "of",
)  # fmt: skip
"""the last words of what may be a condition: only behind them the long pattern is tried"""
_MEASURED = re.compile(
    r"\s?(?:older|younger|taller|longer|shorter|heavier|lighter|wider|higher|lower|larger|smaller|"
    r"bigger|greater) than\b|\s?exceed(?:s|ing)?\b",
    re.IGNORECASE,
)
"""compares a measure of the things: the number behind it is never how many there are"""
_COMPARED = re.compile(r"(?:above|below|over|under|exceeding) [\d.,]+(?=[ ]?(?:%|[.,;)]|$))", re.I)
_THINGS = re.compile(r" (?:(?!and\b)[\w'-]{1,20} ){1,3}")
_WHICH = r"(?:with|that|which|who|whose|where|having|ha(?:s|ve|d))"
_IN_CLAUSE = re.compile(
    rf"\b(?:number|count|total)\b[^.;:=\n]{{0,80}}\b{_WHICH}\b[^.;:=\n]{{0,60}}\b{_THAN} $"
    rf"|\bvalues?(?: (?:that|which) are)? {_THAN} $",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:with|that|which|who|whose|where|having|ha(?:s|ve|d)|in|by|for|on|of|below|above|are|is|"
    r"sold|scored?|got|went|sell|values?|prefer(?:red)?|contain(?:s|ing)?|whom)\b",
    re.IGNORECASE,
)
_NEW_CLAUSE = re.compile(r"[,;:()\n]| (?:and|or|while|whereas|plus) (?!fewer|less|more|at )", re.I)
_SUBJECT = re.compile(
    r"\b(?:number|count|amount|quantity|total|sum|rate|mean|median|mode|range|average|difference|"
    r"ratio|frequency|minimum|maximum|highest|lowest|greatest|largest|smallest|value|probability)\b",
    re.IGNORECASE,
)
COPULA = re.compile(
    r"(?:\b(?:is|was|are|were|be|equals|becomes|remains)|:)"
    r"(?: (?:therefore|thus|then|also|only|exactly|just|about|around|approximately|roughly|"
    r"still|now|equal to|a total of|the|indeed))*[ ~$(]{0,2}$",
    re.IGNORECASE,
)

_NONE: frozenset[int] = frozenset()


def bounds_in(question: str) -> frozenset[int]:
    """The numbers by which a question limits what is to be counted.

    >>> bounds_in("How many of the 9 bars have values smaller than 6?")
    frozenset({6})

    The ends of a range are none: often they are years, and what is said of one is no answer.
    """
    return (
        _NONE
        if not question
        else frozenset(
            one.value
            for one in find_numbers(question)
            if one.value
            and one.kind != "range"
            and _CONDITION.search(question, max(0, one.start - 30), one.start)
        )
    )


def said_again(
    text: str, counts: list[Mention], sentences: Sequence[int], asked: frozenset[int]
) -> Iterator[int]:
    """Bounds of the question, as such, beside another number in their sentence."""
    places = [bisect_right(sentences, mention.start) for mention in counts]
    others = {place for place, one in zip(places, counts, strict=True) if one.value not in asked}
    for index, mention in enumerate(counts):
        near = max(0, mention.start - 30)
        if (
            mention.value in asked
            and places[index] in others
            and _CONDITION.search(text, near, mention.start)
        ):
            yield index


def conditions_in(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    begins = [mention.start for mention in counts]
    for index, mention in enumerate(counts):
        begin, end = sentence_around(sentences, text, mention.start)
        if is_bound(text, max(begin, mention.start - 180), mention):
            yield index
            continue
        if index and counts[index - 1].start >= begin:
            gap = text[counts[index - 1].end : mention.start]
            bound = _condition_at_end(gap, 0, len(gap))
            if bound and _limits(gap[: bound.start()], text, counts[index - 1]):
                yield index
                continue
        following = counts[index + 1].start if index + 1 < len(counts) else end
        named = following < end and text[mention.end : following] == ": "  # "Bars above 40: 3"
        if named and mention.role == "count" and _CONDITION.search(text, begin, mention.start):
            yield index
            continue
        last = bisect_left(begins, end) - 1
        if last > index and _SUBJECT.search(text, begin, mention.start):
            is_ = text[max(mention.end, begins[last] - 40) : begins[last]]
            if COPULA.search(is_):
                yield index


def _condition_at_end(text: str, begin: int, end: int) -> re.Match[str] | None:
    """The condition that this part of a text ends in."""
    if text[begin:end].rstrip(" $~\n").lower().endswith(_CONDITION_ENDS):
        return _CONDITION.search(text, begin, end)
    return None


def is_bound(text: str, begin: int, mention: Mention) -> bool:
    """Whether a number says which things are counted, not how many there are: 9 in "the total
    number of cities with more than 9 parks"."""
    near = max(begin, mention.start - 30)
    return bool(
        _condition_at_end(text, near, mention.start)
        and _IN_CLAUSE.search(text, begin, mention.start)
    )


_QUESTION = re.compile(
    rf"\b(?P<cue>how many|number of|count(?:ing)?)\b(?P<things>[^.,;:=?!()\n]{{0,120}})\b{_THAN} $",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:that|which|who|values?) (?:is|are|was|were)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|be|equals?|to)\b", re.IGNORECASE)


def names_bound(text: str, mention: Mention) -> bool:
    """Whether a number only repeats what was asked for, with no answer behind it: 2 in "it does
    not say how many guests came more than 2 times"."""
    if not _condition_at_end(text, max(0, mention.start - 30), mention.start):
        return False
    asked = _QUESTION.search(text, max(0, mention.start - 160), mention.start)
    if asked is None:
        return False
    things = _RELATIVE.sub("", asked["things"])
    return asked["cue"].lower() == "how many" or not _IS.search(things)


def is_limit(text: str, mention: Mention) -> bool:
    """Whether it is no count but the bound of a value: 0.5 in "with a p-value lower than 0.5"."""
    near = max(0, mention.start - 30)
    return mention.role == "quantity" and bool(_CONDITION.search(text, near, mention.start))


def _limits(between: str, text: str, before: Mention) -> bool:
    """Whether a bound limits what was counted before it, rather than being a count beside it."""
    if re.fullmatch(r"(?: [\w'-]{1,20}){0,3},? (?:and|but)(?: \w+){0,2} ?", between):
        # "at least 17 birds but fewer than 33": the second end of a bound
        return bool(_CONDITION.search(text[max(0, before.start - 30) : before.start]))
    measured = _MEASURED.match(text, before.end + len(between))
    if _COMPARED.match(text, before.end + len(between)) and _THINGS.fullmatch(between):
        return True  # "4 bars above 15."
    return bool(measured or _CLAUSE.search(between)) and not _NEW_CLAUSE.search(between)
