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


def test_no_command_writes_a_run_that_another_process_writes(tmp_path: Path) -> None:
    small = ("--per-cell", "1", "--max", "2", "--categories", "dots", "--size", "64")
    whole = ("--prompt", "things", "--set", "control=false")
    made = (*small[:-2], "--out", tmp_path)
    subitize("run", "naming", "--model", "counter/blobs", *small, "--out", tmp_path)
    run = ("run", "production", "--model", "painter/shapes?size=64", *made)
    halves = [
        ("run", "naming", "--model", "sim/perfect", *small, *whole, "--shard", f"{part}/2")
        for part in (1, 2)
    ]
    for half in halves:
        subitize(*half, "--out", tmp_path / "parts")
    merge = ("merge", *sorted((tmp_path / "parts").iterdir()), "--out", tmp_path / "merged")
    subitize(*run)
    subitize(*merge)
    (painted,) = tmp_path.glob("production-*")
    (counted,) = tmp_path.glob("naming-*")
    (merged,) = (tmp_path / "merged").iterdir()
    (tmp_path / "out.csv").write_text("0123456789abcdef,blurred\n")
    writing = [
        (painted, run),
        (painted, ("read", painted, "--exclude", tmp_path / "out.csv")),
        (painted, ("read", painted, "--reading-model", "counter/pattern")),
        (painted, ("score", painted, "--calibration", counted)),
        (merged, merge),
    ]
    for folder, command in writing:
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        with held(folder):
            done = subitize(*command, code=1)
        assert "Another process writes" in done.stderr, command
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


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
