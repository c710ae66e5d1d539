"""Words that take the exactness from a number or stand in for one.

"appear to be", "I think", "I count", and words of doubt about the whole sentence such as
"maybe", "probably" or "perhaps", are no hedges: they still name one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from subitize.numerals.words import NUMBER_WORDS

_HEDGE_BEFORE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|approximate(?:ly)?|circa|ca\.|nearly|"
    r"almost|close to|at least|at most|at minimum|at maximum|more than|less than|fewer than|"
    r"greater than|up to|upwards of|as many as|as few as|minimum of|maximum of|in excess of|"
    r"estimated?(?: (?:at|to be))?|some|somewhere near|"
    r"(?:just|well|easily|slightly|a little|are|is|has|have|of|contains?|with|only|be) "
    r"(?:over|under|above|below)|no (?:more|less|fewer) than|not (?:more|less|fewer) than)"
    r"|[~～〜≈>≥<≤±∼≳≲]|^over|^under)"
    r"[ ]{0,2}(?:(?:a total of|total of|exactly|the|a|an|=)[ ]{1,2})?$",
    re.IGNORECASE,
)
_NUMBER = f"(?:{'|'.join(NUMBER_WORDS)})"
_HEDGE_AFTER = re.compile(
    r"(?:\+(?!\s*\d)|-?ish\b"
    r"|[ ](?:[\w'-]{1,20} ){0,3}(?:or (?:so|more|less|fewer|thereabouts|greater|above)\b"
    rf"|plus or minus|give or take|at (?:least|most)\b(?! (?:\d|{_NUMBER}\b))"
    r"|\(?approx(?:imately)?\b|\(?roughly\b)"
    r"|[ ](?:plus|and (?:more|counting))(?=[ ]?(?:[.,;!)]|$))"
    r"|,[ ](?:give or take|roughly|approximately|more or less|or so|at least|at most|maybe more)\b"
    r"|[ ]?±)",
    re.IGNORECASE,
)


_HEDGE_ENDS = frozenset((
    "about", "around", "roughly", "approximately", "approx", "approximate", "circa", "nearly",
    "almost", "to", "least", "most", "minimum", "maximum", "than", "of", "many", "few", "at", "be",
    "as", "some", "near", "over", "under", "above", "below", "exactly", "the", "a", "an",
    "estimate", "estimated",
))  # fmt: skip
"""the last words of what may be a hedge: only behind them the long pattern is tried"""
_HEDGE_SIGNS = frozenset("~～〜≈>≥<≤±∼≳≲=.")


def is_hedged(before: str, after: str) -> bool:
    """Whether the words right before or after a number make it inexact.

    >>> is_hedged("There are about ", " apples"), is_hedged("I count ", " apples")
    (True, False)
    """
    last = before.rsplit(None, 1)[-1:]
    may_be = last and (last[0][-1] in _HEDGE_SIGNS or last[0].lower().lstrip("(\"'") in _HEDGE_ENDS)
    return bool((may_be and _HEDGE_BEFORE.search(before)) or _HEDGE_AFTER.match(after))


QUANTIFIER = (
    r"(?:(?:quite )?a few|few|several|some|many|(?:a )?(?:large |whole |small )?bunch(?:es)?|a lot|"
    r"lots|plenty|numerous|(?:a )?couple|various|multiple|"
    r"a (?:large |small |great |good |huge )?number of|an (?:unknown|unclear) number of|"
    r"countless|(?:a )?handful|innumerable|loads|tons|too many|uncountable)"
)
_VAGUE = re.compile(
    rf"(?<!how )(?<!as )(?<!so )\b{QUANTIFIER}\b"
    r"(?! (?:kind|sort|way|reason|extent|text|help|point)\b)",
    re.IGNORECASE,
)
_VAGUE_ADDITION = re.compile(
    rf"(?=[ap&])(?:\band|\bplus|&|\balong with)\s{{1,3}}(?:also )?{QUANTIFIER}\b"
    r"(?!\s+of\s+(?:them|which|these|those|the)\b)",
    re.IGNORECASE,
)


def has_vague_word(text: str) -> bool:
    """A few, several, some, many, a bunch, lots …

    >>> has_vague_word("a bunch of apples"), has_vague_word("How many apples?")
    (True, False)
    """
    return bool(_VAGUE.search(text))


def has_vague_addition(text: str, sentences: Iterable[tuple[int, int]]) -> bool:
    """A vague quantity beside the number: "3 apples and a few pears" gives no single number.

    `sentences` are those that hold a number: what others tell beside is not added to it.
    """
    return ("and" in text or "plus" in text or "&" in text or "along with" in text) and any(
        _VAGUE_ADDITION.search(text, begin, end) for begin, end in sentences
    )
