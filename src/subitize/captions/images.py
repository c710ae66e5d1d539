"""Numbers that don't fit the picture: a sample of captions, checked by a counter or by people.

The sample holds captions with exactly one number that counts, those with the smallest hash of
their text; a second pass over the files brings their pictures.
"""

from __future__ import annotations

import asyncio
import inspect
from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from subitize.captions.reading import Layout, find_layout
from subitize.captions.rule import Rule
from subitize.captions.sources import Source, find_sources, parquet, read_block, units
from subitize.captions.store import CHECKED
from subitize.captions.taggers import open_tagger
from subitize.captions.tally import HAS_NUMBER, text_hash
from subitize.errors import BadInput, ModelError
from subitize.files import write_whole
from subitize.measures.accuracy import proportion_interval
from subitize.measures.boxes import count
from subitize.models.base import Item, Model
from subitize.pictures.decode import decode
from subitize.pictures.encode import encode

USUAL = ("image", "image_path", "path", "file", "file_name", "filename", "image_file", "jpg")
"""names of columns that hold pictures or their paths"""
STUDY = "study.jsonl"
OPTIONS = ("fits", "does not fit", "can't tell")
EXAMPLES = 20
"""examples kept in the result"""


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


def sample_pairs(
    given: Sequence[str], column: str | None, image: str | None, tagger: str, many: int
) -> list[Pair]:
    """So many captions with one number that counts, each with its picture."""
    rule = Rule(open_tagger(tagger))
    kept: list[Pair] = []
    for source in find_sources(given):
        layout = find_layout(source, column) if source.bytes else None
        if layout is None:
            continue
        for caption, picture in _rows(source, layout, image):
            hashed = text_hash(caption)
            if len(kept) >= many and hashed >= kept[-1].hashed:
                continue
            pair = _pair(rule, hashed, caption, picture, Path(source.path).parent)
            if pair is not None and all(pair.caption != one.caption for one in kept):
                insort(kept, pair, key=lambda one: one.hashed)
                del kept[many:]
    if not kept:
        raise BadInput(
            "No row has both a caption that counts one sort of thing and a picture: name the "
            "pictures' column with --image-column."
        )
    return kept


def _pair(rule: Rule, hashed: int, caption: str, picture: Any, folder: Path) -> Pair | None:
    if isinstance(picture, dict):  # as Hugging Face's data sets hold pictures
        picture = picture.get("bytes") or picture.get("path")
    counting = [one for one in rule.judge(caption) if not one.reason]
    if len(counting) != 1 or not picture or not isinstance(picture, str | bytes):
        return None
    (one,) = counting
    if isinstance(picture, str):
        picture = str(folder / picture)  # an absolute path stays what it is
    thing = rule.thing(caption, one)
    return Pair(hashed, caption, one.start, one.end, one.value or 0, thing, picture)


def _rows(source: Source, layout: Layout, image: str | None) -> Iterator[tuple[str, Any]]:
    """Captions with any number, and what stands in the column of pictures."""
    import polars as pl

    for captions, pictures in _columns(source, layout, image):
        texts = pl.Series(captions, dtype=pl.String)
        for place in texts.str.contains(HAS_NUMBER).fill_null(False).arg_true().to_list():
            picture = pictures[place]
            yield texts[place], picture.as_py() if hasattr(picture, "as_py") else picture


def _columns(
    source: Source, layout: Layout, image: str | None
) -> Iterator[tuple[Sequence[str | None], Any]]:
    if source.format == "parquet":
        with parquet(source) as file:
            name = _image_column(source, file.schema_arrow.names, image)
            for batch in file.iter_batches(4096, columns=[layout.column, name]):
                yield batch.column(layout.column).to_pylist(), batch.column(name)
        return
    for unit in units(0, source, layout.header):
        lines = read_block(source, unit).split(b"\n")
        if source.format == "jsonl":
            entries = [orjson.loads(line) for line in lines if line.strip()]
            name = _image_column(source, list(entries[0]), image)
            texts = [one.get(layout.column) for one in entries]
            yield (
                [one if isinstance(one, str) else None for one in texts],
                [one.get(name) for one in entries],
            )
        else:
            raise BadInput(
                f"{source.path}: pictures are checked for Parquet and JSON lines only. Convert "
                "the file first."
            )


def _image_column(source: Source, names: Sequence[str], wanted: str | None) -> str:
    found = wanted if wanted in names else None
    if wanted is None:
        found = next((name for name in USUAL if name in names), None)
    if found is None:
        raise BadInput(
            f"{source.path} has no column {wanted or 'known for pictures'!r}: it has "
            f"{', '.join(names[:20])}. Name the right one with --image-column."
        )
    return found


def check_images(pairs: Sequence[Pair], counter: Model, folder: Path) -> dict[str, Any]:
    """How often the counter finds another number than the caption says; kept in the folder."""
    found = asyncio.run(_counted(pairs, counter))
    wrong = [
        pair for pair, many in zip(pairs, found, strict=True)
        if not isinstance(many, str) and many != pair.number
    ]  # fmt: skip
    checked = sum(not isinstance(many, str) for many in found)
    entries = [
        {
            "caption": pair.caption[:500], "start": pair.start, "end": pair.end,
            "number": pair.number, "thing": pair.thing,
            "image": pair.image if isinstance(pair.image, str) else None,
            "found": None if isinstance(many, str) else many,
            "note": many if isinstance(many, str) else "",
        }
        for pair, many in zip(pairs, found, strict=True)
    ]  # fmt: skip
    shown = [one for one in entries if one["found"] not in (None, one["number"])]
    result = {
        "counter": counter.respondent,
        "sample": len(pairs),
        "checked": checked,
        "failed": len(pairs) - checked,
        "misaligned": proportion_interval(len(wrong), checked).as_json() if checked else None,
        "examples": shown[:EXAMPLES],
        "not_checked": [one for one in entries if one["found"] is None][:EXAMPLES],
    }
    write_whole(folder / CHECKED, orjson.dumps(result, option=orjson.OPT_INDENT_2))
    return result


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
        answered = counter.count([Item("caption", question, picture, thing=pair.thing)])
        (reply,) = await answered if inspect.isawaitable(answered) else answered
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
        if isinstance(image, bytes):
            try:
                shown = encode(decode(image))
            except ModelError:
                continue  # there is no picture to show
            (folder / "study").mkdir(exist_ok=True)
            write_whole(folder / "study" / f"{place:05d}.png", shown)
            image = f"study/{place:05d}.png"
        lines.append(
            orjson.dumps(
                {
                    "id": f"{pair.hashed:08x}", "image": image, "caption": pair.caption,
                    "start": pair.start, "end": pair.end, "number": pair.number,
                    "question": "Does the number in red fit the picture?", "options": OPTIONS,
                }
            )
        )  # fmt: skip
    write_whole(folder / STUDY, b"\n".join(lines) + b"\n")
    return folder / STUDY
