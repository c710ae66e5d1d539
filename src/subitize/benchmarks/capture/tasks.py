"""From scenes to trials: the questions of every task, prompt and help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from subitize.benchmarks.capture import help as helping
from subitize.benchmarks.capture.prompts import (
    CONFIDENCE,
    HIDDEN,
    PROMPTS,
    pattern_question,
    prompt_names,
    worded,
)
from subitize.benchmarks.capture.scenes import Scene, holed, inpainted, scenes
from subitize.benchmarks.capture.settings import TASKS, CaptureSettings, fixed_prompt
from subitize.records import Response, Stimulus, Trial, fingerprint, make_follower, make_trial
from subitize.stimuli.capture.arrangements import PUBLISHED

OWN = "own"
"""the name of a question in the user's own words"""
USUAL = "as-if-no-box"
"""asked when nobody chose: counters read no words"""

CONDITION: Mapping[str, str | int | float] = {
    "configuration": "", "task": "", "variant": "", "help": "", "prompt": "", "thing": "",
    "total": 0, "hidden": 0, "arrangement": "", "place": 0, "colour": "", "object": "", "told": 0,
}  # fmt: skip
"""what a trial is about, and the value for trials that lack it"""
INPAINT = "A regular pattern of [object], continued evenly through the whole picture."
"""the paper does not print what it told its inpainter"""
VISIBLE = "How many [object] are visible in the image?"

Head = tuple[str, str, str]
"""name, version and stage of the trials"""


def possible_tasks(settings: CaptureSettings) -> tuple[str, ...]:
    """The tasks asked; `all` leaves out what the set does not allow."""
    if settings.tasks != ("all",):
        return tuple(task for task in TASKS if task in settings.tasks)
    hides = "occluded" in settings.variants
    drawn = settings.set == "synthetic"
    possible = {"total": True, "hidden": hides and (drawn or bool(settings.points))}
    possible["pattern"] = drawn
    return tuple(task for task in TASKS if possible[task])


def tried_variants(settings: CaptureSettings) -> tuple[str, ...]:
    """Variants whose prompt is chosen; inpainted pictures are asked like unoccluded ones."""
    more = ("unoccluded",) if "inpainted" in settings.help else ()
    return tuple(dict.fromkeys((*settings.variants, *more)))


def chosen_prompt(settings: CaptureSettings, decisions: Mapping[str, Any], variant: str) -> str:
    """Name of the prompt that a variant is asked with."""
    if settings.question:
        return OWN
    if settings.prompt != "best":
        return fixed_prompt(settings.prompt, variant) or USUAL
    return str(decisions.get("prompt", {}).get(variant, USUAL))


def trials_of(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any]
) -> Iterator[Trial]:
    """The trials of a stage; scene after scene, so that a part is a small copy of the whole."""
    stage = head[2]
    part = "validation" if stage == "prompts" else "test"
    makers = {
        "prompts": _prompts,
        "total": _total,
        "visible": _visible,
        "inpaint": _inpaint,
        "inpainted": _inpainted,
        "help": _help,
        "hidden": _hidden,
        "pattern": _pattern,
    }
    for scene in scenes(settings, part):
        yield from makers[stage](head, settings, decisions, scene)


def _prompts(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    for variant in tried_variants(settings):
        for name in prompt_names(variant):
            yield _count(head, settings, scene, variant, name)


def _total(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    for variant in settings.variants:
        name = chosen_prompt(settings, decisions, variant)
        yield _count(head, settings, scene, variant, name)


def _inpainted(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    """Without a box in the picture it is asked like an unoccluded one."""
    name = chosen_prompt(settings, decisions, "unoccluded")
    picture = inpainted(scene, settings.inpainter)
    question = _question(settings, scene, name)
    condition = _condition(scene, "total", "occluded", name) | {"help": "inpainted"}
    yield make_trial(head, picture, question, target=scene.total, condition=condition)


def _visible(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    """For the counter whose count is told to the model."""
    condition = _condition(scene, "visible", "occluded", "visible")
    question = worded(VISIBLE, scene.thing)
    yield make_trial(head, scene.pictures["occluded"], question, condition=condition)


def _inpaint(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    """For the model that fills the box; which prompt comes after it is decided by then."""
    name = chosen_prompt(settings, decisions, "unoccluded")
    condition = _condition(scene, "inpaint", "occluded", name)
    yield make_trial(head, holed(scene), worded(INPAINT, scene.thing), condition=condition)


def filled_trials(
    head: Head, settings: CaptureSettings, trial: Trial, response: Response
) -> Iterator[Trial]:
    """The question about a picture whose box a model has filled; the rest of it stays as it was."""
    if response.kind != "picture" or response.stop == "unreadable":
        return
    named = {one.name: one for one in scenes(settings, "test")}
    scene = named[str(trial.condition["configuration"])]
    name = str(trial.condition["prompt"])
    yield make_follower(
        head,
        response,
        _question(settings, scene, name),
        target=scene.total,
        condition=_condition(scene, "total", "occluded", name) | {"help": "inpainted"},
        over=scene.pictures["occluded"],
        box=scene.box,
    )


def _help(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    name = chosen_prompt(settings, decisions, "occluded")
    for help_ in settings.help:
        if help_ == "inpainted":
            continue
        told = decisions.get("visible_counts", {}).get(scene.name)
        question = helping.helped(help_, _words(settings, name), scene, told)
        condition = _condition(scene, "total", "occluded", name) | {"help": help_}
        if help_ == "visible-count":
            condition["told"] = told
        yield make_trial(
            head,
            scene.pictures["occluded"],
            _closed(settings, question),
            target=scene.total,
            condition=condition,
        )


def _hidden(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    question = _closed(settings, worded(HIDDEN, scene.thing))
    condition = _condition(scene, "hidden", "occluded", "hidden")
    picture = scene.pictures["occluded"]
    yield make_trial(head, picture, question, target=scene.hidden, condition=condition)


def _pattern(
    head: Head, settings: CaptureSettings, decisions: Mapping[str, Any], scene: Scene
) -> Iterator[Trial]:
    rng = np.random.default_rng([settings.seed, int(fingerprint(scene.name, 12), 16)])
    options = tuple(PUBLISHED[index] for index in rng.permutation(len(PUBLISHED)).tolist())
    for variant in settings.variants:
        yield make_trial(
            head,
            scene.pictures[variant],
            pattern_question(options, scene.thing, hidden=variant == "occluded"),
            target=scene.facts["arrangement"],
            options=options,
            condition=_condition(scene, "pattern", variant, "pattern"),
        )


def _count(head: Head, settings: CaptureSettings, scene: Scene, variant: str, name: str) -> Trial:
    picture: Stimulus = scene.pictures[variant]
    question = _question(settings, scene, name)
    condition = _condition(scene, "total", variant, name)
    return make_trial(head, picture, question, target=scene.total, condition=condition)


def _words(settings: CaptureSettings, name: str) -> str:
    return settings.question if name == OWN else PROMPTS[name].text


def _question(settings: CaptureSettings, scene: Scene, name: str) -> str:
    return _closed(settings, worded(_words(settings, name), scene.thing))


def _closed(settings: CaptureSettings, question: str) -> str:
    return question + CONFIDENCE if settings.confidence == "asked" else question


def _condition(scene: Scene, task: str, variant: str, prompt: str) -> dict[str, Any]:
    return {
        "configuration": scene.name,
        "task": task,
        "variant": variant,
        "help": "",
        "prompt": prompt,
        "thing": scene.thing,
        "total": scene.total,
        "hidden": scene.hidden,
        **scene.facts,
    }
