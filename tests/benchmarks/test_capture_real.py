"""CAPTURE's real set on photographs made by the test: both variants, oracles, what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.api import report
from subitize.benchmarks.capture.scenes import scenes
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.commands.printing import scores_text
from subitize.errors import BadInput
from subitize.opening import load_stored
from subitize.pictures.decode import decode
from subitize.runs.how_far import how_far
from subitize.stimuli import render
from tests.benchmarks.capture_runs import ask, question_of, replying, trials_of
from tests.chat_server import ChatServer
from tests.reports.embedded import files_of

GRID = [(x, y) for y in (20, 50, 80) for x in (20, 50, 80, 110)]
BOX = {"x": 40, "y": 40, "width": 50, "height": 30}
"""hides the two middle objects of the second row"""


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    """Six test and two validation pictures of 12 cups, with all of FSC-147's files."""
    folder = tmp_path / "images"
    folder.mkdir()
    test, validation, points, splits = [], [], {}, {"train": [], "val": [], "test": []}
    for number in range(8):
        name = f"{number}.jpg"
        pixels = np.full((100, 130, 3), 255 - number, np.uint8)
        for x, y in GRID:
            pixels[y - 5 : y + 5, x - 5 : x + 5] = (200, 40, 40)
        Image.fromarray(pixels).save(folder / name, quality=95)
        row: dict[str, Any] = {
            "image_file": name, "object": "cups", "ground_truth": 12, "bbox": BOX,
        }  # fmt: skip
        if number < 6:
            test.append(row)
        else:
            boxes = [[x - 5, y - 5, 10, 10] for x, y in GRID]
            validation.append({**row, "annotation_bboxes": boxes, "questions": []})
        points[name] = {"points": [[x, y] for x, y in GRID]}
        splits["test" if number % 2 else "train"].append(name)
    files = {
        "metadata": test,
        "validation_metadata": validation,
        "points": points,
        "splits": splits,
    }
    for key, content in files.items():
        (tmp_path / f"{key}.json").write_text(json.dumps(content))
    given: dict[str, Any] = {"set": "real", "items": 0, "pictures": str(folder)}
    return {**given, **{key: str(tmp_path / f"{key}.json") for key in files}}


def test_both_variants_come_from_one_file(data: dict[str, Any]) -> None:
    settings = CaptureSettings(**data)
    found = scenes(settings, "test")
    assert len(found) == 6
    assert len(scenes(settings, "validation")) == 2
    for scene in found:
        assert (scene.total, scene.hidden, scene.thing) == (12, 2, "cups")
        seen = decode(render(scene.pictures["unoccluded"]).png)
        covered = decode(render(scene.pictures["occluded"]).png)
        assert (covered[40:70, 40:90] == 0).all()
        outside = np.ones(seen.shape[:2], bool)
        outside[40:70, 40:90] = False
        assert (covered[outside] == seen[outside]).all()


def test_pictures_that_carry_their_box_are_occluded_only(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    """As the authors ship them: JPEGs with the box in place."""
    folder = Path(data["pictures"])
    for number in range(8):
        pixels = np.asarray(Image.open(folder / f"{number}.jpg")).copy()
        pixels[40:70, 40:90] = 0
        Image.fromarray(pixels).save(folder / f"{number}.jpg", quality=75)
    for scene in scenes(CaptureSettings(**data), "test"):
        assert set(scene.pictures) == {"occluded"}
        assert (decode(render(scene.pictures["occluded"]).png)[45:65, 45:85] < 40).all()
    given = {**data, "tasks": ("total",)}
    outcome, scores = ask(tmp_path / "runs", model="sim/perfect", settings=given)
    assert how_far(load_stored(outcome.folder)).complete  # nothing else can be asked
    assert scores["smape"]["occluded"]["value"] == 0
    assert scores["smape"]["unoccluded"] is None
    assert "black box already" in scores["undefined"]["smape.unoccluded"]


def test_missing_pictures_are_left_out_and_listed(tmp_path: Path, data: dict[str, Any]) -> None:
    gone = [Path(data["pictures"]) / name for name in ("1.jpg", "4.jpg")]
    kept = {path: path.read_bytes() for path in gone}
    for path in gone:
        path.unlink()
    with pytest.raises(BadInput, match=r"2 pictures \(1.jpg, 4.jpg\) of 8 .*missing=skip"):
        scenes(CaptureSettings(**data), "test")
    given = {**data, "tasks": ("total",), "missing": "skip", "variants": ("occluded",)}
    outcome, scores = ask(tmp_path / "runs", model="sim/perfect", settings=given)
    assert scores["missing_pictures"] == {"count": 2, "first": ["1.jpg", "4.jpg"]}
    assert scores["smape"]["occluded"]["trials"] == 4
    decisions = json.loads((outcome.folder / "run.json").read_bytes())["decisions"]
    assert decisions["missing_pictures"] == ["1.jpg", "4.jpg"]
    # a picture that turns up later is not asked about: the run stays what it was
    for path, content in kept.items():
        path.write_bytes(content)
    scenes.cache_clear()
    _, again = ask(tmp_path / "runs", model="sim/perfect", settings=given)
    assert again["smape"]["occluded"]["trials"] == 4
    assert how_far(load_stored(outcome.folder)).complete
    assert "2 left out: 1.jpg, 4.jpg; run.json lists them" in scores_text(again)


@pytest.mark.parametrize("count", [0, -1, 2.5, "12", True, None, "1e999"])
def test_ground_truths_that_are_no_counts(data: dict[str, Any], count: object) -> None:
    path = Path(data["metadata"])
    rows = json.loads(path.read_text())
    rows[0]["ground_truth"] = count
    path.write_text(json.dumps(rows).replace('"1e999"', "1e999"))
    with pytest.raises(BadInput, match=r"entry 1"):
        scenes(CaptureSettings(**data), "test")


def test_a_whole_run_with_oracles_and_the_hidden_count(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    helps = ("all-coordinates", "visible-coordinates", "visible-count")
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> str:
        asked.append(question_of(body))
        return "2" if "Count only" in question_of(body) else "12"

    counts = tmp_path / "counts.json"
    counts.write_text(json.dumps({f"{n}.jpg": 10 for n in range(6)}))
    given = {**data, "prompt": "best", "validation": 2, "help": helps, "counts": str(counts)}
    with ChatServer(replying(answer)) as server:
        outcome, scores = ask(tmp_path / "runs", url=server.url, settings=given)
    assert outcome.complete
    assert scores["set"] == "real"
    assert scores["layout"] is None
    assert scores["hidden"]["value"] == 0.0
    assert scores["smape"]["occluded"]["value"] == 0.0
    assert scores["help"]["visible-count"]["counter_alone"]["value"] == pytest.approx(100 * 2 / 22)
    told = next(words for words in asked if "coordinates of the visible" in words)
    text = ", ".join(f"({x}, {y})" for x, y in GRID if not (40 <= x <= 90 and 40 <= y <= 70))
    assert f"image: {text}. Estimate" in told
    assert {t.stage for t in trials_of(outcome.folder)} == {"prompts", "total", "help", "hidden"}


def test_scores_need_no_pictures(tmp_path: Path, data: dict[str, Any]) -> None:
    """A run can be scored again on another machine, without FSC-147."""
    import shutil

    from tests.scored import score_run

    outcome, scores = ask(tmp_path / "runs", model="sim/observer", settings=data)
    shutil.rmtree(data["pictures"])
    scenes.cache_clear()
    assert score_run(outcome.folder)["smape"] == scores["smape"]


def test_a_relative_folder_is_found(
    tmp_path: Path, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {**data, "pictures": "images", "items": 2}
    with ChatServer(replying(lambda body: "12")) as server:
        outcome, scores = ask(Path("runs"), url=server.url, settings=given)
    assert outcome.complete
    assert scores["failed"] == 0


def test_a_subset_leaves_the_validation_part_whole(data: dict[str, Any]) -> None:
    settings = CaptureSettings(**data, subset="fsc-test")
    assert {scene.name for scene in scenes(settings, "test")} == {"1.jpg", "3.jpg", "5.jpg"}
    assert {scene.name for scene in scenes(settings, "validation")} == {"6.jpg", "7.jpg"}


def test_the_test_part_of_fsc_alone(tmp_path: Path, data: dict[str, Any]) -> None:
    given = {**data, "subset": "fsc-test"}
    outcome, _ = ask(tmp_path / "runs", model="sim/perfect", settings=given)
    names = {t.condition["configuration"] for t in trials_of(outcome.folder)}
    assert names == {"1.jpg", "3.jpg", "5.jpg"}


def test_without_points_totals_only(tmp_path: Path, data: dict[str, Any]) -> None:
    given = {**data, "points": ""}
    outcome, scores = ask(tmp_path / "runs", model="sim/perfect", settings=given)
    assert {t.condition["task"] for t in trials_of(outcome.folder)} == {"total"}
    assert "points" in scores["undefined"]["hidden"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pictures": ""}, "needs FSC-147's pictures"),
        ({"metadata": ""}, "needs FSC-147's pictures"),
        ({"points": "", "tasks": ("hidden",)}, "the task hidden needs"),
        ({"points": "", "help": ("all-coordinates",)}, "help=all-coordinates needs"),
        ({"validation_metadata": "", "prompt": "best"}, "validation_metadata=FILE"),
        ({"subset": "fsc-test", "splits": ""}, "Train_Test_Val_FSC_147.json"),
        ({"pictures": "nowhere"}, "nowhere: give that of"),
    ],
)
def test_what_is_missing_is_said_before_asking(
    tmp_path: Path, data: dict[str, Any], change: dict[str, Any], words: str
) -> None:
    with ChatServer() as server, pytest.raises(BadInput) as problem:
        ask(tmp_path / "runs", url=server.url, settings={**data, **change})
    assert words in str(problem.value)
    assert not server.seen


def test_a_missing_picture_is_named(tmp_path: Path, data: dict[str, Any]) -> None:
    (Path(data["pictures"]) / "3.jpg").unlink()
    with pytest.raises(BadInput, match=r"1 pictures \(3\.jpg\)"):
        ask(tmp_path / "runs", model="sim/perfect", settings=data)


def test_the_page_of_the_real_set(tmp_path: Path, data: dict[str, Any]) -> None:
    """CountGD stands beside it, marked as not comparable; totals are drawn on a log scale."""
    given = {**data, "confidence": "samples", "samples": 4}
    outcome, scores = ask(tmp_path / "runs", model="sim/observer", settings=given)
    assert scores["confidence"]["occluded"]["trials"] == 6
    page = report([outcome.folder], tmp_path / "report.html").read_text("utf-8")
    assert "Leaderboard, real set" in page
    assert "CountGD" in page
    assert "not comparable" in page
    files = files_of(tmp_path / "report.html")
    assert "capture-real-confusion.svg" in files
    assert b"cups" in files["capture-real-by-object.csv"]
