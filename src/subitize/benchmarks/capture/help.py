"""What a model can be told beside the question: coordinates, a visible count, worked examples."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from math import floor
from pathlib import Path
from typing import Any, cast

import orjson

from subitize.benchmarks.capture.prompts import WORKED_EXAMPLES, worded
from subitize.benchmarks.capture.scenes import Scene
from subitize.errors import BadInput, ModelError
from subitize.models.base import Item, Reply
from subitize.models.catalog import open_model
from subitize.readers.boxes import count_boxes
from subitize.stimuli import render

__all__ = ["coordinates_text", "helped", "visible_counts"]

ALL = (
    "\n\nThese are the coordinates of all [object], those behind the black box included, as (x, y) "
    "in pixels from the top left corner of the image: {}. Count the coordinates."
)
VISIBLE = (
    "\n\nThese are the coordinates of the visible [object] as (x, y) in pixels from the top left "
    "corner of the image: {}. Estimate the number of [object] hidden behind the black box, count "
    "the coordinates of the visible ones, and add the two."
)
COUNTED = (
    "\n\nA counting model finds {} visible [object] in the image. Estimate the number of [object] "
    "hidden behind the black box and add the two."
)
"""the paper shows such texts only in a figure; the words are ours"""
AT_ONCE = 32


def coordinates_text(places: Iterable[Sequence[float]]) -> str:
    """Whole pixels, halves up, in the order of the annotation.

    >>> coordinates_text([(150.0, 100.0), (115.45, 147.55)])
    '(150, 100), (115, 148)'
    """
    return ", ".join(f"({floor(x + 0.5)}, {floor(y + 0.5)})" for x, y in places)


def helped(help_: str, prompt: str, scene: Scene, told: int | None) -> str:
    """The prompt with this help, worded for the scene; `told` is the visible count."""
    if help_ == "chain-of-thought":
        return WORKED_EXAMPLES + worded(prompt, scene.thing)
    if help_ == "visible-count":
        if told is None:
            raise BadInput(
                f"There is no visible count of {scene.name}: the file of counts must hold every "
                "picture."
            )
        return worded(prompt + COUNTED.format(told), scene.thing)
    if scene.positions is None:
        raise BadInput(
            "The released metadata holds no positions: for coordinates give FSC-147's annotation "
            "file, --set points=FILE."
        )
    visible = help_ == "visible-coordinates"
    words = VISIBLE if visible else ALL
    text = coordinates_text(scene.coordinates(visible=visible)) or "none"
    return worded(prompt + words.format(text), scene.thing)


def visible_counts(scenes: Sequence[Scene], counter: str, file: str) -> dict[str, int]:
    """How many objects a counter sees in each occluded picture, or what the file says."""
    if file:
        return _from_file(scenes, Path(file))
    model = open_model(counter)
    waits = inspect.iscoroutinefunction(getattr(model, "count", None))
    if "counter" not in model.kinds or model.paid or waits:
        raise BadInput(
            f"{counter} can't count visible objects here: name a built-in counter, such as "
            "counter/blobs, or run any other counter on capture by itself and give its counts "
            "with --set counts=FILE (`subitize capture counts` writes that file)."
        )
    count = cast(Any, model).count
    found: dict[str, int] = {}
    for start in range(0, len(scenes), AT_ONCE):
        batch = scenes[start : start + AT_ONCE]
        items = [
            Item(one.name, "", render(one.pictures["occluded"]).png, thing=one.thing)
            for one in batch
        ]
        for scene, answer in zip(batch, count(items), strict=True):
            found[scene.name] = _number(scene, counter, answer)
    return found


def _number(scene: Scene, counter: str, answer: Reply | ModelError) -> int:
    if isinstance(answer, ModelError):
        raise BadInput(f"{counter} can't count in {scene.name}: {answer}.")
    reading = count_boxes(answer.value)
    if reading.number is None:
        raise BadInput(f"{counter} gave no count for {scene.name}: {reading.note}.")
    return int(reading.number)


def _from_file(scenes: Sequence[Scene], file: Path) -> dict[str, int]:
    try:
        given = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as problem:
        raise BadInput(f"Can't read the counts in {file}: {problem}.") from None
    if not isinstance(given, dict):
        raise BadInput(f"{file} is not a JSON object of picture names and counts.")
    missing = [one.name for one in scenes if not isinstance(given.get(one.name), int)]
    if missing:
        raise BadInput(
            f"{file} has no whole number for {len(missing)} of {len(scenes)} pictures, the first "
            f"{missing[0]!r}: count them all."
        )
    return {one.name: int(given[one.name]) for one in scenes}
