"""What the probe asks: settings, items from a file or generated scenes, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from subitize.benchmark import Settings
from subitize.datasets.probe.alignment import Pair, read_pairs, scene_pairs
from subitize.datasets.probe.questions import PARTS
from subitize.datasets.probe.released import ProbeItem, broken, read_split
from subitize.datasets.probe.splits import (
    ANSWERS,
    FOIL_RULES,
    SPLITS,
    build,
    first_items,
    scene_questions,
)
from subitize.datasets.probe.statements import MASK, Mode, question_and_answer, statement
from subitize.errors import BadInput, UnknownName
from subitize.stimuli import generator
from subitize.stimuli.probe import LOOK, recipe

TASKS = ("alignment", "counting", "mlm", "vqa")
FORMATS = ("qa", "declarative")
MODES = ("stored", *get_args(Mode))
POOL = 12
"""scenes planned for each item that is wanted: a part and a parity are a small share of them"""
HARD_POOL = 12_000
"""scenes planned for the hard split, about as many as the paper had questions: with fewer no answer
would reach its cap, and hard would be standard under another name"""
WHY: Mapping[str, str] = {
    "no-template": "no template makes a statement of the question (format=qa needs none)",
    "negative-number": "the right number is below zero",
    "no-usable-foil": "every foil is missing, negative or equal to the answer",
}
"""why an item can't be asked"""
NAMED = 5
"""such items that are named"""
KNOWN: Mapping[str, tuple[str, ...]] = {
    "task": TASKS, "split": SPLITS, "format": FORMATS, "mode": MODES, "part": PARTS,
    "foils": FOIL_RULES, "foils_per_item": ("all", "one"), "missing": ("stop", "skip"),
    "answers": ANSWERS,
}  # fmt: skip
"""settings with a closed list of values"""

WORDS: Mapping[str, Mapping[str, str]] = {
    "task": {"alignment": "captions", "counting": "foils", "mlm": "masks", "vqa": "questions"},
    "split": {
        "standard": "standard split", "hard": "hard split", "interpolated": "interpolated split",
    },
    "format": {"declarative": "statements", "qa": "questions with their answers"},
    "answers": {"zipf": "answers as frequent as in photographs", "flat": "all answers as frequent"},
    "identical": {"on": "one thing repeated", "off": "different things"},
}  # fmt: skip
"""settings in words"""


@dataclass(frozen=True)
class ProbeSettings(Settings):
    """What a run of the probe is."""

    task: str = "counting"
    """alignment, counting, mlm (masked numbers) or vqa"""
    split: str = "standard"
    """of scenes: standard, hard or interpolated; of a file: what tables call it"""
    format: str = "declarative"
    """declarative, or qa: question [SEP] number"""
    file: str = ""
    """a split file (released, or of `subitize probe build`); empty: generated scenes"""
    pictures: str = ""
    """folder that the file's pictures lie in"""
    missing: str = "stop"
    """what to do when pictures are missing: stop, or skip their items"""
    items: int = 0
    """how many items, the first of them; 0: all of a file, 300 scenes"""
    part: str = "test"
    """part of a split of generated scenes: train, valid or test"""
    mode: str = "stored"
    """statements: stored (a file's own, else fluent), published or fluent"""
    foils: str = "any"
    """of generated scenes: any, or even ones in interpolated training"""
    foils_per_item: str = "all"
    """all, or one by the seed"""
    answers: str = "zipf"
    """of generated scenes: zipf or flat"""
    highest: int = 10
    """highest answer of generated scenes"""
    size: int = 256
    """side of generated scenes in pixels"""
    conditions: str = "mixed"
    """conditions of questions on scenes beside the kind: 0, 1, 2 or mixed"""
    overlap: float = 0.0
    """by which share of their diameters the things of a scene may overlap"""
    clutter: int = 0
    """grey stones behind the things of a scene"""
    identical: str = "off"
    """on: the things asked for are one thing repeated"""
    trained_on: tuple[str, ...] = ()
    """data sets the model was trained on, for the zero-shot mark: coco, cc, visual7w, …"""

    @property
    def look(self) -> dict[str, Any]:
        """How scenes are drawn."""
        return {name: getattr(self, name) for name in LOOK}

    @property
    def many(self) -> int:
        return self.items or 300


def check(settings: ProbeSettings) -> None:
    """Raise for settings that can't be run."""
    for name, known in KNOWN.items():
        if getattr(settings, name) not in known:
            raise UnknownName(f"value of the setting {name}:", str(getattr(settings, name)), known)
    if settings.items < 0 or settings.highest < 1:
        raise BadInput("Give items of 0 (all) or more, and a highest answer of 1 or more.")
    if settings.foils == "even" and settings.split != "interpolated":
        raise BadInput("foils=even is for split=interpolated, whose training answers are even.")
    recipe(settings.highest, 0, **settings.look)
    if bool(settings.file) < bool(settings.pictures):
        raise BadInput("The setting pictures needs the setting file: give --set file=SPLIT.json.")


def counting_items(settings: ProbeSettings) -> tuple[ProbeItem, ...]:
    """The items of the counting tasks, before any is left out."""
    if settings.file:
        items = read_split(Path(settings.file))
        return items[: settings.items or None]
    return _scenes(settings)


@lru_cache(maxsize=4)
def _scenes(settings: ProbeSettings) -> tuple[ProbeItem, ...]:
    how: Any = {"seed": settings.seed, "answers": settings.answers, "highest": settings.highest}
    how["look"] = settings.look
    if settings.split != "hard":
        wanted = settings.split, settings.part, settings.many
        many = POOL * settings.many
        return tuple(first_items(many, wanted, foils=settings.foils, **how))
    found = scene_questions(max(POOL * settings.many, HARD_POOL), **how)
    built = build(found, settings.split, seed=settings.seed, foils=settings.foils, mode="fluent")
    items = built.parts[settings.part]
    # the first ones were taken before any answer reached its cap
    order = generator("probe hard items", settings.seed).permutation(len(items))
    return tuple(items[at] for at in sorted(order[: settings.many].tolist()))


def alignment_pairs(settings: ProbeSettings) -> tuple[Pair, ...]:
    """The pairs of the alignment task."""
    if settings.file:
        return read_pairs(Path(settings.file))[: settings.items or None]
    return _pairs(settings)


@lru_cache(maxsize=4)
def _pairs(settings: ProbeSettings) -> tuple[Pair, ...]:
    return tuple(scene_pairs(settings.many, seed=settings.seed, look=settings.look))


def sentence(item: ProbeItem, number: int | str, settings: ProbeSettings) -> str | None:
    """A number of an item in the format that is asked; None where no template fits."""
    if settings.format == "qa":
        return question_and_answer(item.question, number)
    if settings.mode == "published":
        # a mask stands in the released statement, which agrees with its number
        agreed = number if isinstance(number, int) else item.answer
        return statement(item.question, agreed, "published", shown=str(number))
    if settings.mode == "stored":
        if number == item.answer and item.statement:
            return item.statement
        told = dict(zip(item.foils, item.foil_statements, strict=False))
        if told.get(number if isinstance(number, int) else -1):
            return told[int(number)]
        if item.statement and item.statement == statement(item.question, item.answer, "published"):
            return statement(item.question, number, "published")
    return statement(item.question, number, "fluent")


def asked_foils(item: ProbeItem, settings: ProbeSettings) -> tuple[int, ...]:
    """The wrong numbers that are asked about: those that can be used, or one of them."""
    usable = item.wrong_numbers
    if settings.foils_per_item == "one" and usable:
        return (usable[hash_of(item.id, settings.seed) % len(usable)],)
    return usable


def asked_about(item: ProbeItem, settings: ProbeSettings) -> dict[str, int]:
    """What is asked about an item, with the number that it says, the right one first; nothing where
    it can't be asked."""
    if item.answer < 0:
        return {}
    if settings.task == "vqa":
        return {item.question: item.answer}
    if settings.task == "mlm":
        masked = sentence(item, MASK, settings)
        return {} if masked is None else {masked: item.answer}
    numbers = (item.answer, *asked_foils(item, settings))
    told = {sentence(item, n, settings) or "": n for n in numbers}
    return told if "" not in told and len(told) > 1 else {}


def hash_of(text: str, seed: int) -> int:
    """A number that depends on the words and the seed alone."""
    found = 0
    for sign in f"{seed} {text}".encode():
        found = (found * 257 + sign) % 1_000_003
    return found


def unusable(settings: ProbeSettings) -> dict[str, Any]:
    """Items that can't be asked, by reason, and items with faults."""
    if settings.task == "alignment":
        nothing = {"items": 0, "faults": {}, "first": {}}
        return {"unusable": {}, "unusable_first": {}, "broken": nothing}
    items = counting_items(settings)
    found: dict[str, list[str]] = {}
    for one in items:
        if one.answer < 0:
            found.setdefault("negative-number", []).append(f"{one.id}: {one.answer}")
        elif sentence(one, one.answer, settings) is None and settings.task != "vqa":
            found.setdefault("no-template", []).append(f"{one.id}: {one.question}")
        elif settings.task == "counting" and not one.wrong_numbers:
            found.setdefault("no-usable-foil", []).append(f"{one.id}: {one.foils}")
    counts = {why: len(named) for why, named in found.items()}
    if sum(counts.values()) == len(items):
        told = "; ".join(f"{counts[why]} {why}: {WHY[why]}, such as {named[0]}"
                         for why, named in found.items())  # fmt: skip
        raise BadInput(f"None of {len(items)} items can be asked: {told}.")
    first = {why: named[:NAMED] for why, named in found.items()}
    return {"unusable": counts, "unusable_first": first, "broken": broken(items)}
