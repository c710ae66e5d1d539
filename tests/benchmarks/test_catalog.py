"""Benchmarks of other packages, found by their entry points; the built-in ones stay theirs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark, known_benchmarks, page_of
from subitize.benchmarks.naming import Naming
from subitize.cli import root
from subitize.errors import BadInput, UnknownName
from subitize.models.catalog import open_model
from subitize.opening import run_and_score
from subitize.reports.page import Section
from subitize.runs.run import RunOptions

MODULE = """
from subitize.benchmarks.naming import Naming
from subitize.reports.page import Section

class Plain(Naming):
    NAME = "plain"

class Paged(Naming):
    NAME = "paged"

    def sections(self, runs):
        return [Section(f"{self.NAME}-x", "Mine", f"{len(runs)} runs")]

class Half:
    NAME = "half"

class Path(Naming):
    NAME = "../path"

class Naked(Naming.__base__):
    NAME = "naked"
"""
POINTS = """[subitize.benchmarks]
plain = third_benchmarks:Plain
paged = third_benchmarks:Paged
naming = third_benchmarks:Plain
other = third_benchmarks:Plain
half = third_benchmarks:Half
naked = third_benchmarks:Naked
lost = nowhere_at_all:X
../path = third_benchmarks:Path
gone = third_benchmarks:Gone
twice = third_benchmarks:Plain
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two packages as pip leaves them: a module, and the metadata of each."""
    (tmp_path / "third_benchmarks.py").write_text(MODULE)
    for name, points in (
        ("third", POINTS),
        ("fourth", "[subitize.benchmarks]\ntwice = third_benchmarks:Paged\n"),
    ):
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    get_benchmark.cache_clear()
    yield
    sys.modules.pop("third_benchmarks", None)
    get_benchmark.cache_clear()


@pytest.mark.usefixtures("installed")
def test_an_entry_point_adds_a_benchmark() -> None:
    assert get_benchmark("plain").NAME == "plain"
    assert get_benchmark("plain") is get_benchmark("plain")
    assert known_benchmarks()[: len(BENCHMARKS)] == list(BENCHMARKS)
    assert {"plain", "paged"} <= set(known_benchmarks())


@pytest.mark.usefixtures("installed")
def test_its_page_is_its_own_or_the_default() -> None:
    assert page_of("plain") is None
    page = page_of("paged")
    assert page is not None
    assert page([]) == [Section("paged-x", "Mine", "0 runs")]


@pytest.mark.usefixtures("installed")
def test_a_name_that_is_taken_stays_with_its_owner() -> None:
    assert type(get_benchmark("naming")).__module__ == "subitize.benchmarks.naming"
    assert known_benchmarks().count("naming") == 1
    page = page_of("naming")
    assert page is not None
    assert page.__module__ == "subitize.benchmarks.naming_page"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("lost", "No module named 'nowhere_at_all'"),
        ("gone", "no attribute 'Gone'"),
        ("half", "not a subclass of subitize.benchmark.Benchmark"),
        ("naked", "it lacks VERSION, TITLE, PAPER"),
        ("other", "it calls itself 'plain'"),
        ("../path", "its name may hold letters, digits, - and _ only"),
    ],
)
def test_a_broken_package_is_one_message(name: str, reason: str) -> None:
    with pytest.raises(BadInput) as told:
        get_benchmark(name)
    message = str(told.value)
    assert message.startswith(f"The package that adds the benchmark '{name}' is broken")
    assert reason in message
    assert "\n" not in message


@pytest.mark.usefixtures("installed")
def test_a_broken_package_does_not_hide_the_other_benchmarks() -> None:
    done = CliRunner().invoke(root, ["benchmarks"])
    assert done.exit_code == 0
    assert "plain" in done.stdout
    assert "naming" in done.stdout
    assert "the benchmark 'lost' is broken" in done.stderr


@pytest.mark.usefixtures("installed")
def test_two_packages_with_one_name_are_told() -> None:
    with pytest.raises(BadInput, match=r"Two packages add the benchmark 'twice'.*uninstall one"):
        get_benchmark("twice")


@pytest.mark.usefixtures("installed")
def test_an_unknown_name_may_be_near_a_stranger() -> None:
    with pytest.raises(UnknownName, match="did you mean 'plain'"):
        get_benchmark("plaint")
    with pytest.raises(UnknownName):
        page_of("nothing-like-it")


class Careless(Naming):
    """Declares no condition, and has no score of nothing."""

    CONDITION: ClassVar[dict[str, Any]] = {}

    def score(self, *_: Any) -> dict[str, Any]:
        raise BadInput("a share of nothing has no value")


def test_what_kept_a_benchmark_from_asking_is_told_before_its_scores(tmp_path: Path) -> None:
    settings = Careless().settings_from({"per_cell": 1, "max": 1})
    model, options = open_model("sim/perfect"), RunOptions(progress=False)
    with pytest.raises(BadInput, match="CONDITION does not declare"):
        run_and_score(Careless(), settings, model, tmp_path, options)
