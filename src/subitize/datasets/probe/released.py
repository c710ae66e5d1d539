"""The probe's split files, as released and as we build them: read, checked, written.

A file is one JSON object: item → question (`caption`), answer, foils, statements and the picture's
file. Items with a fault are never used silently: each has the names of its faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from subitize.datasets.probe.statements import Mode, statement
from subitize.errors import BadInput
from subitize.files import inside, read_json, read_once, write_json

FOILS = 3
REPAIR = "Give a released split or a file of `subitize probe build`."


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """A question about a picture with the right number and wrong ones."""

    id: str
    """its key in the file"""
    picture: str
    """file in the folder of pictures; of a drawn scene its name"""
    question: str
    """How many …?"""
    answer: int
    """the right number"""
    foils: tuple[int, ...]
    """wrong numbers as they were given, faults included"""
    statement: str = ""
    """as stored; empty where a file has none"""
    foil_statements: tuple[str, ...] = ()
    """as stored, one for each foil"""
    source: str = ""
    """the data set it comes from"""
    part: str = ""
    """train, valid or test"""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """of a drawn scene; empty for a file"""

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with its foils."""
        found = []
        if self.answer in self.foils:
            found.append("foil-equals-answer")
        if len(set(self.foils)) < len(self.foils):
            found.append("repeated-foil")
        if len(self.foils) < FOILS:
            found.append("fewer-than-three-foils")
        if min(self.answer, *self.foils, 0) < 0:
            found.append("negative-number")
        return tuple(found)

    @property
    def wrong_numbers(self) -> tuple[int, ...]:
        """The foils that can be used: each once, never the answer."""
        return tuple(one for one in dict.fromkeys(self.foils) if one != self.answer and one >= 0)


@read_once
def read_split(path: Path) -> tuple[ProbeItem, ...]:
    """All items of a split file, in its order; what is wrong is named with its place."""
    given = read_json(path, "the split", REPAIR)
    if not isinstance(given, dict) or not given:
        raise BadInput(f"{path} holds no items: it should be an object of them. {REPAIR}")
    items, wrong = [], []
    for key, entry in given.items():
        try:
            items.append(_item(key, entry, f"{path}: {key}"))
        except BadInput as problem:
            wrong.append(str(problem))
    if wrong:
        first = f"{len(wrong)} of {len(given)} items can't be used; the first: " * (len(wrong) > 1)
        raise BadInput(f"{first}{wrong[0]}")
    return tuple(items)


def _item(key: str, entry: Any, where: str) -> ProbeItem:
    needed = ("image_file", "caption", "answer", "foils")
    if not isinstance(entry, dict) or any(name not in entry for name in needed):
        lacking = needed if not isinstance(entry, dict) else [n for n in needed if n not in entry]
        raise BadInput(f"{where} lacks {', '.join(lacking)}. {REPAIR}")
    foils, told = entry["foils"], entry.get("declarative_statement_foils") or []
    if not isinstance(foils, list) or not isinstance(told, list):
        raise BadInput(f"{where}: the foils are no list. {REPAIR}")
    return ProbeItem(
        key,
        inside(str(entry["image_file"]), where),
        str(entry["caption"]),
        _number(entry["answer"], where),
        tuple(_number(one, where) for one in foils),
        str(entry.get("declarative_statement") or ""),
        tuple(map(str, told)),
        str(entry.get("dataset") or ""),
        str(entry.get("split") or ""),
        entry.get("recipe") or {},
    )


def _number(given: Any, where: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise BadInput(f"{where}: {given!r} is no whole number. {REPAIR}")
    return given


def broken(items: Iterable[ProbeItem]) -> dict[str, Any]:
    """How many items have each fault, how many have any, and the first of each.

    None is left out of a run for it: a repeated foil is asked once, a foil equal to the answer is
    not asked, an item without any foil left is not asked as right against wrong.
    """
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    many = 0
    for one in items:
        many += bool(one.faults)
        for fault in one.faults:
            counts[fault] += 1
            first.setdefault(fault, one.id)
    return {"items": many, "faults": dict(counts), "first": first}


def check_statements(items: Iterable[ProbeItem], mode: Mode) -> dict[str, Any]:
    """How many stored statements and foil statements the templates give back exactly."""
    found: dict[str, Any] = {"items": 0, "exact": 0, "foils": 0, "foils_exact": 0}
    unmatched, differing = 0, []
    listed = list(items)
    for one in listed:
        made = statement(one.question, one.answer, mode)
        unmatched += made is None
        found["items"] += 1
        found["exact"] += made == one.statement
        if made != one.statement:
            differing.append({"item": one.id, "stored": one.statement, "made": made})
        found["foils"] += len(one.foils)
        told = [*one.foil_statements, *("",) * len(one.foils)]
        for number, stored in zip(one.foils, told, strict=False):
            made = statement(one.question, number, mode)
            found["foils_exact"] += made == stored
            if made != stored:
                differing.append({"item": one.id, "stored": stored, "made": made})
    faults = broken(listed)
    found["broken"] = faults["faults"]
    found["broken_items"], found["broken_first"] = faults["items"], faults["first"]
    found["no_template"] = unmatched
    found["differing"] = differing[:5]
    return found


def as_entry(item: ProbeItem, mode: Mode) -> dict[str, Any]:
    """An item in the released form, with its statements; drawn scenes have their recipe too."""
    entry: dict[str, Any] = {
        "dataset": item.source,
        "dataset_idx": item.id.rpartition("_")[2],
        "image_file": item.picture,
        "caption": item.question,
        "answer": item.answer,
        "classes": [item.answer],
        "split": item.part,
        "original_split": item.part,
        "foils": list(item.foils),
        "classes_foil": list(item.foils),
        "declarative_statement": statement(item.question, item.answer, mode) or "",
        "declarative_statement_foils": [
            statement(item.question, one, mode) or "" for one in item.foils
        ],
    }
    return entry | ({"recipe": dict(item.recipe)} if item.recipe else {})


def write_split(path: Path, items: Iterable[ProbeItem], mode: Mode) -> None:
    """A split file that `read_split` takes."""
    entries = {one.id: as_entry(one, mode) for one in items}
    write_json(path, entries, option="--out")
