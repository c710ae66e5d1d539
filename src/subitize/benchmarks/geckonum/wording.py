"""GeckoNum's questions as a model is asked them: about which prompts, in which words, how read.

People see the bare question. A model is also told the form of the answer, so that its reply can be
read without guessing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from subitize.benchmark import Paper, Settings, later
from subitize.benchmarks.geckonum import questioning
from subitize.benchmarks.geckonum.questioning import STYLES
from subitize.datasets.geckonum.prompts import Prompt, make_prompts, read_prompts
from subitize.datasets.geckonum.questions import (
    Claim,
    Question,
    claims_of,
    colourless,
    make_questions,
    read_questions,
)
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE, TYPES, Recipe, load_recipe
from subitize.errors import BadInput, UnknownName
from subitize.files import stamp
from subitize.published import geckonum as published
from subitize.readers.choices import read_choice, read_yes_no
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Trial

if TYPE_CHECKING:
    import polars as pl

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
TASKS = ("1", "2", "3")


class Asked(NamedTuple):
    """A question as a model is asked it."""

    text: str
    """the exact words"""
    options: tuple[str, ...]
    """the lines to choose from"""
    condition: dict[str, Any]
    """what was asked for; `thing`: what a counter looks for, empty where only a namer can answer"""


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
        if words.endswith(recipe.plural(noun)):
            return words
    return ""


def as_question(one: Question, recipe: Recipe) -> Asked:
    """A question of GeckoNum for a model."""
    thing, lines = "", tuple(words for _, words in one.lines)
    if one.task == 1:
        text = NUMBER_ONLY.format(one.question)
        thing = thing_of(one.question, one.noun, recipe)
    elif one.task == 2:
        listed = "\n".join(f"{chr(65 + place)}. {words}" for place, words in enumerate(lines))
        text = LINE_ONLY.format(one.question, listed)
    else:
        text = YES_OR_NO.format(one.question)
    about = {"task": one.task, "question": one.question, "noun": one.noun, "asked": one.truth}
    return Asked(text, lines, {**about, "thing": thing})


def as_questions(trial: Trial, claims: Sequence[Claim]) -> list[Asked]:
    """Yes/no questions that somebody wrote, for a model."""
    prompt = str(trial.condition["dataset_id"])
    every = (Question(prompt, 3, place, one.question, 1.0) for place, one in enumerate(claims))
    return [as_question(one, Recipe()) for one in every]


def written_questions(answers: pl.DataFrame, settings: PromptSettings) -> dict[str, Any]:
    """What the questioner wrote to each prompt; by rule where it wrote nothing that can be used."""
    own = answers.filter(answers["stage"] == questioning.STAGE)
    columns = own.select("dataset_id", "state", "value")
    found: dict[str, Any] = questioning.kept_claims(columns.iter_rows())
    recipe, prompts, _ = chosen(settings)
    asked = set(own["dataset_id"])
    for prompt in prompts:
        if prompt.dataset_id in asked and prompt.dataset_id not in found:
            if prompt.prompt_type not in TASK_OF_TYPE:
                raise prompt.wrong(
                    "got no yes/no question from the questioner: name another one, or give the "
                    "questions in a file."
                )
            found[prompt.dataset_id] = [list(one) for one in claims_of(prompt, recipe)]
    return found


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


@dataclass(frozen=True)
class PromptSettings(Settings):
    """Which prompts: of the release's file or made here, and which of them."""

    prompts: str = ""
    """a file with the released columns; empty: made by rule, the drawn ones from `seed`"""
    recipe: str = ""
    """a TOML file for other nouns, numbers, colours; empty: as published"""
    questions: str = ""
    """yes/no questions in place of ours: a file, or the released annotations; empty: ours"""
    tasks: tuple[str, ...] = TASKS
    """1 counts, 2 lines, 3 yes or no"""
    types: tuple[str, ...] = ()
    """prompt types; empty: all of the tasks"""
    things: tuple[str, ...] = ()
    """only prompts that ask for nothing but these nouns; empty: all"""
    questioner: str = later("")
    """a language model that writes the yes/no questions instead; empty: by rule or from a file"""
    style: str = later("dsg")
    """of the questions that the questioner writes: dsg, tifa or gecko"""


def check_choice(settings: PromptSettings) -> None:
    """Names that are not there are errors before anything is asked."""
    for task in settings.tasks:
        if task not in TASKS:
            raise UnknownName("task of geckonum", task, TASKS)
    for name in settings.types:
        if name not in TYPES:
            raise UnknownName("prompt type", name, TYPES)
    if not settings.tasks:
        raise BadInput("No task is chosen: give tasks=1, tasks=1,2 or the like.")
    if settings.style not in STYLES:
        raise UnknownName("style of questions", settings.style, STYLES)
    if settings.questions and settings.questioner:
        raise BadInput(
            "Both questions and questioner are given: questions come from a file or are written by "
            "a model. Give one of them."
        )
    if settings.prompts and settings.recipe:
        raise BadInput(
            "Both prompts and recipe are given: a file of prompts is used as it is, a recipe makes "
            "new ones. Give one of them."
        )


class Chosen(NamedTuple):
    """What the settings choose."""

    recipe: Recipe
    """that plurals and relations come from"""
    prompts: Sequence[Prompt]
    """in the order of their file or recipe"""
    questions: Mapping[str, Sequence[Asked]]
    """to each prompt, by its id"""


def chosen(settings: PromptSettings) -> Chosen:
    """The prompts of a run and the questions to them; files that changed are read again."""
    files = (settings.prompts, settings.recipe, settings.questions)
    return _chosen(settings, tuple(map(stamp, files)))


@lru_cache(maxsize=8)
def _chosen(settings: PromptSettings, _stamps: tuple[tuple[int, int], ...]) -> Chosen:
    recipe = load_recipe(Path(settings.recipe)) if settings.recipe else Recipe()
    if settings.prompts:
        every = read_prompts(Path(settings.prompts))
    else:
        every = make_prompts(recipe, np.random.default_rng(settings.seed))
    prompts = tuple(one for one in every if _wanted(one, settings))
    if not prompts:
        raise BadInput(
            f"None of {len(every)} prompts is left by tasks={','.join(settings.tasks)}, "
            f"types={','.join(settings.types) or 'all'} and "
            f"things={','.join(settings.things) or 'all'}: choose more of them."
        )
    if settings.questions:
        asked = read_questions(Path(settings.questions), prompts, recipe)
    else:
        # those of task 3 are still to be written where somebody writes them
        known = [one for one in prompts if not settings.questioner or task_of(one.prompt_type) < 3]
        asked = make_questions(known, recipe, mended=True)
    questions: dict[str, list[Asked]] = {one.dataset_id: [] for one in prompts}
    for question in asked:
        questions[question.dataset_id].append(as_question(question, recipe))
    return Chosen(recipe, prompts, questions)


def task_of(prompt_type: str) -> int:
    """The task of a prompt type; one that the paper does not have is asked about by yes or no."""
    return TASK_OF_TYPE.get(prompt_type, 3)


def _wanted(prompt: Prompt, settings: PromptSettings) -> bool:
    known = prompt.prompt_type in TASK_OF_TYPE or settings.questioner
    if not known or str(task_of(prompt.prompt_type)) not in settings.tasks:
        return False
    if settings.types and prompt.prompt_type not in settings.types:
        return False
    nouns = {colourless(thing, prompt.prompt_type) for thing, _ in prompt.things()}
    return not settings.things or nouns <= set(settings.things)
