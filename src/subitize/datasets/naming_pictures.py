"""Pictures of n things that the user has: by their names, or by a manifest beside them.

Names are those of the published set, `{n}_{category}_{index}.png`; a manifest (manifest.jsonl, as
`subitize stimuli` writes it, or manifest.csv) says `file`, `n` and `category` of each picture, and
may say `index`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, UnknownName
from subitize.files import listed_picture, read_entries
from subitize.pictures.media import ENDINGS, manifest_of, picture_sha256

NAME = re.compile(r"(?P<n>\d{1,6})_(?P<category>.+)_(?P<index>\d{1,9})")
_SHOWN = 3
OTHERS = (".avif", ".bmp", ".heic", ".heif", ".jxl", ".svg", ".tif", ".tiff")
"""endings of pictures that are not taken: one among the others must not be left out silently"""


@dataclass(frozen=True, slots=True)
class OwnPicture:
    """One picture and what it shows."""

    category: str
    """what things, as the file's name says, _ and - as spaces"""
    n: int
    """how many"""
    index: int
    """which of the pictures of its category and number"""
    path: Path

    @property
    def cell(self) -> tuple[str, int, int]:
        """Category, number and index."""
        return self.category, self.n, self.index

    @property
    def sha256(self) -> str:
        """The hash that its identity in a run is."""
        return picture_sha256(self.path)


def chosen_pictures(folder: Path, categories: Sequence[str] | None, most: int) -> list[OwnPicture]:
    """The pictures of 1 to `most` things of these categories, or of all."""
    found = own_pictures(folder)
    known = sorted({one.category for one in found})
    for name in categories or ():
        if name not in known:
            raise UnknownName(f"category in {folder}", name, known)
    wanted = known if categories is None else categories
    return [one for one in found if one.category in wanted and 1 <= one.n <= most]


def own_pictures(folder: Path) -> list[OwnPicture]:
    """All pictures of a folder, by index, number and category."""
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}: give the folder that holds the pictures.")
    listed = manifest_of(folder)
    found = list(_named(folder) if listed is None else _listed(listed))
    if not found:
        seen = ", ".join(sorted(path.name for path in folder.iterdir())[:_SHOWN]) or "nothing"
        raise BadInput(
            f"{folder} holds no picture of a known number (found {seen}): name them "
            "{n}_{category}_{index}.png, or add a manifest.jsonl with file, n and category."
        )
    cells = [one.cell for one in found]
    if len(set(cells)) < len(cells):
        category, n, index = next(cell for cell in cells if cells.count(cell) > 1)
        raise BadInput(
            f"{folder} has two pictures of {n} {category} with the index {index}: keep one of them."
        )
    return sorted(found, key=lambda one: (one.index, one.n, one.category))


def _spoken(category: str) -> str:
    return re.sub(r"[_-]+", " ", category).strip()


def _named(folder: Path) -> Iterator[OwnPicture]:
    for path in sorted(folder.iterdir()):
        said = NAME.fullmatch(path.stem)
        if said is None:
            continue
        if path.suffix.lower() in OTHERS:
            raise BadInput(
                f"{path} is in a format that not every model takes: save it as one of "
                f"{', '.join(ENDINGS)}, or take it out of the folder."
            )
        if path.suffix.lower() in ENDINGS:
            yield OwnPicture(_spoken(said["category"]), int(said["n"]), int(said["index"]), path)


def _listed(manifest: Path) -> Iterator[OwnPicture]:
    places: dict[tuple[str, int], int] = {}
    for where, row in read_entries(manifest, "the manifest", ("file",)):
        known: Mapping[str, Any] = {**(row.get("recipe") or {}), **row}
        try:
            n, category = int(known["n"]), _spoken(str(known["category"]))
            index = int(known.get("index", places.get((category, n), 0)))
        except (KeyError, TypeError, ValueError):
            raise BadInput(f"{where} does not say n and category of its picture.") from None
        places[category, n] = index + 1
        path = listed_picture(manifest, str(row["file"]), where)
        if not path.is_file():
            raise BadInput(f"{where}: there is no picture {row['file']} beside the manifest.")
        yield OwnPicture(category, n, index, path)
