"""The example benchmark, installed as a package, runs, scores and reports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from tests.reports.embedded import rows_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "benchmark_of_your_own.py"
pytestmark = [pytest.mark.budget(40)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as pip leaves it: the example, and the metadata of its package."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(EXAMPLE, folder)
    about = folder / "parity-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parity\nVersion: 1.0\n")
    # The line that its own docstring tells to write.
    line = next(one for one in EXAMPLE.read_text().splitlines() if "benchmark_of_your_own:" in one)
    (about / "entry_points.txt").write_text(f"[subitize.benchmarks]\n{line.replace(chr(34), '')}\n")
    return folder


def subitize(site: Path, *words: str) -> str:
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-m", "subitize", *words],
        capture_output=True, text=True, timeout=900, check=False,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 80


def test_it_runs_scores_and_reports(site: Path) -> None:
    runs = site / "runs"
    words = ["--model", "sim/perfect", "--model", "sim/random", "--model", "sim/refuser"]
    printed = subitize(
        site, "run", "parity", *words, "--set", "per_number=6", "--set", "size=64",
        "--out", str(runs), "--json",
    )  # fmt: skip
    scores = {one["model"]: one for one in orjson.loads(printed)}
    assert scores["sim/perfect"]["accuracy"]["value"] == 1.0
    assert scores["sim/perfect"]["trials"] == 60
    assert 0.3 < scores["sim/random"]["accuracy"]["value"] < 0.7
    assert scores["sim/refuser"]["accuracy"] is None
    folder = next(runs.glob("parity-sim-random-*"))
    assert orjson.loads(subitize(site, "score", str(folder), "--json")) == scores["sim/random"]
    subitize(site, "report", str(runs), "--out", str(site / "report.html"))
    page = (site / "report.html").read_text("utf-8")
    assert "Even or odd" in page
    assert "the model refused" in page
    assert "sim/refuser · Accuracy: nothing was read" in page
    board = rows_of(site / "report.html", "parity-leaderboard.csv")
    assert [row["model"] for row in board] == ["sim/perfect", "sim/random", "sim/refuser"]
    assert float(board[1]["accuracy"]) == scores["sim/random"]["accuracy"]["value"]
    assert float(board[0]["accuracy_by_size_above 4"]) == 1.0
    assert "parity" in subitize(site, "benchmarks")
