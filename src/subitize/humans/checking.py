"""Whether an answer can be taken, and whether it is the one that was to be given."""

from __future__ import annotations

import re
from collections.abc import Iterable

from subitize.humans.items import FREE, LONGEST_ANSWER, NUMBER, Question
from subitize.humans.people import Given
from subitize.readers.annotators import counted

_COUNT = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+|[oO])\s*\+?"
_RANGE = rf"{_COUNT}(?:\s*[-–—=]\s*{_COUNT})?"
TYPED = re.compile(rf"{_RANGE}(?:\s*,\s*{_RANGE})*\s*(?:[A-Za-z]|[^\w\s,=–—-])?")
"""what has one meaning, a stray key behind it included; `4 or 5` would be read as 45"""


def problem_with(question: Question, value: str) -> str:
    """What is wrong with an answer, in words for who gave it; nothing when it can be taken."""
    if not value.strip():
        return "Please answer the question."
    if len(value) > LONGEST_ANSWER:
        return "This is too long."
    if question.form == FREE:
        good = value.isprintable() and TYPED.fullmatch(value.strip()) and counted(value) is not None
        return "" if good else "Please type a number, such as 3, 2.5, 2-5, 10+ or 1, 4."
    if question.form == NUMBER:
        good = value in question.stored or bool(re.fullmatch(r"[0-9]{1,6}", value.strip()))
        return "" if good else "Please type a whole number, such as 7."
    return "" if value in question.stored else "Please choose one of the answers."


def is_right(given: Given) -> bool:
    """Whether a training item or a check was answered as it should be."""
    return all(
        not question.right or _same(said.value, question.right)
        for question, said in zip(given.item.questions, given.answers, strict=True)
    )


def _same(value: str, right: Iterable[str]) -> bool:
    """Spelled alike but for blanks: 3-4 and 3 - 4 are the same answer."""

    def bare(text: str) -> str:
        return re.sub(r"\s", "", text).lower()

    return bare(value) in {bare(one) for one in right}
