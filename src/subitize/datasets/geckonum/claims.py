"""What a prompt claims, as yes/no questions: all are yes of a picture that fits.

They are task 3's questions for people, and what metrics ask a model about the picture, in the
manner of TIFA (share of yes) and of DSG (a question whose premise is denied counts as no). Wording
and structure are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE, Recipe
from subitize.nouns import article
from subitize.numerals import from_words, to_words

CUT = re.compile(
    r"^An? (?P<noun>.+?) (?:is )?(?P<how>cut|broken) into (?P<into>[^.]+)\.(?P<more>.*)"
)
ANOTHER = re.compile(r"^There (?:is|are) (?P<number>\w+) .+ and (?P<part>half|quarter) of another ")
BROKEN = re.compile(r"^There (?:is|are) (?P<number>\w+) .+, but .+ is broken into (?P<into>.+)\.$")
HALVES = re.compile(r"one half of it is (?P<one>.+?) and the other half is (?P<other>.+)\.$")
THERE_ARE = re.compile(r"There are (?P<rest>(?:only a few|many|no) [^.]+)\.")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a prompt says."""

    question: str
    """yes, if the picture fits"""
    premise: int | None = None
    """place of the question without whose yes this one makes no sense"""


def claims_of(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    """The questions of one prompt.

    >>> one = Prompt(0, "3 red cats.", 0, -1, "red cat:3", "attribute-color", "x_0")
    >>> [claim.question for claim in claims_of(one, Recipe())]
    ['Are there red cats?', 'Are there exactly three red cats?']
    """
    task = TASK_OF_TYPE[prompt.prompt_type]
    if task == 3:
        first, *rest = yes_no_questions(prompt, recipe)
        return [Claim(first), *(Claim(question, 0) for question in rest)]
    if task == 1:
        return _numbers(prompt, recipe)
    return _quantities(prompt, recipe)


def _numbers(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    found: list[Claim] = []
    for thing, number in prompt.things():
        several = recipe.plural(thing)
        place = len(found)
        if number == "1":
            found.append(Claim(f"Is there {article(thing)}?"))
            found.append(Claim(f"Is there exactly one {thing}?", place))
        else:
            found.append(Claim(f"Are there {several}?"))
            found.append(Claim(f"Are there exactly {to_words(int(number))} {several}?", place))
    if prompt.prompt_type == "attribute-spatial":
        (one, first), (other, second) = prompt.things()
        relation = recipe.relation_in(prompt.prompt)
        verb, ones = ("Is", one) if first == "1" else ("Are", recipe.plural(one))
        others = other if second == "1" else recipe.plural(other)
        found.append(Claim(f"{verb} the {ones} {relation} the {others}?", 0))
    return found


def _quantities(prompt: Prompt, recipe: Recipe) -> list[Claim]:
    if prompt.prompt_type == "approx-1-entity":
        said = THERE_ARE.search(prompt.prompt)
        rest = said["rest"] if said else prompt.prompt
        return [Claim(f"Are there {rest}?")]
    (one, quantity), (other, _) = prompt.things()
    x, y = recipe.plural(one), recipe.plural(other)
    than = "as" if quantity == "as many" else "than"
    return [
        Claim(f"Are there {x}?"),
        Claim(f"Are there {y}?"),
        Claim(f"Are there {quantity} {x} {than} {y}?", 0),
    ]


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
