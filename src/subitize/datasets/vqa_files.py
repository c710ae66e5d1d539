"""Questions about pictures with one number as answer: our own sets and TallyQA's files.

JSONL (a line each) or JSON (a list): `image` (path inside the folder of pictures), `question`,
`answer`; the rest is optional. TallyQA's files have `issimple` beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadInput
from subitize.files import inside, read_entries, read_once


@dataclass(frozen=True, slots=True)
class VqaEntry:
    """One question about one picture."""

    image: str
    """path inside the folder of pictures; the ending may be left out"""
    question: str
    """the words asked"""
    answer: int
    """the right number"""
    at_least: bool = False
    """any higher number is right too: people had only `more than 10` to say"""
    painter: str = ""
    """who made the picture, where a model did"""
    prompt_type: str = ""
    """GeckoNum's type of prompt"""
    frequency: str = ""
    """frequent or rare, where known"""
    complexity: str = ""
    """simple or complex, where known"""


@read_once
def read_vqa(path: Path) -> tuple[VqaEntry, ...]:
    """All entries of a file, in its order; what is wrong is named with its place."""
    repair = "Make them with `subitize geckonum vqa`, or give a file of TallyQA."
    given = read_entries(path, "the questions", ("image", "question", "answer"), repair=repair)
    if not given:
        raise BadInput(f"{path} holds no question. {repair}")
    return tuple(_entry(entry, where) for where, entry in given)


def _entry(entry: Mapping[str, Any], where: str) -> VqaEntry:
    try:
        answer = int(str(entry["answer"]))
    except ValueError:
        raise BadInput(
            f"{where}: the answer is {entry['answer']!r}, which is no whole number."
        ) from None
    image = inside(str(entry["image"]), where)
    words = {
        name: str(entry.get(name) or "")
        for name in ("painter", "prompt_type", "frequency", "complexity")
    }
    words["painter"] = words["painter"] or str(entry.get("data_source") or "")
    if isinstance(simple := entry.get("issimple"), bool):
        words["complexity"] = "simple" if simple else "complex"
    at_least = bool(entry.get("at_least", False))
    return VqaEntry(image, str(entry["question"]), answer, at_least, **words)
