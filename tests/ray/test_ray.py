"""On a cluster: the same results as here, whatever is lost on the way."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from subitize.captions import ray_workers
from subitize.captions.counting import Counting, count_captions
from subitize.captions.progress import Progress
from subitize.captions.ray_workers import IN_FLIGHT, RayWorkers
from subitize.captions.store import UNITS
from subitize.errors import BadInput, SubitizeError, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.models.function import function_model
from subitize.runs.ray_engine import Cluster, check_engine, ray_engine
from tests.models.tiny_clip import save_tiny_clip
from tests.ray.conftest import Loss, TwoNodes, wait_for

pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.timeout(400),
    # Ray's own: files and processes that its shutdown leaves to the collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray", "ignore::DeprecationWarning:ray"),
]  # fmt: skip
GROUPS, ROWS, WORKERS = 24, 4000, 2
MODEL = "counter/blobs"
BATCH = open_model(MODEL).batch_size
"""trials that a worker has in hand"""
TURNS = range(int(os.environ.get("SUBITIZE_KILLS", "1")))
"""how often each kind of loss is tried, at moments of its own: five before an issue is closed"""


def moment(what: str, turn: int, most: int) -> int:
    """So many lines are stored when something is lost."""
    return random.Random(f"{what} {turn}").randint(1, most)


def lines_in(folder: Path, name: str) -> int:
    found = list(folder.glob(f"*/{name}"))
    return found[0].read_bytes().count(b"\n") if found else 0


def start(
    *arguments: str, notes: Path | None = None, most: int = sys.maxsize
) -> subprocess.Popen[bytes]:
    """The command in a process of its own; with notes of all that it asks of actors.

    Before it asks for more than `most` it waits until it may go on (`go_on`).
    """
    noted = [str(Path(__file__).with_name("noting_calls.py")), str(notes), str(most)]
    call = [sys.executable, *(noted if notes else ("-m", "subitize")), *arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(call, stdout=quiet, stderr=quiet, start_new_session=True)


def go_on(notes: Path) -> None:
    notes.with_suffix(".go").touch()


def asked_again(notes: Path) -> int:
    """What was asked of actors more than once."""
    lines = notes.read_text().splitlines()
    return len(lines) - len(set(lines))


def lose(nodes: TwoNodes, what: str, process: subprocess.Popen[bytes]) -> None:
    """Kill a worker, a node or the driver."""
    if what == "worker":
        wait_for(nodes.kill_worker)
    elif what == "node":
        nodes.kill_node()
    else:
        os.killpg(process.pid, signal.SIGKILL)


def run_losing(
    nodes: TwoNodes, what: str, arguments: list[str], stored: Callable[[], int], at: int, most: int
) -> Loss:
    """The command, with something lost once so much is stored; a killed driver is run again.

    It does not ask for more than `most` before.
    """
    address = ["--engine", "ray", "--ray-address", nodes.address, "--workers", str(WORKERS)]
    notes = Path(arguments[arguments.index("--out") + 1]).with_suffix(".notes")
    process = start(*arguments, *address, notes=notes, most=most)
    wait_for(lambda: stored() >= at or process.poll() is not None)
    assert process.poll() is None, "it ended before anything was lost"
    before, begun = stored(), time.monotonic()
    lose(nodes, what, process)
    go_on(notes)
    if what == "driver":
        process.wait()
        process = start(*arguments, *address, notes=notes)
    if what == "node":
        nodes.add_node()
    while process.poll() is None:
        last = stored()
        try:
            process.wait(timeout=900)
        except subprocess.TimeoutExpired:
            assert stored() > last, "no progress for 900 seconds"
    assert process.returncode == 0
    return Loss(what, arguments[0], before, stored(), asked_again(notes), time.monotonic() - begun)


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
    nodes: TwoNodes, losses: list[Loss], corpus: Path, tmp_path: Path, what: str, turn: int
) -> None:
    local = count_captions([str(corpus)], tmp_path / "local", Counting(), Progress(show=False))[1]
    out = tmp_path / "ray"
    command = ["captions", str(corpus), "--out", str(out)]
    at, in_flight = moment(what, turn, GROUPS // 2), WORKERS * IN_FLIGHT
    loss = run_losing(nodes, what, command, lambda: lines_in(out, UNITS), at, at + in_flight)
    (folder,) = out.iterdir()
    result = json.loads((folder / "result.json").read_text())
    assert {**result, "cache": 0} == {**local, "cache": 0}
    assert loss.stored_after == GROUPS
    assert loss.asked_again <= in_flight
    losses.append(loss)


@pytest.mark.budget(60)
def test_nodes_that_join_later_count_too(nodes: TwoNodes, corpus: Path, tmp_path: Path) -> None:
    nodes.kill_node()
    out, notes = tmp_path / "ray", tmp_path / "ray.notes"
    address = ["--engine", "ray", "--ray-address", nodes.address]
    process = start("captions", str(corpus), "--out", str(out), *address, notes=notes, most=1)
    try:
        wait_for(notes.with_suffix(".held").exists)
        # stopped, the only worker can't count all before another joins
        (first,) = nodes.workers()
        os.kill(first, signal.SIGSTOP)
        go_on(notes)
        nodes.add_node()
        wait_for(lambda: len(nodes.workers()) == WORKERS)
        os.kill(first, signal.SIGCONT)
        assert process.wait() == 0
    finally:
        process.kill()
        nodes.add_node()


def answers(folder: Path) -> list[tuple[Any, ...]]:
    lines = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    return sorted((one["trial"], one["attempt"], one["value"], one["sha256"]) for one in lines)


def naming(out: Path) -> list[str]:
    settings = ["--per-cell", "2", "--prompt", "things", "--set", "control=false", "--size", "512"]
    return ["run", "naming", "--model", MODEL, "--out", str(out), *settings]


@pytest.fixture(scope="module")
def locally(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local")
    assert start(*naming(out)).wait() == 0
    (folder,) = out.iterdir()
    return folder


@pytest.mark.budget(60)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("what", ["worker", "node", "driver"])
def test_runs_survive(
    nodes: TwoNodes, losses: list[Loss], locally: Path, tmp_path: Path, what: str, turn: int
) -> None:
    out = tmp_path / "ray"
    at, trials = moment(what, turn, 60), len(answers(locally))
    in_flight = WORKERS * BATCH
    loss = run_losing(
        nodes, what, naming(out), lambda: lines_in(out, "responses.jsonl"), at, at + in_flight
    )
    (folder,) = out.iterdir()
    assert answers(folder) == answers(locally)
    assert (folder / "scores.json").read_bytes() == (locally / "scores.json").read_bytes()
    assert loss.stored_after == trials
    assert loss.asked_again <= in_flight
    losses.append(loss)


KINDS = {
    "painter and counter": (
        "production", "--model", "painter/shapes", "--max", "3", "--per-cell", "1",
        "--categories", "apples,dots",
    ),
    "matcher": ("probe", "--model", "sim/matcher", "--set", "items=24"),
    "filler": ("probe", "--model", "sim/filler", "--set", "items=24", "--set", "task=mlm"),
    "namer": ("naming", "--model", "sim/observer", "--max", "4", "--per-cell", "1"),
}  # fmt: skip


@pytest.mark.budget(60)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_computes_on_the_cluster(
    nodes: TwoNodes, tmp_path: Path, kind: str
) -> None:
    """Painted pictures come back as bytes and travel to the counter as bytes."""
    same_on_the_cluster(nodes, tmp_path, KINDS[kind])


@pytest.mark.budget(90)
def test_a_checkpoint_computes_on_the_cluster(nodes: TwoNodes, tmp_path: Path) -> None:
    """A real model of transformers with tiny random weights."""
    pytest.importorskip("transformers", reason="needs the extra hf")
    model = f"hf/{save_tiny_clip(tmp_path / 'clip')}"
    same_on_the_cluster(nodes, tmp_path, ("probe", "--model", model, "--set", "items=8"))


def same_on_the_cluster(nodes: TwoNodes, out: Path, arguments: Sequence[str]) -> None:
    """A run here and there: the same answers and scores, and all of them asked of actors."""
    command = ["run", *arguments, "--out"]
    cluster = ["--engine", "ray", "--ray-address", nodes.address]
    assert start(*command, str(out / "local")).wait() == 0
    notes = out / "ray.notes"
    assert start(*command, str(out / "ray"), *cluster, notes=notes).wait() == 0
    local, ray = (next((out / one).iterdir()) for one in ("local", "ray"))
    assert answers(ray) == answers(local)
    assert (ray / "scores.json").read_bytes() == (local / "scores.json").read_bytes()
    assert len(notes.read_text().splitlines()) == len(answers(local)), "not all asked of actors"


def test_a_cluster_without_gpus_is_told(nodes: TwoNodes, tmp_path: Path) -> None:
    cluster = ["--engine", "ray", "--ray-address", nodes.address, "--gpus-per-worker", "1"]
    call = [sys.executable, "-m", "subitize", *naming(tmp_path / "out"), *cluster]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "0 GPUs: no worker with 1 and 1 fits. Lower --gpus-per-worker" in done.stderr


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
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Check --ray-address" in done.stderr
    assert "RAY_AUTH_MODE=token" in done.stderr


def test_a_silent_cluster_is_told_of_and_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing ends and nothing is lost, as on a cluster whose nodes hang."""

    class Hanging:
        def wait(self, waiting: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
            time.sleep(0.01)
            return [], waiting

    monkeypatch.setattr(ray_workers, "SILENCE", 0.02)
    monkeypatch.setattr(ray_workers, "STALLED", 0.2)
    workers = RayWorkers(Cluster(), "textblob")
    starting = ray_workers._Actor(None)
    workers._actors.append(starting)
    workers._starting["ready"] = starting
    with pytest.raises(SubitizeError, match="run the same command again; it goes on"):
        list(workers._results(Hanging(), iter(())))
    assert capsys.readouterr().err.count("`ray status` tells what they do") > 1


def test_workers_are_made_from_names_and_bytes() -> None:
    assert RayWorkers(Cluster(), "textblob").tagger == "textblob"
