"""Processes that count: lean, deaf to Ctrl-C, their death told; none where there is little."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.test_house import HEAVY, loaded_by

from subitize.captions.counting import PAYS, Counting, _workers
from subitize.captions.pool import Processes
from subitize.captions.reading import find_layout
from subitize.captions.sources import find_sources, units
from subitize.captions.workers import OwnProcess, Task
from subitize.errors import SubitizeError


def tasks(folder: Path) -> list[Task]:
    file = folder / "some.jsonl"
    file.write_text('{"caption": "two dogs"}\n', encoding="utf-8")
    (source,) = find_sources([str(file)])
    layout = find_layout(source, None)
    assert layout is not None
    return [Task(source, layout, unit, False) for unit in units(0, source, header=False)]


def test_neither_command_nor_process_loads_what_counting_needs_not() -> None:
    assert not loaded_by("import subitize.commands.captions") & {*HEAVY, "aiohttp"}
    assert not loaded_by("import subitize.captions.child") & {*HEAVY, "numpy", "typer"}


def test_a_process_that_starts_is_deaf_to_interrupts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And finds its modules where they are, not in the folder that it was called in."""
    monkeypatch.chdir(tmp_path)
    Path("queue.py").write_text("raise SystemExit(9)", encoding="utf-8")
    workers = Processes("textblob", 1, ahead=1)
    try:
        (child,) = workers._children
        os.kill(child.process.pid, signal.SIGINT)
        (done,) = workers.run(tasks(tmp_path))
        assert b'"with_number":1' in done.line
    finally:
        workers.close()
    assert child.process.poll() is not None


def test_a_process_that_dies_is_told(tmp_path: Path) -> None:
    workers = Processes("textblob", 2, ahead=1)
    try:
        (child,) = workers._children
        child.process.kill()
        with pytest.raises(SubitizeError, match="A process that counted captions died"):
            list(workers.run(tasks(tmp_path)))
    finally:
        workers.close()


def test_a_process_without_its_tagger_says_so(tmp_path: Path) -> None:
    workers = Processes("spacy:no_such_pipeline", 1)
    try:
        with pytest.raises(SubitizeError, match="no_such_pipeline"):
            list(workers.run(tasks(tmp_path)))
    finally:
        workers.close()


def test_a_process_for_little_would_start_in_vain() -> None:
    with ExitStack() as stack:
        assert isinstance(_workers(Counting(workers=0), 2 * PAYS - 1, stack), OwnProcess)
        some = _workers(Counting(workers=2), PAYS, stack)
        assert isinstance(some, Processes)
        assert len(some._children) == 1
