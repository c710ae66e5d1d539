"""A counter's mistakes taken out of a painter's scores, by commands on run folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, WrongRun
from subitize.models.catalog import open_model
from subitize.opening import calibration_from
from subitize.runs.correcting import keep_calibration
from subitize.runs.run import RunOptions, run_benchmark
from tests.runs.conftest import responses_of
from tests.scored import score_run

COUNTER = "counter/blobs?split=false"
QUIET = RunOptions(progress=False)
Rate = Callable[[int], list[tuple[int, int]]]


def calibration_file(path: Path, counted: Rate, *, counter: str = "") -> Path:
    """People counted `true` in 200 pictures each; the counter said what `counted` tells."""
    pairs = [[true, said, times] for true in range(21) for said, times in counted(true)]
    entry = {
        "format": "subitize-calibration", "version": 1, "counter": counter, "threshold": 0.5,
        "nms": 0.95, "group": 0.9, "pictures": 200 * 21, "accuracy": None, "nae": None,
        "curve": {}, "pairs": {"dots": pairs},
    }  # fmt: skip
    path.write_bytes(orjson.dumps(entry))
    return path


def painted(out: Path, counter: str | None = COUNTER, rules: str = "") -> Path:
    benchmark = get_benchmark("production")
    settings = benchmark.settings_from({"per_cell": 8, "max": 6, "categories": ("dots",)})
    return run_benchmark(
        benchmark,
        settings,
        open_model("painter/shapes?size=128&w=0.3&limit=0"),
        out,
        RunOptions(progress=False, rules=rules),
        {"counter": open_model(counter)} if counter else {},
    ).folder


def keep(run: Path, source: Path) -> str:
    """What `subitize score --calibration` does; the reader from then on."""
    return keep_calibration(run, get_benchmark("production"), calibration_from(source))


def test_a_perfect_counter_changes_nothing(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    raw = score_run(run)
    assert "corrected" not in raw
    reader = keep(
        run, calibration_file(tmp_path / "c.json", lambda true: [(true, 200)], counter=COUNTER)
    )
    assert reader == f"{raw['reader']}?group=0.9&nms=0.95&threshold=0.5"
    scores = score_run(run, reader)
    found = scores["corrected"]
    assert found["identifiable"]
    assert found["raw"]["accuracy"] == scores["accuracy"]["value"] == raw["accuracy"]["value"]
    assert found["accuracy"]["value"] == pytest.approx(raw["accuracy"]["value"], abs=0.02)
    assert found["nae"]["low"] <= raw["nae"]["value"] <= found["nae"]["high"]


def test_a_counter_that_often_misses_one_makes_the_painter_better(tmp_path: Path) -> None:
    """Right counts would come from wrong pictures: what is called right is less so, or more."""
    run = painted(tmp_path / "runs")
    raw = score_run(run)

    def misses(true: int) -> list[tuple[int, int]]:
        return [(true, 160), (true - 1, 40)] if true else [(0, 200)]

    keep(run, calibration_file(tmp_path / "c.json", misses))
    found = score_run(run)["corrected"]
    assert found["identifiable"]
    assert found["accuracy"]["value"] != pytest.approx(raw["accuracy"]["value"], abs=0.01)


def test_a_hopeless_counter_is_told(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    keep(run, calibration_file(tmp_path / "c.json", lambda _: [(3, 100), (4, 100)]))
    scores = score_run(run)
    assert scores["corrected"]["accuracy"] is None
    assert "confuses numbers so much" in scores["undefined"]["corrected"]


def test_the_mistakes_may_come_from_a_naming_run_of_the_counter(tmp_path: Path) -> None:
    naming = get_benchmark("naming")
    small = {"per_cell": 6, "max": 10, "size": 128, "categories": ("dots",), "prompt": "things"}
    counter = open_model(COUNTER)
    named = run_benchmark(
        naming, naming.settings_from(small), counter, tmp_path / "naming", QUIET
    ).folder
    run = painted(tmp_path / "runs")
    assert keep(run, named) == COUNTER
    found = score_run(run)["corrected"]
    assert found["calibrated_pictures"] == 60
    assert found["identifiable"], found["reason"]
    with pytest.raises(WrongRun, match="no naming run of a counter"):
        keep(run, run)


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    exact = calibration_file(tmp_path / "c.json", lambda n: [(n, 9)], counter="counter/other")
    with pytest.raises(BadInput, match="calibration of counter/other"):
        keep(run, exact)
    with pytest.raises(BadInput, match="is no calibration file"):
        keep(run, run / "run.json")
    with pytest.raises(BadInput, match="Can't read"):
        keep(run, tmp_path / "missing.json")
    waiting = painted(tmp_path / "waiting", None)
    with pytest.raises(BadInput, match="not read by a counter"):
        keep(waiting, exact)
    (run / "calibration.json").write_text("{", encoding="utf-8")
    with pytest.raises(WrongRun, match="is damaged"):
        score_run(run)


def test_a_resumed_run_keeps_the_calibrations_threshold(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    reader = keep(run, calibration_file(tmp_path / "c.json", lambda n: [(n, 200)]))
    scores = score_run(run)
    assert scores["reader"] == reader
    assert painted(tmp_path / "runs") == run
    assert score_run(run) == scores


def test_read_by_other_rules_nothing_is_corrected(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    keep(run, calibration_file(tmp_path / "c.json", lambda n: [(n, 200)]))
    scores = score_run(run, f"{COUNTER}?threshold=0.9")
    assert scores["accuracy"]["value"] > 0
    assert scores["corrected"]["accuracy"] is None
    assert "the calibration holds for the reader" in scores["undefined"]["corrected"]


def test_a_run_can_be_read_by_the_calibrations_rules_from_the_start(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs", rules="?threshold=0.75")
    reader = orjson.loads((run / "run.json").read_bytes())["reader"]
    assert reader == f"{COUNTER}?threshold=0.75"


def test_a_naming_run_is_taken_by_picture_and_with_its_rules(tmp_path: Path) -> None:
    """Three prompt forms ask about each picture: the counter's mistakes are known from 60."""
    naming = get_benchmark("naming")
    small = {"per_cell": 6, "max": 10, "size": 64, "categories": ("dots",)}
    outcome = run_benchmark(
        naming,
        naming.settings_from(small),
        open_model(COUNTER),
        tmp_path / "naming",
        RunOptions(progress=False, reader="strict?threshold=0.6"),
    )
    failed = [line for line in responses_of(outcome.folder) if line["stop"] == "failed"]
    assert (outcome.complete, failed) == (True, [])
    run = painted(tmp_path / "runs")
    assert keep(run, outcome.folder) == f"{COUNTER}?threshold=0.6"
    assert score_run(run)["corrected"]["calibrated_pictures"] == 60


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 5}, {"threshold": None}, {"pairs": {"dots": [[1, 2]]}}, {"pairs": []},
     {"pairs": {"dots": [[-1, 2, 3]]}}, {"nms": "much"}],
    ids=str,
)  # fmt: skip
def test_a_damaged_calibration_leaves_the_run_as_it_is(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    run = painted(tmp_path / "runs")
    before = score_run(run)
    file = calibration_file(tmp_path / "c.json", lambda n: [(n, 200)])
    file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | wrong))
    with pytest.raises(BadInput, match=r"c\.json"):
        keep(run, file)
    assert score_run(run) == before


@pytest.mark.parametrize(
    "wrong",
    [b"", b"[]", b'{"pairs": {"dots": [[1, 2]]}}', b'{"pairs": [[1, 2, 3]]}',
     b'{"pairs": {"dots": [["a", 2, 3]]}}', b'{"pairs": {"dots": 5}}', b"\xff"],
    ids=repr,
)  # fmt: skip
def test_a_kept_calibration_that_is_damaged_is_told(tmp_path: Path, wrong: bytes) -> None:
    run = painted(tmp_path / "runs")
    (run / "calibration.json").write_bytes(wrong)
    with pytest.raises(WrongRun, match=r"calibration\.json is damaged"):
        score_run(run)


def test_a_folder_in_the_place_of_a_kept_calibration_is_told(tmp_path: Path) -> None:
    run = painted(tmp_path / "runs")
    (run / "calibration.json").mkdir()
    with pytest.raises(WrongRun, match=r"calibration\.json is damaged"):
        score_run(run)
