"""A run that another process writes is read, and not written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chat_server import ChatServer
from tests.new_process import subitize
from tests.runs.conftest import Go

HOLD = (
    "import sys, pathlib\nfrom subitize.runs.lock import locked\n"
    "with locked(pathlib.Path(sys.argv[1])):\n"
    "    print('held', flush=True)\n    sys.stdin.read()"
)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The lock of a run, in the hands of another process."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.kill()


def test_another_reader_is_not_noted_without_the_lock(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
    before = (outcome.folder / "run.json").read_bytes()
    with held(outcome.folder):
        done = subitize("read", str(outcome.folder), "--reader", "final", code=1)
        assert "Another process writes" in done.stderr
        assert (outcome.folder / "run.json").read_bytes() == before
        # Looking needs no lock.
        subitize("score", outcome.folder)
        subitize("read", outcome.folder)
    subitize("read", outcome.folder, "--reader", "final")
    assert (outcome.folder / "run.json").read_bytes() != before


def test_a_report_that_can_not_be_written_is_told(go: Go, tmp_path: Path) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "folder.html").mkdir()
    for out in (
        tmp_path / "file/report.html",
        tmp_path / "folder.html",
        Path("/proc/report.html"),
        Path("/dev/null/report.html"),
        tmp_path / ("x" * 300 + ".html"),
    ):
        done = subitize("report", str(outcome.folder), "--out", out, code=None)
        assert done.returncode in (1, 2), (out, done.stderr)
        assert done.stderr.strip()
