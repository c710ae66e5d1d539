"""What signs and other numbers around a number make of it: a size, a ratio, a time, inches."""

from __future__ import annotations

import html
import re

from subitize.captions.words import METALS, MONEY_SIGNS, UNITS
from subitize.numerals import Numeral

CAPTION = 300
"""characters to either side that tell how a caption is written"""
MONEY_BEFORE = re.compile(rf"[{re.escape(MONEY_SIGNS)}][ \t]?$")
DECADE = re.compile(r"['’]?s\b")
_CHAIN = re.compile(r"[\d.:/×x-]*\d[:×x/-]\d[\d.:/×x-]*")
_GLUED = re.compile(r"[ \t]?([^\W\d_]+)\b")
_BY = re.compile(r"[ \t]{1,2}(?:x|×|by)[ \t]{1,2}", re.IGNORECASE)
_RATIO = re.compile(r"[ \t]{1,2}(?:in|of|out[ \t]of)(?:[ \t]every)?[ \t]{1,2}", re.IGNORECASE)
_AGAINST = re.compile(r"[ \t]{1,2}(?:on|for|vs?[.]?|/)[ \t]{1,2}", re.IGNORECASE)
_OR = re.compile(r"[ \t]{1,2}or[ \t]{1,2}", re.IGNORECASE)
_FEET = frozenset({"'", "’", "′", "foot", "feet", "ft"})
_PARTS = ("fraction", "group", "indefinite", "ordinal")
_FINENESS = re.compile(
    rf"(?:304|316|375|585|750|800|916|925|950|999)[ ]+(?:{'|'.join(sorted(METALS))})\b",
    re.IGNORECASE,
)

_ENTITY = re.compile(r"([^\W\d_]*)(&(?:[a-z]{2,8}|#\d{1,7}|#x[\da-f]{1,6});)", re.IGNORECASE)


def without_entities(caption: str) -> str:
    """A caption with what HTML's entities stand for; all numbers stay in their places.

    >>> without_entities("Men&#39;s, 5&nbsp;cats")
    "    Men's, 5\xa0     cats"
    """
    return _ENTITY.sub(_meant, caption) if "&" in caption else caption


def _meant(entity: re.Match[str]) -> str:
    """The word and the sign that ends it, as long as before."""
    word, sign = entity[1], html.unescape(entity[2])
    return (word + sign).rjust(len(entity[0])) if word else sign.ljust(len(entity[0]))


def between(text: str, number: Numeral, before: Numeral | None, after: Numeral | None) -> str:
    """What ties the number to the one before or after it."""
    for pair in ((before, number), (number, after)):
        first, second = pair
        if first is None or second is None or not 0 < second.start - first.end < 14:
            continue
        gap = text[first.end : second.start]
        if _BY.fullmatch(gap):
            return "size"
        if _OR.fullmatch(gap):
            return "range"
        # half of 2 apples is no ratio, nor is a pair of 2 lamps, nor the first of 3 bridges
        if number is second and first.kind not in _PARTS and _RATIO.fullmatch(gap):
            return "ratio"
        digits = not first.spelled and not second.spelled
        if digits and gap.strip() in _FEET:
            return "unit"
        if digits and gap == ",":
            return "decimal"
        # one on one, 2 for 1, and 9 / 11 as CC3M writes it, but: $20 for 2 shirts
        paid = MONEY_BEFORE.search(text, max(0, first.start - 2), first.start)
        if _AGAINST.fullmatch(gap) and not paid:
            return "ratio"
        # twenty twenty vision, but: the first two teeth
        alike = digits or (first.spelled and second.spelled and first.kind == "cardinal")
        if number is second and alike and gap == " " and not _is_year(first):
            return "code"
    return ""


def _is_year(number: Numeral) -> bool:
    return number.end - number.start == 4 and 1000 <= (number.value or 0) <= 2099


def is_label(text: str, start: int, end: int) -> bool:
    """Whether a row of digits names a thing rather than counts some: 007, 60139, 925 silver.

    Long counts have marks in them (60,139) or are round.
    """
    written = text[start:end]
    if len(written) > 1 and written[0] == "0":
        return True
    odd = len(written) > 4 and written.isdecimal() and int(written) % 100 > 0
    return odd or bool(_FINENESS.match(text, start))


def code(text: str, start: int, end: int) -> str:
    """What sort of code a number is part of."""
    if MONEY_BEFORE.search(text, max(0, start - 2), start):
        return "currency"
    if (start and text[start - 1] in "#№") or text[max(0, start - 4) : start].lower() == "no. ":
        return "identifier"
    if text[start:end].isdecimal() and DECADE.match(text, end):
        return "year"
    glued = _GLUED.match(text, end)
    if glued and glued[1].lower() in UNITS and text[start - 1 : start] in ("", " ", "("):
        return "unit"
    if text.startswith("°", end) or text.startswith(" °", end):
        return "unit"
    return date_in(text, start, end) or "code"


def date_in(text: str, start: int, end: int) -> str:
    """The chain of digits and signs that a number is part of: a time, a size, a date."""
    left = start
    while left and start - left < 12 and text[left - 1] in "0123456789:/×x-.":
        left -= 1
    found = _CHAIN.match(text, left)
    if not found or found.end() < end:
        return ""
    chain = found[0]
    if ":" in chain:
        parts = chain.split(":")
        clock = re.fullmatch(r"(?:[01]?\d|2[0-4]):[0-5]\d", ":".join(parts[:2]))
        return "time" if clock else "ratio"
    if "x" in chain or "×" in chain:
        return "size"
    return "date" if chain.count("-") == 2 or chain.count("/") == 2 else ""


def is_inch(text: str, place: int) -> bool:
    """Whether a quotation mark closes nothing, and so means inches."""
    return text.count('"', max(0, place - CAPTION), place + CAPTION) % 2 == 1
