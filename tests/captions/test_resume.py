"""Killed at any moment and run again, a counting ends as an unbroken one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from subitize.captions.counting import Counting, count_captions
from subitize.captions.progress import Progress
from subitize.captions.store import RESULT, UNITS, read_result
from subitize.errors import RunLocked, WrongRun

GROUPS, MADE = 40, 50_000
SIZES = [
    pytest.param(2_000_000, marks=pytest.mark.budget(60)),
    pytest.param(50_000_000, marks=pytest.mark.long),
]


@pytest.fixture(scope="module", params=SIZES)
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of 40 row groups."""
    path = tmp_path_factory.mktemp("corpus") / "one.parquet"
    made = [f"{n % 50 + 1} tall trees by a road" if n % 9 == 0 else "sky" for n in range(MADE)]
    table = pa.table({"caption": made * (request.param // GROUPS // MADE)})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(GROUPS):
            writer.write_table(table, row_group_size=len(table))
    return path


@pytest.fixture(scope="module")
def whole(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an unbroken counting finds."""
    out = tmp_path_factory.mktemp("whole")
    return count_captions([str(corpus)], out, Counting(), Progress(show=False))[1]


def command(corpus: Path, out: Path, workers: int) -> list[str]:
    start = [sys.executable, str(Path(__file__).with_name("noting_units.py")), str(notes_of(out))]
    return [*start, "captions", str(corpus), "--out", str(out), "--workers", str(workers), "--json"]


def notes_of(out: Path) -> Path:
    return out.with_suffix(".notes")


def lines_in(out: Path) -> int:
    found = list(out.glob(f"*/{UNITS}"))
    return found[0].read_bytes().count(b"\n") if found else 0


def kill_after(corpus: Path, out: Path, workers: int, lines: int) -> bool:
    """Start the command and kill it, children and all, when so many units are stored."""
    process = subprocess.Popen(
        command(corpus, out, workers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    while process.poll() is None and lines_in(out) < lines:
        time.sleep(0.002)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def same(result: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on how the counting went."""
    return {key: value for key, value in result.items() if key != "cache"}


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_and_gone_on(
    corpus: Path, whole: dict[str, Any], tmp_path: Path, workers: int
) -> None:
    """A kill loses a row group per process, and no more."""
    out = tmp_path / "killed"
    kills = 0
    for lines in sorted(random.Random(workers).sample(range(1, GROUPS - 5), 3)):
        if kill_after(corpus, out, workers, lines):
            kills += 1
            begun = notes_of(out).read_bytes().count(b"\n")
            lost = begun - lines_in(out)
            assert lost <= kills * workers, "more than a row group per process was lost"
    assert kills
    done = subprocess.run(command(corpus, out, workers), capture_output=True, text=True, check=True)
    assert same(json.loads(done.stdout)) == same(whole)
    assert lines_in(out) == GROUPS, "a unit was counted twice"
    assert notes_of(out).read_bytes().count(b"\n") <= GROUPS + kills * workers


def test_a_torn_line_is_counted_again(tmp_path: Path) -> None:
    how = Counting()
    corpus = tmp_path / "small.parquet"
    pq.write_table(pa.table({"caption": ["two dogs", "3 cats"] * 99}), corpus, row_group_size=9)
    folder, whole = count_captions([str(corpus)], tmp_path, how, Progress(show=False))
    journal = folder / UNITS
    stored = journal.read_bytes()
    for cut in (1, 30, len(stored) // 2):
        journal.write_bytes(stored[:-cut])
        _, again = count_captions([str(corpus)], tmp_path, how, Progress(show=False))
        assert same(again) == same(whole)


def test_two_processes_cant_write_one_result(corpus: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(corpus, tmp_path, 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while process.poll() is None and not lines_in(tmp_path):
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)  # it must not end before the other begins
        assert process.poll() is None, "it ended before it was stopped"
        with pytest.raises(RunLocked, match="Another process"):
            count_captions([str(corpus)], tmp_path, Counting(), Progress(show=False))
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("content", ["[]", "7", "null"])
def test_a_result_that_is_none_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / RESULT).write_text(content)
    with pytest.raises(WrongRun, match="is damaged: run the counting's command again"):
        read_result(tmp_path)
