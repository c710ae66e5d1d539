"""Real SIGKILLs of a real child process, and what is stored after them."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from subitize.runs.journal import read_lines
from subitize.runs.plan import read_trials
from tests.serving import Serving

__all__ = ["kill_after", "stored"]


def stored(out: Path, stage: str) -> list[dict[str, Any]]:
    """The stored responses to the trials of a stage, in all run folders."""
    found = []
    for folder in out.glob("*"):
        asked = {trial.id for trial in read_trials(folder) if trial.stage == stage}
        lines = [orjson.loads(line) for _, line in read_lines(folder / "responses.jsonl")]
        found += [line for line in lines if line["trial"] in asked]
    return found


def kill_after(command: list[str], server: Serving, moves: Callable[[], int], wait: float) -> bool:
    """Start, let it come to asking (`moves` grows), wait, then kill; False if it ended before."""
    before = moves()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 900
    while moves() == before and process.poll() is None:
        assert time.monotonic() < deadline, "the run never asked"
        time.sleep(0.002)
    time.sleep(wait)
    killed = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    server.settle()
    return killed
