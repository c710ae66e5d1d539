"""A question and a number as a statement: "How many cars are parked?", 4 → "There are 4 cars
parked."

Mode `published` gives every statement of the released splits to the letter, with its slips ("There
is 1 benche."). Mode `fluent` writes correct English (`fluent.py`).
"""

from __future__ import annotations

import re
from typing import Literal

from subitize.datasets.probe.fluent import fluent
from subitize.errors import UnknownName

Mode = Literal["published", "fluent"]
MODES: tuple[Mode, ...] = ("published", "fluent")
MASK = "[MASK]"
SEPARATOR = "[SEP]"
HOW_MANY = "How many"
DROPPED = (" is ", " will ", " does ", " has ")
"""a question with one of these matches no template"""
ONE = (1, "1")
_ASKED = re.compile(r"\s*how\s+many\b(.*?)[?\s]*", re.IGNORECASE | re.DOTALL)
_SINGULARS = {"people": "person", "men": "man", "women": "woman"}
_FOURTH = 3


def statement(
    question: str, number: int | str, mode: Mode = "fluent", shown: str = ""
) -> str | None:
    """The statement, or None where no template fits; a mask may stand for the number.

    `shown` stands in place of a number that the published statement agrees with.

    >>> statement("How many cars are parked?", 4), statement("How many bikes have baskets?", 1)
    ('There are 4 cars parked.', '1 bike has baskets.')
    >>> statement("How many benches are there?", 1, "published")
    'There is 1 benche.'
    >>> statement("How many benches are there?", 1, "published", shown="[MASK]")
    'There is [MASK] benche.'
    >>> statement("How many legs is he using?", 2) is None
    True
    """
    if mode not in MODES:
        raise UnknownName("mode of statements", mode, MODES)
    if mode == "fluent":
        asked = _ASKED.fullmatch(question.lower() if question.isupper() else question)
        made = asked and fluent(asked[1], str(number))
    else:
        rest = _rest(question)
        made = None if rest is None else _published(rest, shown or str(number), number in ONE)
    return made and f"{made}."


def question_and_answer(question: str, number: int | str) -> str:
    """The Q+A format.

    >>> question_and_answer("How many cars are parked?", 4)
    'How many cars are parked? [SEP] 4'
    """
    return f"{question} {SEPARATOR} {number}"


def _rest(question: str) -> str | None:
    """What follows "How many", with its leading blank and without the question mark."""
    _, found, rest = question.partition(HOW_MANY)
    return rest.removesuffix("?") if found else None


def _published(rest: str, number: str, one: bool) -> str | None:
    """The nine templates in order; then the plurals."""
    before, key, after = rest.partition("are there")
    if key:
        return _one(f"There are {number}{before.rstrip()}{after}", one)
    before, key, after = rest.partition("can you see")
    if key:
        return _one(f"You see {number}{before}{after.lstrip()}", one)
    before, key, after = rest.partition("do you see")
    if key:
        return _one(f"There are {number}{before.rstrip()}{after}", one)
    if " are " in rest:
        return _one(f"There are {number}{rest.replace(' are ', ' ')}", one)
    if " can " in rest:
        return _one(f"{number}{rest}", one)
    before, key, after = rest.partition(" do ")
    if key and " have" in rest:
        return _one(f"{_capital(after)} {number}{before}", one)
    before, key, after = rest.partition(" does ")
    if key and " have" in rest:
        whose, _, end = after.partition(" have")
        return _one(f"{_capital(whose)} has {number}{before}{end}", one)
    before, key, after = rest.partition(" have ")
    if key:
        return _one(f"{number} {before.strip()} have {after}", one)
    if any(word in rest for word in DROPPED):
        return None
    return _one(f"There are {number}{rest}", one)


def _one(said: str, one: bool) -> str:
    """The released rule for the number 1: "There is", and only the fourth word loses its s."""
    if not one:
        return said
    words = re.sub("^There are", "There is", said).split(" ")
    if len(words) > _FOURTH:
        word = words[_FOURTH]
        cut = word[:-1] if word.endswith("s") and word != "has" else word
        words[_FOURTH] = _SINGULARS.get(word, cut)
    return " ".join(words)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
