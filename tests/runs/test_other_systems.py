"""Runs where Linux's calls are missing, as on macOS and Windows: the names are taken away."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.chat_server import ChatServer
from tests.runs.conftest import responses_of

WITHOUT = """
import asyncio, os, sys, types
import fcntl as real

def away(*names):
    for name in names:
        if hasattr(os, name):
            delattr(os, name)

away("fdatasync", "posix_fallocate", "posix_fadvise", "fork", "forkpty")
if sys.argv[1] == "bare":
    sys.modules["msvcrt"] = sys.modules["fcntl"] = None
if sys.argv[1] == "windows":
    away("O_CLOEXEC", "setsid", "killpg")
    windows = types.ModuleType("msvcrt")
    windows.LK_NBLCK = 2
    def locking(descriptor, mode, many):
        assert (mode, many) == (2, 1)
        real.flock(descriptor, real.LOCK_EX | real.LOCK_NB)
    windows.locking = locking
    sys.modules["msvcrt"] = windows
    sys.modules["fcntl"] = None
    opened = os.open
    def folders_can_not_be_opened(path, *more, **named):
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied")
        return opened(path, *more, **named)
    os.open = folders_can_not_be_opened
    def missing(self, *_):
        raise NotImplementedError
    asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler = missing
    asyncio.unix_events._UnixSelectorEventLoop.remove_signal_handler = missing

from subitize.cli import main
sys.argv[1:] = sys.argv[2:]
main()
"""


def command(system: str, url: str, out: Path) -> list[str]:
    return [
        sys.executable, "-c", WITHOUT, system, "run", "naming", "--model", "openai/x",
        "--base-url", url, "--out", str(out), "--per-cell", "2", "--max", "3", "--size", "64",
        "--categories", "dots", "--prompt", "things", "--concurrency", "2",
    ]  # fmt: skip


@pytest.mark.parametrize("system", ["macos", "windows", "bare"])
def test_a_run_is_made_and_resumed(system: str, tmp_path: Path) -> None:
    with ChatServer() as server:
        for _ in range(2):
            done = subprocess.run(
                command(system, server.url, tmp_path), capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
        asked = len(server.seen)
        (folder,) = tmp_path.iterdir()
        assert len(responses_of(folder)) == asked == len(set(server.seen))


@pytest.mark.parametrize("system", ["macos", "windows"])
def test_one_writer_and_gentle_interrupts(system: str, tmp_path: Path) -> None:
    released = threading.Event()

    async def held(*_: object) -> None:
        while not released.is_set():
            await asyncio.sleep(0.02)

    with ChatServer(held) as server:
        first = subprocess.Popen(
            command(system, server.url, tmp_path), stderr=subprocess.PIPE, text=True
        )
        while len(server.seen) < 2:
            time.sleep(0.02)
        second = subprocess.run(
            command(system, server.url, tmp_path), capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert "Another process writes" in second.stderr
        first.send_signal(signal.SIGINT)
        assert first.stderr is not None
        assert "requests" in first.stderr.readline()  # what it will ask
        assert "Finishing what is in flight" in first.stderr.readline()
        released.set()
        _, said = first.communicate()
        assert first.returncode == 1
        assert "Traceback" not in said
        asked = len(server.seen)
        (folder,) = tmp_path.iterdir()
        # What was in flight when the interrupt came is kept.
        assert len(responses_of(folder)) == asked


@pytest.mark.parametrize("system", ["macos", "windows"])
@pytest.mark.budget(10)
def test_captions_are_counted_and_gone_on_with(system: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.csv"
    corpus.write_text("caption\ntwo dogs by a road\nsky\n3 cats\n", encoding="utf-8")
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT, system, "captions", str(corpus),
             "--out", str(tmp_path / "counted"), "--json"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert (found := json.loads(done.stdout))["rows"] == 3
        assert found["frequencies"] == {"2": 1, "3": 1}
