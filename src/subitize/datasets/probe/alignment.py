"""Pairs for the alignment task: a picture, its caption, and a caption of another picture.

COCO's `captions_*.json` has several captions per picture, of which one is drawn; Conceptual
Captions' TSV has a line `caption, tab, address` each, and the pictures are the user's: named by the
number of their line (17.jpg, 000017.png …), or as a third column says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, UnknownName
from subitize.files import (
    decoded,
    inside,
    read_bytes,
    read_json,
    read_once,
    write_json,
)
from subitize.pictures.media import ENDINGS
from subitize.stimuli import generator
from subitize.stimuli.probe import recipe
from subitize.stimuli.probe.wording import plan_of

SOURCES = ("coco", "cc")
PAIRS = 5000
REPAIR = "Make one with `subitize probe build alignment`."
NAMED = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """A picture with its caption and a wrong one."""

    id: str
    picture: str
    caption: str
    foil: str
    source: str = ""
    recipe: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Captioned:
    """Captions by picture, and how many pictures are not in the folder."""

    captions: dict[str, list[str]]
    missing: list[str]


def read_captions(source: str, path: Path, pictures: Path) -> Captioned:
    """The captions of a data set whose pictures are there."""
    if source not in SOURCES:
        raise UnknownName("source of captions", source, SOURCES)
    if not pictures.is_dir():
        raise BadInput(f"There is no folder of pictures {pictures}: give --pictures.")
    there = {one.name for one in pictures.iterdir() if one.suffix.lower() in ENDINGS}
    given = _coco(path) if source == "coco" else _conceptual(path, there)
    captions = {name: told for name, told in given.items() if name in there}
    return Captioned(captions, [name for name in given if name not in there])


def _coco(path: Path) -> dict[str, list[str]]:
    given = read_json(path, "the captions")
    if not isinstance(given, dict) or not {"images", "annotations"} <= given.keys():
        raise BadInput(f"{path} is no captions_*.json of COCO: it lacks images or annotations.")
    try:
        names = {one["id"]: str(one["file_name"]) for one in given["images"]}
        captions: dict[str, list[str]] = {name: [] for name in names.values()}
        for one in given["annotations"]:
            captions[names[one["image_id"]]].append(" ".join(str(one["caption"]).split()))
    except KeyError as problem:
        raise BadInput(f"{path} is no captions_*.json of COCO: {problem} is missing.") from None
    except TypeError:
        raise BadInput(
            f"{path} is no captions_*.json of COCO: images and annotations should be objects."
        ) from None
    return {name: told for name, told in captions.items() if told}


def _conceptual(path: Path, there: Iterable[str]) -> dict[str, list[str]]:
    numbered = {int(Path(name).stem): name for name in there if Path(name).stem.isdecimal()}
    captions: dict[str, list[str]] = {}
    text = decoded(read_bytes(path, "the captions"), str(path))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        caption, *rest = line.rstrip("\r").split("\t")
        if not rest or not caption.strip():
            raise BadInput(f"{path}:{number} is no line of Conceptual Captions: caption, tab, URL.")
        name = rest[1] if len(rest) > 1 and rest[1] else numbered.get(number, f"{number}.jpg")
        captions.setdefault(name, []).append(" ".join(caption.split()))
    return captions


def draw_pairs(found: Captioned, source: str, *, many: int = PAIRS, seed: int = 0) -> list[Pair]:
    """`many` pictures by the seed, one caption each; the foil is another picture's caption."""
    names = sorted(found.captions)
    if len(names) < 2:
        shown = ", ".join(found.missing[:NAMED])
        raise BadInput(
            f"{len(names):,} of {len(names) + len(found.missing):,} captioned pictures are there, "
            f"but a foil needs another picture; missing are {shown or 'none'}."
        )
    rng = generator("probe pairs", seed, source)
    chosen = [names[int(place)] for place in rng.permutation(len(names))[:many]]
    told = [found.captions[name][int(rng.integers(len(found.captions[name])))] for name in chosen]
    if len(set(told)) < 2:
        raise BadInput("All captions are the same: there is no wrong one to show.")
    foils = _foils(told, {at: set(found.captions[name]) for at, name in enumerate(chosen)}, rng)
    return [
        Pair(f"alignment_{source}_{name}", name, caption, foil, source)
        for name, caption, foil in zip(chosen, told, foils, strict=True)
    ]


def _foils(told: list[str], own: Mapping[int, set[str]], rng: Any) -> list[str]:
    """For each picture a caption of another one that it does not have itself."""
    found = []
    for at in range(len(told)):
        for _ in range(1000):
            other = told[int(rng.integers(len(told)))]
            if other not in own[at]:
                break
        else:
            raise BadInput(f"No caption differs from those of picture {at + 1}: give more.")
        found.append(other)
    return found


def scene_pairs(many: int, *, seed: int = 0, look: Mapping[str, Any] | None = None) -> list[Pair]:
    """Pairs of our own scenes; every caption says how many of what is where."""
    rng = generator("probe scene pairs", seed)
    recipes = [
        recipe(int(n), index, seed=seed, **(look or {}))
        for index, n in enumerate(rng.integers(1, 7, max(many, 2)).tolist())
    ]
    told = [plan_of(one).caption for one in recipes]
    foils = _foils(told, {at: {caption} for at, caption in enumerate(told)}, rng)
    return [
        Pair(f"alignment_scenes_{at}", f"scene_{seed}_{at}.png", told[at], foils[at], "scenes", one)
        for at, one in enumerate(recipes[:many])
    ]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """A file that `read_pairs` takes."""
    entries = {
        one.id: {
            "dataset": one.source, "image_file": one.picture, "caption": one.caption,
            "foil_caption": one.foil, **({"recipe": dict(one.recipe)} if one.recipe else {}),
        }
        for one in pairs
    }  # fmt: skip
    write_json(path, entries, option="--out")


@read_once
def read_pairs(path: Path) -> tuple[Pair, ...]:
    """All pairs of a file, in its order."""
    given = read_json(path, "the pairs", REPAIR)
    if not isinstance(given, dict) or not given:
        raise BadInput(f"{path} holds no pairs. {REPAIR}")
    found = []
    for key, entry in given.items():
        needed = ("image_file", "caption", "foil_caption")
        if not isinstance(entry, dict) or any(not entry.get(name) for name in needed):
            raise BadInput(f"{path}: {key} lacks one of {', '.join(needed)}. {REPAIR}")
        picture, caption, foil = (str(entry[name]) for name in needed)
        source, drawn = str(entry.get("dataset") or ""), entry.get("recipe") or {}
        found.append(Pair(key, inside(picture, f"{path}: {key}"), caption, foil, source, drawn))
    return tuple(found)
