"""Counting questions to learn from and to be judged by, from files; no torch is needed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from subitize.datasets.vqa_files import read_vqa
from subitize.errors import BadInput
from subitize.models.base import Reply
from subitize.pictures.media import find_picture
from subitize.readers.text import strict
from subitize.stimuli import generator
from subitize.training.mixtures import Question

GROUPS = ("simple", "complex", "frequent", "rare")
"""parts of a test set that are measured by themselves, where it has them"""
NAMED = 5


def read_questions(file: str, pictures: str, source: str, most: int = 0) -> list[Question]:
    """The questions of a file whose pictures are all there; with `most` so many, by the seed 0."""
    if not file:
        return []
    if not pictures:
        raise BadInput(f"The questions of {file} need their pictures: give --{source}-pictures.")
    found = [Question(entry, pictures, source) for entry in read_vqa(Path(file))]
    if most and most < len(found):
        order = generator("finetune judged", 0).permutation(len(found))[:most]
        found = [found[place] for place in sorted(order.tolist())]
    names = dict.fromkeys(one.entry.image for one in found)
    missing = [name for name in names if find_picture(Path(pictures), name) is None]
    if missing:
        raise BadInput(
            f"{len(missing)} of {len(names)} pictures of {file} are not in {pictures}: "
            f"{', '.join(missing[:NAMED])}{', …' if len(missing) > NAMED else ''}."
        )
    return found


def picture_of(question: Question) -> bytes:
    """The bytes of its picture."""
    path = find_picture(Path(question.folder), question.entry.image)
    if path is None:
        raise BadInput(f"The picture {question.entry.image} is gone from {question.folder}.")
    return path.read_bytes()


def measured(questions: Sequence[Question], replies: Sequence[Any]) -> dict[str, float | None]:
    """Accuracy of replies, over all and by group; what can't be read is wrong."""
    right, groups = [], []
    for one, reply in zip(questions, replies, strict=True):
        said = strict(str(reply.value)).number if isinstance(reply, Reply) else None
        entry = one.entry
        fits = said is not None and (said >= entry.answer if entry.at_least else True)
        right.append(fits and (entry.at_least or said == entry.answer))
        groups.append((entry.complexity, entry.frequency))
    found: dict[str, float | None] = {"accuracy": _share(right)}
    for name in GROUPS:
        found[name] = _share([hit for hit, own in zip(right, groups, strict=True) if name in own])
    return found


def _share(hits: Sequence[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def told(judged: Mapping[str, Sequence[Question]]) -> dict[str, int]:
    """How many questions each set has."""
    return {name: len(questions) for name, questions in judged.items()}
