"""A model in a process of its own: a hang or a crash costs its batch, not the run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from subitize.errors import BadInput, Hopeless, Unable, WorkerLost
from subitize.models import child as child_process
from subitize.models.base import Kind, Model, ModelOptions
from subitize.models.child import pack_item, unpack_reply
from subitize.runs.engines import Answered, Asked, telling

LAST_WORDS = 2000
"""characters kept of what a child said before it died"""
ENDING = 1.0
"""seconds that a child whose pipe has ended may take to end by itself"""


def unpacked(found: Mapping[str, Any], seconds: float) -> list[Answered]:
    """What a worker elsewhere answered to a batch; what it could not draw is told."""
    if "problem" in found:
        raise (Unable if found.get("unable") else BadInput)(found["problem"])
    each = seconds / max(1, len(found["answers"]))
    return [
        (unpack_reply(answer), each, sha256)
        for answer, sha256 in zip(found["answers"], found["hashes"], strict=True)
    ]


def _framed(message: Any) -> bytes:
    packed = orjson.dumps(message)
    return b"%d\n" % len(packed) + packed


class IsolatedEngine:
    """One child process, started again after it died or was killed for hanging."""

    def __init__(self, model: Model, kind: Kind) -> None:
        self._model = model
        self._kind = kind
        self._options = model.options or ModelOptions()
        self.capacity = 2 * model.batch_size
        self._child: Process | None = None
        self._said = ""
        self._listening: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        await self._started()

    async def close(self) -> None:
        if self._child is not None:
            await self._end(self._child)

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        message = [pack_item(stimulus, item) for stimulus, item in asked]
        if self._turn.locked() and self._child is not None and self._child.stdin is not None:
            # It is drawn while the batch before it computes; a child that dies forgets it.
            self._child.stdin.write(_framed({"ahead": message}))
        async with self._turn:
            child = await self._started()
            begun = time.perf_counter()
            allowed = self._options.timeout * len(asked)
            found = await self._exchange(child, message, allowed)
        return unpacked(found, time.perf_counter() - begun)

    async def _started(self) -> Process:
        if self._child is not None:
            return self._child
        child = self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", child_process.__name__,
            stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=2**30,
            # Ctrl-C is the driver's to hear: it finishes what is in flight.
            start_new_session=True,
        )  # fmt: skip
        self._said = ""
        self._listening = asyncio.create_task(self._listen(child))
        hello = {
            "name": self._model.opened_by, "options": asdict(self._options), "kind": self._kind
        }  # fmt: skip
        try:
            async with telling(f"{self._model.respondent} is being loaded"):
                found = await self._exchange(child, hello, self._options.load_timeout)
        except WorkerLost as problem:
            raise WorkerLost(f"{self._model.respondent} did not load: {problem}") from None
        if "problem" in found:
            raise (Unable if found.get("unable") else Hopeless)(found["problem"])
        return child

    async def _exchange(self, child: Process, message: Any, allowed: float) -> dict[str, Any]:
        """Send a message and wait for its answer; a child that dies or hangs is a `WorkerLost`."""
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            async with asyncio.timeout(allowed):
                child.stdin.write(_framed(message))
                await child.stdin.drain()
                head = await child.stdout.readexactly(1)
                head += await child.stdout.readuntil(b"\n")
                found: dict[str, Any] = orjson.loads(await child.stdout.readexactly(int(head)))
                return found
        except TimeoutError:
            await self._end(child)
            raise WorkerLost(f"it gave no answer within {allowed:g} seconds") from None
        except (OSError, EOFError, ValueError):
            code = await self._end(child, ENDING)
            lines = [line.strip() for line in self._said.splitlines() if line.strip()]
            words = f", last words: {lines[-1][-300:]}" if lines else ""
            raise WorkerLost(f"exit {code}{words}") from None

    async def _listen(self, child: Process) -> None:
        assert child.stderr is not None
        while part := await child.stderr.read(4096):
            self._said = (self._said + part.decode(errors="replace"))[-LAST_WORDS:]

    async def _end(self, child: Process, grace: float = 0.0) -> int | None:
        self._child = None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), grace)
        # With what it started itself, which would hold its pipes open.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(child.pid, signal.SIGKILL)
            elif child.returncode is None:
                child.kill()
        code = await child.wait()
        if self._listening is not None:
            await asyncio.wait([self._listening], timeout=ENDING)
            self._listening.cancel()
        return code
