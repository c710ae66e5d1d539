"""NumGen's prompts ("An image with {n} {object}", each n equally often), and prompts as files.

Text holds the words alone, CSV also what they are made of, JSON either.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from subitize.errors import BadInput, UnknownName
from subitize.files import csv_text, write_whole
from subitize.nouns import singular

FORM = "An image with {} {}"  # NumGen's README, Prompt Generation
OBJECTS = (
    "apples", "people", "human faces", "dots", "butterflies", "triangles", "dogs", "cars",
    "pencils", "shoes", "guitars",
)  # fmt: skip
HIGHEST = 10

FORMATS = ("json", "txt", "csv", "pkl")

Entries = Sequence[Mapping[str, Any]]


def packed_prompts(entries: Entries, format_: str, *, whole: bool = False) -> bytes:
    """Entries, each with its words under `prompt`, in one of the formats.

    JSON has the words alone, as NumGen's files, or the `whole` entries.
    """
    prompts = [str(entry["prompt"]) for entry in entries]
    if format_ == "json":
        return orjson.dumps(entries if whole else prompts, option=orjson.OPT_INDENT_2) + b"\n"
    if format_ == "pkl":
        # For scripts that were written for NumGen's files; nothing here ever reads one.
        return pickle.dumps(prompts)
    if format_ == "csv":
        header = list(entries[0]) if entries else ["prompt"]
        return csv_text(header, (entry.values() for entry in entries)).encode()
    if format_ == "txt":
        return "".join(f"{prompt}\n" for prompt in prompts).encode()
    raise UnknownName("format", format_, FORMATS)


def write_prompts(
    entries: Entries, format_: str | None, path: Path, *, whole: bool = False
) -> None:
    """Write entries to a file, without a format in that of its ending."""
    ending = path.suffix.removeprefix(".").lower()
    if format_ is None and ending not in FORMATS:
        raise BadInput(
            f"The ending of {path} does not tell a format: end it in "
            f"{', '.join('.' + name for name in FORMATS)}, or give --format."
        )
    write_whole(path, packed_prompts(entries, format_ or ending, whole=whole), option="--out")


def numgen_entries(count: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Prompts with their number and object; how often two numbers occur differs by at most one.

    >>> entries = numgen_entries(20, np.random.default_rng(0))
    >>> sorted(entry["n"] for entry in entries) == sorted([*range(1, 11)] * 2)
    True
    """
    if count < 0:
        raise BadInput(f"{count} prompts can't be made: give a number of at least 0.")
    whole, rest = divmod(count, HIGHEST)
    numbers = np.repeat(np.arange(1, HIGHEST + 1), whole)
    further = rng.choice(np.arange(1, HIGHEST + 1), rest, replace=False)
    entries = []
    for n in rng.permutation(np.concatenate([numbers, further])).tolist():
        thing = OBJECTS[int(rng.integers(len(OBJECTS)))]
        words = FORM.format(n, singular(thing) if n == 1 else thing)
        entries.append({"prompt": words, "n": n, "object": thing})
    return entries
