"""What the characters around a number make of it: a negative, a range, a price, a name."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

NumeralKind = Literal[
    "cardinal", "ordinal", "fraction", "decimal", "percentage", "negative", "range", "modifier",
    "group", "indefinite", "code",
]  # fmt: skip
"""cardinal: 7, seven, 1,024, a dozen · ordinal: 3rd, third · fraction: 1/2, ½, two thirds, half ·
decimal: 3.5, three point five · percentage: 40 %, forty percent · negative: -1, minus one ·
range: either end of 4-5, four to five, between 5 and 7 · modifier: 5-pointed, two-dimensional ·
group: a pair (2), a trio (3) · indefinite: several hundred, dozens · code: part of a name, date,
time, size, price or version: GPT-4, 12:30, 2024-05-01, 640x480, $5, #3"""


class Numeral(NamedTuple):
    """A number in a text."""

    start: int
    """where it begins"""
    end: int
    """where it ends (the first place after it)"""
    kind: NumeralKind
    """what sort of number it is"""
    value: int | None
    """its value; null for fractions, decimals and codes"""
    spelled: bool = False
    """written in letters"""


_AFTER = re.compile(
    r"(?P<percentage>[ \t\u00a0\u202f]{0,2}(?:[%٪％]|(?i:per[ -]?cent|pct)\b))"
    r"|(?P<fraction>[ ]?π)"
    r"|(?P<ordinal>(?i:st|nd|rd|th)\b)"
    r"|(?P<cardinal>-?ish\b|\.?$|[a-zà-ÿ]{3,})"
    r"|(?P<modifier>[-‐‑][^\W\d_]{2,})"
    r"|(?P<code>[-‐‑]?[A-Za-zÀ-ɏΑ-ω_]|[ \t]?°|\.[a-z]{2,4}\b)",
)
_MINUS = re.compile(r"(?<![\w)\]}])[-−–－]$|\b(?:minus|negative)[ \t]{1,2}$", re.IGNORECASE)
_GLUED_BEFORE = re.compile(r"[A-Za-zÀ-ɏΑ-ω_#$€£¥]$|[^\W\d_][-‐‑]$|\bNo\. ?$")
_MAY_BE_GLUED, _MAY_BE_MINUS = frozenset("_#$€£¥-‐‑×÷. "), frozenset("-−–－ \t")
"""what stands right before a number that these two patterns find"""
_SIGN_AFTER_SPACE = frozenset("%٪％°pPπ ")
_GLUE = frozenset("/⁄:x×*-–^")
_PLAIN_BEFORE, _PLAIN_AFTER = frozenset(" \n\t("), frozenset(",;!?)\n\t")


def kind_in_context(text: str, before: int, number: Numeral) -> Numeral:
    """The number with what the characters right before and after make of it.

    `before` is the end of the number before this one.
    """
    kind, start, end = number.kind, number.start, number.end
    if kind not in ("cardinal", "decimal") or _is_plain(text, start, end):
        return number
    after = _AFTER.match(text, end)
    if after and after.lastgroup == "percentage":
        return number._replace(kind="percentage")
    if "√" in text[max(0, start - 3) : start]:
        return number._replace(kind="fraction", value=None)
    if number.spelled and after and after.lastgroup not in ("modifier", "cardinal"):
        after = None
    last = text[start - 1] if start else ""
    glued = last.isalpha() or last in _MAY_BE_GLUED
    if not number.spelled and glued and _GLUED_BEFORE.search(text, max(0, start - 4), start):
        return number._replace(kind="code")
    minus = _MINUS.search(text, max(0, start - 10), start) if last in _MAY_BE_MINUS else None
    # "12 minus 2" and "12 -2" are sums, not negative numbers
    is_sum = (
        before > 0 and start - before < 10 and text[before : minus.start()].isspace()
        if minus
        else False
    )
    if minus and not is_sum:
        value = None if number.value is None else -number.value
        return number._replace(start=minus.start(), kind="negative", value=value)
    if after and not (kind == "decimal" and after.lastgroup == "ordinal"):
        found: NumeralKind = after.lastgroup  # type: ignore[assignment]
        return number if found == "cardinal" else number._replace(kind=found)
    return number


def _is_plain(text: str, start: int, end: int) -> bool:
    """Whether the neighbouring characters show at once that nothing is glued to the number."""
    if start and text[start - 1] not in _PLAIN_BEFORE:
        # between two digits: a chain such as 2024-05-01, which `with_ranges` looks at
        inside = start > 1 and text[start - 2].isdecimal() and text[start - 1] in _GLUE
        return (
            inside and not text[end : end + 1].isalpha() and not text[end + 1 : end + 2].isalpha()
        )
    if start > 1 and text[start - 2] in "sSeE.-−–－√":
        return False  # "minus", "negative", "No.", a root
    if end >= len(text) or text[end] in _PLAIN_AFTER:
        return True
    return text[end] == " " and text[end + 1 : end + 2] not in _SIGN_AFTER_SPACE


_RANGE = re.compile(
    r"[ \t]?(?:[-‐‑–—~〜～])[ \t]?|\.\.\.?|[ \t]{1,2}(?:to|through|until)[ \t]{1,2}|-to-",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween[ \t]{1,2}$", re.IGNORECASE)
_APART = frozenset((" ", ", ", "\n", ","))
_EQUALS = re.compile(r"[ \t]?=")


def with_ranges(text: str, found: list[Numeral]) -> list[Numeral]:
    """Mark ends of ranges and what is glued to a neighbour: 1/2, 12:30, 640x480, 2024-05-01."""
    index = 0
    while index + 1 < len(found):
        first, second = found[index], found[index + 1]
        gap = second.start - first.end
        last = index
        if gap == 1 and text[first.end] in _GLUE:
            last = _end_of_chain(text, found, index)
            if last > index:
                _mark_chain(text, found, index, last)
        if gap < 11 and last <= index + 1:
            _mark_pair(text, found, index)
        index = max(last, index + 1)
    return found


def _end_of_chain(text: str, found: list[Numeral], index: int) -> int:
    """The last of the numbers that hang together by one sign each, such as 2024-05-01."""
    last = index
    while last + 1 < len(found) and found[last + 1].start - found[last].end == 1:
        spelled = found[last].spelled or found[last + 1].spelled
        if spelled or text[found[last].end] not in _GLUE:
            break
        last += 1
    return last


def _mark_chain(text: str, found: list[Numeral], first: int, last: int) -> None:
    sign = text[found[first].end]
    sum_ = _EQUALS.match(text, found[last].end)
    kind: NumeralKind = "code"
    if last == first + 1 and sign in "/⁄":
        kind = "fraction"
    elif last == first + 1 and sign in "-–":
        kind = "range"
    for place in range(first, last + 1):
        if sum_ and found[place].kind in ("code", "modifier"):
            found[place] = found[place]._replace(kind="cardinal")
        elif not sum_ and (kind != "range" or found[place].kind in ("cardinal", "modifier")):
            number = found[place]
            found[place] = Numeral(number.start, number.end, kind, number.value, number.spelled)


def _mark_pair(text: str, found: list[Numeral], index: int) -> None:
    """Mark this number and the next when the words between make them a range or one fraction."""
    first, second = found[index], found[index + 1]
    gap = text[first.end : second.start]
    if gap in _APART and second.kind != "fraction":
        return
    kind: NumeralKind | None = None
    if first.kind in ("cardinal", "range", "modifier") and second.kind in ("cardinal", "range"):
        between = gap.strip().lower() == "and" and _BETWEEN.search(
            text, max(0, first.start - 10), first.start
        )
        sum_ = "-" in gap and _EQUALS.match(text, second.end)
        if first.value == second.value and gap != "-":
            return  # "9 — nine birds"
        if gap == "-" and second.spelled and not first.spelled and text[second.start].isupper():
            kind = "code"  # 7-Eleven
        elif between or (_RANGE.fullmatch(gap) and not sum_):
            kind = "range"
    elif first.kind == "cardinal" and second.kind == "fraction" and gap in ("", " "):
        kind = "fraction"
    if kind:
        found[index], found[index + 1] = first._replace(kind=kind), second._replace(kind=kind)
