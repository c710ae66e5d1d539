"""Pictures for the viewer, by ids that the runs know: no name from an address reaches a path."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from subitize.errors import ModelError, SubitizeError
from subitize.humans.viewing_table import RunsTable
from subitize.pictures.media import media_type
from subitize.records import Stimulus
from subitize.stimuli import render

STORED = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{2,5}")
"""how a received picture is called in a run's folder"""
REMEMBERED = 64


def named_picture(stimulus: Stimulus) -> Path | None:
    """Where the picture lies that people of our study saw; None where a name is all there is."""
    return Path(stimulus.path) if stimulus.kind == "named" and stimulus.path else None


class Pictures:
    """What was shown and what was painted."""

    def __init__(self, table: RunsTable) -> None:
        self._table = table
        self.shown = lru_cache(REMEMBERED)(self._shown)

    def _shown(self, item: int) -> bytes | None:
        """The picture of an item's stimulus; None where it has none, or it can't be had."""
        if not 0 <= item < self._table.items:
            return None
        try:
            stimulus = self._table.trial(item).stimulus
            named = named_picture(stimulus)
            picture = named.read_bytes() if named else render(stimulus).png
            media_type(picture)
        except (OSError, SubitizeError, ModelError):
            return None
        return picture

    def painted(self, row: int) -> bytes | None:
        """The picture that an answer is; None where the answer is none."""
        table = self._table
        if not 0 <= row < table.own.height:
            return None
        kind, value, run = table.own.select("kind", "value", "run").row(row)
        if kind != "picture" or not STORED.fullmatch(value or ""):
            return None
        try:
            picture: bytes = (table.runs[run].folder / "images" / value).read_bytes()
            media_type(picture)
        except (OSError, SubitizeError):
            return None
        return picture
