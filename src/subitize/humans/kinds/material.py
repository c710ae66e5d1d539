"""What a kind of study brings: items, the words before them, and what its run would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from subitize.errors import BadInput, ModelError
from subitize.files import read_bytes
from subitize.humans.items import Item, Question, Shown
from subitize.pictures.media import media_type
from subitize.records import Stimulus, Trial, fingerprint
from subitize.stimuli import render
from subitize.stimuli.naming import recipe

DRAWINGS = Path(__file__).parent.parent / "static" / "examples"
SIDE = 640
"""pixels of the pictures that training and checks draw"""
CHECKS = 8
"""attention checks that a study has; a person gets as many of them as it says"""


class Example(NamedTuple):
    """A drawing with the answer that would be right, in the instructions."""

    drawing: str
    """name of a file in static/examples"""
    alt: str
    question: str
    answer: str
    why: str = ""
    lines: tuple[str, ...] = ()
    """what could be chosen, where lines are"""


@dataclass(frozen=True)
class Material:
    """All that is shown in a study."""

    items: Sequence[Item]
    instructions: Sequence[str]
    """paragraphs"""
    examples: Sequence[Example] = ()
    run: Mapping[str, Any] = field(default_factory=dict)
    """benchmark and settings of the run that the answers make; nothing where they make none"""
    shown: str = "picture"
    """what one item is called where people read of it"""


def from_file(path: Path) -> Shown:
    """A picture as it lies on the disk."""
    content = read_bytes(path, "the picture")
    return Shown(content, media_type(content))


def lying(path: Path) -> Callable[[], Shown]:
    """Reads the picture of a file when it is wanted; a file that holds none is told at once.

    Nobody who takes part could answer about it, or go on.
    """
    try:
        with path.open("rb") as file:
            media_type(file.read(16))
    except OSError as problem:
        raise BadInput(f"Can't read the picture {path}: {problem.strerror}.") from None
    except ModelError as problem:
        raise BadInput(
            f"{path} can't be shown: {problem}. Replace it, or take it out of the study."
        ) from None
    return partial(from_file, path)


def from_stimulus(stimulus: Stimulus) -> Shown:
    """A picture that is drawn, or read and edited, when it is wanted."""
    content = render(stimulus).png
    return Shown(content, media_type(content))


def drawing(name: str) -> Shown:
    """One of our own drawings."""
    return Shown((DRAWINGS / name).read_bytes(), "image/svg+xml")


def trained(place: int, name: str, *questions: Question) -> Item:
    """A training item about one of our own drawings, or about text alone."""
    picture = partial(drawing, name) if name else None
    return Item(f"training-{place}", questions, picture, "training")


def dots(category: str, n: int, index: int, side: int = SIDE) -> Stimulus:
    """A drawn picture of n things."""
    return Stimulus("drawn", recipe(category, n, index, size=side))


def checks(form: str, words: str) -> list[Item]:
    """Attention checks: so few things that whoever looks can't be wrong."""
    return [
        Item(
            f"check-{place}",
            (Question(words, form, right=(str(place % 4 + 1),)),),
            partial(from_stimulus, dots("apples", place % 4 + 1, 900 + place)),
            "check",
        )
        for place in range(CHECKS)
    ]


def known_by(trials: Sequence[Trial]) -> str:
    """The name of an item made of these trials."""
    return fingerprint([trial.id for trial in trials], 16)
