"""Models on a cluster: the same worker as a child process, as actors of Ray Core.

The driver keeps its own queue: a batch whose actor or node is lost goes to another actor once, and
only then counts as the model's own doing. Actors get a name, settings, bytes and JSON, never our
objects. Models that wait on a network stay with the driver, where a cluster would not help them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import inspect
import os
import re
import socket
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from subitize.errors import (
    BadInput,
    Hopeless,
    MissingExtra,
    SubitizeError,
    Unable,
    UnknownName,
    WorkerLost,
)
from subitize.models.base import METHODS, Kind, Model, ModelOptions
from subitize.models.child import Answerer, pack_item, problem_of
from subitize.models.function import FunctionModel
from subitize.runs.engines import Answered, Asked, Engine, EngineMaker, LocalEngine, telling
from subitize.runs.isolated import unpacked
from subitize.stimuli import render

ENGINES = ("local", "ray")
STARTS = 5
"""tries to start an actor"""
QUIET = {
    # no usage numbers to the makers, no words of every worker on our terminal
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    # a worker that asked for no GPU sees none: several on one would run out of memory
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
}


@dataclass(frozen=True)
class Cluster:
    """Which cluster, and what a worker takes of it."""

    address: str | None = None
    """of a running one; else one is started on this machine"""
    workers: int = 0
    """actors; 0: as many as fit"""
    gpus: float = 0.0
    """of each actor"""
    cpus: float = 1.0
    """of each actor"""

    def __post_init__(self) -> None:
        if self.workers < 0 or not self.gpus >= 0:
            raise BadInput(
                f"--workers is {self.workers} and --gpus-per-worker is {self.gpus:g}: give 0 or "
                "more of each."
            )

    def engine(self) -> EngineMaker:
        """What makes the engines of a run, which share the cluster."""
        sharing: list[RayEngine] = []

        def make(model: Model, kind: Kind, concurrency: int) -> Engine:
            engine = ray_engine(self, model, kind, concurrency)
            if isinstance(engine, RayEngine):
                engine.sharing = sharing
                sharing.append(engine)
            return engine

        return make


def check_engine(engine: str, address: str | None = None) -> str:
    """An engine's name, if there is one; an address needs Ray."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if address is not None and engine != "ray":
        raise BadInput("--ray-address names a Ray cluster: give --engine ray as well.")
    return engine


def load_ray() -> Any:
    """Ray, or a word on how to get it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise MissingExtra("--engine ray", "ray", "ray") from None
    return ray


def connect(cluster: Cluster) -> Any:
    """Ray, connected; a cluster that can't be reached is told."""
    ray = load_ray()
    if ray.is_initialized():
        return ray
    _check_address(cluster.address)
    try:
        ray.init(
            # without an address Ray would join whatever cluster it finds on this machine
            address=cluster.address or "local",
            include_dashboard=None if cluster.address else False,
            log_to_driver=False, configure_logging=False, namespace="subitize",
        )  # fmt: skip
    except (ConnectionError, ValueError, RuntimeError) as problem:
        raise _unreachable(cluster.address or "this machine", problem) from None
    return ray


def _unreachable(address: str, problem: Exception) -> BadInput:
    return BadInput(
        f"Ray can't be reached at {address}: {str(problem)[:200]}. Check --ray-address, that the "
        "cluster runs (`ray status`) and, if it asks for a token, that RAY_AUTH_MODE=token is set."
    )


def _check_address(address: str | None) -> None:
    """Ray itself waits for minutes before it says that nobody is there."""
    found = re.fullmatch(r"([^:/]+):(\d+)", address or "")
    if address is None or not found:
        return  # none, `auto`, or an address with a scheme of its own
    try:
        with socket.create_connection((found[1], int(found[2])), timeout=10):
            pass
    except OSError as problem:
        raise _unreachable(address, problem) from None


def places(ray: Any, cluster: Cluster) -> int:
    """How many workers the cluster has room for, or fewer if fewer are wanted."""
    there = ray.cluster_resources()
    fits = [there.get("CPU", 1.0) / cluster.cpus] if cluster.cpus else []
    if cluster.gpus:
        fits.append(there.get("GPU", 0.0) / cluster.gpus)
    many = int(min(fits, default=1))
    if many < 1:
        raise BadInput(
            f"The cluster has {there.get('CPU', 0):g} CPUs and {there.get('GPU', 0):g} GPUs: no "
            f"worker with {cluster.cpus:g} and {cluster.gpus:g} fits. Lower --gpus-per-worker."
        )
    return min(many, cluster.workers) if cluster.workers else many


def new_actor(ray: Any, cluster: Cluster, kind: type, *arguments: Any) -> Any:
    """An actor that is not started again by itself: the driver knows what it lost."""
    remote = ray.remote(kind).options(
        num_cpus=cluster.cpus, num_gpus=cluster.gpus, max_restarts=0, max_task_retries=0,
        scheduling_strategy="SPREAD", runtime_env={"env_vars": {"POLARS_MAX_THREADS": "1"}},
    )  # fmt: skip
    return remote.remote(*arguments)


class Worker:
    """The actor: a model that answers batches; what goes in and out are bytes."""

    def __init__(self, hello: bytes) -> None:
        self._answerer: Answerer | None = None
        self._problem: dict[str, Any] = {}
        try:
            self._answerer = Answerer(orjson.loads(hello))
        except SubitizeError as problem:
            self._problem = problem_of(problem)

    def ready(self) -> dict[str, Any]:
        """Empty once the model is open, else what is wrong with it."""
        return self._problem

    def answer(self, batch: bytes) -> bytes:
        assert self._answerer is not None
        found = self._answerer.answer(orjson.loads(batch))
        return orjson.dumps(found, option=orjson.OPT_SERIALIZE_NUMPY)


def ray_engine(cluster: Cluster, model: Model, kind: Kind, concurrency: int) -> Engine:
    """The engine of one respondent; what can't be sent to a cluster is told at once."""
    if isinstance(model, FunctionModel):
        raise BadInput(
            f"{model.respondent} is a function of this program and can't be sent to a cluster: "
            "leave out --engine ray, or make it a package with an entry point."
        )
    if inspect.iscoroutinefunction(getattr(model, METHODS[kind])):
        return LocalEngine(model, kind, concurrency)
    return RayEngine(cluster, model, kind)


class RayEngine:
    """Actors of one model, each with one batch at a time.

    A lost actor is replaced beside the work: a cluster that lost a node has room for fewer, and
    those that are left go on.
    """

    def __init__(self, cluster: Cluster, model: Model, kind: Kind) -> None:
        self._cluster, self._model = cluster, model
        self._options = model.options or ModelOptions()
        hello = {"name": model.opened_by, "options": asdict(self._options), "kind": kind}
        self._hello = orjson.dumps(hello)
        self._ray = connect(cluster)
        self._room = places(self._ray, cluster)
        self.capacity = 2 * model.batch_size * self._room
        self.sharing: list[RayEngine] = [self]
        """the engines of one run, which compute side by side"""
        self._idle: asyncio.Queue[Any] = asyncio.Queue()
        self._actors: list[Any] = []
        self._starting: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Ready when the first actor is; the others join as they come."""
        # All engines of a run compute side by side: one must not take the others' places.
        share = self._room / len(self.sharing)
        if share < 1:
            self._cluster = replace(
                self._cluster, cpus=self._cluster.cpus * share, gpus=self._cluster.gpus * share
            )
        started = [asyncio.create_task(self._join()) for _ in range(max(1, int(share)))]
        self._starting.update(started)
        async with telling(f"waiting for a worker of the cluster for {self._model.respondent}"):
            done, _ = await asyncio.wait(started, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()  # a model that can't be opened is told

    async def close(self) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for actor in list(self._actors):
            self._end(actor)
        if self in self.sharing:
            self.sharing.remove(self)

    async def submit(self, asked: Sequence[Asked]) -> list[Answered]:
        message = orjson.dumps([_packed(*one) for one in asked])
        allowed = self._options.timeout * len(asked)
        begun = time.perf_counter()
        try:
            found = await self._exchange(message, allowed)
        except WorkerLost:
            # an actor or its node is gone, perhaps for no fault of the model: once more elsewhere
            found = await self._exchange(message, allowed)
        return unpacked(found, time.perf_counter() - begun)

    async def _exchange(self, message: bytes, allowed: float) -> dict[str, Any]:
        """One batch on the next idle actor; a lost one is replaced meanwhile."""
        actor = await self._next_idle()
        try:
            answered = await self._wait(actor.answer.remote(message), allowed)
        except BaseException:
            self._end(actor)
            self._starting.add(asyncio.create_task(self._join()))
            raise
        self._idle.put_nowait(actor)
        found: dict[str, Any] = orjson.loads(answered)
        return found

    async def _next_idle(self) -> Any:
        """An actor that is free; none within the time of loading is a cluster without room."""
        try:
            async with telling("no worker of the cluster is free: `ray status` tells why"):
                return await asyncio.wait_for(self._idle.get(), self._options.load_timeout)
        except TimeoutError:
            raise Hopeless(
                f"No worker of the cluster was free for {self._options.load_timeout:g} seconds: "
                "look at `ray status`, then run the same command again; it goes on."
            ) from None

    async def _join(self) -> None:
        """Start an actor and let it take batches; while nodes are lost it may take some tries."""
        for _ in range(STARTS):
            try:
                self._idle.put_nowait(await self._started())
                return
            except WorkerLost as problem:
                lost = problem
                await asyncio.sleep(1)
        raise Hopeless(
            f"Workers of the cluster do not start: {lost}. Is subitize installed on every node, "
            "in the same version?"
        )

    async def _started(self) -> Any:
        actor = new_actor(self._ray, self._cluster, Worker, self._hello)
        self._actors.append(actor)
        try:
            problem = await self._wait(actor.ready.remote(), self._options.load_timeout)
        except WorkerLost:
            self._end(actor)
            raise
        if problem:
            raise (Unable if problem["unable"] else Hopeless)(problem["problem"])
        return actor

    async def _wait(self, reference: Any, allowed: float) -> Any:
        errors = self._ray.exceptions
        try:
            return await asyncio.wait_for(asyncio.wrap_future(reference.future()), allowed)
        except TimeoutError:
            raise WorkerLost(f"it gave no answer within {allowed:g} seconds") from None
        except errors.RayTaskError as problem:
            raise WorkerLost(str(problem.cause)[:300]) from None
        except errors.RayError as problem:
            raise WorkerLost(" ".join(str(problem).split())[:300]) from None

    def _end(self, actor: Any) -> None:
        if actor in self._actors:
            self._actors.remove(actor)
        with contextlib.suppress(Exception):  # it may be gone, its node too
            self._ray.kill(actor)


def _packed(stimulus: Any, item: Any) -> dict[str, Any]:
    """What an actor needs of a trial; a picture that lies here travels with it."""
    packed = pack_item(stimulus, item)
    if stimulus.kind == "file":
        picture = render(stimulus)
        packed |= {"picture": base64.b64encode(picture.png).decode(), "sha256": picture.sha256}
    return packed
