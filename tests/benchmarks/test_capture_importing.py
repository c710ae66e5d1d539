"""The authors' result files as runs of CAPTURE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subitize.benchmarks.capture.importing import import_results
from subitize.errors import BadInput
from subitize.opening import load_stored
from subitize.runs.how_far import how_far
from tests.benchmarks.test_capture_commands import command

ENTRIES: list[dict[str, Any]] = [
    {"image_file": "circle_10_dots_0_red_dots.png", "dot_shape": "circle", "ground_truth": 10,
     "answer": "The pattern is a circle. The final count is 12.", "results": 12},
    {"image_file": "rectangle_6_dots_1_red_boxes.png", "dot_shape": "square", "ground_truth": 6,
     "answer": "I can not tell.", "results": -1},
    {"image_file": "circle_5_dots_0_blue_dots.png", "dot_shape": "circle", "ground_truth": 5,
     "answer": "Final answer: 5", "results": 4, "processed_results": 5},
]  # fmt: skip
SMAPE = (100 * 2 / 22 + 100 + 0) / 3


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "gpt_syn_results.json"
    path.write_text(json.dumps(ENTRIES))
    return path


def test_replies_are_read_and_scored(results: Path, tmp_path: Path) -> None:
    made = import_results(results, "openai/gpt-4o", "synthetic", "occluded", tmp_path / "runs")
    assert (made.replies, made.authors_smape) == (3, pytest.approx(SMAPE))
    run = load_stored(made.folder)
    assert run.scores["model"] == "openai/gpt-4o"
    assert run.scores["smape"]["occluded"]["value"] == pytest.approx(SMAPE)
    assert run.scores["smape"]["occluded"]["skipped"] == 1
    assert set(run.answers["thing"]) == {"circles", "squares"}
    notes = json.loads((made.folder / "responses.jsonl").read_text().splitlines()[1])["note"]
    assert notes == "the authors read no number"
    with pytest.raises(BadInput, match="are imported"):
        import_results(results, "openai/gpt-4o", "synthetic", "occluded", tmp_path / "runs")


def test_the_command_and_the_report(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "runs")
    given = ["import", "capture-results", str(results), "--model", "openai/gpt-4o", "--out", out]
    assert command(*given, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["smape"], told["authors_smape"]) == (pytest.approx(SMAPE), pytest.approx(SMAPE))
    assert command("report", told["folder"], "--out", str(tmp_path / "r.html")) == 0
    assert "openai/gpt-4o" in (tmp_path / "r.html").read_text()
    assert command(*given, "--variant", "half") == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ground_truth": 0}, "not positive"),
        ({"ground_truth": 2.5}, "no whole number"),
        ({"results": "ten"}, "no whole number"),
        ({"results": -5}, "no count"),
        ({"image_file": "circle_5_dots_0_blue_dots.png"}, "stands there twice"),
    ],
)
def test_files_that_are_no_results(
    results: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    results.write_text(json.dumps([{**ENTRIES[0], **change}, *ENTRIES[1:]]))
    with pytest.raises(BadInput, match=message):
        import_results(results, "a/b", "synthetic", "occluded", tmp_path / "runs")
    assert not list((tmp_path / "runs").glob("*"))


def test_a_list_without_results_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("[]")
    with pytest.raises(BadInput, match="holds no result"):
        import_results(tmp_path / "results.json", "a/b", "real", "occluded", tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_results_of_the_real_set_are_reported_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody needs the photographs, nor the metadata, for what the authors' files hold."""
    folders = []
    for model in ("a", "b"):
        rows = [
            {"image_file": f"{place}.jpg", "object": "cups", "ground_truth": 12,
             "answer": f"So {12 + (model == 'b')}.", "results": 12 + (model == "b")}
            for place in range(6)
        ]  # fmt: skip
        path = tmp_path / f"{model}.json"
        path.write_text(json.dumps(rows))
        made = import_results(path, f"openai/{model}", "real", "occluded", tmp_path / "runs")
        assert how_far(load_stored(made.folder)).complete
        folders.append(str(made.folder))
    assert command("report", *folders, "--out", str(tmp_path / "r.html")) == 0
    capsys.readouterr()
    assert command("compare", *folders, "--json") == 0
    assert json.loads(capsys.readouterr().out)
