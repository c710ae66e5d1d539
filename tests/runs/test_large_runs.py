"""A hundred thousand trials, and targets up to 500: what whole commands take, in child processes.

The budgets are those of a quiet machine; the mark fails a test at twice as much.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from subitize.benchmarks.naming import Naming
from subitize.models.catalog import open_model
from subitize.opening import load_stored
from subitize.records import Response
from subitize.runs.folder import RunFolder, identity
from subitize.runs.journal import Journal
from subitize.runs.plan import Plan
from tests.speed import within

REPLIES = ("{}", "There are {} things in the picture.", "I count {} of them, in no order.")
NOT_CHECKED = 64
"""responses whose drawing is not compared on resume, since nothing was drawn"""


class Used(NamedTuple):
    """What a command took."""

    cpu: float
    megabytes: float


def settings(**given: Any) -> dict[str, Any]:
    return {"prompt": "things", "control": False, "size": 1024, **given}


def answered(out: Path, **given: Any) -> Path:
    """The folder of a complete naming run, as if somebody had been asked."""
    benchmark, model = Naming(), open_model("sim/observer")
    chosen = benchmark.settings_from(settings(**given))
    folder = RunFolder.open(out, identity(benchmark, chosen, model, "namer", {}), {})
    plan, journal = Plan(folder.path, benchmark.CONDITION), Journal(folder.path)
    rng = random.Random(1)
    for chunk in plan.chunks(benchmark.trials("ask", chosen, {})):
        for trial in chunk:
            said = rng.choice(REPLIES).format(round(trial.target * rng.gauss(1, 0.15)))
            who = (trial.id, model.respondent, model.settings_hash, 0, 0)
            shown = "" if journal.written < NOT_CHECKED else "ab" * 32
            journal.write(Response(*who, "text", said, "stop", {}, 0.01, shown))
    plan.close()
    journal.close()
    folder.update(reader="strict")
    return folder.path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return answered(tmp_path_factory.mktemp("large"), per_cell=2000)


def used_by(*command: str) -> Used:
    """CPU time and memory of a whole command, measured by a parent that does nothing else."""
    script = (
        "import resource, subprocess, sys; "
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    whole = [sys.executable, "-c", script, sys.executable, "-m", "subitize", *command]
    # one thread: what others of a pool burn while they wait is no work
    alone = {**os.environ, "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(whole, capture_output=True, text=True, env=alone, check=True)
    code, cpu, memory = map(float, done.stdout.split())
    assert code == 0, done.stderr
    return Used(cpu, memory)


@pytest.mark.budget(4)
def test_scoring_a_hundred_thousand_trials_from_the_journal(large: Path) -> None:
    (large / "answers.parquet").unlink(missing_ok=True)
    assert used_by("score", str(large)).megabytes < 400
    assert load_stored(large).counted.height == 100_000


@pytest.mark.budget(3)
def test_resuming_a_complete_run_of_a_hundred_thousand_trials(large: Path) -> None:
    given = [f"--set={name}={value}" for name, value in settings(per_cell=2000).items()]
    where = ("--out", str(large.parent), "--model", "sim/observer")
    before = (large / "responses.jsonl").stat()
    assert used_by("run", "naming", *where, *given).megabytes < 400
    assert (large / "responses.jsonl").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.budget(20)
def test_its_report_takes_little_longer_than_that_of_five_hundred(
    large: Path, tmp_path: Path
) -> None:
    small = answered(tmp_path, per_cell=10)
    for folder in (large, small):
        used_by("score", str(folder))
    long, short = (
        used_by("report", str(one), "--out", str(tmp_path / "report.html"))
        for one in (large, small)
    )
    assert long.megabytes < 500  # of which pictures of the page and their tiles are 200
    assert within(long.cpu - short.cpu, 2 * 3)


@pytest.mark.budget(8)
def test_targets_up_to_five_hundred_take_little_memory(tmp_path: Path) -> None:
    wide = answered(tmp_path, per_cell=1, max=500)
    assert used_by("score", str(wide)).megabytes < 300
