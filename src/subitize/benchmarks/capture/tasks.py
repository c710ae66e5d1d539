"""From scenes to trials: the questions of every task, prompt and help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

import numpy as np

from subitize.benchmark import Decisions
from subitize.benchmarks.capture import prompts as wording
from subitize.benchmarks.capture.prompts import PROMPTS, pattern_question, prompt_names, worded
from subitize.benchmarks.capture.scenes import Scene, holed, inpainted, scenes
from subitize.benchmarks.capture.settings import TASKS, CaptureSettings, fixed_prompt
from subitize.errors import BadInput
from subitize.records import Response, Stimulus, Trial, fingerprint, make_follower, make_trial
from subitize.stimuli.capture.arrangements import PUBLISHED

MISSING = "missing_pictures"
"""decision: pictures that were not there when the run began, which are never asked about"""
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


def possible_tasks(settings: CaptureSettings) -> tuple[str, ...]:
    """The tasks asked; `all` leaves out what the set does not allow."""
    if settings.tasks != ("all",):
        return tuple(task for task in TASKS if task in settings.tasks)
    hides = "occluded" in settings.variants
    drawn = settings.set == "synthetic"
    possible = {"total": True, "hidden": hides and (drawn or settings.points), "pattern": drawn}
    return tuple(task for task in TASKS if possible[task])


def tried_variants(settings: CaptureSettings) -> tuple[str, ...]:
    """Variants whose prompt is chosen; inpainted pictures are asked like unoccluded ones."""
    more = ("unoccluded",) if "inpainted" in settings.help else ()
    return tuple(dict.fromkeys((*settings.variants, *more)))


def coordinates_text(places: Iterable[Sequence[float]]) -> str:
    """Whole pixels, halves up, in the order of the annotation.

    >>> coordinates_text([(150.0, 100.0), (115.45, 147.55)])
    '(150, 100), (115, 148)'
    """
    return ", ".join(f"({floor(x + 0.5)}, {floor(y + 0.5)})" for x, y in places)


def helped(help_: str, prompt: str, scene: Scene, told: int | None) -> str:
    """The prompt with this help, worded for the scene; `told` is the visible count."""
    if help_ == "chain-of-thought":
        return wording.WORKED_EXAMPLES + worded(prompt, scene.thing)
    if help_ == "visible-count":
        if told is None:
            raise BadInput(
                f"There is no visible count of {scene.name}: the file of counts must hold every "
                "picture."
            )
        return worded(prompt + wording.COUNTED.format(told), scene.thing)
    if scene.positions is None:
        raise BadInput(
            "The released metadata holds no positions: for coordinates give FSC-147's annotation "
            "file, --set points=FILE."
        )
    words, places = wording.VISIBLE_PLACES, scene.visible
    if help_ == "all-coordinates":
        words, places = wording.ALL_PLACES, scene.positions
    return worded(prompt + words.format(coordinates_text(places) or "none"), scene.thing)


class Asking(NamedTuple):
    """What is asked about a scene: a method per stage."""

    head: tuple[str, str, str]
    """name, version and stage of the trials"""
    settings: CaptureSettings
    decisions: Decisions

    def trials(self) -> Iterator[Trial]:
        """The trials of the stage; scene after scene, so that a part is a small copy of it all."""
        stage = self.head[2]
        gone = set(self.decisions.get(MISSING, ()))
        for scene in scenes(self.settings, "validation" if stage == "prompts" else "test"):
            if scene.name not in gone:
                yield from getattr(self, stage)(scene)

    def prompts(self, scene: Scene) -> Iterator[Trial]:
        for variant in variants_there(scene, tried_variants(self.settings)):
            for name in prompt_names(variant):
                yield self._count(scene, _about(scene, "total", variant, name))

    def total(self, scene: Scene) -> Iterator[Trial]:
        for variant in variants_there(scene, self.settings.variants):
            yield self._count(scene, _about(scene, "total", variant, self._chosen(variant)))

    def visible(self, scene: Scene) -> Iterator[Trial]:
        """For the counter whose count is told to the model."""
        about = _about(scene, "visible", "occluded", "visible")
        yield self._trial(scene, worded(VISIBLE, scene.thing), about)

    def inpaint(self, scene: Scene) -> Iterator[Trial]:
        """For the model that fills the box; which prompt comes after it is decided by then."""
        about = _about(scene, "inpaint", "occluded", self._chosen("unoccluded"))
        question = worded(INPAINT, scene.thing)
        yield self._trial(scene, question, about, picture=holed(scene))

    def inpainted(self, scene: Scene) -> Iterator[Trial]:
        """Without a box in the picture it is asked like an unoccluded one."""
        about = _about(scene, "total", "occluded", self._chosen("unoccluded"), "inpainted")
        yield self._count(scene, about, picture=inpainted(scene, self.settings.inpainter))

    def filled(self, trial: Trial, response: Response) -> Iterator[Trial]:
        """About a picture whose box a model has filled; the rest of it stays as it was."""
        if response.kind != "picture" or response.stop == "unreadable":
            return
        named = {one.name: one for one in scenes(self.settings, "test")}
        scene = named[str(trial.condition["configuration"])]
        name = str(trial.condition["prompt"])
        yield make_follower(
            self.head,
            response,
            self._closed(worded(self._words(name), scene.thing)),
            target=scene.total,
            condition=_about(scene, "total", "occluded", name, "inpainted"),
            over=scene.pictures["occluded"],
            box=scene.box,
        )

    def help(self, scene: Scene) -> Iterator[Trial]:
        name = self._chosen("occluded")
        told = self.decisions.get("visible_counts", {}).get(scene.name)
        for help_ in self.settings.help:
            if help_ == "inpainted":
                continue
            question = self._closed(helped(help_, self._words(name), scene, told))
            about = _about(scene, "total", "occluded", name, help_)
            if help_ == "visible-count":
                about["told"] = told
            yield self._trial(scene, question, about, target=scene.total)

    def hidden(self, scene: Scene) -> Iterator[Trial]:
        question = self._closed(worded(wording.HIDDEN, scene.thing))
        about = _about(scene, "hidden", "occluded", "hidden")
        yield self._trial(scene, question, about, target=scene.hidden)

    def pattern(self, scene: Scene) -> Iterator[Trial]:
        rng = np.random.default_rng([self.settings.seed, int(fingerprint(scene.name, 12), 16)])
        options = tuple(PUBLISHED[index] for index in rng.permutation(len(PUBLISHED)).tolist())
        known = {"target": scene.facts["arrangement"], "options": options}
        for variant in variants_there(scene, self.settings.variants):
            question = pattern_question(options, scene.thing, hidden=variant == "occluded")
            about = _about(scene, "pattern", variant, "pattern")
            yield self._trial(scene, question, about, **known)

    def _count(self, scene: Scene, about: Mapping[str, Any], **picture: Stimulus) -> Trial:
        question = self._closed(worded(self._words(about["prompt"]), scene.thing))
        return self._trial(scene, question, about, target=scene.total, **picture)

    def _trial(self, scene: Scene, question: str, about: Mapping[str, Any], **known: Any) -> Trial:
        """A trial about the scene's own picture of this variant, or about `picture`."""
        picture = known.pop("picture", scene.pictures[about["variant"]])
        return make_trial(self.head, picture, question, condition=about, **known)

    def _chosen(self, variant: str) -> str:
        """Name of the prompt that a variant is asked with."""
        if self.settings.question:
            return OWN
        if self.settings.prompt != "best":
            return fixed_prompt(self.settings.prompt, variant) or USUAL
        return str(self.decisions.get("prompt", {}).get(variant, USUAL))

    def _words(self, name: str) -> str:
        return self.settings.question if name == OWN else PROMPTS[name].text

    def _closed(self, question: str) -> str:
        return question + wording.CONFIDENCE if self.settings.confidence == "asked" else question


def variants_there(scene: Scene, variants: Sequence[str]) -> list[str]:
    """Of a picture that came with its black box there is no unoccluded one."""
    return [variant for variant in variants if variant in scene.pictures]


def _about(scene: Scene, task: str, variant: str, prompt: str, help_: str = "") -> dict[str, Any]:
    known = {"configuration": scene.name, "task": task, "variant": variant, "help": help_}
    known |= {"prompt": prompt, "thing": scene.thing}
    return {**known, "total": scene.total, "hidden": scene.hidden, **scene.facts}
