"""Read which option a reply chooses: a letter, the option's number, or its words; yes or no.

A reply that names several options, or none, has no reading (`no-number`, the reason as a note).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from subitize.nouns import plural
from subitize.numerals import find_numbers
from subitize.readers.refusals import is_refusal
from subitize.readers.text import WordsReader, ended_early
from subitize.readers.wrappings import unwrap
from subitize.records import Reading, Response, Trial

_YES_NO = re.compile(
    r"\b(?:(?P<yes>yes|yeah|yep|yup|true|correct|affirmative)|"
    r"(?P<no>no|nope|nah|false|incorrect|negative))\b",
    re.IGNORECASE,
)
_NOT_AN_ANSWER = re.compile(
    r"\b(?:yes|true)\b\s?(?:/|or)\s?\b(?:no|false)\b|\bnot (?:true|correct)\b", re.I
)
_NO_DETERMINER = re.compile(
    r"\bno\b(?=[ ](?:longer|doubt|more|matter|one|idea|problem|other|image)\b)", re.I
)
_FINAL = re.compile(
    r"\b(?:final answer|answer|option|choice)\b(?:\s+is)?\s*[:=]?\s*", re.IGNORECASE
)


def yes_no(reply: str) -> Reading:
    """`yes` or `no`: the word the reply begins with, or the only one of the two in it.

    >>> yes_no("**Yes**, they form a circle.").choice, yes_no("no").choice
    ('yes', 'no')
    >>> yes_no("Yes and no.").state
    'no-number'
    """
    text = unwrap(reply)
    named = _FINAL.split(text)
    text = named[-1] if len(named) > 1 and _YES_NO.search(named[-1]) else text
    text = _NO_DETERMINER.sub("", _NOT_AN_ANSWER.sub("", text))
    found = [match.lastgroup for match in _YES_NO.finditer(text)]
    if re.match(r"\W*yes\b[\s,]+and[\s,]+no\b", text, re.IGNORECASE):
        return Reading("no-number", note="yes and no")
    if len(set(found)) == 1:
        return Reading("read", choice=found[0])
    opening = _YES_NO.match(text.lstrip(" \t\n\"'([*:-"))
    if opening:
        return Reading("read", choice=opening.lastgroup)
    if found:
        return Reading("no-number", note="both yes and no")
    return Reading("refused" if is_refusal(text) else "no-number", note="neither yes nor no")


def choice(reply: str, options: Sequence[str]) -> Reading:
    """The option that a reply names by its words, its letter (A, b), (C) or its number (from 1).

    The words count first, then the letter, then the number; a word inside another option's words
    does not count ("circle" in "semicircle"). What follows the last "answer" goes before the rest.

    >>> choice("I think it is a Circle.", ["rectangle", "triangle", "circle"]).choice
    'circle'
    >>> choice("(B)", ["rectangle", "triangle", "circle"]).choice
    'triangle'
    >>> choice("a circle or a triangle", ["rectangle", "triangle", "circle"]).note
    'several options: triangle, circle'
    """
    text = unwrap(reply)
    last = None
    for part in reversed(_FINAL.split(text)):
        # by the first way in which it names any
        found = _by_words(part, options) or _by_letter(part, options) or _by_number(part, options)
        if len(found) == 1:
            return Reading("read", choice=found[0])
        last = last or found
    if last:
        return Reading("no-number", note=f"several options: {', '.join(last)}")
    return Reading("refused" if is_refusal(text) else "no-number", note="none of the options")


read_yes_no = WordsReader(lambda reply, _question: yes_no(reply))


def read_choice(trial: Trial, response: Response) -> Reading:
    """`choice` among the trial's options as the reader of a benchmark."""
    return ended_early(response) or choice(str(response.value), trial.options)


def _by_words(text: str, options: Sequence[str]) -> list[str]:
    rest = f" {_plain_words(text)} "
    found = set()
    for option in sorted(options, key=len, reverse=True):
        words = _plain_words(option)
        for form in (f" {words} ", f" {plural(words)} "):
            # a negated option ("not a circle") is not chosen
            denied = re.compile(rf" (?:not|isn t|neither|nor)(?: an?| the)?{re.escape(form)}")
            plain = denied.sub(" ", rest)
            if words and form in plain:
                found.add(option)
            rest = plain.replace(form, "  ")
    return [option for option in options if option in found]


def _plain_words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _by_letter(text: str, options: Sequence[str]) -> list[str]:
    letters = [chr(ord("A") + index) for index in range(min(len(options), 26))]
    bare = text.strip(" \t\n.,:;()[]\"'*")
    if len(bare) == 1 and bare.upper() in letters:
        return [options[letters.index(bare.upper())]]
    # a lone lower-case "a", or "I", is an ordinary word
    found = re.findall(r"(?<![\w'])\(?([A-Z])(?:[).:]|(?=\s*$))", text) or re.findall(
        r"\(([a-z])\)|(?:^|\n)([a-z])[).:]", text
    )
    marked = {"".join(item).upper() for item in found}
    return [option for option, letter in zip(options, letters, strict=False) if letter in marked]


def _by_number(text: str, options: Sequence[str]) -> list[str]:
    values = {number.value for number in find_numbers(text) if number.kind == "cardinal"}
    return [option for index, option in enumerate(options, 1) if index in values]
