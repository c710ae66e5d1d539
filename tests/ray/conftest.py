"""One cluster of two nodes on this machine for all tests with Ray."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from subitize.runs.ray_engine import QUIET

os.environ.update(QUIET)
HEAD_CPUS = 1
RECORD = Path(__file__).parents[2] / "docs" / "ray_kills.json"


class TwoNodes:
    """A head and a second node that can be taken away and put back."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": HEAD_CPUS, "include_dashboard": False}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.address = str(self._cluster.address)
        self._second: Any = None
        self.add_node()

    def add_node(self) -> None:
        if self._second is None:
            self._second = self._cluster.add_node(num_cpus=1)

    def kill_node(self) -> None:
        """As a machine that loses its power."""
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._second = None

    def kill_worker(self) -> bool:
        """One of our actors' processes, if there is any."""
        found = self.workers()
        for pid in found[:1]:
            os.kill(pid, signal.SIGKILL)
        return bool(found)

    def workers(self) -> list[int]:
        """The processes of our actors."""
        ours = (b"ray::RayCounter", b"ray::Worker")
        return [pid for pid in _below(os.getpid()) if _command(pid).startswith(ours)]

    def shutdown(self) -> None:
        import ray

        if ray.is_initialized():
            ray.shutdown()
        self._cluster.shutdown()


class Loss(NamedTuple):
    """Something that was killed under a command, and what came of it."""

    lost: str
    """worker, node or driver"""
    command: str
    stored_before: int
    """units or responses, when it was lost"""
    stored_after: int
    """at the end"""
    asked_again: int
    """units or trials that actors got twice"""
    seconds: float
    """from the loss to the end"""


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _below(pid: int) -> list[int]:
    """All processes that descend from one."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def wait_for(condition: Any, seconds: float = 900.0) -> None:
    """Until it holds; a hang is a failure."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"nothing happened for {seconds:g} seconds"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[TwoNodes]:
    found = TwoNodes()
    yield found
    found.shutdown()


@pytest.fixture(scope="session")
def losses() -> Iterator[list[Loss]]:
    """What was lost in this session; kept for the docs where more was tried than in CI."""
    found: list[Loss] = []
    yield found
    if int(os.environ.get("SUBITIZE_KILLS", "1")) > 1:
        lines = [json.dumps(one._asdict()) for one in found]
        RECORD.write_text("[\n" + ",\n".join(lines) + "\n]\n")


@pytest.fixture
def nodes(two_nodes: TwoNodes) -> TwoNodes:
    """Both nodes up, whatever a test before did."""
    two_nodes.add_node()
    return two_nodes
