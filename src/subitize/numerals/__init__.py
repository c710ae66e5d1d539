"""Numbers ⇄ words, and where the numbers stand in a text; the only place that knows "seven".

`to_words` and `from_words` are exact inverses. `find_numbers` gives every number of a text with
its span, value and kind. What a number means (a count, a hedge, a label) is not decided here.

All of it takes time linear in the length of the text: the patterns hold no nested repetition and
what lies between two numbers is looked at only when it is short.
"""

from __future__ import annotations

from subitize.numerals.context import Numeral, NumeralKind
from subitize.numerals.finder import find_numbers, from_words
from subitize.numerals.words import LARGEST, NUMBER_WORDS, to_ordinal_words, to_words

__all__ = [
    "LARGEST",
    "NUMBER_WORDS",
    "Numeral",
    "NumeralKind",
    "find_numbers",
    "from_words",
    "to_ordinal_words",
    "to_words",
]
