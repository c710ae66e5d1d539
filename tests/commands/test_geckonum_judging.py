"""`subitize geckonum metrics`, `vqa`, `pictures` and `report` as typed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson
import pytest

from subitize.benchmarks.prompt_files import write_prompts
from tests.benchmarks.geckonum_data import PROMPTS, simulated
from tests.new_process import subitize
from tests.reports.embedded import files_of

pytestmark = [pytest.mark.budget(60)]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    folder = tmp_path_factory.mktemp("judged")
    prompts = folder / "prompts.csv"
    write_prompts([asdict(one) for one in PROMPTS], "csv", prompts)
    answers = simulated(folder / "answers", people=5)
    return ("--annotations", answers, "--prompts", prompts)


def model_of(given: tuple[object, ...]) -> str:
    answers = given[1]
    assert isinstance(answers, Path)
    return next(answers.glob("task_1_*.csv")).stem.removeprefix("task_1_")


def test_metrics(given: tuple[object, ...], tmp_path: Path) -> None:
    painter = model_of(given)
    lines = [f"{painter},{one.dataset_id}_0,{one.index % 7}" for one in PROMPTS[:400]]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["model,image_id,score", *lines, f"{painter},nothing,1"]) + "\n")
    done = subitize("geckonum", "metrics", "--scores", path, *given, "--json")
    found = orjson.loads(done.stdout)
    assert found["rows"]["used"] == 400
    assert f"{path}:402" in done.stderr
    cell = found["metrics"]["mine"]["models"][painter]
    assert cell["n_right"] + cell["n_wrong"] == 400
    assert cell["p_holm"] == pytest.approx(cell["p"])
    text = subitize("geckonum", "metrics", "--scores", path, *given).stdout
    assert "AUC" in text
    assert "people" in text
    wrong = subitize("geckonum", "metrics", "--scores", tmp_path / "no.csv", *given, code=2)
    assert "Can't read the scores" in wrong.stderr


def test_vqa(given: tuple[object, ...], tmp_path: Path) -> None:
    out = tmp_path / "eval.jsonl"
    wrong = subitize("geckonum", "vqa", *given, "--out", out, code=2)
    assert "imagen_a" in wrong.stderr  # none of the paper's painters is here
    done = subitize(
        "geckonum", "vqa", *given, "--out", out, "--painters", "all", "--min-agree", 3, "--json"
    )
    summary = orjson.loads(done.stdout)
    lines = [orjson.loads(line) for line in out.read_bytes().splitlines()]
    assert summary["questions"] == len(lines) > 1000
    assert {"image", "question", "answer"} <= set(lines[0])
    unknown = subitize("geckonum", "vqa", *given, "--out", out, "--painters", "mise", code=2)
    assert "no painter" in unknown.stderr
    assert (
        "no split"
        in subitize("geckonum", "vqa", *given, "--out", out, "--split", "test", code=2).stderr
    )


def test_run_pictures_metric_and_report(given: tuple[object, ...], tmp_path: Path) -> None:
    """From a painter's run to the pictures of a metric's run, and both on one page."""
    runs = tmp_path / "runs"
    subitize(
        "run", "geckonum", "--model", "painter/shapes?size=128&w=0.4", "--out", runs,
        "--set", "tasks=1", "--set", "things=apple,fish", "--set", "types=numeric_simple",
        "--set", "seeds=1",
    )  # fmt: skip
    [run] = runs.iterdir()
    out = tmp_path / "pictures"
    assert "30 pictures" in subitize("geckonum", "pictures", run, "--out", out).stdout
    assert len(list(out.glob("*/geckonum_*_0.png"))) == 30
    subitize(
        "run", "geckonum-metric", "--model", "counter/blobs", "--set", f"pictures={out}",
        "--out", runs,
    )  # fmt: skip
    page = tmp_path / "page.html"
    subitize("report", runs, "--out", page)
    text = page.read_text()
    assert "counter/blobs" in text
    assert 'id="geckonum-by-number"' in text
    assert 'id="geckonum-metric-means"' in text
    [metric] = runs.glob("geckonum-metric-*")
    # people judged another painter's pictures: the message names both
    wrong = subitize("geckonum", "metrics", "--scores", metric, *given, code=2)
    assert model_of(given) in wrong.stderr
    wrong = subitize("geckonum", "metrics", "--scores", run, *given, code=2)
    assert "geckonum-metric" in wrong.stderr


def test_report_of_annotations(given: tuple[object, ...], tmp_path: Path) -> None:
    page = tmp_path / "people.html"
    assert str(page) in subitize("geckonum", "report", *given, "--out", page).stdout
    assert 'id="geckonum-a10"' in page.read_text()
    assert "geckonum-table2.csv" in files_of(page)
