"""Numbers that say which things were counted, not how many there are.

"3 bars with values smaller than 6", "the number of cities with fewer than 70 billboards is 5".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

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
_COPULA_ENDS = frozenset((
    "is", "was", "are", "were", "be", "equals", "becomes", "remains", "therefore", "thus", "then",
    "also", "only", "exactly", "just", "about", "around", "approximately", "roughly", "still",
    "now", "to", "of", "the", "indeed",
))  # fmt: skip
"""the last words of what may be a copula: only behind them the long patterns are tried"""

Bounds = Mapping[int, str]
"""the numbers by which a question limits what is to be counted, each with its side"""
_NONE: Bounds = {}
_BELOW = re.compile(
    r"\b(?:smaller|lower|less|fewer|shorter|younger|below|under|at most|up to)\b", re.IGNORECASE
)
_ABOVE = re.compile(
    r"\b(?:larger|bigger|greater|higher|more|longer|older|taller|heavier|above|over|at least"
    r"|exceed\w*|beyond)\b",
    re.IGNORECASE,
)
_SOUGHT = re.compile(
    r"\b(?:how many|whether|need|find|determine|identify|look|check|if|count)\b", re.IGNORECASE
)


def bounds_in(question: str) -> Bounds:
    """The numbers by which a question limits what is to be counted.

    >>> bounds_in("How many of the 9 bars have values smaller than 6?")
    {6: '<'}

    The ends of a range are none: often they are years, and what is said of one is no answer.
    """
    return (
        _NONE
        if not question
        else {
            one.value: _side(question, one.start)
            for one in find_numbers(question)
            if one.value
            and one.kind != "range"
            and _CONDITION.search(question, max(0, one.start - 30), one.start)
        }
    )


def _side(text: str, place: int) -> str:
    before = text[max(0, place - 30) : place]
    return "<" if _BELOW.search(before) else ">" if _ABOVE.search(before) else "="


def said_again(text: str, mention: Mention, asked: Bounds) -> bool:
    """Whether a number only says again a bound of the question."""
    return (
        mention.value in asked
        and _CONDITION.search(text, max(0, mention.start - 30), mention.start) is not None
        and _side(text, mention.start) == asked.get(mention.value or 0)
    )


def meeting(
    text: str, counts: Sequence[Mention], bounds: Sequence[Mention], sentences: Sequence[int]
) -> set[int | None]:
    """How many are said to meet a bound of the question: 4 in "of those, 4 got more than 15"."""
    begins = [one.start for one in counts]
    found = set()
    for bound in bounds:
        begin, _ = sentence_around(sentences, text, bound.start)
        index = bisect_left(begins, bound.start) - 1
        if index < 0 or begins[index] < begin:
            continue
        one = counts[index]
        if index and _LISTED.fullmatch(text, counts[index - 1].end, one.start):
            continue  # "12, 15 and 21 are less than 30" lists them
        joined = _NEW_CLAUSE.search(text, one.end, bound.start)
        told = not joined and _MAY_TELL.search(text, max(begin, one.start - 15), one.start)
        if one.role == "count" and told and not _SOUGHT.search(text, begin, bound.start):
            found.add(one.value)
    return found


_LISTED = re.compile(r", (?:and )?| and ")
_MAY_TELL = re.compile(
    r"(?:\A\W*|[.!?:;,] ?[ \n]|\n|\b(?:are|is|was|were|be|only|exactly|just|also|that|so|thus"
    r"|hence|then|therefore|have|has|had|and|means|leaving|see|find) )$",
    re.IGNORECASE,
)
"""before a number that tells how many; behind other words it may be a name ("flock 5")"""


_HEADING = re.compile(
    rf"\b(?:who|that|which|with|whose) [^.;:=\n]{{0,60}}\b{_THAN} \S{{1,12}}"
    r"(?: [a-z]{3,12}s){0,2}: $",
    re.IGNORECASE,
)
"""before the number in "Students with more than 15 points: 4"; "Bars above 40: 3" needs none"""


def conditions_in(text: str, counts: list[Mention], sentences: Sequence[int]) -> Iterator[int]:
    begins = [mention.start for mention in counts]
    for index, mention in enumerate(counts):
        begin, end = sentence_around(sentences, text, mention.start)
        if is_bound(text, max(begin, mention.start - 180), mention) or text.endswith(
            ("between the ", "between these ", "between those "), 0, mention.start
        ):
            yield index
            continue
        if index and counts[index - 1].start >= begin:
            if _OR_MORE.match(text, mention.end) and _joins(text, counts[index - 1], mention):
                yield index
                continue
            gap = _BRACKETS.sub("", text[counts[index - 1].end : mention.start])
            bound = _condition_at_end(gap, 0, len(gap))
            if bound and _limits(gap[: bound.start()], text, counts[index - 1]):
                yield index
                continue
        following = counts[index + 1].start if index + 1 < len(counts) else end
        if following < end and _is_heading(text, begin, mention, following):
            yield index
            continue
        last = bisect_left(begins, end) - 1
        if (
            last > index
            and _may_be_copula(text[max(0, begins[last] - 20) : begins[last]])
            and _SUBJECT.search(text, begin, mention.start)
        ):
            is_ = text[max(mention.end, begins[last] - 40) : begins[last]]
            if COPULA.search(is_):
                yield index


_BRACKETS = re.compile(r" \([^()\n]{0,60}\)|, [^,.;:\n]{1,50},(?= )")
_OR_MORE = re.compile(
    r"(?: [\w'-]{1,20}){0,2} or (?:more|less|fewer|higher|lower|older|younger|above|below"
    r"|greater)\b",
    re.IGNORECASE,
)


def _joins(text: str, first: Mention, second: Mention) -> bool:
    """Whether a clause about the first leads to the second: "6 teams scored 30 points or more"."""
    between = text[first.end : second.start]
    return bool(_CLAUSE.search(between)) and not _NEW_CLAUSE.search(between)


def _may_be_copula(before: str) -> bool:
    before = before.rstrip(" ~$(").lower()
    return before.endswith(":") or re.split(r"\W", before)[-1] in _COPULA_ENDS


def _is_heading(text: str, begin: int, mention: Mention, following: int) -> bool:
    """Whether a bound is part of a heading whose value follows: "Bars above 40: 3"."""
    if text[following - 2 : following] != ": ":
        return False
    if _opens_with_bound(text, begin, mention, following):
        return True
    is_count = following == mention.end + 2
    if is_count and _CONDITION.search(text, begin, mention.start):
        return True
    return following - mention.end < 30 and bool(_HEADING.search(text, begin, following))


def _opens_with_bound(text: str, begin: int, mention: Mention, following: int) -> bool:
    """50 in "Fewer than 50 parks: 4 cities"."""
    if not _HEADED.fullmatch(text, mention.end, following):
        return False
    bound = _condition_at_end(text, begin, mention.start)
    return bound is not None and not text[begin : bound.start()].strip(" *-•")


_HEADED = re.compile(r"(?: [\w'-]{1,20}){1,3}: ")


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


_ASKED_AGAIN = re.compile(
    r"\bhow many\b[^.,;:=?!()\n]{0,80}\b(?:of|in|on|from|among|between|by|the|these|those|all|both"
    r"|after|before|since|during|without|with) $",
    re.IGNORECASE,
)


def names_bound(text: str, mention: Mention) -> bool:
    """Whether a number only repeats what was asked for, with no answer behind it: 2 in "it does
    not say how many guests came more than 2 times", 4 in "how many of the 4 cubes are hidden"."""
    if _ASKED_AGAIN.search(text, max(0, mention.start - 100), mention.start):
        return True
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
