"""Pictures that the user has: FOLDER/PAINTER/PROMPT_SEED.png, or FOLDER/PROMPT_SEED.png."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadInput
from subitize.files import read_bytes

ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
NAME = re.compile(r"(?P<prompt>.+)_(?P<number>\d{1,9})")


@dataclass(frozen=True, slots=True)
class PictureFile:
    """One picture of one prompt by one painter."""

    painter: str
    """folder it lies in; that of the whole set where there is none"""
    dataset_id: str
    """the prompt's id"""
    number: int
    """which of the prompt's pictures; the release calls it seed"""
    path: Path
    """where it lies"""


def picture_name(dataset_id: str, number: int) -> str:
    """The name of a picture without its ending.

    >>> picture_name("geckonum_00003", 4)
    'geckonum_00003_4'
    """
    return f"{dataset_id}_{number}"


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
        key = (one.painter, one.dataset_id, one.number)
        if key in found:
            raise BadInput(
                f"{found[key].path} and {path} are both picture {one.number} of {one.dataset_id} "
                f"by {painter}: keep one of them."
            )
        found[key] = one
    if not found:
        seen = ", ".join(others[:3]) or "no picture at all"
        raise BadInput(
            f"{folder} holds no picture of the chosen prompts (found {seen}): name them "
            f"PAINTER/PROMPT_SEED with the ending {', '.join(ENDINGS)}, such as "
            "dalle_3/geckonum_00000_0.png."
        )
    return [found[key] for key in sorted(found)]


def picture_sha256(path: Path) -> str:
    """The hash that a picture's identity in a run is."""
    return hashlib.sha256(read_bytes(path, "the picture")).hexdigest()
