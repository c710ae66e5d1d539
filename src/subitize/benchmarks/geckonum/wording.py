"""GeckoNum's questions as a model is asked them, and how its answers are read.

People see the bare question. A model is also told the form of the answer, so that its reply can be
read without guessing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from subitize.benchmark import Paper
from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.questions import Question
from subitize.datasets.geckonum.recipe import Recipe
from subitize.nouns import plural
from subitize.published import geckonum as published
from subitize.readers.boxes import BoxesReader, reading_boxes
from subitize.readers.choices import read_choice, read_yes_no
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Trial

PAPER = Paper(published.CITATION, "10.48550/arXiv.2406.14774", published.URL)
NUMBER_ONLY = "{} Answer with a number only."
LINE_ONLY = "{} Answer with the letter of the line.\n{}"
YES_OR_NO = "{} Answer yes or no."
CODES: Mapping[int, tuple[int, ...]] = {3: (0, 2, 3), 5: (0, 1, 2, 3, 4)}
"""lines that are shown: their codes; three for one entity, five for two"""
PROMPT: Mapping[str, str | int] = {
    name: 0 if kind == "int" else "" for name, kind in Prompt.__annotations__.items()
}
"""what a trial's condition holds of the prompt"""
ASKED: Mapping[str, str | int | float] = {"task": 0, "question": "", "noun": "", "asked": 0.0}
"""and of the question"""


class Asked(NamedTuple):
    """A question as a model is asked it."""

    text: str
    """the exact words"""
    thing: str
    """what a counter looks for; empty where only a namer can answer"""
    options: tuple[str, ...]
    """the lines to choose from"""
    condition: dict[str, Any]
    """what was asked for"""


def thing_of(question: str, noun: str, recipe: Recipe) -> str:
    """What a counter looks for: the counted words of the question, or nothing.

    A counter can't tell what is above or left of something, so a question about that names no
    thing for it.

    >>> thing_of("How many red apples are in the image?", "apple", Recipe())
    'red apples'
    >>> thing_of("How many apples are above cats?", "apple", Recipe())
    ''
    """
    head, tail = "How many ", " are in the image?"
    if question.startswith(head) and question.endswith(tail):
        words = question.removeprefix(head).removesuffix(tail)
        if words.endswith(plural(noun, recipe.plurals)):
            return words
    return ""


def as_question(one: Question, recipe: Recipe) -> Asked:
    """A question of GeckoNum for a model."""
    about = {"task": one.task, "question": one.question, "noun": one.noun, "asked": one.truth}
    if one.task == 1:
        thing = thing_of(one.question, one.noun, recipe)
        return Asked(NUMBER_ONLY.format(one.question), thing, (), about)
    if one.task == 3:
        return Asked(YES_OR_NO.format(one.question), "", (), about)
    lines = tuple(words for _, words in one.lines)
    listed = "\n".join(f"{chr(65 + place)}. {words}" for place, words in enumerate(lines))
    return Asked(LINE_ONLY.format(one.question, listed), "", lines, about)


def read_by_task(trial: Trial, response: Response) -> Reading:
    """A count up to 11, a line with its code, or yes (1) or no (0), by the trial's task."""
    task = int(trial.condition["task"])
    if task == 1:
        return read_strict(trial, response)
    found = (read_choice if task == 2 else read_yes_no)(trial, response)
    if found.choice is None:
        return found
    if task == 2:
        return replace(found, number=CODES[len(trial.options)][trial.options.index(found.choice)])
    return replace(found, number=int(found.choice == "yes"))


def reader() -> BoxesReader:
    """Counts boxes where a counter answered, reads words where a namer did."""
    return reading_boxes(read_by_task)
