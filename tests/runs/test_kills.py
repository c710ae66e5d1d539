"""Real SIGKILLs of a real child process at random moments, and Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from subitize.runs.journal import read_lines
from tests.chat_server import ChatServer

PER_CELL, CONCURRENCY = 20, 8
TRIALS = PER_CELL * 10 * 2  # dots and apples, 1..10, one prompt form, no control
LONG_WAIT = 300
"""seconds that a busy server asks for"""
COMMAND = [
    sys.executable, "-m", "subitize", "run", "naming", "--model", "openai/x",
    "--per-cell", str(PER_CELL), "--size", "128", "--categories", "dots,apples",
    "--prompt", "things", "--set", "control=false", "--concurrency", str(CONCURRENCY), "--json",
]  # fmt: skip


def start(url: str, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "--base-url", url, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(url: str, out: Path) -> list[dict[str, Any]]:
    process = start(url, out)
    stdout, stderr = process.communicate(timeout=900)
    assert process.returncode == 0, stderr.decode()
    return list(orjson.loads(stdout))


def stored_lines(out: Path) -> int:
    return sum(1 for path in out.glob("*/responses.jsonl") for _ in read_lines(path))


def answered(out: Path) -> dict[str, tuple[str, str]]:
    """What was shown, by its pixels, and what was said, by trial."""
    lines = (line for path in out.glob("*/responses.jsonl") for _, line in read_lines(path))
    return {one["trial"]: (one["sha256"], one["value"]) for one in map(orjson.loads, lines)}


@pytest.mark.budget(120)
def test_twenty_kills_lose_nothing_and_repeat_only_what_was_in_flight(tmp_path: Path) -> None:
    out, rng = tmp_path / "killed", random.Random(7)
    with ChatServer(delay=0.08) as server:
        for kill in range(20):
            seen, lines = len(server.seen), stored_lines(out)
            process = start(server.url, out)
            # Let it come to asking, then strike at a random moment.
            deadline = time.monotonic() + 900
            while len(server.seen) == seen and process.poll() is None:
                assert time.monotonic() < deadline, "the run never asked"
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.25))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            server.settle()
            unstored = (len(server.seen) - seen) - (stored_lines(out) - lines)
            assert 0 <= unstored <= CONCURRENCY, f"kill {kill}"
        assert stored_lines(out) < TRIALS, "the kills came too late to test anything"
        (resumed,) = finish(server.url, out)
        assert len(server.seen) <= TRIALS + 20 * CONCURRENCY
        assert stored_lines(out) == TRIALS
        (unbroken,) = finish(server.url, tmp_path / "unbroken")
    assert resumed["trials"] == unbroken["trials"] == TRIALS
    assert answered(out) == answered(tmp_path / "unbroken")
    assert {**resumed, "run": ""} == {**unbroken, "run": ""}


def test_ctrl_c_finishes_what_is_in_flight(tmp_path: Path) -> None:
    released = threading.Event()

    async def held(*_: Any) -> None:
        while not released.is_set():
            await asyncio.sleep(0.02)

    with ChatServer(held) as server:  # nothing is answered before the interrupt was heard
        process = start(server.url, tmp_path)
        while not server.seen:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        assert process.stderr is not None
        while b"in flight" not in process.stderr.readline():
            assert process.poll() is None, "it ended without a word"
        released.set()
        stdout, stderr = process.communicate(timeout=900)
        assert process.returncode == 1
        assert b"interrupted" in stderr
        assert b"Traceback" not in stderr
        assert orjson.loads(stdout)[0]["asked"] == stored_lines(tmp_path) == len(server.seen)
        assert 0 < len(server.seen) <= CONCURRENCY
        finish(server.url, tmp_path)
        assert len(server.seen) == TRIALS


def test_ctrl_c_does_not_wait_for_a_busy_server(tmp_path: Path) -> None:
    """Trials that wait for another try stay unasked; nothing waits out a long Retry-After."""

    def busy(number: int, *_: Any) -> web.Response | None:
        return (
            web.Response(status=429, headers={"Retry-After": f"{LONG_WAIT}"})
            if number >= 3
            else None
        )

    with ChatServer(busy) as server:
        process = start(server.url, tmp_path)
        while len(server.seen) < 4:
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=900)
        assert len(server.seen) <= 3 + CONCURRENCY, "it waited until it could try again"
        assert process.returncode == 1, stderr
        assert stored_lines(tmp_path) == 3
        assert orjson.loads(stdout)[0]["failed"] == 0
