"""What a model can be told beside the question: coordinates, a visible count, worked examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from subitize.benchmarks.capture.prompts import WORKED_EXAMPLES, worded
from subitize.benchmarks.capture.scenes import Scene
from subitize.errors import BadInput

if TYPE_CHECKING:
    import polars as pl

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


def visible_counts(scenes: Sequence[Scene], answers: pl.DataFrame, file: str) -> dict[str, int]:
    """How many objects a counter saw in each occluded picture, or what the file says."""
    if file:
        return _from_file(scenes, Path(file))
    read = answers.filter((answers["stage"] == "visible") & answers["number"].is_not_null())
    found = {
        name: int(number) for name, number in read.select("configuration", "number").iter_rows()
    }
    missing = [one.name for one in scenes if one.name not in found]
    if missing:
        raise BadInput(
            f"The counter gave no count for {len(missing)} of {len(scenes)} pictures, the first "
            f"{missing[0]!r}: name another with --set counter=MODEL."
        )
    return {one.name: found[one.name] for one in scenes}


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
