"""CAPTURE's real set: pictures of FSC-147 and the box that the authors laid over each.

The release names the file, the kind of object, the count and the box; the pictures are FSC-147's
and the user's to supply (`images_384_VarV2`). Both variants come from one file. Where the objects
stand is known from FSC-147's own annotations (`annotation_FSC147_384.json`) alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from subitize.errors import BadInput, UnknownName
from subitize.files import read_entries, read_json
from subitize.pictures.editing import check_box, is_black, picture_size
from subitize.records import Stimulus

SUBSETS: Mapping[str, str] = {"fsc-train": "train", "fsc-val": "val", "fsc-test": "test"}
"""our name → its name in FSC-147's file of splits"""
NEEDED = ("image_file", "object", "ground_truth", "bbox")
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
    path: str = ""
    """where the picture lies"""
    sha256: str = ""
    """of the picture's file"""
    points: tuple[Point, ...] | None = None
    """where the objects stand; None without FSC-147's annotations"""
    covered: bool = False
    """whether the file carries the black box already, as those that the authors ship"""

    @property
    def variants(self) -> tuple[str, ...]:
        """Which pictures the file gives."""
        return ("occluded",) if self.covered else ("unoccluded", "occluded")

    def stimulus(self, variant: str) -> Stimulus:
        """The original picture (`unoccluded`) or the one with the box (`occluded`)."""
        covered = {"box": list(self.box), "fill": "black"} if variant == "occluded" else {}
        return Stimulus("file", {"sha256": self.sha256, **covered}, self.path)

    @property
    def hidden(self) -> tuple[Point, ...] | None:
        """The points inside the box; None where it is not known where the objects stand."""
        x0, y0, x1, y1 = self.box
        inside = ((x, y) for x, y in self.points or () if x0 <= x <= x1 and y0 <= y <= y1)
        return None if self.points is None else tuple(inside)


def load_real(
    metadata: Sequence[Path],
    pictures: Path,
    *,
    annotations: Path | None = None,
    splits: Path | None = None,
    subset: str = "",
    skip_missing: bool = False,
) -> tuple[RealPicture, ...]:
    """The real set from the release's file(s) and a folder with FSC-147's pictures.

    With `skip_missing` a picture that is not there has no path; else that is an error. `subset`
    keeps one part of FSC-147 (`fsc-test`, …) and needs its file of splits. Everything is
    checked before anything is asked: all files there, boxes inside, annotations that agree.
    """
    found = [
        _described(row, where)
        for path in metadata
        for where, row in read_entries(path, "the metadata", NEEDED, repair=_AGAIN)
    ]
    times = Counter(one.file for one in found)
    twice = [file for file, count in times.items() if count > 1]
    _refuse(twice, f"stand twice in {', '.join(map(str, metadata))}: give each file once.")
    if not found:
        raise BadInput(f"{metadata[0]} names no picture: give CAPTURE's own file.")
    if subset:
        found = _only(found, subset, splits)
    found = _with_files(found, pictures, skip_missing)
    return tuple(found if annotations is None else _with_points(found, annotations))


def _described(row: Mapping[str, Any], where: str) -> RealPicture:
    try:
        x, y, width, height = (float(row["bbox"][key]) for key in ("x", "y", "width", "height"))
        objects = [tuple(map(float, box)) for box in row.get("annotation_bboxes", ())]
        # the validation file marks every object; exemplars alone would not be all of them
        centres = tuple((left + wide / 2, top + high / 2) for left, top, wide, high in objects)
        count, file = true_count(row["ground_truth"]), str(row["image_file"])
        if Path(file).name != file:
            raise ValueError(f"{file!r} is no plain file name")
    except (KeyError, TypeError, ValueError) as problem:
        raise BadInput(
            f"{where} can't be used ({type(problem).__name__}: {problem}): a picture has bbox with "
            "x, y, width and height, and a ground_truth of 1 or more."
        ) from None
    return RealPicture(
        file,
        str(row["object"]),
        count,
        (x, y, x + width, y + height),
        "validation" if {"annotation_bboxes", "questions"} & set(row) else "test",
        points=centres if objects and len(centres) == count else None,
    )


def whole_number(given: Any) -> int:
    """A whole number as JSON gives it: 12 or 12.0, never 2.5, infinity, true or words.

    >>> whole_number(12.0)
    12
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or given % 1 != 0:
        raise ValueError(f"{given!r} is no whole number")
    return int(given)


def true_count(given: Any) -> int:
    """A ground truth of metadata and results: a whole number of 1 or more."""
    try:
        count = whole_number(given)
    except ValueError as problem:
        raise ValueError(f"the ground truth {problem}") from None
    if count < 1:
        raise ValueError(f"the ground truth {given!r} is not positive")
    return count


def _refuse(names: Sequence[str], words: str) -> None:
    """Say how many there are, and the first of them."""
    if names:
        more = ", …" if len(names) > _SHOWN else ""
        raise BadInput(f"{len(names)} pictures ({', '.join(names[:_SHOWN])}{more}) {words}")


def _only(found: Sequence[RealPicture], subset: str, splits: Path | None) -> list[RealPicture]:
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
    kept = [one for one in found if one.file in wanted]
    if not kept:
        raise BadInput(f"None of the pictures is in the subset {subset}: check {splits}.")
    return kept


def _with_files(
    found: Sequence[RealPicture], folder: Path, skip_missing: bool
) -> list[RealPicture]:
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}: give that of FSC-147's {_PICTURES}.")
    if (folder / _PICTURES).is_dir():
        folder /= _PICTURES
    missing = [one.file for one in found if not (folder / one.file).is_file()]
    if not skip_missing or len(missing) == len(found):
        _refuse(
            missing,
            f"of {len(found)} are not in {folder}: give the folder with all of FSC-147's pictures "
            f"({_PICTURES}), or leave them out with missing=skip.",
        )
    complete, outside, gone = [], {}, set(missing)
    for one in found:
        if one.file in gone:
            complete.append(one)
            continue
        data = (folder / one.file).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        try:
            check_box(one.box, picture_size(data, one.file), one.file)
        except BadInput as problem:
            outside[one.file] = str(problem)
        covered = one.file not in outside and is_black(data, one.box, one.file)
        complete.append(replace(one, path=str(folder / one.file), sha256=digest, covered=covered))
    _refuse(list(outside), f"have a box that leaves them. {next(iter(outside.values()), '')}")
    return complete


def _with_points(found: Sequence[RealPicture], annotations: Path) -> list[RealPicture]:
    known = read_json(annotations, "the annotations", _AGAIN)
    missing = [one.file for one in found if one.file not in known]
    _refuse(missing, f"are not in {annotations}: give FSC-147's annotation_FSC147_384.json.")
    complete, odd = [], []
    for one in found:
        try:
            points = tuple((float(x), float(y)) for x, y in known[one.file]["points"])
        except (KeyError, TypeError, ValueError):
            raise BadInput(
                f"The annotations {annotations} have no points [[x, y], …] for {one.file}: give "
                "FSC-147's annotation_FSC147_384.json."
            ) from None
        # the release rounds the sum of a density map, which may be one off
        if abs(len(points) - one.count) > 1:
            odd.append(f"{one.file}: {len(points)} points, {one.count} in the metadata")
        complete.append(replace(one, points=points))
    _refuse(
        odd,
        "have annotations and metadata that do not match: they belong to different versions; give "
        "those of the same release.",
    )
    return complete
