"""GeckoNum's questions as a model is asked them, and how its answers are read.

People see the bare question. A model is also told the form of the answer, so that its reply can be
read without guessing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subitize.benchmark import Question, Reader
from subitize.datasets.geckonum import questions as asked
from subitize.datasets.geckonum.recipe import Recipe
from subitize.models.base import Kind
from subitize.nouns import plural
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.boxes import reading_boxes
from subitize.readers.choices import read_choice, read_yes_no
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Row, Trial

__all__ = ["answer_value", "as_question", "read_by_task", "reader_of_answers", "thing_of"]

NUMBER_ONLY = "{} Answer with a number only."
LINE_ONLY = "{} Answer with the letter of the line.\n{}"
YES_OR_NO = "{} Answer yes or no."


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


def as_question(one: asked.Question, recipe: Recipe) -> Question:
    """A question of GeckoNum for a reading model; what was asked for stands in its condition."""
    about: dict[str, Any] = {
        "task": one.task,
        "question": one.question,
        "noun": one.noun,
        "asked": one.truth,
    }
    namer: tuple[Kind, ...] = ("namer",)
    if one.task == 1:
        thing = thing_of(one.question, one.noun, recipe)
        kinds: tuple[Kind, ...] = () if thing else namer
        return Question(NUMBER_ONLY.format(one.question), thing, condition=about, kinds=kinds)
    if one.task == 2:
        lines = tuple(words for _, words in one.lines)
        listed = "\n".join(f"{chr(65 + place)}. {words}" for place, words in enumerate(lines))
        about["codes"] = [code for code, _ in one.lines]
        text = LINE_ONLY.format(one.question, listed)
        return Question(text, options=lines, condition=about, kinds=namer)
    return Question(YES_OR_NO.format(one.question), condition=about, kinds=namer)


def read_by_task(trial: Trial, response: Response) -> Reading:
    """A count, a line or yes/no, by the task in the trial's condition."""
    readers: Mapping[int, Reader] = {1: read_strict, 2: read_choice, 3: read_yes_no}
    return readers[int(trial.condition["task"])](trial, response)


def reader_of_answers() -> Reader:
    """Counts boxes where a counter answered, reads words where a namer did."""
    return reading_boxes(read_by_task)


def answer_value(row: Row) -> float | None:
    """An answer as GeckoNum codes it: count up to 11, code of the line, 1 for yes."""
    if row.reading.state != "read":
        return None
    task = int(row.trial.condition["task"])
    if task == 1:
        number = row.reading.number
        return None if number is None else min(float(number), MORE_THAN_TEN)
    if task == 2:
        place = row.trial.options.index(str(row.reading.choice))
        return float(row.trial.condition["codes"][place])
    return float(row.reading.choice == "yes")
