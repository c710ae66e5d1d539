"""On a cluster: the same results as here, whatever is lost on the way."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from subitize.captions.counting import Counting, count_captions
from subitize.captions.progress import Progress
from subitize.captions.ray_workers import RayWorkers
from subitize.captions.store import UNITS
from subitize.errors import BadInput, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.models.function import function_model
from subitize.runs.ray_engine import Cluster, check_engine, ray_engine
from tests.ray.conftest import TwoNodes, wait_for

pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.timeout(400),
    # Ray's own: files and processes that its shutdown leaves to the collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray", "ignore::DeprecationWarning:ray"),
]  # fmt: skip
GROUPS, ROWS = 24, 4000
TURNS = range(int(os.environ.get("SUBITIZE_KILLS", "1")))
"""how often each kind of loss is tried, at moments of its own: five before an issue is closed"""


def moment(turn: int, most: int) -> int:
    """So many lines are stored when something is lost."""
    return random.Random(turn).randint(1, most)


def lines_in(folder: Path, name: str) -> int:
    found = list(folder.glob(f"*/{name}"))
    return found[0].read_bytes().count(b"\n") if found else 0


def start(*arguments: str) -> subprocess.Popen[bytes]:
    call = [sys.executable, "-m", "subitize", *arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(call, stdout=quiet, stderr=quiet, start_new_session=True)


def lose(nodes: TwoNodes, what: str, process: subprocess.Popen[bytes]) -> None:
    """Kill a worker, a node or the driver."""
    if what == "worker":
        wait_for(nodes.kill_worker)
    elif what == "node":
        nodes.kill_node()
    else:
        os.killpg(process.pid, signal.SIGKILL)


def run_losing(
    nodes: TwoNodes, what: str, arguments: list[str], stored: Callable[[], int], at: int
) -> None:
    """The command, with something lost once so much is stored; a killed driver is run again."""
    address = ["--engine", "ray", "--ray-address", nodes.address, "--workers", "2"]
    process = start(*arguments, *address)
    wait_for(lambda: stored() >= at or process.poll() is not None)
    assert process.poll() is None, "it ended before anything was lost"
    lose(nodes, what, process)
    if what == "driver":
        process.wait()
        process = start(*arguments, *address)
    if what == "node":
        nodes.add_node()
    while process.poll() is None:
        last = stored()
        try:
            process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            assert stored() > last, "no progress for 120 seconds"
    assert process.returncode == 0


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Captions that need a close look, so that there is time to lose something."""
    path = tmp_path_factory.mktemp("corpus") / "slow.parquet"
    texts = [f"A Photo of {n % 30 + 1} Tall Trees, {n % 7} km From Town {n}" for n in range(ROWS)]
    table = pa.table({"caption": texts * GROUPS})
    pq.write_table(table, path, row_group_size=ROWS)
    return path


@pytest.mark.budget(60)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("what", ["worker", "node", "driver"])
def test_captions_survive(
    nodes: TwoNodes, corpus: Path, tmp_path: Path, what: str, turn: int
) -> None:
    local = count_captions([str(corpus)], tmp_path / "local", Counting(), Progress(show=False))[1]
    out = tmp_path / "ray"
    command = ["captions", str(corpus), "--out", str(out)]
    run_losing(nodes, what, command, lambda: lines_in(out, UNITS), moment(turn, 12))
    (folder,) = out.iterdir()
    result = json.loads((folder / "result.json").read_text())
    assert {**result, "cache": 0} == {**local, "cache": 0}
    assert lines_in(out, UNITS) == GROUPS


def answers(folder: Path) -> list[tuple[Any, ...]]:
    lines = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    return sorted((one["trial"], one["attempt"], one["value"], one["sha256"]) for one in lines)


def naming(out: Path) -> list[str]:
    settings = ["--per-cell", "4", "--prompt", "things", "--set", "control=false", "--size", "512"]
    return ["run", "naming", "--model", "sim/observer", "--out", str(out), *settings]


@pytest.fixture(scope="module")
def locally(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local")
    assert start(*naming(out)).wait() == 0
    (folder,) = out.iterdir()
    return folder


@pytest.mark.budget(60)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("what", ["worker", "node", "driver"])
def test_runs_survive(nodes: TwoNodes, locally: Path, tmp_path: Path, what: str, turn: int) -> None:
    out = tmp_path / "ray"
    run_losing(nodes, what, naming(out), lambda: lines_in(out, "responses.jsonl"), moment(turn, 60))
    (folder,) = out.iterdir()
    assert answers(folder) == answers(locally)
    both = [json.loads((one / "scores.json").read_text()) for one in (folder, locally)]
    assert both[0] == both[1]


@pytest.mark.budget(60)
def test_a_painter_and_its_counter_share_the_cluster(nodes: TwoNodes, tmp_path: Path) -> None:
    """Painted pictures come back as bytes and travel to the counter as bytes."""
    model = ["run", "production", "--model", "painter/shapes", "--max", "3", "--per-cell", "1"]
    command = [*model, "--categories", "apples,dots"]
    cluster = ["--engine", "ray", "--ray-address", nodes.address]
    assert start(*command, "--out", str(tmp_path / "local")).wait() == 0
    assert start(*command, "--out", str(tmp_path / "ray"), *cluster).wait() == 0
    found = [answers(next((tmp_path / one).iterdir())) for one in ("local", "ray")]
    assert found[0] == found[1]
    assert len(found[0]) > 6


def test_what_cant_be_sent_is_told_at_once() -> None:
    def mine(picture: bytes, question: str) -> str:
        return "7"

    with pytest.raises(BadInput, match="can't be sent to a cluster"):
        ray_engine(Cluster(), function_model(mine, "namer"), "namer", 1)
    with pytest.raises(UnknownName, match="did you mean 'ray'"):
        check_engine("rya")
    with pytest.raises(BadInput, match="--engine ray as well"):
        check_engine("local", "1.2.3.4:5")
    waiting = open_model("openai/gpt-4o", ModelOptions("http://127.0.0.1:1"))
    assert type(ray_engine(Cluster(), waiting, "namer", 4)).__name__ == "LocalEngine"


def test_an_unreachable_cluster_is_told(tmp_path: Path) -> None:
    call = [
        sys.executable,
        "-m",
        "subitize",
        "captions",
        str(tmp_path / "a.tsv"),
        "--engine",
        "ray",
    ]
    (tmp_path / "a.tsv").write_text("two dogs\thttp://x\n")
    done = subprocess.run(
        [*call, "--ray-address", "127.0.0.1:1", "--out", str(tmp_path / "out")],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Check --ray-address" in done.stderr


def test_workers_are_made_from_names_and_bytes() -> None:
    assert RayWorkers(Cluster(), "textblob").tagger == "textblob"
