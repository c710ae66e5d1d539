"""A question and a number as a statement: "How many cars are parked?", 4 → "There are 4 cars
parked."

Mode `published` gives every statement of the released splits to the letter, with its slips ("There
is 1 benche."). Mode `fluent` uses the same templates and writes correct English.
"""

from __future__ import annotations

import re
from typing import Literal

from subitize.errors import UnknownName
from subitize.nouns import PLURALS, singular

Mode = Literal["published", "fluent"]
MODES: tuple[Mode, ...] = ("published", "fluent")
MASK = "[MASK]"
SEPARATOR = "[SEP]"
HOW_MANY = "How many"
DROPPED = (" is ", " will ", " does ", " has ")
"""a question with one of these matches no template"""
_SINGULARS = {"people": "person", "men": "man", "women": "woman"}
_FOURTH = 3
_AFTER_NOUN = re.compile(
    r"\b(?:in|on|at|of|with|without|by|near|under|above|behind|beside|next|between|from|to|along|"
    r"around|inside|against|that|who|which|wearing|holding|sitting|standing|there|visible|shown|"
    r"left|right|below|over|for|and|or)\b"
)
"""what ends the name of a thing, where no verb does"""
_ACTS = re.compile(
    r"(?P<who>.+?) (?P<verb>wear|ride|hold|stand|sit|play|eat|look|walk|hang|show|face|appear|fit|"
    r"use) (?P<end>.+)"
)
"""a plain verb behind the things: "How many players wear red shorts?\""""
_PLURAL_VERB = re.compile(r"\b(that|who|which) (are|have)\b")
_ONE_VERB = {"are": "is", "have": "has"}


def statement(question: str, number: int | str, mode: Mode = "fluent") -> str | None:
    """The statement, or None where no template fits; a mask may stand for the number.

    >>> statement("How many cars are parked?", 4), statement("How many bikes have baskets?", 1)
    ('There are 4 cars parked.', '1 bike has baskets.')
    >>> statement("How many benches are there?", 1, "published")
    'There is 1 benche.'
    >>> statement("How many legs is he using?", 2) is None
    True
    """
    if mode not in MODES:
        raise UnknownName("mode of statements", mode, MODES)
    rest = _rest(question)
    if rest is None:
        return None
    made = (_published if mode == "published" else _fluent)(rest, str(number))
    return None if made is None else f"{made}."


def question_and_answer(question: str, number: int | str) -> str:
    """The Q+A format.

    >>> question_and_answer("How many cars are parked?", 4)
    'How many cars are parked? [SEP] 4'
    """
    return f"{question} {SEPARATOR} {number}"


def _rest(question: str) -> str | None:
    """What follows "How many", with its leading blank and without the question mark."""
    before, found, rest = question.partition(HOW_MANY)
    return None if not found or before.strip() else rest.removesuffix("?")


def _published(rest: str, number: str) -> str | None:
    """The nine templates in order; then the plurals."""
    before, _, after = rest.partition("are there")
    if after or rest.endswith("are there"):
        return _one(f"There are {number}{before.rstrip()}{after}", number)
    before, key, after = rest.partition("can you see")
    if key:
        return _one(f"You see {number}{before}{after.lstrip()}", number)
    before, key, after = rest.partition("do you see")
    if key:
        return _one(f"There are {number}{before.rstrip()}{after}", number)
    if " are " in rest:
        return _one(f"There are {number}{rest.replace(' are ', ' ')}", number)
    if " can " in rest:
        return _one(f"{number}{rest}", number)
    before, key, after = rest.partition(" do ")
    if key and " have" in rest:
        return _one(f"{_capital(after)} {number}{before}", number)
    before, key, after = rest.partition(" does ")
    if key and " have" in rest:
        whose, _, end = after.partition(" have")
        return _one(f"{_capital(whose)} has {number}{before}{end}", number)
    before, key, after = rest.partition(" have ")
    if key:
        return _one(f"{number} {before.strip()} have {after}", number)
    if any(word in rest for word in DROPPED):
        return None
    return _one(f"There are {number}{rest}", number)


def _one(said: str, number: str) -> str:
    """The released rule for the number 1: "There is", and only the fourth word loses its s."""
    if number != "1":
        return said
    words = said.replace("There are", "There is", 1).split(" ")
    if len(words) > _FOURTH:
        word = words[_FOURTH]
        cut = word[:-1] if word.endswith("s") and word != "has" else word
        words[_FOURTH] = _SINGULARS.get(word, cut)
    return " ".join(words)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _fluent(rest: str, number: str) -> str | None:
    """The same templates in correct English: single blanks, agreement in number."""
    rest = " ".join(rest.split())
    for key in (" are there", " do you see", " do we see"):
        before, found, after = f" {rest} ".partition(f"{key} ")
        if found and before.strip():
            return _there(before, after, number)
    before, found, after = f" {rest} ".partition(" can you see ")
    if found and before.strip():
        return _clean("You see", number, _things(before, number), after)
    before, found, after = f" {rest} ".partition(" are ")
    if found and before.strip():
        return _there(before, after, number)
    for key, plural, single in ((" can ", "can", "can"), (" have ", "have", "has")):
        before, found, after = f" {rest} ".partition(key)
        if found and before.strip() and not re.search(r" (do|does) ", before):
            verb = single if number == "1" else plural
            return _clean(number, _things(before, number), verb, after)
    owned = re.fullmatch(r"(?P<what>.+?) (?P<do>do|does) (?P<who>.+?) have\b(?P<end>.*)", rest)
    if owned:
        verb = "have" if owned["do"] == "do" else "has"
        things = _things(owned["what"], number)
        if owned["who"].split()[0] == "not":  # the elephants that have none
            negated = "does not have" if number == "1" else "do not have"
            who = owned["who"].partition(" ")[2]
            return _clean(number, things, negated, who, owned["end"])
        return _clean(_capital(owned["who"]), verb, number, things, owned["end"])
    if any(word in f" {rest} " for word in DROPPED) or not rest:
        return None
    if acting := _ACTS.fullmatch(rest):
        verb = acting["verb"] + ("s" if number == "1" else "")
        return _clean(number, _things(acting["who"], number), verb, acting["end"])
    return _there(rest, "", number)


def _there(things: str, after: str, number: str) -> str:
    if number == "1":
        after = _PLURAL_VERB.sub(lambda found: f"{found[1]} {_ONE_VERB[found[2]]}", after)
    return _clean("There", "is" if number == "1" else "are", number, _things(things, number), after)


def _clean(*parts: str) -> str:
    return " ".join(" ".join(parts).split())


def _things(phrase: str, number: str) -> str:
    """The name of the things, in the singular for 1; only the head noun changes.

    >>> _things("people in red shirts", "1"), _things("CPU towers", "1"), _things("buses", "1")
    ('person in red shirts', 'CPU tower', 'bus')
    """
    phrase = phrase.strip()
    if number != "1" or phrase.startswith("of "):  # 1 of the men
        return phrase
    end = next((one for one in _AFTER_NOUN.finditer(phrase) if one.start()), None)
    head = (phrase if end is None else phrase[: end.start()]).rstrip()
    before, blank, noun = head.rpartition(" ")
    if noun == "glasses" and before:  # alone they are spectacles, wine glasses are not
        noun = "glass"
    known = noun.lower() in PLURALS.values() or noun.islower()
    single = singular(noun) if known else noun.removesuffix("s")
    return before + blank + single + phrase[len(head) :]
