"""What a prompt claims, as yes/no questions: all are yes of a picture that fits.

For metrics that ask a model about the picture, in the manner of TIFA (share of yes) and of DSG (a
question whose premise is denied counts as no). Wording and structure are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.questions import TASK_OF_TYPE
from subitize.datasets.geckonum.recipe import Recipe
from subitize.datasets.geckonum.yes_no import yes_no_questions
from subitize.nouns import article
from subitize.numerals import to_words

__all__ = ["Claim", "claims_of"]

_THERE_ARE = re.compile(r"There are (?P<rest>(?:only a few|many|no) [^.]+)\.")


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
        said = _THERE_ARE.search(prompt.prompt)
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
