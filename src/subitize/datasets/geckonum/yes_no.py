"""Task 3's yes/no questions from the structure of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.recipe import Recipe
from subitize.nouns import article
from subitize.numerals import from_words, to_words

__all__ = ["yes_no_questions"]

CUT = re.compile(
    r"^An? (?P<noun>.+?) (?:is )?(?P<how>cut|broken) into (?P<into>[^.]+)\.(?P<more>.*)"
)
ANOTHER = re.compile(r"^There (?:is|are) (?P<number>\w+) .+ and (?P<part>half|quarter) of another ")
BROKEN = re.compile(r"^There (?:is|are) (?P<number>\w+) .+, but .+ is broken into (?P<into>.+)\.$")
HALVES = re.compile(r"one half of it is (?P<one>.+?) and the other half is (?P<other>.+)\.$")


def yes_no_questions(prompt: Prompt, recipe: Recipe) -> Iterator[str]:
    """Is the thing there, are there as many, is the part there, has it its attribute."""
    noun = prompt.things()[0][0]
    text = prompt.prompt
    if found := ANOTHER.match(text):
        yield from _how_many_there(noun, found["number"], recipe)
        part = "half" if found["part"] == "half" else "a quarter of"
        yield f"Is there {part} {article(noun)}?"
    elif found := BROKEN.match(text):
        yield from _how_many_there(noun, found["number"], recipe)
        if from_words(found["number"]) == 1:
            yield f"Is the {noun} broken?"
            yield f"Is the {noun} broken into {found['into']}?"
        else:
            yield f"Is one {noun} broken?"
            yield f"Is the broken {noun} in {found['into']}?"
    elif found := HALVES.search(text):
        yield f"Is there {article(noun)}?"
        yield f"Is one half of the {noun} {found['one']}?"
        yield f"Is the other half of the {noun} {found['other']}?"
    elif found := CUT.match(text):
        yield from _cut(noun, found)
    else:
        raise prompt.wrong(
            "has a structure no yes/no questions are known for: give them in a file."
        )


def _cut(noun: str, found: re.Match[str]) -> Iterator[str]:
    yield f"Is there {article(noun)}?"
    pieces = found["into"].partition(" ")[2]
    if pieces:
        whole = found["how"] if found["more"] else f"{found['how']} into {pieces}"
        yield f"Is the {noun} {whole}?"
    yield f"Is the {noun} {found['how']} into {found['into']}?"
    if found["more"]:
        yield "Is one piece twice the size of the other?"


def _how_many_there(noun: str, number: str, recipe: Recipe) -> Iterator[str]:
    value = from_words(number)
    if value == 1:
        yield f"Is there {article(noun)}?"
        yield f"Is there one {noun}?"
    else:
        several = recipe.plural(noun)
        yield f"Are there {several}?"
        yield f"Are there {number if value is None else to_words(value)} {several}?"
