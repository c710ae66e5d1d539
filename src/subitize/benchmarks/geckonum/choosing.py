"""Which prompts a run of GeckoNum is about, and the questions to each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from subitize.benchmark import Settings
from subitize.datasets.geckonum.prompts import Prompt, make_prompts, read_prompts
from subitize.datasets.geckonum.questions import (
    TASK_OF_TYPE,
    Question,
    colourless,
    make_questions,
    read_questions,
)
from subitize.datasets.geckonum.recipe import TYPES, Recipe, load_recipe
from subitize.errors import BadInput, UnknownName
from subitize.files import stamp

TASKS = ("1", "2", "3")


@dataclass(frozen=True)
class PromptSettings(Settings):
    """Which prompts: of the release's file or made here, and which of them."""

    prompts: str = ""
    """a file with the released columns; empty: made by rule, the drawn ones from `seed`"""
    recipe: str = ""
    """a TOML file for other nouns, numbers, colours; empty: as published"""
    questions: str = ""
    """a file of yes/no questions in place of ours; empty: ours"""
    tasks: tuple[str, ...] = TASKS
    """1 counts, 2 lines, 3 yes or no"""
    types: tuple[str, ...] = ()
    """prompt types; empty: all of the tasks"""
    things: tuple[str, ...] = ()
    """only prompts that ask for nothing but these nouns; empty: all"""


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
    questions: Mapping[str, Sequence[Question]]
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
        asked = make_questions(prompts, recipe, mended=True)
    questions: dict[str, list[Question]] = {one.dataset_id: [] for one in prompts}
    for question in asked:
        questions[question.dataset_id].append(question)
    return Chosen(recipe, prompts, questions)


def _wanted(prompt: Prompt, settings: PromptSettings) -> bool:
    if str(TASK_OF_TYPE.get(prompt.prompt_type)) not in settings.tasks:
        return False
    if settings.types and prompt.prompt_type not in settings.types:
        return False
    nouns = {colourless(thing, prompt.prompt_type) for thing, _ in prompt.things()}
    return not settings.things or nouns <= set(settings.things)
