"""What was handed in at a batch endpoint, written down beside the run; the form it goes up in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from subitize.disk import APPENDING, sync_data
from subitize.errors import StorageFull, SubitizeError, WrongRun
from subitize.models.jsons import parsed
from subitize.models.transport import HttpReply

Result = HttpReply | SubitizeError


@dataclass
class Handed:
    """One batch that was handed in."""

    tag: str
    ids: list[str]
    batch: str = ""
    ended: bool = False
    """an earlier command has collected it: what it still lacks has failed, and is asked anew"""
    results: dict[str, Result] = field(default_factory=dict)
    looks: int = 0
    """how often its files were found not to be whole"""

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.ids)

    @property
    def missing(self) -> list[str]:
        return [one for one in self.ids if one not in self.results]


def note(path: Path, entry: Mapping[str, Any]) -> None:
    """Write down what was handed in before anything else happens."""
    try:
        descriptor = os.open(path, APPENDING | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, orjson.dumps(entry) + b"\n")
            sync_data(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise StorageFull(
            f"Can't write {path}: {problem.strerror}. Make room and run again."
        ) from None


def upload_form(tag: str, content: bytes) -> tuple[bytes, str]:
    """The upload of a file of requests, and its content type."""
    head = f'--{tag}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{tag}\r\n'
    name = f'Content-Disposition: form-data; name="file"; filename="subitize-{tag}.jsonl"\r\n'
    start = f"{head}{name}Content-Type: application/jsonl\r\n\r\n".encode()
    return start + content + f"\r\n--{tag}--\r\n".encode(), f"multipart/form-data; boundary={tag}"


def read_handed(path: Path) -> list[Handed]:
    """What earlier commands handed in; a torn last line was never acted upon."""
    found: dict[str, Handed] = {}
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise WrongRun(f"{path} can't be read: {problem.strerror}.") from None
    for number, line in enumerate(lines, 1):
        entry = parsed(line)
        tag = entry.get("tag") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(tag, str):
            raise WrongRun(f"{path}, line {number} is damaged: it names no batch. Delete it.")
        ids = entry.get("ids")
        if isinstance(ids, list):
            good = [one for one in ids if isinstance(one, str) and one.rpartition("-")[2].isdigit()]
            found[tag] = Handed(tag, good)
        elif tag in found and isinstance(entry.get("batch"), str):
            found[tag].batch = entry["batch"]
        elif tag in found:
            found[tag].ended |= entry.get("ended") is True
    return list(found.values())
