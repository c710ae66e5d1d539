"""SIGKILL at random moments while a run paints and counts what is painted."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.runs.journal import read_lines
from subitize.runs.plan import read_trials
from tests.image_server import ImageServer

PER_CELL, CONCURRENCY, KILLS = 6, 4, 8
TRIALS = PER_CELL * 5 * 2
COMMAND = [
    sys.executable, "-m", "subitize", "run", "production", "--model", "openai/x?seed=1",
    "--per-cell", str(PER_CELL), "--max", "5", "--categories", "dots,apples",
    "--concurrency", str(CONCURRENCY), "--counter", "blobs", "--json",
]  # fmt: skip


def start(url: str, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "--base-url", url, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(url: str, out: Path) -> dict[str, Any]:
    process = start(url, out)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr.decode()
    (scores,) = orjson.loads(stdout)
    return {**scores, "run": ""}


def lines(out: Path, stage: str) -> list[dict[str, Any]]:
    """The stored responses to the trials of a stage."""
    found = []
    for folder in out.glob("*"):
        asked = {trial.id for trial in read_trials(folder) if trial.stage == stage}
        stored = [orjson.loads(line) for _, line in read_lines(folder / "responses.jsonl")]
        found += [line for line in stored if line["trial"] in asked]
    return found


@pytest.mark.budget(90)
@pytest.mark.timeout(300)
def test_killed_while_painting_or_counting_it_ends_as_if_unbroken(tmp_path: Path) -> None:
    out, rng = tmp_path / "killed", random.Random(5)
    with ImageServer(delay=0.05, painter="painter/shapes?blank=0.3") as server:
        for kill in range(KILLS):
            seen, stored = len(server.seen), len(lines(out, "paint"))
            process = start(server.url, out)
            deadline = time.monotonic() + 30
            while len(server.seen) == seen and process.poll() is None:
                assert time.monotonic() < deadline, "the run never asked"
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.25))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            time.sleep(0.1)  # the server ends what it had begun
            unstored = len(server.seen) - seen - (len(lines(out, "paint")) - stored)
            assert 0 <= unstored <= CONCURRENCY, f"kill {kill}"
        resumed = finish(server.url, out)
        asked = len(server.seen)
        unbroken = finish(server.url, tmp_path / "unbroken")
        assert asked <= (len(server.seen) - asked) + KILLS * CONCURRENCY
    assert resumed == unbroken
    assert resumed["trials"] == TRIALS
    assert len(resumed["attempts"]) > 1, "no picture was asked for again"
    painted, answers = lines(out, "paint"), lines(out, "count")
    assert max(Counter((one["trial"], one["attempt"]) for one in painted).values()) == 1
    assert len(answers) == len(painted)
    assert max(Counter(answer["trial"] for answer in answers).values()) == 1
