"""Questions about pictures with one number as answer: our own sets and TallyQA's files.

JSONL (a line each) or JSON (a list): `image` (path inside the folder of pictures), `question`,
`answer`; the rest is optional. TallyQA's files have `issimple` beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from subitize.datasets.text_files import decoded, stamp
from subitize.errors import BadInput

__all__ = ["VqaEntry", "read_vqa"]


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


def read_vqa(path: Path) -> tuple[VqaEntry, ...]:
    """All entries of a file, in its order; what is wrong is named with its place."""
    return _read(path, stamp(path))


@lru_cache(maxsize=4)
def _read(path: Path, _stamp: tuple[int, int]) -> tuple[VqaEntry, ...]:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadInput(
            f"Can't read the questions {path}: {problem.strerror}. Make them with `subitize "
            "geckonum vqa`, or give a file of TallyQA."
        ) from None
    found = tuple(_entry(entry, where) for where, entry in _objects(content, path))
    if not found:
        raise BadInput(f"{path} holds no question: every line is an object with image, question "
                       "and answer.")  # fmt: skip
    return found


def _objects(content: bytes, path: Path) -> list[tuple[str, Any]]:
    text = decoded(content, str(path)).strip()
    try:
        if text.startswith("["):
            entries = orjson.loads(text)
            return [(f"{path}: entry {place}", one) for place, one in enumerate(entries, 1)]
    except orjson.JSONDecodeError as problem:
        raise BadInput(f"{path} is not JSON: {problem}.") from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append((f"{path}:{number}", orjson.loads(line)))
            except orjson.JSONDecodeError as problem:
                raise BadInput(f"{path}:{number} is not JSON: {problem}.") from None
    return found


def _entry(entry: Any, where: str) -> VqaEntry:
    if not isinstance(entry, Mapping):
        raise BadInput(f"{where} is no object: give one with image, question and answer.")
    missing = [name for name in ("image", "question", "answer") if entry.get(name) in (None, "")]
    if missing:
        raise BadInput(f"{where} lacks {', '.join(missing)}.")
    try:
        answer = int(str(entry["answer"]))
    except ValueError:
        raise BadInput(
            f"{where}: the answer is {entry['answer']!r}, which is no whole number."
        ) from None
    image = str(entry["image"])
    if Path(image).is_absolute() or ".." in Path(image).parts:
        raise BadInput(f"{where}: the picture {image!r} lies outside the folder of pictures.")
    simple = entry.get("issimple")
    complexity = str(entry.get("complexity") or "")
    if isinstance(simple, bool):
        complexity = "simple" if simple else "complex"
    return VqaEntry(
        image, str(entry["question"]), answer, bool(entry.get("at_least", False)),
        str(entry.get("painter") or entry.get("data_source") or ""),
        str(entry.get("prompt_type") or ""), str(entry.get("frequency") or ""), complexity,
    )  # fmt: skip
