"""A filler's ranked words → numbers: spellings of one number are one number.

"1", "one" and "a" are 1, "0", "zero" and "no" are 0; each number stands where its best spelling
stands, and the rank is among distinct numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from subitize.numerals import from_words
from subitize.readers.text import ended_early
from subitize.records import Reading, Response, Trial

ARTICLES = {"a": 1, "an": 1, "no": 0, "none": 0}
"""words that are numbers only in the place of one"""


def number_word(word: str) -> int | None:
    """The number that a word of a vocabulary stands for.

    >>> [number_word(one) for one in ("two", "a", "no", "12", "##7", "cat", "dozen", "-3")]
    [2, 1, 0, 12, None, None, 12, None]
    """
    bare = word.strip().lower().removeprefix("▁").removeprefix("ġ")
    if bare in ARTICLES:
        return ARTICLES[bare]
    if bare == "dozen":
        return 12
    if bare.isascii() and bare.isdigit():
        return int(bare) if len(bare) < 10 else None
    return from_words(bare) if bare.replace("-", "").isalpha() else None


def ranked_numbers(ranking: Iterable[Sequence[Any]]) -> list[int]:
    """The distinct numbers of a ranking of [word, score], best first whatever its order.

    >>> ranked_numbers([["two", 0.5], ["cat", 0.4], ["2", 0.3], ["a", 0.2], ["one", 0.1]])
    [2, 1]
    """
    best: dict[int, float] = {}
    for word, score in ranking:
        number = number_word(str(word))
        if number is not None:
            best[number] = max(best.get(number, float("-inf")), float(score))
    return sorted(best, key=lambda number: -best[number])


def read_ranking(trial: Trial, response: Response) -> Reading:
    """The best number of a filler's words."""
    early = ended_early(response)
    if early is not None:
        return early
    try:
        given = response.data
        numbers = ranked_numbers(given)
    except (TypeError, ValueError):
        return Reading("failed", note="the reply is no ranking of words and scores")
    if not numbers:
        return Reading("no-number", note=f"none of its {len(given)} words is a number")
    return Reading("read", number=numbers[0], note=f"{len(numbers)} numbers")
