"""What each number of a plain text is there for: a count, a hedged count, a label, an aside.

Decisions beyond the written rules, each with a case in the tests:

- *one* is no number in "one of", "no one", "one by one", "this/that one", "ones"; nor in "each,
  every, another, other, which, any one", "one another", "the one on/in/that …", "one can see",
  "on one side/hand".
- "a pair of apples" is 2, "a trio" 3, but not "a pair of glasses" and the like; "a couple" is
  vague, "both" and "an apple" are no numbers.
- "a single apple" is 1, "no apples", "none" and "not any apples" are 0, but only in a reply
  without another number: "7 apples and no other objects" is 7, "a single row of 7" too.
- Markers of lists are no counts: digits at the beginning of lines, followed by "." or ")" or ":"
  and more text, that run 1, 2, 3 … (or a lone 1). "7." with nothing behind it is a count.
- Labels (image 3, Figure 2, row 2, step 1, option 4), dates, years ("in 2024"), coordinates
  "(3, 4)", sizes (3x4, "3 by 4", 640 × 480 pixels) and measurements (5 cm) are not counts.
- "not 5" names a number only to deny it; "zero" right after a number is what was counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from subitize.numerals import Numeral, find_numbers
from subitize.readers.hedges import is_hedged

Role = Literal["count", "hedged", "range", "vague", "quantity", "label", "aside"]
"""count; hedged count; range or alternative; several hundred; quantity that is no count (decimal,
fraction, percentage, ordinal, negative); label, date or size; aside, as if it were not there"""


class Mention(NamedTuple):
    """A number and what it is there for."""

    start: int
    end: int
    role: Role
    value: int | None
    stated: bool = True
    """could be what a reply states as its answer (ordinals and percentages could not)"""


_STATED = frozenset(("cardinal", "group", "range", "decimal", "negative", "fraction"))
_ONE_BEFORE = re.compile(
    r"\b(?:no|this|that|each|every|another|other|which|any|by|first|last|next|number)[ -]$", re.I
)
_ONE_AFTER = re.compile(
    r"[ -](?:of|by|another|after|to[ -]one|can|could|may|might|must|would|should|sees|side|hand|"
    r"end|time|more|way|thing is)\b",
    re.IGNORECASE,
)
_THE_ONE = re.compile(
    r"\bthe (?:(?:only|other|same|very|visible|hidden|left|right|top|bottom|middle|central|upper|"
    r"lower|red|blue|green|black|white|yellow|orange|purple|brown|large|small|big|larger|smaller|bigger|"
    r"largest|smallest|biggest|second|third|final|remaining|missing|occluded|extra) ){0,2}$",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(
    r"(?:[ ](?:on|in|at|that|which|behind|near|with|to|above|below|under|is|has|being)\b"
    r"|[,.;:)]|$)",
    re.IGNORECASE,
)
_PICTURES = frozenset(("image", "picture", "photo", "photograph", "img"))
_DETERMINERS = frozenset(("the", "this", "that", "an", "a", "your", "each", "given", "provided"))
_LABELS = _PICTURES | frozenset((
    "figure", "fig", "fig.", "row", "column", "col", "step", "option", "page", "panel", "question",
    "line", "section", "table", "chapter", "example", "version", "level", "layer", "frame", "slide",
    "part", "item", "object", "group", "choice", "number", "no.", "id", "index", "stage", "phase",
    "round", "case", "scene", "test", "appendix", "nr", "nr.", "type", "route", "room", "rule",
    "position", "point", "quadrant", "cluster", "method", "attempt", "past", "last", "next",
    "first", "previous", "error", "code", "status", "http", "gpt", "llama", "gemini", "claude",
    "windows", "boeing", "airbus", "apollo", "highway", "interstate", "channel", "iphone",
))  # fmt: skip
"""words right before a number that it is the name of"""
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS = frozenset(
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
)
_DATE_BEFORE = re.compile(rf"\b{_MONTH}\.? $|\b{_MONTH}\.? \d{{1,2}},? $", re.IGNORECASE)
_DATE_AFTER = rf" (?:of )?{_MONTH}\b(?! (?:be|have|not|also|appear|seem))"
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|from|year|circa|©|copyright|of|by|until|dated|before|after|during) $", re.I
)
_UNIT_AFTER = (
    r"[ -]?(?:cm|mm|km|px|pixels?|kg|inch(?:es)?|degrees?|megapixels?|o'clock|a\.?m\.?|p\.?m\.?|"
    r"years? old|tokens|ml|millilit(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|°[CF]?|"
    r"dollars?|euros?|cents|score|parameters|mph|km/h|kph)(?!\w)"
)
_META_AFTER = (
    r" (?:(?:provided|given|possible|available|answer|listed|multiple|different) )*"
    r"(?:choices|options|alternatives|answers)\b"
    r"|(?: (?:provided|given|attached|uploaded))* images?"
    r" (?:provided|given|attached|(?:that )?you)\b"
)
_NO_THING_AFTER = re.compile(
    rf"(?=[ °\w-])(?:{_DATE_AFTER}|{_UNIT_AFTER}|{_META_AFTER})", re.IGNORECASE
)
_COORDINATES = re.compile(
    r"(?=[(\[x])(?:[(\[]\s?-?\d+(?:\.\d+)?\s?,(?:\s|(?!\d{3}\D))-?\d+(?:\.\d+)?\s?[)\]]"
    r"|\[\s?-?\d+(?:\.\d+)?(?:\s?,\s?-?\d+(?:\.\d+)?){3}\s?\]"
    r"|\bx1?\s?[:=]\s?\d+(?:\.\d+)?[,;]?\s{1,2}y1?\s?[:=]\s?\d+)"
)
_PLACES = re.compile(
    r"\b([a-z]) ?= ?[-−]?\d+(?:(?:(?:,? and|,? or|,) \1 ?= ?[-−]?\d+)+"
    r"|(?:(?:,? and|,) [-−]?\d+){2,})\b"
)
"""the values of one letter: "x = -1, x = 1 and x = 4" are no counts"""
_MARKER = re.compile(
    r"^[ \t]*\(?(\d{1,3})(?:[.):]|\.\)|[ \t]?[-–](?=[ \t]))(?=[ \t]+\S|[^\W\d])", re.M
)
_INLINE_MARKER = re.compile(r"(?=[(\d])(?<![\w(])\(?(\d{1,2})\)(?=[ \t]\S)")
_BETWEEN_SIZES = re.compile(r"[ -]?(?P<sign>x|×|\*|by)[ -]?", re.IGNORECASE)
_GRID_AFTER = re.compile(
    r"[ -]?(?:rectangular |square |regular )?(?:grid|matrix|array|pixels?|px|rectangle|arrangement|"
    r"pattern|layout|formation|lattice|block|square|table|image|picture)\b",
    re.IGNORECASE,
)
_SUM_AFTER = re.compile(r"\s{0,3}(?:=|equals|is \d|gives|makes)", re.IGNORECASE)
_OR = re.compile(
    r"(?:[ ][\w'-]{1,20}){0,3}[ ,(]{0,6}\bor(?: (?:maybe|perhaps|possibly|even|rather|about))?"
    r"[ ]{1,4}(?:(?:a|the) |\(?[A-H]\) )?",
    re.IGNORECASE,
)
_PLURAL_WORD = re.compile(r"(?!(?:this|is|was|its|has)$)[a-z]{2,}s")
_AND_A_HALF = re.compile(r" [\w'-]{1,20} and a half\b", re.IGNORECASE)
_SLASH = re.compile(r" ?/ ?")
_NAME = re.compile(r" (?:[a-z]{1,15} )?[A-Z][\w'-]{2,20} ")
_THINGS = re.compile(r" [a-z]{2,20}s\b")
_PAIRED_THINGS = re.compile(
    r" of (?:\w+ )?(?:glasses|sunglasses|scissors|pants|trousers|jeans|shorts|tweezers|pliers|"
    r"binoculars|goggles|tongs|headphones)\b",
    re.IGNORECASE,
)


def find_mentions(text: str) -> list[Mention]:
    """Every number of a plain text with its role, in order."""
    markers = _list_markers(text)
    brackets = "(" in text or "[" in text or ("x" in text and "y" in text)
    pairs = _COORDINATES.finditer(text) if brackets else ()
    apart = {place for match in pairs for place in range(*match.span())}
    if "=" in text:
        apart |= {place for match in _PLACES.finditer(text) for place in range(*match.span())}
    found = []
    previous = 0
    for numeral in find_numbers(text):
        inside = numeral.start in apart
        role: Role = "label" if inside else _role(text, numeral, previous, markers)
        previous = numeral.end
        stated = numeral.kind in _STATED and role not in ("label", "aside")
        found.append(Mention(numeral.start, numeral.end, role, numeral.value, stated))
    for index in range(len(found) - 1):
        _join(text, found, index)
    for index in _numbered(text, found) if len(found) > 1 else ():
        found[index] = found[index]._replace(role="label", stated=False)
    return found


_NAMED = re.compile(
    r"\b((?!(?:are|has|had|have|and|the|than|with|total|exactly|only)\b)[a-z]{3,15}) $", re.I
)
_LISTED = re.compile(r",? and |, (?:and )?")
_LISTING_SIGNS = ("aged", "ages ", "numbered", "label", "marked", "numbers ", "values ", "scores ")
_LISTING_PLURAL = re.compile(r"\b(?:numbers|values|scores)(?: (?:of|are|were))? $", re.IGNORECASE)
_LISTING = re.compile(r"\b(?:aged?|ages|numbered|labell?ed|marked) $", re.IGNORECASE)


def _numbered(text: str, found: list[Mention]) -> Iterator[int]:
    """Numbers that only name things: "egg 1: left, egg 2: right", "children aged 5, 7 and 9"."""
    listing = False
    for index, one in enumerate(found) if any(sign in text for sign in _LISTING_SIGNS) else ():
        listed = index and _LISTED.fullmatch(text, found[index - 1].end, one.start)
        begins = _LISTING.search(text, max(0, one.start - 12), one.start)
        if not begins and not listing and index + 1 < len(found):
            lists = _LISTED.fullmatch(text, one.end, found[index + 1].start)
            begins = lists and _LISTING_PLURAL.search(text, max(0, one.start - 16), one.start)
        listing = bool((listing and listed) or begins)
        if listing:
            yield index
    run: list[int] = []
    word = ""
    for index, one in enumerate(found):
        if one.value != len(run) + 1 and one.value != 1:
            run, word = [], ""
            continue
        name = _NAMED.search(text, max(0, one.start - 20), one.start)
        named = name[1].lower() if name and one.role == "count" else ""
        if run and named and named == word and one.value == len(run) + 1:
            run.append(index)
            yield from run[-2:]
        else:
            run, word = ([index], named) if one.value == 1 and named else ([], "")


def _role(text: str, numeral: Numeral, previous: int, markers: set[int]) -> Role:
    start, end = numeral.start, numeral.end
    if start in markers:
        return "aside"
    if numeral.kind not in ("cardinal", "group"):
        return _ROLE_OF_KIND.get(numeral.kind, "quantity")
    # words before an earlier number say nothing about this one
    before, after = text[max(previous, start - 40) : start], text[end : end + 40]
    if numeral.kind == "group":
        return "aside" if _PAIRED_THINGS.match(after) else "count"
    if numeral.spelled and numeral.value == 1 and end - start == 3 and _is_pronoun(before, after):
        return "aside"
    if numeral.spelled and numeral.value == 0 and previous and before == " ":
        return "aside"  # "one zero"
    if before.lower().endswith((" not ", "isn't ", "aren't ")) or before.lower() == "not ":
        return "aside"
    if "half" in after.lower() and _AND_A_HALF.match(after):
        return "quantity"
    if _is_label(text, before, after, numeral):
        return "label"
    return "hedged" if is_hedged(before, after) else "count"


_ROLE_OF_KIND: dict[str, Role] = {"range": "range", "code": "label", "indefinite": "vague"}


def _is_pronoun(before: str, after: str) -> bool:
    """Whether "one" is no number here."""
    if _ONE_BEFORE.search(before) or _ONE_AFTER.match(after):
        return True
    return bool(_THE_ONE.search(before) and _PRONOUN_AFTER.match(after))


_WAITING = re.compile(r"\b(?:again|retry(?:ing)?|wait|resets?)(?: again)? (?:in|after|for) $", re.I)


def _is_label(text: str, before: str, after: str, numeral: Numeral) -> bool:
    words = text[max(0, numeral.start - 40) : numeral.start]
    *_, earlier, last = ["", "", *words.lower().split()] if words[-1:] == " " else ["", ""]
    if last.lstrip("([\"'") in _LABELS and not (last in _PICTURES and earlier in _DETERMINERS):
        # "The dots number 34" has a verb
        return last != "number" or not (_PLURAL_WORD.fullmatch(earlier) or earlier.isdigit())
    if (last[:3] in _MONTHS or last[-1:].isdigit()) and _DATE_BEFORE.search(before):
        return True
    if _NO_THING_AFTER.match(after):
        return True
    if _WAITING.search(before):  # a server that is busy
        return True
    if numeral.spelled or not 1800 <= (numeral.value or 0) < 2100:
        return False
    # the year of "in 2024", or of "May 12, 2024"
    start = numeral.start
    dated = _DATE_BEFORE.search(text, max(0, start - 20), start)
    return bool(dated or _YEAR_BEFORE.search(before))


def _list_markers(text: str) -> set[int]:
    """Where the markers of lists stand."""
    places: set[int] = set()
    one_line = "\n" not in text and not text.lstrip(" \t(")[:1].isdigit()
    tried = [] if one_line else [(_MARKER, 1)]
    tried += [(_INLINE_MARKER, 2)] if ")" in text else []
    for pattern, least in tried:
        run: list[int] = []
        due = 1
        for match in pattern.finditer(text):
            number = int(match[1])
            if number not in (due, 1):
                continue
            if number == 1:
                run.clear()
            run.append(match.start(1))
            due = number + 1
            if len(run) >= least:
                places.update(run[-least:])
    return places


_OF_PAGES = re.compile(r" of |/")


def _join(text: str, found: list[Mention], index: int) -> None:
    """Mark two neighbours as alternatives or as the sides of a grid."""
    first, second = found[index], found[index + 1]
    if first.role == "label" and _OF_PAGES.fullmatch(text, first.end, second.start):
        if second.role == "count" and not text[second.end : second.end + 2].strip(")]. \n:,"):
            found[index + 1] = second._replace(role="label", stated=False)  # "image 1 of 2"
        return
    if second.start - first.end > 60 or first.role not in ("count", "hedged", "range"):
        return
    gap = text[first.end : second.start]
    role: Role | None = None
    if second.role == "count" and _NAME.fullmatch(gap) and _THINGS.match(text, second.end):
        found[index + 1] = second._replace(role="label", stated=False)  # "3 Boeing 747 planes"
        return
    sides = _BETWEEN_SIZES.fullmatch(gap)
    if second.role == "label" and sides:
        found[index] = first._replace(role="label", stated=False)
    if second.role not in ("count", "hedged"):
        return
    if first.value != second.value and (
        _OR.fullmatch(gap) or _SLASH.fullmatch(gap) or _is_said_otherwise(text, first, second)
    ):
        role = "range"
    elif sides and not _SUM_AFTER.match(text, second.end):
        named = _GRID_AFTER.match(text, second.end)
        role = "label" if named or sides["sign"].lower() == "by" else None
    if role:
        stated = role == "range"
        found[index] = first._replace(role=role, stated=stated)
        found[index + 1] = second._replace(role=role, stated=stated)


def _is_said_otherwise(text: str, first: Mention, second: Mention) -> bool:
    """Whether a bracket that says a number again in words says another one: "12 (thirteen)"."""
    if text[first.end : second.start] != " (" or text[second.end : second.end + 1] != ")":
        return False
    return text[first.start].isdecimal() != text[second.start].isdecimal()
