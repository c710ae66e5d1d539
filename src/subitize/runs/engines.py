"""Engines: where a model computes. The driver asks, an engine answers; it also draws.

An engine gets stimuli and items without pictures and gives replies, in any order of computing but
in the order asked. Retries, budget, limiter, journal and readings stay with the driver. What an
engine needs of a model travels as names, settings, bytes and JSON, so that it may compute in this
process, in a child or on another machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol

from subitize.errors import ModelError, SubitizeError
from subitize.models.base import (
    METHODS,
    Item,
    Kind,
    Model,
    Reply,
    compute,
    opened,
    replies_from,
    words_of,
)
from subitize.records import Stimulus, fingerprint
from subitize.stimuli import Picture, render

__all__ = ["Answered", "Asked", "Engine", "EngineMaker", "LocalEngine", "telling"]

Asked = tuple[Stimulus, Item]
"""what to show, and an item without its picture"""
Answered = tuple[Reply | ModelError, float, str]
"""the reply or what went wrong, the seconds it took, and the hash of the picture shown"""
KEPT_BYTES = 16 << 20
QUICK = 0.005
"""seconds that drawing may keep replies waiting"""
LATEST = 8
"""about so many pictures tell how long the next one takes"""
SILENCE = 30.0
"""seconds after which whoever waits for an engine hears why, again and again"""


class Engine(Protocol):
    """Computes answers; see the module's text."""

    capacity: int
    """so many items may be under way at once"""

    async def open(self) -> None:
        """Make ready; what can't work at all is a `Hopeless`."""

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        """Answer a batch; a worker that died on it is a `WorkerLost`."""

    async def close(self) -> None:
        """Free everything; called once."""


EngineMaker = Callable[[Model, Kind, int], Engine]
"""makes the engine of one respondent, asked as this kind with this concurrency"""


@contextlib.asynccontextmanager
async def telling(what: str) -> AsyncIterator[None]:
    """Say on stderr what is waited for, as long as it lasts: large weights take half an hour."""

    async def speak() -> None:
        begun = time.monotonic()
        while True:
            await asyncio.sleep(SILENCE)
            waited = time.monotonic() - begun
            print(f"subitize: {what} ({waited:.0f} s so far)", file=sys.stderr, flush=True)

    speaking = asyncio.create_task(speak())
    try:
        yield
    finally:
        speaking.cancel()


class LocalEngine:
    """Computes in this process: an asyncio call for models that wait, else one worker thread.

    Pictures are drawn in a thread of their own: the next batch is drawn and encoded while this
    one computes.
    """

    def __init__(self, model: Model, kind: Kind, concurrency: int) -> None:
        self._model = model
        self._kind = kind
        self._ask: Callable[[Sequence[Item]], Any] = getattr(model, METHODS[kind])
        self._waits = inspect.iscoroutinefunction(self._ask)
        self.capacity = concurrency if self._waits else 2 * model.batch_size
        self._drawer = ThreadPoolExecutor(1, "drawing")
        self._worker = ThreadPoolExecutor(1, "model")
        self._pictures = _Pictures(self._drawer, self._waits)

    async def open(self) -> None:
        await opened(self._model)
        self._model.check_kind(self._kind)

    async def close(self) -> None:
        try:
            await self._model.close()
        finally:
            for pool in (self._drawer, self._worker):
                pool.shutdown(wait=True, cancel_futures=True)

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        items, hashes = [], []
        for stimulus, item in asked:
            picture = await self._pictures.get(stimulus) if self._model.needs_picture else None
            items.append(item if picture is None else replace(item, picture=picture.png))
            hashes.append(picture.sha256 if picture else "")
        begun = time.perf_counter()
        if self._waits:
            answers = [await self._wait_for(item) for item in items]
        else:
            loop = asyncio.get_running_loop()
            answers = await loop.run_in_executor(self._worker, compute, self._ask, items)
        seconds = (time.perf_counter() - begun) / len(items)
        return [(answer, seconds, sha) for answer, sha in zip(answers, hashes, strict=True)]

    async def _wait_for(self, item: Item) -> Reply | ModelError:
        try:
            return replies_from(await self._ask([item]), 1)[0]
        except ModelError as problem:
            return problem
        except (SubitizeError, KeyboardInterrupt):
            raise
        # a model may raise anything, sys.exit too: it costs its item, not the run
        except BaseException as problem:
            task = asyncio.current_task()
            if isinstance(problem, asyncio.CancelledError) and task and task.cancelling():
                raise  # it is the run that ends, not its call
            return ModelError(words_of(problem))


class _Pictures:
    """Draws and keeps the newest few: forms of one question share a picture.

    Draws in a thread of its own, except, beside a model that only waits, what takes no longer than
    a reply takes to be read: two threads that share the interpreter cost a sixth more.
    """

    def __init__(self, drawer: ThreadPoolExecutor, beside: bool) -> None:
        self._drawer = drawer
        self._beside = beside
        self._seconds: dict[object, float] = {}
        """CPU time of the latest pictures, by who draws it and how large"""
        self._quick = 0
        """how many were drawn here, not in the thread"""
        self._under_way: dict[str, asyncio.Task[Picture]] = {}
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._bytes = 0

    async def get(self, stimulus: Stimulus) -> Picture | None:
        if stimulus.kind not in ("drawn", "file"):
            return None
        key = fingerprint([stimulus.kind, stimulus.recipe])
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        like = stimulus.kind, stimulus.recipe.get("drawer"), stimulus.recipe.get("size")
        task = self._under_way.get(key)
        if task is None and self._beside and self._seconds.get(like, QUICK) < QUICK:
            self._quick += 1
            # to look at the clock costs as much as some drawing: once in a while will do
            timed = _timed(stimulus) if self._quick % LATEST == 0 else (_shown(stimulus), None)
            return self._keep(key, like, timed)
        if task is None:
            task = self._under_way[key] = asyncio.ensure_future(self._draw(key, like, stimulus))
        return await asyncio.shield(task)

    async def _draw(self, key: str, like: object, stimulus: Stimulus) -> Picture:
        loop = asyncio.get_running_loop()
        try:
            return self._keep(key, like, await loop.run_in_executor(self._drawer, _timed, stimulus))
        finally:
            del self._under_way[key]

    def _keep(self, key: str, like: object, timed: tuple[Picture, float | None]) -> Picture:
        picture, seconds = timed
        if seconds is not None:
            # one that takes long, because its shapes are new, does not send the next ones away
            before = self._seconds.get(like, seconds)
            self._seconds[like] = before + (seconds - before) / LATEST
        self._kept[key] = picture
        self._bytes += len(picture.png)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest.png)
        return picture


def _timed(stimulus: Stimulus) -> tuple[Picture, float]:
    """The picture and the CPU time it took."""
    begun = time.thread_time()
    return _shown(stimulus), time.thread_time() - begun


def _shown(stimulus: Stimulus) -> Picture:
    """The picture, without what could tell of it."""
    picture = render(stimulus)
    return Picture(picture.png, picture.sha256)
