"""Comparing runs: the same pictures, whatever was asked about them, through one function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import subitize
from subitize.cli import root
from subitize.errors import BadInput
from subitize.measures.error_size import smape_terms
from subitize.reports.comparing import compared_text
from subitize.runs.comparing import compare_runs

SMALL = {"per_cell": 4, "size": 128, "control": False, "categories": ("dots", "apples")}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[subitize.Run]:
    out = tmp_path_factory.mktemp("compared")
    return [
        subitize.run("naming", model, out=out, prompt=prompt, **SMALL)
        for model, prompt in (
            ("sim/observer?w=0.1", "things"), ("sim/observer?w=0.4", "category"),
            ("sim/perfect", "things"),
        )
    ]  # fmt: skip


def test_differences_are_those_of_the_same_pictures(runs: list[subitize.Run]) -> None:
    found = subitize.compare(runs)
    assert {one.measure for one in found} == {"accuracy", "nae", "smape"}
    assert len(found) == 9
    one = next(c for c in found if c.measure == "accuracy" and c.second == "sim/perfect")
    answers = runs[0].answers
    right = (answers["number"] == answers["target"]).to_numpy()
    assert one.first_value == right.mean()
    assert one.paired.difference.value == pytest.approx(1 - right.mean())
    assert one.pictures == 80
    assert one.paired.test == "exact McNemar"
    assert all(c.p_holm >= c.paired.p for c in found)


def test_another_order_of_runs_turns_the_sign(runs: list[subitize.Run]) -> None:
    there, back = subitize.compare(runs[:2]), subitize.compare(runs[1::-1])
    for one, other in zip(there, back, strict=True):
        assert one.paired.difference.value == pytest.approx(-other.paired.difference.value)


def test_unreadable_pictures_are_left_out_and_counted_wrong(
    runs: list[subitize.Run], tmp_path: Path
) -> None:
    def mumbler(picture: bytes, question: str) -> str:
        return "some" if len(picture) % 3 == 0 else "5"

    chatty = subitize.run("naming", mumbler, out=tmp_path, prompt="things", **SMALL)
    lost = int((chatty.answers["state"] != "read").sum())
    assert lost
    found = subitize.compare([runs[2], chatty])
    left_out = next(c for c in found if c.measure == "accuracy" and c.unreadable == "left out")
    wrong = next(c for c in found if c.measure == "accuracy" and c.unreadable == "counted wrong")
    assert (left_out.pictures, wrong.pictures) == (80 - lost, 80)
    assert left_out.not_read == wrong.not_read == lost
    assert wrong.second_value <= left_out.second_value
    assert {c.unreadable for c in found if c.measure == "nae"} == {"left out"}


def test_a_run_that_was_not_read_on_any_picture_is_compared_without_nae_and_says_why(
    runs: list[subitize.Run], tmp_path: Path
) -> None:
    mute = subitize.run("naming", lambda *_: "some", out=tmp_path, prompt="things", **SMALL)
    compared = compare_runs([run.stored for run in (runs[2], mute)])
    assert {one.measure for one in compared.found} == {"accuracy", "smape"}
    shown = compared_text(compared)
    assert "so not by NAE, which has no value for them" in shown
    # two per cents differ by points
    assert "difference −100.0 points [" in shown


def test_the_command_prints_what_the_front_door_gives(runs: list[subitize.Run]) -> None:
    folders = [str(run.folder) for run in runs[:2]]
    result = CliRunner().invoke(root, ["compare", *folders, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == [c.as_json() for c in subitize.compare(runs[:2])]
    plain = CliRunner().invoke(root, ["compare", *folders])
    assert "nae" in plain.output
    assert "Holm" in plain.output


def test_what_can_not_be_compared_says_why(runs: list[subitize.Run], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="at least two"):
        subitize.compare(runs[:1])
    made = {"per_cell": 1, "size": 128, "max": 2}
    painted = subitize.run("production", "painter/shapes?size=128", out=tmp_path, **{
        name: value for name, value in made.items() if name != "size"
    })  # fmt: skip
    with pytest.raises(BadInput, match="different benchmarks"):
        subitize.compare([runs[0], painted])


def test_two_painters_and_the_report_have_their_table(tmp_path: Path) -> None:
    runs = [
        subitize.run("production", f"painter/shapes?size=128{more}", out=tmp_path, per_cell=1,
                     max=4, categories=("apples", "dots"))
        for more in ("", "&w=0.4")
    ]  # fmt: skip
    found = subitize.compare(runs)
    assert {one.pictures for one in found if one.unreadable == "left out"} <= set(range(2, 9))
    page = subitize.report(runs, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Differences between models" in page
    assert np.isfinite([one.paired.difference.value for one in found]).all()


@pytest.mark.parametrize(
    ("benchmark", "models", "settings", "score"),
    [
        (
            "capture", ("sim/observer", "counter/pattern"),
            {"items": 20, "validation": 2, "size": 256}, ("smape", "occluded"),
        ),
        (
            "geckonum", ("painter/shapes?size=128", "painter/shapes?size=128&w=0.5"),
            {"tasks": ("1",), "types": ("numeric_simple",), "things": ("apple",), "seeds": 2},
            ("accuracy",),
        ),
        ("probe", ("sim/observer", "sim/random"), {"items": 30}, ("acc_r",)),
        ("probe", ("sim/observer", "sim/filler"), {"items": 30, "task": "mlm"}, ("recall_at_1",)),
        ("probe", ("sim/observer", "sim/random"), {"items": 30, "task": "vqa"}, ("accuracy",)),
    ],
)  # fmt: skip
def test_every_benchmark_is_compared_on_what_its_score_stands_on(
    tmp_path: Path, benchmark: str, models: tuple[str, str], settings: dict[str, Any],
    score: tuple[str, ...],
) -> None:  # fmt: skip
    """The values of both are the runs' own scores where every picture was read."""
    runs = [subitize.run(benchmark, model, out=tmp_path, **settings) for model in models]
    measure = "smape" if "smape" in score else "accuracy"
    found = next(one for one in subitize.compare(runs) if one.measure == measure)
    assert found.paired.discordant > 0
    for run, value in zip(runs, (found.first_value, found.second_value), strict=True):
        own: Any = run.scores
        for step in score:
            own = own[step]
        own = own.value if isinstance(own, subitize.Score) else own["value"]
        # a picture with several questions is one value here, and each question one in the score
        assert value == pytest.approx(own, abs=0.05 if benchmark == "probe" else 1e-9)


def test_several_samples_of_a_picture_are_one_value(tmp_path: Path) -> None:
    settings = {"items": 10, "validation": 2, "size": 256, "confidence": "samples", "samples": 3}
    runs = [
        subitize.run("capture", f"sim/observer?seed={seed}", out=tmp_path, **settings)
        for seed in (1, 2)
    ]
    found = next(one for one in subitize.compare(runs) if one.measure == "smape")
    assert found.pictures == 10
    answers = runs[0].answers.filter(stage="total", variant="occluded", help="")
    assert answers.height == 30
    terms = smape_terms(answers["target"].to_numpy(), answers["number"].to_numpy())
    assert found.first_value == pytest.approx(terms.mean())


def test_pairs_without_a_picture_in_common_are_named_and_the_rest_compared(
    runs: list[subitize.Run], tmp_path: Path
) -> None:
    other = subitize.run("naming", "sim/perfect", out=tmp_path, prompt="things", per_cell=1,
                         size=128, control=False, categories=("people",))  # fmt: skip
    compared = compare_runs([run.stored for run in (*runs[:2], other)])
    assert len(compared.found) == 3
    assert [second for _, second in compared.strangers] == ["sim/perfect", "sim/perfect"]
    assert "Not compared" in compared_text(compared)
    with pytest.raises(BadInput, match="share no two pictures"):
        subitize.compare([runs[0], other])


@pytest.mark.parametrize(
    ("benchmark", "settings", "other"),
    [
        ("naming", {**SMALL, "prompt": "things"}, {"seed": 1}),
        ("naming", {**SMALL, "prompt": "things"}, {"size": 96}),
        ("naming", {**SMALL, "prompt": "things", "max": 4}, {"hold": "area"}),
        ("capture", {"items": 4, "validation": 2, "size": 256, "tasks": ("total",)}, {"seed": 1}),
        ("capture", {"items": 4, "validation": 2, "size": 256, "tasks": ("total",)},
         {"layout": "published"}),
    ],
)  # fmt: skip
def test_other_pictures_of_the_same_numbers_are_not_the_same_pictures(
    tmp_path: Path, benchmark: str, settings: dict[str, Any], other: dict[str, Any]
) -> None:
    runs = [
        subitize.run(benchmark, "sim/observer", out=tmp_path, **{**settings, **more})
        for more in ({}, other)
    ]
    with pytest.raises(BadInput, match="share no two pictures"):
        subitize.compare(runs)


def test_runs_that_were_not_asked_yet_what_is_compared_share_no_picture(tmp_path: Path) -> None:
    runs = [
        subitize.run("capture", model, out=tmp_path, limit=4, validation=2, items=4, size=256)
        for model in ("sim/observer", "sim/perfect")
    ]
    with pytest.raises(BadInput, match="share no two pictures"):
        subitize.compare(runs)


def test_two_runs_of_one_model_are_told_apart(tmp_path: Path) -> None:
    runs = [
        subitize.run("naming", "sim/observer", out=tmp_path, prompt=prompt, **SMALL)
        for prompt in ("things", "objects")
    ]
    labels = {label for one in subitize.compare(runs) for label in (one.first, one.second)}
    assert labels == {"sim/observer (prompt things)", "sim/observer (prompt objects)"}
