"""Replies from a file: a run's responses.jsonl, or lines with `trial` and `value`.

Useful for scoring replies that somebody collected elsewhere, at no cost. A folder of pictures that
were painted elsewhere is a painter: see `replay_pictures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import orjson

from subitize.errors import BadInput, ModelError
from subitize.files import read_entries
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.names import ModelName
from subitize.models.replay_pictures import PictureReplay
from subitize.records import fingerprint


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


def open_replay(name: ModelName, _options: ModelOptions) -> Replay | PictureReplay:
    path = Path(name.rest)
    if path.is_dir():
        return PictureReplay(name, path)
    repair = 'Give a run\'s responses.jsonl, or lines {"trial": ID, "value": TEXT}.'
    needed = ("trial", "value")
    replies = {}
    for where, entry in read_entries(path, "the replies", needed, blank=needed[1:], repair=repair):
        try:
            key = (str(entry["trial"]), int(entry.get("sample", 0)), int(entry.get("attempt", 0)))
        except (TypeError, ValueError):
            raise BadInput(f"{where}: sample and attempt are no whole numbers. {repair}") from None
        kind, value = entry.get("kind", "text"), entry["value"]
        if value is None or entry.get("stop") == "failed":
            continue
        if kind in ("boxes", "scores", "ranking") and isinstance(value, str):
            value = orjson.loads(value)
        stop, usage = str(entry.get("stop", "stop")), entry.get("usage") or {}
        replies[key] = Reply(kind, value, stop, usage)
    if not replies:
        raise BadInput(f"{path} holds no response to replay. {repair}")
    return Replay(name, replies)
