"""Numbers that make up another one of the same reply: parts that add up to it, rows times columns.

Arithmetic is what tells a breakdown from a list of other things: "9 birds, 4 on the wire and 5 in
the air" has one count, "9 birds, 4 cats and 2 dogs" has three.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from subitize.nouns import PLURALS, singular
from subitize.readers.mentions import Mention

_ROWS_OF = re.compile(
    r" (?:[\w'-]{1,20} )?(?:rows?|columns?|lines?|groups?|sets?|piles?|stacks?|layers?|clusters?)"
    r" (?:of|with) (?:exactly )?",
    re.IGNORECASE,
)
_SPLITS = re.compile(r",|\b(?:because|since|as)\b", re.IGNORECASE)
_TAKEN = re.compile(
    r"\b(?:take|taking|leav|remov|subtract|minus|remain|(?:are|is) left\b)", re.IGNORECASE
)
_SIGN = re.compile(r"[=+×*]")
_PLUS = re.compile(r"\s{0,2}(?:\+|plus)\s{0,2}", re.IGNORECASE)
_EQUALS = re.compile(r"\s{0,2}(?:=|equals)\s{0,2}", re.IGNORECASE)
_RESULT = re.compile(
    r"[^.;\n]{0,40}(?:[:=–—]|, (?:for|so|or|i\.e\.,?|that's|that is),?)[ $*]{1,3}", re.I
)
_NOUN = re.compile(r" (?:(?:more|other|further) )?([^\W\d_][\w'-]{1,20})")
_MINUS = re.compile(r"\s{0,2}(?:[-−–]|minus)\s{0,2}", re.IGNORECASE)
_MEMBER = re.compile(r",(?: and)? | and ")
_IRREGULAR = frozenset(PLURALS.values())


def parts_of_headline(
    text: str, counts: Sequence[Mention], sentences: Sequence[int]
) -> Iterator[int]:
    """Which counts only make up the first one: "two apples, one red and one green"."""
    head = counts[0]
    if not head.value:
        return
    after = bisect_right(sentences, head.start)
    end = sentences[after] if after < len(sentences) else len(text)
    inside = range(1, bisect_left([one.start for one in counts], end))
    rest = [counts[index] for index in inside]
    if len(rest) > 1 and _is_split(text, head, rest):
        yield from inside
        return
    for index, (first, second) in enumerate(pairwise(counts[1:]), 1):
        gap = second.start - first.end
        rows = gap < 60 and _ROWS_OF.fullmatch(text, first.end, second.start)
        if rows and (first.value or 0) * (second.value or 0) == head.value:
            yield from (index, index + 1)
    yield from _terms(text, counts)
    yield from _values_in_brackets(text, counts)
    yield from _members(text, counts)


def _is_split(text: str, head: Mention, parts: Sequence[Mention]) -> bool:
    """Whether what follows a comma adds up to the headline and names no things of its own."""
    if sum(one.value or 0 for one in parts) != head.value:
        return False
    if not _SPLITS.search(text, head.end, parts[0].start):
        return False
    if _SIGN.search(text, head.end, parts[-1].end) or _TAKEN.search(text, head.end, parts[-1].end):
        return False
    own = _noun(text, head)
    nouns = [_noun(text, one) for one in parts]
    return all(noun == own or not _is_plural(noun) for noun in nouns)


def _noun(text: str, mention: Mention) -> str:
    found = _NOUN.match(text, mention.end)
    return found[1].lower() if found else ""


def _is_plural(noun: str) -> bool:
    return noun in _IRREGULAR or (noun.endswith("s") and singular(noun) != noun)


def _terms(text: str, counts: Sequence[Mention]) -> Iterator[int]:
    """4 and 5 in "The answer is 9 because 4 + 5 = 9": the terms of a sum that ends in the first."""
    if "+" not in text and "plus" not in text:
        return
    run: list[int] = []
    for index, (first, second) in enumerate(pairwise(counts)):
        if second.start - first.end > 12:
            run = []
        elif _PLUS.fullmatch(text, first.end, second.start):
            run = [*(run or [index]), index + 1]
        else:
            is_result = run and _EQUALS.fullmatch(text, first.end, second.start)
            total = sum(counts[place].value or 0 for place in run)
            if is_result and run[0] and second.value == total == counts[0].value:
                yield from run
            run = []


def _values_in_brackets(text: str, counts: Sequence[Mention]) -> Iterator[int]:
    """45 and 60 in "2 bars: A (45) and B (60)": what each thing is worth."""
    inside = [
        index
        for index, one in enumerate(counts)
        if one.start and text[one.start - 1] == "(" and text[one.end : one.end + 1] == ")"
    ]
    if len(inside) > 1 and inside[0] and (inside[0] == 1 or len(inside) + 1 < len(counts)):
        yield from inside


def _members(text: str, counts: Sequence[Mention]) -> Iterator[int]:
    """60, 70 and 90 in "3 bars are higher: 60, 70 and 90": as many as the headline says."""
    head, members = counts[0], counts[1 : (counts[0].value or 0) + 1]
    if not 1 < (head.value or 0) == len(members):
        return
    sign = _LIST.search(text, head.end, members[0].start)
    if not sign or any(mark in text[head.end : sign.start()] for mark in ".;:\n"):
        return
    if all(_MEMBER.fullmatch(text, one.end, two.start) for one, two in pairwise(members)):
        yield from range(1, len(members) + 1)


_LIST = re.compile(r"(?:[:,]|\b(?:namely|numbers|numbered|values|scores))[ \n]$", re.IGNORECASE)


def are_summed(counts: Sequence[Mention], last: Mention) -> bool:
    """Whether a number is what all before it make up: 18 in "6 here, 6 there, 6 below. 18 cups."""
    terms = [one.value or 0 for one in counts if one.end <= last.start]
    return len(terms) > 1 and sum(terms) == last.value


def result_of(text: str, closing: Sequence[Mention]) -> Mention | None:
    """The last number of a sentence that the others make up: "4 in the tree and 5 in the sky, for
    9", "4 rows of 5: 20"."""
    *others, last = closing
    values = [one.value or 0 for one in others]
    two = len(values) == 2
    if values == list(range(1, len(others) + 1)) and last.value == len(closing) > 3:
        aloud = all(_MEMBER.fullmatch(text, a.end, b.start) for a, b in pairwise(closing))
        return last if aloud and _noun(text, last) else None
    if len(values) < 2 or not _RESULT.fullmatch(text, others[-1].end, last.start):
        return None
    product = two and values[0] * values[1] == last.value
    minus = two and _MINUS.fullmatch(text, others[0].end, others[1].start)
    difference = minus and values[0] - values[1] == last.value
    return last if product or difference or sum(values) == last.value else None
