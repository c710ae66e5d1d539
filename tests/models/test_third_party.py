"""Models of other packages, found by their entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

PACKAGE = """
from subitize.models.base import Model, Reply

class Always(Model):
    kinds = ("namer",)

    def name(self, items):
        return [Reply("text", str(self.settings["says"])) for _ in items]

def open_always(name, options):
    return Always(name.full, name.settings)
"""
POINTS = "[subitize.models]\nalways = always:open_always\nlost = nowhere:opener\nhalf = always:no\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder as pip leaves it: a module, and the metadata of its package."""
    (tmp_path / "always.py").write_text(PACKAGE)
    about = tmp_path / "always-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: always\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    return tmp_path


def subitize(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "subitize", *words],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(site), *sys.path))},
        check=False,
    )


def run(site: Path, model: str) -> subprocess.CompletedProcess[str]:
    return subitize(
        site, "run", "naming", "--model", model, "--per-cell", "1", "--max", "2", "--size", "64",
        "--categories", "dots", "--prompt", "things", "--out", str(site / "runs"), "--json",
    )  # fmt: skip


@pytest.mark.budget(30)
def test_a_model_of_another_package_runs_and_is_listed(site: Path) -> None:
    done = run(site, "always/x?says=2")
    assert done.returncode == 0, done.stderr
    assert orjson.loads(done.stdout)[0]["accuracy"]["value"] == 0.5
    assert "always/…" in subitize(site, "models").stdout
    listed = orjson.loads(subitize(site, "models", "--json").stdout)
    assert [one["pattern"] for one in listed if one["prefix"] == "always"] == ["always/…"]
    assert "did you mean 'always/…'" in run(site, "allways/x").stderr


@pytest.mark.parametrize("model", ["lost/x", "half/x"])
def test_a_broken_package_is_one_message(site: Path, model: str) -> None:
    done = run(site, model)
    assert done.returncode == 2
    assert done.stderr.startswith(f"subitize: The package that adds {model} is broken")
    assert done.stderr.count("\n") == 1
