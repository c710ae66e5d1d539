"""Numbers that don't fit the picture: a sample of captions, checked by a counter or by people.

The sample holds captions with exactly one number that counts, those with the smallest hash of
their text; a second pass over the files brings their pictures.
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from subitize.captions.reading import Layout, column_names, find_layout, read_beside
from subitize.captions.rule import Rule
from subitize.captions.sources import Damaged, Source, find_sources, units
from subitize.captions.store import CHECKED
from subitize.captions.taggers import open_tagger
from subitize.captions.tally import HAS_NUMBER, text_hash
from subitize.errors import BadInput, ModelError
from subitize.files import write_json, write_whole
from subitize.measures.accuracy import proportion_interval
from subitize.measures.boxes import count
from subitize.models.base import Item, Model, asked_once
from subitize.pictures.decode import decode
from subitize.pictures.encode import encode

USUAL = ("image", "image_path", "path", "file", "file_name", "filename", "image_file", "jpg")
"""names of columns that hold pictures or their paths"""
STUDY = "study.jsonl"
FITS, FITS_NOT = "fits", "does not fit"
OPTIONS = (FITS, FITS_NOT, "can't tell")
EXAMPLES = 20
"""examples shown"""


@dataclass(frozen=True, order=True)
class Pair:
    """A caption of the sample and its picture."""

    hashed: int
    caption: str
    start: int
    """where the number stands"""
    end: int
    number: int
    thing: str
    """what it counts"""
    image: Any
    """a path, or the picture's bytes"""

    @property
    def id(self) -> str:
        """of the caption in this sample"""
        return f"{self.hashed:08x}"


def sample_pairs(
    given: Sequence[str],
    column: str | None,
    image: str | None,
    tagger: str,
    many: int,
    *,
    skip_damaged: bool = False,
) -> list[Pair]:
    """So many captions with one number that counts, each with its picture."""
    rule = Rule(open_tagger(tagger))
    kept: list[Pair] = []
    for source in find_sources(given):
        try:
            _sample(source, find_layout(source, column), image, rule, kept, many)
        except Damaged:  # the counting has named it
            if not skip_damaged:
                raise
    if not kept:
        raise BadInput(
            "No row has both a caption that counts one sort of thing and a picture: name the "
            "pictures' column with --image-column."
        )
    return kept


def _sample(
    source: Source,
    layout: Layout | None,
    image: str | None,
    rule: Rule,
    kept: list[Pair],
    many: int,
) -> None:
    """Put those of a file into the sample that belong there."""
    for caption, picture in _rows(source, layout, image) if layout else ():
        hashed = text_hash(caption)
        if len(kept) >= many and hashed >= kept[-1].hashed:
            continue
        pair = _pair(rule, hashed, caption, picture, Path(source.path))
        if pair is not None and all(hashed != one.hashed for one in kept):
            insort(kept, pair, key=lambda one: one.hashed)
            del kept[many:]


def _pair(rule: Rule, hashed: int, caption: str, picture: Any, file: Path) -> Pair | None:
    if isinstance(picture, dict):  # as Hugging Face's data sets hold pictures
        picture = picture.get("bytes") or picture.get("path")
    counting = [one for one in rule.judge(caption) if not one.reason]
    if len(counting) != 1 or not picture or not isinstance(picture, str | bytes):
        return None
    (one,) = counting
    if isinstance(picture, str):
        if "://" in picture:
            raise BadInput(
                f"{file}: its pictures are addresses such as {picture[:80]}. Bring them first "
                "(img2dataset does), and name the column of their files with --image-column."
            )
        picture = str(file.parent / picture)  # an absolute path stays what it is
    thing = rule.thing(caption, one)
    return Pair(hashed, caption, one.start, one.end, one.value or 0, thing, picture)


def _rows(source: Source, layout: Layout, image: str | None) -> Iterator[tuple[str, Any]]:
    """Captions with any number, and what stands in the column of pictures."""
    name = _image_column(source, column_names(source, layout), image)
    for unit in units(0, source, layout.header):
        for captions, pictures in read_beside(source, layout, unit, name):
            for place in captions.str.contains(HAS_NUMBER).fill_null(False).arg_true().to_list():
                picture = pictures[place]
                yield captions[place], picture.as_py() if hasattr(picture, "as_py") else picture


def _image_column(source: Source, names: Sequence[str], wanted: str | None) -> str:
    found = wanted if wanted in names else None
    if wanted is None:
        found = next((name for name in USUAL if name in names), None)
    if found is None:
        what = f"no column {wanted!r}" if wanted is not None else "no column known for pictures"
        raise BadInput(
            f"{source.path} has {what}: it has "
            f"{', '.join(names[:20])}. Name the right one with --image-column."
        )
    return found


def check_images(pairs: Sequence[Pair], counter: Model, folder: Path) -> dict[str, Any]:
    """How often the counter finds another number than the caption says; kept in the folder."""
    found = asyncio.run(_counted(pairs, counter))
    entries: list[dict[str, Any]] = [
        {
            "id": pair.id, "caption": pair.caption[:500], "start": pair.start, "end": pair.end,
            "number": pair.number, "thing": pair.thing,
            "image": pair.image if isinstance(pair.image, str) else None,
            "found": None if isinstance(many, str) else many,
            "note": many if isinstance(many, str) else "",
        }
        for pair, many in zip(pairs, found, strict=True)
    ]  # fmt: skip
    checked = [one for one in entries if one["found"] is not None]
    wrong = [one for one in checked if one["found"] != one["number"]]
    result = {
        "counter": counter.respondent,
        "sample": len(pairs),
        "checked": len(checked),
        "failed": len(pairs) - len(checked),
        "misaligned": proportion_interval(len(wrong), len(checked)).as_json() if checked else None,
        "people": None,
        "captions": entries,
    }
    keep_checked(folder, result)
    return result


def keep_checked(folder: Path, result: Mapping[str, Any]) -> None:
    """Store what was found out about the sample."""
    write_json(folder / CHECKED, result)


def examples(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Captions whose number the counter does not find, some of them."""
    wrong = [one for one in result["captions"] if one["found"] not in (None, one["number"])]
    return wrong[:EXAMPLES]


async def _counted(pairs: Sequence[Pair], counter: Any) -> list[int | str]:
    """What the counter finds in each picture, or why it finds nothing."""
    await counter.open()
    try:
        return [await _one(pair, counter) for pair in pairs]
    finally:
        await counter.close()


async def _one(pair: Pair, counter: Any) -> int | str:
    try:
        picture = encode(decode(pair.image))
        question = f"How many {pair.thing} are there in the picture?"
        asked = Item("caption", question, picture, thing=pair.thing)
        (reply,) = await asked_once(counter, "counter", [asked])
        if isinstance(reply, ModelError):
            return str(reply)
        return count(reply.value).number
    except (ModelError, BadInput) as problem:
        return str(problem)


def write_study(pairs: Sequence[Pair], folder: Path) -> Path:
    """The sample as questions for people: does the number in red fit the picture?"""
    lines = []
    for place, pair in enumerate(pairs):
        image = pair.image
        try:
            shown = decode(image)
        except (ModelError, BadInput):
            continue  # there is no picture to show
        if isinstance(image, bytes):
            (folder / "study").mkdir(exist_ok=True)
            write_whole(folder / "study" / f"{place:05d}.png", encode(shown))
            image = f"study/{place:05d}.png"
        else:  # it is looked at from another folder than the one that this is written from
            image = str(Path(image).resolve())
        lines.append(
            orjson.dumps(
                {
                    "id": pair.id, "image": image, "caption": pair.caption,
                    "start": pair.start, "end": pair.end, "number": pair.number,
                    "question": "Does the number in red fit the picture?", "options": OPTIONS,
                }
            )
        )  # fmt: skip
    write_whole(folder / STUDY, b"\n".join(lines) + b"\n")
    return folder / STUDY
