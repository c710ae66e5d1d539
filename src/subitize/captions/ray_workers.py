"""Captions counted on a cluster: actors of Ray Core, the driver's own queue.

Units go only to actors that are ready: a cluster that lost a node has room for fewer. A unit whose
actor or node is lost is counted again by another one; the driver alone writes.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from subitize.captions.sources import Unit
from subitize.captions.workers import Counter, Done, Task
from subitize.errors import BadInput, SubitizeError
from subitize.runs.engines import SILENCE
from subitize.runs.ray_engine import Cluster, connect, new_actor, places

STALLED = 300.0
"""seconds without any unit counted, after which waiting is no use"""
IN_FLIGHT = 2
"""units per worker that are under way: one is counted, one waits, as a cluster is slow to send"""
LOOKS = 5.0
"""seconds after which it is looked whether nodes have joined"""
LOSSES = 10
"""so often may one unit lose its worker, or a worker fail to start one after another"""


class RayCounter:
    """The actor: plain values in and out."""

    def __init__(self, tagger: str) -> None:
        self._counter: Counter | None = None
        self._problem = ""
        try:
            self._counter = Counter(tagger)
        except SubitizeError as problem:
            self._problem = str(problem)

    def ready(self) -> str:
        """Empty once the tagger is there, else what is wrong with it."""
        return self._problem

    def count(self, packed: tuple[bytes, bytes]) -> tuple[bytes, bytes, str]:
        assert self._counter is not None
        return self._counter.count_packed(packed)


@dataclass(eq=False)
class _Actor:
    handle: Any
    ready: bool = False
    under_way: int = 0


@dataclass(eq=False)
class _Sent:
    """A unit on its way."""

    unit: Unit
    packed: tuple[bytes, bytes]
    losses: int = 0


@dataclass
class RayWorkers:
    """Counts on the actors of a cluster."""

    cluster: Cluster
    tagger: str
    _actors: list[_Actor] = field(default_factory=list)
    _starting: dict[Any, _Actor] = field(default_factory=dict)
    _counting: dict[Any, tuple[_Sent, _Actor]] = field(default_factory=dict)
    _again: deque[_Sent] = field(default_factory=deque)
    _failed_starts: int = 0

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        ray = connect(self.cluster)
        try:
            self._grow(ray)
            yield from self._results(ray, iter(tasks))
        finally:
            for actor in self._actors:
                _end(ray, actor)

    def _grow(self, ray: Any) -> None:
        """As many actors as there is room for: nodes may join later."""
        for _ in range(places(ray, self.cluster) - len(self._actors)):
            self._start(ray)

    def _start(self, ray: Any) -> None:
        actor = _Actor(new_actor(ray, self.cluster, RayCounter, self.tagger))
        self._actors.append(actor)
        self._starting[actor.handle.ready.remote()] = actor

    def _results(self, ray: Any, tasks: Iterator[Task]) -> Iterator[Done]:
        more = True
        looked = last = said = time.monotonic()
        while True:
            if more and time.monotonic() - looked > LOOKS:
                looked = time.monotonic()
                with contextlib.suppress(BadInput):  # a moment without any node
                    self._grow(ray)
            more = self._send(tasks) if more or self._again else False
            if not more and not self._counting and not self._again:
                return
            waiting = [*self._counting, *self._starting]
            ended, _ = ray.wait(waiting, timeout=5.0)
            if not ended:
                said = _said_of_silence(last, said)
            for reference in ended:
                last = said = time.monotonic()
                if reference in self._starting:
                    self._started(ray, reference)
                    continue
                done = self._taken(ray, reference)
                if done is not None:
                    yield done

    def _send(self, tasks: Iterator[Task]) -> bool:
        """Give every ready actor enough to do; whether there may be more tasks."""
        for _ in range(IN_FLIGHT):
            for actor in self._actors:
                if not actor.ready or actor.under_way >= IN_FLIGHT:
                    continue
                if self._again:
                    sent = self._again.popleft()
                else:
                    task = next(tasks, None)
                    if task is None:
                        return False
                    sent = _Sent(replace(task.unit, text=None), task.pack())
                actor.under_way += 1
                self._counting[actor.handle.count.remote(sent.packed)] = (sent, actor)
        return True

    def _started(self, ray: Any, reference: Any) -> None:
        actor = self._starting.pop(reference)
        try:
            problem = ray.get(reference)
        except ray.exceptions.RayError as lost:
            self._failed_starts += 1
            if self._failed_starts > LOSSES:
                raise SubitizeError(
                    f"Workers of the cluster do not start: {_said(lost)}. Is subitize installed "
                    "on every node, in the same version?"
                ) from None
            self._replace(ray, actor)
            return
        if problem:
            raise SubitizeError(f"On a node of the cluster: {problem}")
        self._failed_starts = 0
        actor.ready = True

    def _taken(self, ray: Any, reference: Any) -> Done | None:
        """What a unit gave; one whose worker is lost will be sent again."""
        sent, actor = self._counting.pop(reference)
        actor.under_way -= 1
        try:
            return Done(sent.unit, *ray.get(reference))
        except ray.exceptions.RayTaskError as problem:
            raise SubitizeError(
                f"The unit {sent.unit.index} of file {sent.unit.file} can't be counted on the "
                f"cluster: {_said(problem.cause)}. Can every node read the files?"
            ) from None
        except ray.exceptions.RayError as problem:
            sent.losses += 1
            if sent.losses > LOSSES:
                raise SubitizeError(
                    f"The unit {sent.unit.index} of file {sent.unit.file} lost its worker "
                    f"{sent.losses} times, last with: {_said(problem)}. Run the same command "
                    "again with fewer workers or more memory; it goes on where it stopped."
                ) from None
            self._again.append(sent)
            self._replace(ray, actor)
            return None

    def _replace(self, ray: Any, actor: _Actor) -> None:
        """Another actor in place of a lost one; several units may tell of the same loss."""
        if actor in self._actors:
            self._actors.remove(actor)
            _end(ray, actor)
            self._start(ray)


def _said_of_silence(last: float, said: float) -> float:
    """Nothing has come since `last`: say so now and then, in the end give up; when it was said."""
    now = time.monotonic()
    if now - last > STALLED:
        raise SubitizeError(
            f"No worker of the cluster has counted anything for {STALLED:.0f} seconds: "
            "look at `ray status`, then run the same command again; it goes on."
        )
    if now - said < SILENCE:
        return said
    waited = f"{now - last:.0f} s so far"
    what = "waiting for the workers of the cluster: `ray status` tells what they do"
    print(f"subitize: {what} ({waited})", file=sys.stderr, flush=True)
    return now


def _said(problem: object) -> str:
    return " ".join(str(problem).split())[:300]


def _end(ray: Any, actor: _Actor) -> None:
    with contextlib.suppress(Exception):  # it may be gone, its node too
        ray.kill(actor.handle)
