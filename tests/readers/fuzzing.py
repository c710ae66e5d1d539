"""Strings that nobody would write, and what the readers must make of every one of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from subitize.readers.text import final, strict, take_confidence

PIECES = (
    "7", "seven", "one", "12", "-", "–", " or ", " to ", "about ", "so ", "=", "+", "total ", "\n",
    ". ", "<think>", "</think>", "\\boxed{", "}", "{", '"count": ', "$", "%", "**", "```", "1. ",
    "half a ", "dozen", "hundred ", "and ", "no apples", "(", ")", "３", "½", "٧", "<answer>", "/",
    "in total", "each", "rows of ", "not ", "several ", ",", "'", "|", "\\frac{1}{2}", "七", "🔟",
)  # fmt: skip
"""what replies are made of, and what has broken a reader before"""
MOST_PIECES = 14


def strings(seed: int, many: int) -> Iterator[str]:
    """Pieces of replies in any order, now and then with any character between them."""
    rng = random.Random(seed)
    for _ in range(many):
        parts = rng.choices(PIECES, k=rng.randrange(MOST_PIECES))
        if rng.random() < 0.3:
            parts.insert(rng.randrange(len(parts) + 1), chr(rng.randrange(0xD800)))
        yield "".join(parts)


def check(text: str) -> str:
    """Read it in every way; the state that `final` gives."""
    for reader in (strict, final):
        reading = reader(text)
        assert reading.choice is None, text
        assert (reading.number is None) == (reading.state != "read"), text
        whole = isinstance(reading.number, int) and reading.number >= 0
        assert reading.number is None or whole, text
    _, confidence = take_confidence(text)
    assert confidence is None or 0 <= confidence <= 1, text
    return reading.state


def states(seed: int, many: int) -> Counter[str]:
    """How many strings of a seed end in which state."""
    return Counter(check(text) for text in strings(seed, many))
