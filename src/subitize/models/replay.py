"""Replies from a file: a run's responses.jsonl, or lines with `trial` and `value`.

Useful for scoring replies that somebody collected elsewhere, at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson

from subitize.errors import BadInput, ModelError
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.names import ModelName
from subitize.records import fingerprint

__all__ = ["Replay", "open_replay"]


class Replay(Model):
    """Answers each trial with what stands for it in the file; the last line of a trial wins."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer", "counter")
    needs_picture: ClassVar[bool] = False
    batch_size = 64

    def __init__(self, name: ModelName, replies: dict[tuple[str, int, int], Reply]) -> None:
        super().__init__(name.full, dict(name.settings))
        self.replies = replies
        shown = [[*key, reply.value] for key, reply in sorted(replies.items())]
        self.revision = fingerprint(shown, 12)

    def name(self, items: Sequence[Item]) -> Answers:
        return [self._find(item) for item in items]

    count = name

    def _find(self, item: Item) -> Reply | ModelError:
        found = self.replies.get((item.trial, item.sample, item.attempt))
        return found or ModelError(f"the file has no response to trial {item.trial}")


def open_replay(name: ModelName, _options: ModelOptions) -> Replay:
    path = Path(name.rest)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as problem:
        raise BadInput(f"Can't read {path}: {problem.strerror}; give replay/FILE.jsonl.") from None
    replies = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            key, reply = _parse(line, path, number)
            if reply is not None:
                replies[key] = reply
    if not replies:
        raise BadInput(f"{path} holds no response to replay: give a run's responses.jsonl.")
    return Replay(name, replies)


def _parse(line: bytes, path: Path, number: int) -> tuple[tuple[str, int, int], Reply | None]:
    try:
        entry: dict[str, Any] = orjson.loads(line)
        key = (str(entry["trial"]), int(entry.get("sample", 0)), int(entry.get("attempt", 0)))
        value, stop = entry["value"], str(entry.get("stop", "stop"))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(
            f"{path}, line {number} is not a response: each line needs at least "
            '{"trial": ID, "value": TEXT}.'
        ) from None
    if value is None or stop == "failed":
        return key, None
    return key, Reply(entry.get("kind", "text"), value, stop, entry.get("usage") or {})
