"""Prompts as files: JSON and text hold the prompts alone, CSV also what they are made of."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from subitize.errors import BadInput, UnknownName

__all__ = ["FORMATS", "format_of", "write_prompts"]

FORMATS = ("json", "txt", "csv", "pkl")


def format_of(path: Path) -> str:
    """The format that a file's ending names."""
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise BadInput(
            f"The ending of {path} does not tell a format: end it in "
            f"{', '.join('.' + name for name in FORMATS)}, or give --format."
        )
    return ending


def write_prompts(entries: Sequence[Mapping[str, Any]], format_: str, path: Path) -> None:
    """Write entries, each with its words under `prompt`, in one of the formats."""
    if format_ not in FORMATS:
        raise UnknownName("format", format_, FORMATS)
    content = _packed(entries, format_)
    try:
        path.write_bytes(content)
    except OSError as problem:
        raise BadInput(f"Can't write {path}: {problem.strerror}. Give another --out.") from None


def _packed(entries: Sequence[Mapping[str, Any]], format_: str) -> bytes:
    prompts = [str(entry["prompt"]) for entry in entries]
    if format_ == "json":
        return orjson.dumps(prompts, option=orjson.OPT_INDENT_2) + b"\n"
    if format_ == "pkl":
        # For scripts that were written for NumGen's files; nothing here ever reads one.
        return pickle.dumps(prompts)
    if format_ == "csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(entries[0]) if entries else ["prompt"])
        writer.writeheader()
        writer.writerows(entries)
        return text.getvalue().encode()
    return "".join(f"{prompt}\n" for prompt in prompts).encode()
