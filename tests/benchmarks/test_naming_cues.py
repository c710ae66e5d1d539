"""Runs on pictures with orthogonal cues: recovery, refusals, report and commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.naming_page import sections
from subitize.cli import root
from subitize.errors import BadInput, Unable
from subitize.measures.cue_weights import NAMES
from subitize.models.catalog import open_model
from subitize.reports.page import Prose, Table
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from subitize.runs.stored import score_run, stored_run

SMALL: dict[str, Any] = {
    "per_cell": 5, "size": 512, "prompt": "things", "control": False, "cues": "orthogonal",
}  # fmt: skip


def run(out: Path, model: str, **settings: Any) -> Outcome:
    naming = get_benchmark("naming")
    chosen = naming.settings_from(SMALL | settings)
    return run_benchmark(naming, chosen, open_model(model), out, RunOptions(progress=False))


def scored(out: Path, model: str, **settings: Any) -> dict[str, Any]:
    return score_run(stored_run(run(out, model, **settings).folder, get_benchmark("naming")))


@pytest.mark.parametrize("size", [0.0, 0.5])
def test_who_goes_by_size_is_recovered(tmp_path: Path, size: float) -> None:
    """Eight seeds of pictures and answers; 24 intervals of 95 %, of which few may miss."""
    truth = {"number": 1 - size, "size": size, "spacing": 0.0}
    missed, angles = [], []
    for seed in range(8):
        found = scored(tmp_path, f"sim/cues?size={size}&seed={seed}", seed=seed)["cue_weights"]
        missed += [
            (seed, name, found[name])
            for name in NAMES
            if not found[name]["low"] <= truth[name] <= found[name]["high"]
        ]
        angles.append(found["angle"])
    # more than 4 of 24 would be seen in 1 of 100 honest runs
    assert len(missed) <= 4, missed
    assert abs(sum(angles) / 8 - 90 * size) < 3


def test_who_is_always_right_goes_by_number_alone(tmp_path: Path) -> None:
    scores = scored(tmp_path, "sim/perfect")
    found = scores["cue_weights"]
    assert found["number"]["value"] == pytest.approx(1)
    assert found["number"]["low"] is None, "no interval of zero width"
    assert "nothing tells how far off" in scores["undefined"]["cue_weights.interval"]
    assert found["angle"] == pytest.approx(0, abs=1e-4)
    assert found["pictures"] == 250


def test_answers_that_never_change_have_no_weights(tmp_path: Path) -> None:
    scores = scored(tmp_path, "sim/refuser")
    assert scores["cue_weights"] is None
    assert "0 pictures with a number" in scores["undefined"]["cue_weights"]


def test_other_runs_have_no_weights_and_sim_cues_says_what_it_needs(tmp_path: Path) -> None:
    small = {"cues": "", "size": 64, "max": 3}
    assert "cue_weights" not in scored(tmp_path, "sim/perfect", **small)
    stopped = run(tmp_path, "sim/cues", **small)
    assert "run it with --set cues=orthogonal" in stopped.stopped
    assert isinstance(stopped.error, Unable)  # the same command again would not help


def test_an_older_run_stays_the_same_run() -> None:
    """A setting that joined later is no part of runs that don't use it."""
    naming = get_benchmark("naming")
    assert "cues" not in naming.settings_from({}).identity()
    assert naming.settings_from(SMALL).identity()["cues"] == "orthogonal"


@pytest.mark.parametrize("settings", [{"size": 64}, {"hold": "hull"}, {"per_cell": 1, "max": 2}])
def test_what_cannot_be_is_refused_before_the_first_call(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with pytest.raises(BadInput):
        run(tmp_path / "runs", "sim/perfect", **settings)
    assert not (tmp_path / "runs").exists()


def test_the_page_shows_the_cues_of_each_set_of_pictures(tmp_path: Path) -> None:
    runs = [
        stored_run(run(tmp_path, model, **more).folder, get_benchmark("naming"))
        for model, more in (
            ("sim/cues", {}),
            ("sim/perfect", {}),
            ("sim/observer", {"cues": "", "size": 64, "max": 4}),
        )
    ]
    (section,) = [one for one in sections(runs) if one.id == "naming-cues"]
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [table.name for table in tables] == [
        "naming-cues-1", "naming-cues-2", "naming-cue-weights",
    ]  # fmt: skip
    by_set = {("perfect" in table.caption): table for table in tables[:2]}
    assert "250 pictures of sim/perfect, sim/cues" in by_set[True].caption
    assert "100 pictures of sim/observer" in by_set[False].caption
    shown = {row[0].shown: row[1].value for row in by_set[False].rows}
    assert shown["perimeter"] > 0.8
    orthogonal = {row[0].shown: row[1].value for row in by_set[True].rows}
    assert abs(orthogonal["size"]) < 0.05
    assert abs(orthogonal["spacing"]) < 0.05
    assert {row[0].shown for row in tables[2].rows} == {"sim/cues", "sim/perfect"}
    assert not [block for block in section.blocks if isinstance(block, Prose)]


def test_the_page_looks_at_every_picture_of_an_orthogonal_set(tmp_path: Path) -> None:
    """A part of the pictures has no whole grids: size told the number with .15 in it."""
    folder = run(tmp_path, "sim/perfect", per_cell=10).folder
    shown = sections([stored_run(folder, get_benchmark("naming"))])
    (section,) = [one for one in shown if one.id == "naming-cues"]
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert "500 pictures" in table.caption
    cues = {row[0].shown: row[1].value for row in table.rows}
    assert abs(cues["size"]) < 0.05
    assert abs(cues["spacing"]) < 0.05


def test_the_commands(tmp_path: Path) -> None:
    told = CliRunner().invoke(
        root, ["stimuli", "cues", "--per-cell", "2", "--max", "4", "--size", "96", "--json"]
    )
    assert told.exit_code == 0
    assert set(json.loads(told.stdout)["hull"]) >= {"all", "dots", "fast cards"}
    asked = ["run", "naming", "--model", "sim/cues", "--out", str(tmp_path), "--set", "per_cell=5"]
    asked += ["--set", "cues=orthogonal", "--set", "prompt=things", "--set", "control=false"]
    told = CliRunner().invoke(root, [*asked, "--set", "size=512"])
    assert told.exit_code == 0
    assert "cue weights size" in told.stdout
    assert "° from number alone" in told.stdout
