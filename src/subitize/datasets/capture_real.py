"""CAPTURE's real set: pictures of FSC-147 and the box that the authors laid over each.

The release names the file, the kind of object, the count and the box; the pictures are FSC-147's
and the user's to supply (`images_384_VarV2`). Both variants come from one file. Where the objects
stand is known from FSC-147's own annotations (`annotation_FSC147_384.json`) alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from subitize.errors import BadInput, UnknownName
from subitize.files import read_json
from subitize.pictures.editing import check_box, picture_size
from subitize.records import Stimulus

__all__ = ["SUBSETS", "RealPicture", "load_real"]

SUBSETS: Mapping[str, str] = {"fsc-train": "train", "fsc-val": "val", "fsc-test": "test"}
"""our name → its name in FSC-147's file of splits"""
_SHOWN = 5
"""names listed in a message"""
_PICTURES = "images_384_VarV2"
_AGAIN = "Give its path, or download it again."

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RealPicture:
    """One picture of the real set."""

    file: str
    """its name in FSC-147"""
    thing: str
    """what is to be counted: `keyboard keys`"""
    count: int
    """how many there are, hidden ones included"""
    box: Box
    """the black box: x0, y0, x1, y1 in pixels"""
    part: Literal["validation", "test"]
    """which of the release's two files it comes from"""
    path: str
    """where the picture lies"""
    sha256: str
    """of the picture's file"""
    size: tuple[int, int]
    """width and height in pixels"""
    points: tuple[Point, ...] | None = None
    """where the objects stand; None without FSC-147's annotations"""

    def stimulus(self, variant: str) -> Stimulus:
        """The original picture (`unoccluded`) or the one with the box (`occluded`)."""
        recipe: dict[str, Any] = {"sha256": self.sha256}
        if variant == "occluded":
            recipe |= {"box": list(self.box), "fill": "black"}
        elif variant != "unoccluded":
            raise UnknownName("variant", variant, ("unoccluded", "occluded"))
        return Stimulus("file", recipe, self.path)

    @property
    def hidden(self) -> tuple[Point, ...]:
        """The points inside the box."""
        return tuple(point for point in self._known_points() if self._covers(point))

    @property
    def visible(self) -> tuple[Point, ...]:
        """The points outside the box."""
        return tuple(point for point in self._known_points() if not self._covers(point))

    def _covers(self, point: Point) -> bool:
        x0, y0, x1, y1 = self.box
        return x0 <= point[0] <= x1 and y0 <= point[1] <= y1

    def _known_points(self) -> tuple[Point, ...]:
        if self.points is None:
            raise BadInput(
                f"Where the objects of {self.file} stand is not known, so the hidden ones can't be "
                "counted or told: give FSC-147's annotation_FSC147_384.json as `annotations`."
            )
        return self.points


def load_real(
    metadata: Sequence[Path],
    pictures: Path,
    *,
    annotations: Path | None = None,
    splits: Path | None = None,
    subset: str = "",
) -> tuple[RealPicture, ...]:
    """The real set from the release's file(s) and a folder with FSC-147's pictures.

    `subset` keeps one part of FSC-147 (`fsc-test`, …) and needs its file of splits. Everything is
    checked before anything is asked: all files there, boxes inside, annotations that agree.
    """
    rows = [row for path in metadata for row in _rows(path)]
    _refuse_twice(rows, metadata)
    if subset:
        rows = _only(rows, subset, splits)
    found = _with_pictures(rows, pictures)
    return _with_points(found, annotations) if annotations is not None else found


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the release."""

    file: str
    thing: str
    count: int
    box: Box
    part: Literal["validation", "test"]
    points: tuple[Point, ...] | None


def _rows(path: Path) -> list[_Row]:
    known = read_json(path, "the metadata", _AGAIN)
    if not isinstance(known, list) or not known:
        raise BadInput(f"The metadata {path} is no list of pictures: give CAPTURE's own file.")
    return [_row(row, f"{path}, picture {nth}") for nth, row in enumerate(known, 1)]


def _row(row: Any, where: str) -> _Row:
    try:
        x, y, width, height = (float(row["bbox"][key]) for key in ("x", "y", "width", "height"))
        objects = [tuple(map(float, box)) for box in row.get("annotation_bboxes", ())]
        # the validation file marks every object; exemplars alone would not be all of them
        centres = tuple((left + wide / 2, top + high / 2) for left, top, wide, high in objects)
        count, file = int(row["ground_truth"]), str(row["image_file"])
        if Path(file).name != file:
            raise ValueError(f"{file!r} is no plain file name")
        return _Row(
            file,
            str(row["object"]),
            count,
            (x, y, x + width, y + height),
            "validation" if {"annotation_bboxes", "questions"} & set(row) else "test",
            centres if objects and len(centres) == count else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise BadInput(
            f"{where} can't be used ({type(problem).__name__}: {problem}): it needs image_file, "
            "object, ground_truth and bbox with x, y, width and height."
        ) from None


def _refuse_twice(rows: Sequence[_Row], metadata: Sequence[Path]) -> None:
    times = Counter(row.file for row in rows)
    twice = [file for file, count in times.items() if count > 1]
    if twice:
        files = ", ".join(map(str, metadata))
        raise BadInput(f"{_some(twice)} stand twice in {files}: give each file once.")


def _some(names: Sequence[str]) -> str:
    """How many, and the first of them."""
    more = ", …" if len(names) > _SHOWN else ""
    return f"{len(names)} pictures ({', '.join(names[:_SHOWN])}{more})"


def _only(rows: Iterable[_Row], subset: str, splits: Path | None) -> list[_Row]:
    if subset not in SUBSETS:
        raise UnknownName("subset", subset, SUBSETS)
    if splits is None:
        raise BadInput(
            f"The subset {subset} needs to know FSC-147's own parts: give its "
            "Train_Test_Val_FSC_147.json as `splits`."
        )
    parts = read_json(splits, "the file of splits", _AGAIN)
    try:
        wanted = set(parts[SUBSETS[subset]])
    except (KeyError, TypeError):
        raise BadInput(
            f"The file of splits {splits} has no part {SUBSETS[subset]!r}: give FSC-147's "
            "Train_Test_Val_FSC_147.json."
        ) from None
    kept = [row for row in rows if row.file in wanted]
    if not kept:
        raise BadInput(f"None of the pictures is in the subset {subset}: check {splits}.")
    return kept


def _with_pictures(rows: Sequence[_Row], folder: Path) -> tuple[RealPicture, ...]:
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}: give that of FSC-147's {_PICTURES}.")
    if (folder / _PICTURES).is_dir():
        folder /= _PICTURES
    missing = [row.file for row in rows if not (folder / row.file).is_file()]
    if missing:
        raise BadInput(
            f"{_some(missing)} of {len(rows)} are not in {folder}: give the folder with all of "
            f"FSC-147's pictures ({_PICTURES})."
        )
    found, outside = [], []
    for row in rows:
        data = (folder / row.file).read_bytes()
        size = picture_size(data, row.file)
        try:
            check_box(row.box, size, row.file)
        except BadInput as problem:
            outside.append((row.file, str(problem)))
        digest, path = hashlib.sha256(data).hexdigest(), str(folder / row.file)
        facts = (row.file, row.thing, row.count, row.box, row.part)
        found.append(RealPicture(*facts, path, digest, size, row.points))
    if outside:
        raise BadInput(
            f"The boxes of {_some([file for file, _ in outside])} leave their picture. "
            + outside[0][1]
        )
    return tuple(found)


def _with_points(found: Sequence[RealPicture], annotations: Path) -> tuple[RealPicture, ...]:
    known = read_json(annotations, "the annotations", _AGAIN)
    missing = [picture.file for picture in found if picture.file not in known]
    if missing:
        raise BadInput(
            f"{_some(missing)} are not in {annotations}: give FSC-147's annotation_FSC147_384.json."
        )
    complete, odd = [], []
    for picture in found:
        try:
            points = tuple((float(x), float(y)) for x, y in known[picture.file]["points"])
        except (KeyError, TypeError, ValueError):
            raise BadInput(
                f"The annotations {annotations} have no points [[x, y], …] for {picture.file}: "
                "give FSC-147's annotation_FSC147_384.json."
            ) from None
        # the release rounds the sum of a density map, which may be one off
        if abs(len(points) - picture.count) > 1:
            odd.append(f"{picture.file}: {len(points)} points, {picture.count} in the metadata")
        complete.append(replace(picture, points=points))
    if odd:
        raise BadInput(
            f"Annotations and metadata do not match for {_some(odd)}: they belong to different "
            "versions; give those of the same release."
        )
    return tuple(complete)
