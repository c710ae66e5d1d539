"""SIGKILL at random moments while a run paints and counts what is painted."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.image_server import ImageServer
from tests.runs.killing import kill_after, stored

PER_CELL, CONCURRENCY, KILLS = 6, 4, 8
TRIALS = PER_CELL * 5 * 2


def command(url: str, out: Path) -> list[str]:
    return [
        sys.executable, "-m", "subitize", "run", "production", "--model", "openai/x?seed=1",
        "--per-cell", str(PER_CELL), "--max", "5", "--categories", "dots,apples",
        "--concurrency", str(CONCURRENCY), "--counter", "blobs", "--json",
        "--base-url", url, "--out", str(out),
    ]  # fmt: skip


def finish(url: str, out: Path) -> dict[str, Any]:
    done = subprocess.run(command(url, out), capture_output=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr.decode()
    (scores,) = orjson.loads(done.stdout)
    return {**scores, "run": ""}


@pytest.mark.budget(90)
def test_killed_while_painting_or_counting_it_ends_as_if_unbroken(tmp_path: Path) -> None:
    out, rng = tmp_path / "killed", random.Random(5)
    with ImageServer(delay=0.05, painter="painter/shapes?blank=0.3") as server:
        for kill in range(KILLS):
            seen, before = len(server.seen), len(stored(out, "paint"))
            words, wait = command(server.url, out), rng.uniform(0, 0.25)
            kill_after(words, server, lambda: len(server.seen), wait)
            unstored = len(server.seen) - seen - (len(stored(out, "paint")) - before)
            assert 0 <= unstored <= CONCURRENCY, f"kill {kill}"
        resumed = finish(server.url, out)
        asked = len(server.seen)
        unbroken = finish(server.url, tmp_path / "unbroken")
        assert asked <= (len(server.seen) - asked) + KILLS * CONCURRENCY
    assert resumed == unbroken
    assert resumed["trials"] == TRIALS
    assert len(resumed["attempts"]) > 1, "no picture was asked for again"
    painted, answers = stored(out, "paint"), stored(out, "count")
    assert max(Counter((one["trial"], one["attempt"]) for one in painted).values()) == 1
    assert len(answers) == len(painted)
    assert max(Counter(answer["trial"] for answer in answers).values()) == 1
