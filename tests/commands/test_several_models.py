"""Several models in one command: one budget, and Ctrl-C ends all of it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import orjson
import pytest

from tests.chat_server import ChatServer

SMALL = [
    "--per-cell", "4", "--max", "5", "--size", "64", "--categories", "dots", "--prompt", "things",
]  # fmt: skip
TRIALS = 20


def command(url: str, out: Path, *words: str) -> list[str]:
    return [
        sys.executable, "-m", "subitize", "run", "naming", "--model", "openai/a",
        "--model", "openai/b", "--base-url", url, "--out", str(out), *SMALL, "--json", *words,
    ]  # fmt: skip


@pytest.mark.budget(30)
def test_the_budget_is_that_of_the_command(tmp_path: Path) -> None:
    with ChatServer() as server:
        words = command(server.url, tmp_path, "--budget-calls", str(TRIALS + 5))
        done = subprocess.run(words, capture_output=True, timeout=900, check=False)
        assert done.returncode == 1
        assert len(server.seen) == TRIALS + 5
        assert [run["asked"] for run in orjson.loads(done.stdout)] == [TRIALS, 5]
        done = subprocess.run(words, capture_output=True, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
        assert len(server.seen) == 2 * TRIALS
        assert not [key for key, times in server.repeats().items() if times > 2]


@pytest.mark.budget(30)
def test_ctrl_c_asks_no_further_model(tmp_path: Path) -> None:
    released = threading.Event()

    async def held(number: int, *_: object) -> None:
        while number >= 3 and not released.is_set():
            await asyncio.sleep(0.02)

    with ChatServer(held) as server:
        words = command(server.url, tmp_path, "--concurrency", "2")
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while len(server.seen) < 4:
            assert child.poll() is None, "it ended before it was interrupted"
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        said = b""
        while b"in flight" not in said:
            assert child.poll() is None, "it ended without a word"
            said = child.stderr.readline()
        released.set()
        shown, said = child.communicate(timeout=900)
        assert child.returncode == 1
        assert b"openai/a: stopped: interrupted" in said
        assert b"openai/b: not asked" in said
        assert [run["model"] for run in orjson.loads(shown)] == ["openai/a"]
        assert len(server.seen) < TRIALS
        assert [path.name[:15] for path in tmp_path.iterdir()] == ["naming-openai-a"]


@pytest.mark.budget(30)
def test_a_dead_server_is_the_last_word_and_no_table_is_shown(tmp_path: Path) -> None:
    words = command("http://127.0.0.1:9/v1", tmp_path, "--wait", "1")
    words.remove("--json")
    # one screen: both streams together, in the order in which they come
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False
    )
    assert done.returncode == 1
    lines = done.stdout.strip().splitlines()
    assert "nothing was read" in done.stdout
    assert "accuracy" not in done.stdout
    assert lines[-1].startswith("openai/b: stopped: http://127.0.0.1:9/v1 does not answer")
    assert "Check that the server runs and that --base-url is right" in lines[-1]
