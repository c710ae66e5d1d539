"""Pictures to a model, drawn when needed; and pictures from one, kept in the run's folder."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from subitize.errors import ModelError, WrongRun
from subitize.models.base import Reply
from subitize.pictures.decode import decode
from subitize.pictures.media import media_type
from subitize.records import Response, Stimulus, Trial, fingerprint
from subitize.runs.folder import store_picture
from subitize.stimuli import Picture, render

__all__ = ["Pictures", "check_drawing", "keep_picture"]

KEPT_BYTES = 16 << 20


class Pictures:
    """Draws in one thread and keeps the newest few: forms of one question share a picture."""

    def __init__(self, drawer: Executor) -> None:
        self._drawer = drawer
        self._kept: OrderedDict[str, asyncio.Task[Picture]] = OrderedDict()
        self._bytes = 0

    async def get(self, stimulus: Stimulus) -> Picture | None:
        if stimulus.kind == "prompt":
            return None
        key = fingerprint([stimulus.kind, stimulus.recipe])
        task = self._kept.get(key)
        if task is None:
            loop = asyncio.get_running_loop()
            task = asyncio.ensure_future(self._draw(loop, stimulus))
            self._kept[key] = task
        else:
            self._kept.move_to_end(key)
        return await asyncio.shield(task)

    async def _draw(self, loop: asyncio.AbstractEventLoop, stimulus: Stimulus) -> Picture:
        picture = await loop.run_in_executor(self._drawer, render, stimulus)
        self._bytes += len(picture.png)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            if oldest.done() and not oldest.cancelled() and oldest.exception() is None:
                self._bytes -= len(oldest.result().png)
        return picture


def check_drawing(trial: Trial, response: Response) -> None:
    """A picture drawn again must be the one that was sent."""
    if not response.sha256 or trial.stimulus.kind == "prompt":
        return
    found = render(trial.stimulus).sha256
    if found != response.sha256:
        raise WrongRun(
            f"The picture of trial {trial.id} is drawn otherwise than when it was asked "
            f"({found[:12]} instead of {response.sha256[:12]}): another version of a package draws "
            "it. Resume with the versions in run.json, or start a new run with another --out."
        )


def keep_picture(folder: Path, reply: Reply) -> tuple[Reply | ModelError, str]:
    """Store a painter's picture; its file name takes the place of its bytes.

    What is no picture at all is the painter's failure. A picture that was sent but can't be
    decoded (cut off, far too large) is kept as it came; its `stop` says `unreadable`.
    """
    try:
        ending = media_type(reply.value).partition("/")[2]
    except ModelError as problem:
        return problem, ""
    name = store_picture(folder, reply.value, ending)
    try:
        decode(reply.value)
    except ModelError as problem:
        return replace(reply, value=name, stop="unreadable"), str(problem)
    return replace(reply, value=name), ""
