"""Pictures that the user has: FOLDER/PAINTER/PROMPT_SEED.png, or FOLDER/PROMPT_SEED.png."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from subitize.errors import BadInput
from subitize.pictures.media import ENDINGS

NAME = re.compile(r"(?P<prompt>.+)_(?P<number>\d{1,9})")


class PictureFile(NamedTuple):
    """One picture of one prompt by one painter."""

    painter: str
    """folder it lies in; that of the whole set where there is none"""
    dataset_id: str
    """the prompt's id"""
    number: int
    """which of the prompt's pictures; the release calls it seed"""
    path: Path
    """where it lies"""


def find_pictures(folder: Path, prompts: Collection[str]) -> list[PictureFile]:
    """All pictures of these prompts under a folder, by painter, prompt and number.

    Files whose names tell no such prompt are passed over; a folder without a single picture of
    them is an error that says what was found.
    """
    if not folder.is_dir():
        raise BadInput(
            f"There is no folder {folder}: give the folder that holds the pictures, named "
            "PAINTER/PROMPT_SEED.png."
        )
    found: dict[tuple[str, str, int], PictureFile] = {}
    others: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in ENDINGS or not path.is_file():
            continue
        named = NAME.fullmatch(path.stem)
        if named is None or named["prompt"] not in prompts:
            others.append(path.name)
            continue
        inside = path.relative_to(folder).parts
        painter = inside[0] if len(inside) > 1 else folder.resolve().name
        one = PictureFile(painter, named["prompt"], int(named["number"]), path)
        again = found.setdefault(one[:3], one)
        if again is not one:
            raise BadInput(
                f"{again.path} and {path} are both picture {one.number} of {one.dataset_id} "
                f"by {painter}: keep one of them."
            )
    if not found:
        seen = ", ".join(others[:3]) or "no picture at all"
        raise BadInput(
            f"{folder} holds no picture of the chosen prompts (found {seen}): name them "
            f"PAINTER/PROMPT_SEED with the ending {', '.join(ENDINGS)}, such as "
            "dalle_3/geckonum_00000_0.png."
        )
    return sorted(found.values())
