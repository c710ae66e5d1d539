"""Which numbers of a caption count things: those before a noun, or before an adjective and a noun.

`numerals` finds the numbers and says what their shape makes of them; this says what the words
around them do. Rules on the word before stand outside the cache, which remembers what the tagger
said of the words after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from subitize.captions.shapes import (
    CAPTION,
    DECADE,
    MONEY_BEFORE,
    between,
    code,
    date_in,
    is_inch,
    is_label,
    without_entities,
)
from subitize.captions.taggers import Tagger
from subitize.captions.words import (
    CLOCK,
    ERAS,
    HEADINGS,
    METALS,
    MODERN,
    MONEY,
    MONEY_SIGNS,
    MONTHS,
    SERIES,
    SERIES_ENDS,
    SMALL_STREETS,
    STREETS,
    TAKES_NUMBER,
    UNIT_HEADS,
    UNITS,
)
from subitize.numerals import LARGEST, Numeral, find_numbers, from_words
from subitize.numerals.words import (
    GROUPS,
    ORDINALS,
    PARTS,
    PLURAL_SIZES,
    SIZES,
)
from subitize.numerals.words import UNITS as UNIT_WORDS

VERSION = 8
"""of the rule: another version is another result"""
REASONS: dict[str, str] = {
    "unit": "a measurement: 5 km, 12 inch, 5'10, two years",
    "identifier": "part of a name: Porsche 911, chapter 3, Day 5, 10 Downing Street",
    "ordinal": "35th, twenty-first",
    "year": "1965, 2019, 1920s, AD 79",
    "date": "July 4, 25 December, 2015-06-01",
    "time": "3 pm, 9:30, five o'clock",
    "currency": "$20, 50 euro",
    "percentage": "50%, ten percent",
    "decimal": "3.5",
    "fraction": "1/2, two thirds, 2 1/2",
    "ratio": "one on one, 2 for 1, 16:9, and the second number of: 1 in 5, 7 out of 10",
    "size": "4x4, 8 x 10, 3 by 5",
    "code": "MP3, 007, 4K, 1.2.3, 60139, 925 silver, long rows of digits",
    "modifier": "3-bedroom, two-story",
    "of": "one of, three of",
    "range": "either end of 5-7, two to three, 2 or 3, 3-1; and 50+",
    "negative": "-5",
    "indefinite": "hundreds of, several hundred, dozens",
    "zero": "0 people",
    "no-noun": "no noun, and no adjective with a noun, follows: table for two",
}
"""why a number counts no things, with examples"""
CACHED = 200_000
"""windows remembered at most; then the cache begins anew"""
ATOM_WORDS = {*UNIT_WORDS, *SIZES, *ORDINALS, *PARTS, *PLURAL_SIZES, *GROUPS}
_VALUES = {
    written: value
    for word, value in UNIT_WORDS.items()
    for written in (word, word.capitalize())
    if value > 0
}
ATOMS = rf"\d+|[^\x00-\x7f]|(?i:\b(?:{'|'.join(sorted(ATOM_WORDS, reverse=True))})\b)"
"""everything that `numerals` may take for a part of a number, and some letters beside"""
QUICK = (
    rf"(?:^|(?:^|[ ])([a-z]+) )([1-9][0-9]{{0,2}}|{'|'.join(sorted(_VALUES, reverse=True))})"
    r" ([a-z]{2,})(?:[,;!?]| ([a-z]{2,})(?:[ ,;!?]|$)|$)"
)
"""a number between small words: the word before it, the number, and one or two words after it"""
_SPECIAL = UNITS | UNIT_HEADS | MONEY | METALS | CLOCK | MONTHS
_SPECIAL |= {"of", "percent", "per", "pct", "point"}
_TELLING = TAKES_NUMBER | HEADINGS | SERIES_ENDS | MONTHS | MONEY
_TELLING |= {"minus", "negative", "no", "between"}
"""words that say something about a number after them"""
_KINDS = {
    "ordinal": "ordinal", "fraction": "fraction", "decimal": "decimal", "range": "range",
    "percentage": "percentage", "negative": "negative", "modifier": "modifier",
    "indefinite": "indefinite",
}  # fmt: skip

_FOUND = {"noun": "", "described": "", "neither": "no-noun"}
_WORD = r"[^\W\d_]+(?:['’.-][^\W\d_]+)*"
_SPACE = r"[^\S\r\n]+"
_AFTER = re.compile(rf"{_SPACE}({_WORD})(?:{_SPACE}({_WORD}))?")
_BEFORE = re.compile(rf"({_WORD}|[#№])(?:[.]|(?<=no)[ ][.])?{_SPACE}$", re.IGNORECASE)
_LOOK_BACK = 40
_MONEY_AFTER = re.compile(rf"[ \t]?[{re.escape(MONEY_SIGNS)}]")
_DASH = re.compile(r"(?i)((?<=ty)|(?<=\d)) - (?=(one|two|three|four|five|six|seven|eight|nine)\b)")
_UNHEADED = re.compile(r"(?i)\b(?:an?|the|this|that|last|next|past|one|each|every|per|my|our)\s+$")
_NO_WHOLE = re.compile(r"(?<![\w.])[.]$")
_TO_THE_HOUR = re.compile(r"(?i)\b(?:half|quarter)[ \t]+(?:past|to)[ \t]+$")
_DAY = re.compile(r"(?i)\b[0-3]?\d(?:st|nd|rd|th)?(?:[ \t]+of)?[ \t]+\Z")
_SHORT_YEAR = re.compile(r"(?<![\w'’])['’]\d\d$")
_MAGNIFICENT = re.compile(r"[A-Z][a-z]+ [a-z]")
"""a number with a capital before a small word, as in: the Magnificent Seven film"""
_DOES = frozenset(
    {"is", "was", "has", "does", "enjoying", "having", "wearing", "watching", "taking", "using",
     "making", "doing", "getting", "giving", "showing", "attending"}
)  # fmt: skip
"""what the counted do: family of four enjoying dinner"""
_OF_ANOTHER = frozenset({"a", "an", "the", "his", "her", "its", "their", "my", "your", "our"})
_INCHES = frozenset("″′")
_SENTENCE_END = frozenset('.!?:;|"“(-–—')


class Judged(NamedTuple):
    """A number of a caption and what became of it."""

    start: int
    """where it begins"""
    end: int
    """where it ends"""
    value: int | None
    """its value, where it has one"""
    reason: str
    """empty: it counts things; else one of `REASONS`"""


def total(judged: Sequence[Judged]) -> int | None:
    """All that count, added up; none where nothing counts, or more than a number can say."""
    found = sum(one.value or 0 for one in judged if not one.reason)
    return found if 0 < found <= LARGEST else None


class Rule:
    """Judges the numbers of captions; remembers the windows it has seen."""

    def __init__(self, tagger: Tagger, second: Tagger | None = None) -> None:
        self.tagger = tagger
        self._second = second
        self.agreed = 0
        """windows that the tagger was asked about and the second one takes for the same"""
        self.asked = 0
        """windows that the tagger's word was needed for"""
        self.tagged = 0
        """windows that it was really asked about"""
        self._windows: dict[tuple[str, str, bool], str] = {}
        self._usual: dict[str, str] = {}
        self._harmless: dict[str, bool] = {}

    def judge(self, caption: str) -> list[Judged]:
        """Every number of a caption, in order."""
        plain = without_entities(caption)
        text = plain.lower() if plain.isupper() else plain
        if len(text) != len(plain):  # a letter whose small form is longer
            text = "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)
        # corpora that set spaces around hyphens, as CC3M does; and no range: Photo 12 - two foxes
        numbers = find_numbers(_DASH.sub("   ", text))
        found = []
        for place, given in enumerate(numbers):
            before = numbers[place - 1] if place else None
            after = numbers[place + 1] if place + 1 < len(numbers) else None
            number = _counted_groups(text, given) if given.kind == "group" else given
            reason = self._reason(text, number, before, after)
            found.append(Judged(number.start, number.end, number.value, reason))
        return found

    def number(self, caption: str) -> int | None:
        """How many things a caption counts; none where it counts nothing."""
        return total(self.judge(caption))

    def thing(self, caption: str, one: Judged) -> str:
        """What a number that counts counts: the noun, with another one behind it."""
        words = _AFTER.match(without_entities(caption), one.end)
        if not words:
            return ""
        first, second = words[1].lower(), (words[2] or "").lower()
        if not second:
            return first
        tags = self.tagger.tags(["two", first, second])[1:]
        noun = tags[1].startswith("NN") or tags[1] in ("NOUN", "PROPN")
        if tags[0].startswith("NN") or tags[0] in ("NOUN", "PROPN", "VBZ"):
            # fire trucks, but: dogs people love
            return f"{first} {second}" if noun and tags[0] in ("NN", "NOUN") else first
        return second

    def quick(self, before: str, number: str, first: str, second: str) -> tuple[int, str] | None:
        """Value and reason of a caption's only number, from the words next to it.

        The same as `judge` says of what `QUICK` matches, at a tenth of its cost; nothing where
        only the whole caption can tell.
        """
        value = _VALUES.get(number) or int(number)
        harmless = self._harmless.get(before)
        if harmless is None:
            harmless = self._harmless[before] = self._is_harmless(before)
        if not harmless or first in _SPECIAL or second in SMALL_STREETS:
            return None
        return value, self._by_tags(first, second, value)

    def _is_harmless(self, before: str) -> bool:
        """Whether a small word before a number says nothing about it."""
        if not before:
            return True
        return before not in _TELLING and bool(self._usual_tag(before))

    def _usual_tag(self, small: str) -> str:
        """The tag of a word by itself; empty where nobody knows it."""
        found = self._usual.get(small)
        if found is None:
            found = "VB" if small in MODERN else self.tagger.usual(small)
            self._usual[small] = found
        return found

    def _reason(
        self, text: str, number: Numeral, before: Numeral | None, after: Numeral | None
    ) -> str:
        start, end, value = number.start, number.end, number.value
        if number.kind == "code" or value is None:
            return _KINDS.get(number.kind) or code(text, start, end)
        if number.kind in _KINDS:
            return date_in(text, start, end) or _KINDS[number.kind]
        if MONEY_BEFORE.search(text, max(0, start - 2), start) or _MONEY_AFTER.match(text, end):
            return "currency"
        if text.startswith("+", end):
            return "range"
        if text[end : end + 1] in _INCHES or (text.startswith('"', end) and is_inch(text, end)):
            return "unit"
        tied = between(text, number, before, after)
        if tied:
            return tied
        written = text[start:end]
        if not number.spelled:
            if written.isdecimal() and (
                DECADE.match(text, end) or _SHORT_YEAR.search(text, max(0, end - 3), end)
            ):
                return "year"
            if is_label(text, start, end):
                return "code"
            if "." in written or _NO_WHOLE.search(
                text, max(0, start - 1), start
            ):  # 2.5 million, 12.0, .45
                return "decimal"
        words = _AFTER.match(text, end)
        first, second = (words[1], words[2] or "") if words else ("", "")
        reason = _by_words(first.lower(), second.lower(), value)
        if reason:
            return reason
        if not number.spelled:
            if len(written) == 4 and written.isdecimal() and 1700 <= value <= 2099:
                return "year"
            if first in ERAS:
                return "year"
            if STREETS.match(text, end) and (value > 1 or first[0].isupper()):
                return "identifier"
        return self._by_word_before(text, number) or self._by_tags(first, second, value)

    def _by_word_before(self, text: str, number: Numeral) -> str:
        """A month, a word that takes a number, or a name."""
        start = number.start
        if not text[max(0, start - 1) : start].isspace():
            return ""
        if _TO_THE_HOUR.search(text, max(0, start - _LOOK_BACK), start):
            return "time"
        found = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
        if not found:
            return ""
        word = found[1]
        small, place = word.lower(), found.start(1)
        if small in MONTHS and (number.value or 0) <= 31:
            # a month that has its day takes no other: on 3rd May 3 swimmers
            day = _DAY.search(text, max(0, place - _LOOK_BACK), place)
            return "" if day else "date"
        if small in MONEY and small != "won" and not number.spelled:
            return "currency"
        if small == "no" and number.spelled:
            return "no-noun"  # no one
        if word in ERAS and not number.spelled:
            return "year"
        if small in TAKES_NUMBER or word in "#№":
            return "identifier"
        heads = word[0].isupper() and not _UNHEADED.search(text, max(0, place - 9), place)
        if small in HEADINGS and not number.spelled and (heads or not place):
            return "identifier"
        if small in SERIES_ENDS and SERIES.search(text, max(0, start - _LOOK_BACK), number.end):
            return "identifier"
        return "identifier" if self._is_name(text, place, word, number) else ""

    def _is_name(self, text: str, start: int, word: str, number: Numeral) -> bool:
        """Whether the word before a number is a proper name, or both are one.

        A capital says so inside a sentence; at its start, and in captions that write every word
        with a capital or none, the dictionary is asked: what it does not know is a name. What a
        name has is no part of it (Kim's 3 cats), except a long number (Levi's 501 jeans).
        """
        usual = self._usual_tag(word.lower())
        long = not number.spelled and number.end - number.start > 2
        if word.endswith(("'s", "’s")):
            return long
        if not word[0].isupper():
            # where names have capitals, a small word is hardly one: Recipe: whisk 3 eggs
            names = long or text[max(0, start - CAPTION) : start + CAPTION].islower()
            return names and not (usual or number.spelled or "-" in word)
        if len(word) == 1:
            return word not in "AIO"
        if not usual:
            return True
        if _MAGNIFICENT.match(text, number.start) and usual.startswith(("NN", "JJ")):
            return number.spelled
        if not usual.startswith(("NN", "VB")):
            return False
        lead = text[max(0, start - 3) : start].rstrip()
        if not lead or lead[-1] in _SENTENCE_END:
            return False
        return not _is_title(text[max(0, start - CAPTION) : start + CAPTION])

    def _by_tags(self, first: str, second: str, value: int) -> str:
        """What the tagger makes of the words after the number."""
        if first.lower() == "of":
            return "of"
        if value == 0:
            return "zero"
        if not first:
            return "no-noun"
        self.asked += 1
        small = second.lower()
        key = (first.lower(), self.tagger.alike(small) if small else "", value == 1)
        found = self._windows.get(key)
        if found is None:
            if len(self._windows) >= CACHED:
                self._windows.clear()
            self.tagged += 1
            found = self._windows[key] = _tagged(self.tagger, *key)
            self.agreed += self._second is not None and _tagged(self._second, *key) == found
        # three long days
        return "unit" if found == "described" and small in UNITS else _FOUND[found]


def _tagged(tagger: Tagger, first: str, second: str, single: bool) -> str:
    """What a tagger makes of the words after a number: noun, described (noun), or neither."""
    # what stands behind a hyphen says what it is: flip-flops, T-shirts
    words = ["one" if single else "two", first.rpartition("-")[2] if first.endswith("s") else first]
    words += [second] if second else []
    tags = tagger.tags(words)[1:]
    # after a number a word in -s is many of something, and hardly what one of them does
    nouns = [
        tag.startswith("NN") or tag in ("NOUN", "PROPN") or (tag == "VBZ" and not single)
        for tag in tags
    ]
    # two is better; the two share a laugh
    if first in _DOES or (tags[0] == "NN" and not single and second in _OF_ANOTHER):
        return "neither"
    if nouns[0]:
        return "noun"
    described = tags[0].startswith("JJ") or tags[0] in ("VBN", "VBG", "ADJ")
    described = described or (tags[0] == "VBD" and first.endswith("ed"))
    return "described" if described and len(nouns) > 1 and nouns[1] else "neither"


def _counted_groups(text: str, number: Numeral) -> Numeral:
    """Two pairs are two of something; a pair by itself is a word and no number."""
    many = text[number.start : number.end].rpartition(" ")[0]
    value = from_words(many) if many else None
    if value is None:
        return number._replace(kind="indefinite")
    return number._replace(kind="cardinal", end=number.start + len(many), value=value)


def _by_words(first: str, second: str, value: int) -> str:
    """What lists of words after the number say."""
    if first.rstrip(".") in CLOCK or first in CLOCK:
        return "time"
    if first in MONEY:
        return "currency"
    if first in MONTHS and value <= 31:
        return "date"
    if first in UNITS or (first in UNIT_HEADS and (second in UNITS or second == "in")):
        return "unit"
    return ""


def _is_title(text: str) -> bool:
    """Whether a caption writes (nearly) every longer word with a capital."""
    long = [word for word in text.split() if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].isupper() for word in long) >= 0.7 * len(long)
