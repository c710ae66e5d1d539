"""The wheel: built, installed into a fresh environment, and used there.

What it needs comes from the environment of the tests, so that nothing is downloaded; our own code
comes from the wheel alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def ran(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, capture_output=True, text=True, check=False, env={"PATH": ""}
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what the wheel is made of: the tree stays as it is."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", source / "src", ignore=leave)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    ran(*pip, "-w", folder, source, cwd=folder)
    [made] = folder.glob("*.whl")
    return made


@pytest.mark.budget(15)
def test_every_file_of_the_package_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("subitize/")}
    files = (ROOT / "src" / "subitize").rglob("*")
    ours = [one for one in files if one.is_file() and one.suffix != ".pyc"]
    assert packed == {one.relative_to(ROOT / "src").as_posix() for one in ours}


@pytest.mark.budget(30)
def test_it_works_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    ran(sys.executable, "-m", "venv", "--without-pip", home, cwd=tmp_path)
    [site] = home.glob("lib/python*/site-packages")
    ran(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, wheel,
        cwd=tmp_path)  # fmt: skip
    # behind our own: no file of the tree the tests run in
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = home / "bin" / "python"
    where = ran(python, "-c", "import subitize; print(subitize.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(site)
    subitize = [python, "-m", "subitize"]
    version = PathDistribution(next(site.glob("subitize-*.dist-info"))).version
    assert ran(*subitize, "--version", cwd=tmp_path) == f"subitize {version}\n"
    ran(*subitize, "run", "naming", "--model", "sim/observer", "--profile", "quick", cwd=tmp_path)
    ran(*subitize, "report", "runs", "--out", "report.html", cwd=tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert "what the pictures of apples show" in ran(
        *subitize, "benchmarks", "naming", cwd=tmp_path
    )
