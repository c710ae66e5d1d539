"""`subitize export`: what others read is what was measured, intervals and raw replies included."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

import subitize
from subitize.benchmarks.catalog import get_benchmark
from subitize.cli import main
from subitize.commands.exporting import SOURCES
from subitize.integrations.score_rows import RANGES, score_rows
from subitize.measures.weber import HIGHEST

SCHEMAS = Path(__file__).parent.parent / "integrations" / "every_eval_ever"
SHOWN = {"naming": "sim/chatty", "capture": "counter/pattern", "probe": "sim/observer",
         "production": "painter/shapes?w=0.15&size=256"}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subitize.Run]:
    """A small run of each of the benchmarks, a Weber observer among them."""
    out = tmp_path_factory.mktemp("runs")
    made = {}
    for name, model in SHOWN.items():
        fast = dict(get_benchmark(name).DEMO["fast"])
        small = {"per_cell": 3, "categories": ("apples", "dots")} if "per_cell" in fast else {}
        made[name] = subitize.run(name, model, out=out, **{**fast, **small})
    return made


def exported(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["export", *words])
    return int(ended.value.code or 0)


def files_of(run: subitize.Run, to: str, out: Path) -> list[Path]:
    assert exported(str(run.folder), "--to", to, "--out", str(out)) == 0
    return sorted(path for path in out.rglob("*") if path.is_file())


@pytest.mark.budget(20)
@pytest.mark.parametrize("name", SHOWN)
def test_csv_and_parquet_hold_every_reply_and_every_interval(
    name: str, runs: dict[str, subitize.Run], tmp_path: Path
) -> None:
    run = runs[name]
    answers_csv, scores_csv = files_of(run, "csv", tmp_path / "csv")
    answers, scores = files_of(run, "parquet", tmp_path / "parquet")
    table, marks = pl.read_parquet(answers), pl.read_parquet(scores)
    assert table.drop("question").equals(run.answers)
    assert table.filter(pl.col("of_trial").is_null())["question"].null_count() == 0
    read = pl.read_csv(answers_csv, schema=table.schema)
    assert read["value"].fill_null("").equals(table["value"])
    assert read["number"].equals(table["number"])
    assert pl.read_csv(scores_csv)["score"].to_list() == marks["score"].to_list()
    for row in marks.iter_rows(named=True):
        found: Any = run.stored.scores
        for key in row["score"].split("."):
            found = found[key]
        if isinstance(found, dict):
            assert (row["value"], row["low"], row["high"]) == (
                found["value"], found["low"], found["high"],
            )  # fmt: skip
        else:
            assert row["value"] == found


@pytest.mark.budget(20)
@pytest.mark.parametrize("name", SHOWN)
def test_every_eval_ever_takes_it(name: str, runs: dict[str, subitize.Run], tmp_path: Path) -> None:
    run = runs[name]
    record, samples = files_of(run, "eee", tmp_path)
    found = json.loads(record.read_text())
    jsonschema.validate(found, json.loads((SCHEMAS / "eval.schema.json").read_text()))
    lines = [json.loads(line) for line in samples.read_text().splitlines()]
    for line in lines:
        jsonschema.validate(
            line, json.loads((SCHEMAS / "instance_level_eval.schema.json").read_text())
        )
    assert found["detailed_evaluation_results"]["total_rows"] == len(lines)
    path = tmp_path / found["detailed_evaluation_results"]["file_path"]
    assert path == samples
    reasons = run.stored.scores["undefined"]
    for row in score_rows(run.stored.scores):
        if row.low is None and (known := reasons.get(f"{row.score}.interval")):
            assert row.reason == known
    results = {one["metric_config"]["metric_id"]: one for one in found["evaluation_results"]}
    rows = [row for row in score_rows(run.stored.scores) if row.measure and row.value is not None]
    assert list(results) == [row.score for row in rows]
    for row in rows:
        span, told = RANGES[row.measure], results[row.score]
        assert span.low <= row.value <= span.high  # type: ignore[operator]
        assert told["score_details"]["score"] == row.value
        if row.low is not None:
            given = told["score_details"]["uncertainty"]["confidence_interval"]
            assert (given["lower"], given["upper"]) == (row.low, row.high)
    raw = {line["sample_id"]: line["output"]["raw"] for line in lines}
    stages = run.stored.benchmark.stages(run.stored.settings, run.info["kind"])
    asked = [stage.name for stage in stages if stage.counts]
    counted = run.answers.filter(pl.col("counts") & pl.col("stage").is_in(asked))
    kept = counted.select("trial", "sample", "attempt", "value").iter_rows()
    assert raw == {f"{t}/{sample}/{attempt}": [value] for t, sample, attempt, value in kept}


@pytest.mark.budget(10)
def test_the_cap_of_w_is_stated(runs: dict[str, subitize.Run], tmp_path: Path) -> None:
    record, _ = files_of(runs["production"], "eee", tmp_path)
    results = json.loads(record.read_text())["evaluation_results"]
    [config] = [
        one["metric_config"]
        for one in results
        if one["metric_config"]["metric_id"] == "weber_fraction"
    ]
    assert config["max_score"] == HIGHEST
    assert str(HIGHEST) in config["additional_details"]["bounds"]


@pytest.mark.budget(10)
@pytest.mark.parametrize("name", SHOWN)
def test_the_hub_reads_its_results(
    name: str, runs: dict[str, subitize.Run], tmp_path: Path
) -> None:
    run = runs[name]
    words = [str(run.folder), "--to", "hf", "--out", str(tmp_path), "--dataset", "me/counting",
             "--source-url", "https://example.org/run"]  # fmt: skip
    assert exported(*words) == 0
    [file] = (tmp_path / ".eval_results").iterdir()
    entries = parse_eval_result_entries(yaml.safe_load(file.read_text()))
    rows = [row for row in score_rows(run.stored.scores) if row.measure and row.value is not None]
    assert [(one.task_id, one.value) for one in entries] == [(row.score, row.value) for row in rows]
    assert {one.dataset_id for one in entries} == {"me/counting"}
    assert {one.source_url for one in entries} == {"https://example.org/run"}
    for one, row in zip(entries, rows, strict=True):
        if row.low is not None:
            assert f"95 % interval {row.low:.4f} to {row.high:.4f}" in str(one.notes)
    answers = pl.read_parquet(io.BytesIO((tmp_path / "traces" / "answers.parquet").read_bytes()))
    assert answers["value"].equals(run.answers["value"])


@pytest.mark.budget(10)
def test_nothing_is_replaced_unasked(
    runs: dict[str, subitize.Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = str(runs["naming"].folder), tmp_path / "out"
    assert exported(folder, "--to", "csv", "--out", str(out)) == 0
    assert exported(folder, "--to", "csv", "--out", str(out)) == 0, "the same is no harm"
    (out / "scores.csv").write_text("mine")
    assert exported(folder, "--to", "csv", "--out", str(out)) == 2
    assert "is there already: give another --out, or --force" in capsys.readouterr().err
    assert (out / "scores.csv").read_text() == "mine"
    assert exported(folder, "--to", "csv", "--out", str(out), "--force") == 0
    assert (out / "scores.csv").read_text().startswith("score,measure,value")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--to", "cvs"], "did you mean 'csv'"),
        (["--to", "hf", "--dataset", "mine"], "is not of the form OWNER/NAME"),
    ],
)
def test_mistakes_are_told(
    words: list[str],
    says: str,
    runs: dict[str, subitize.Run],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exported(str(runs["naming"].folder), *words) == 2
    assert says in capsys.readouterr().err


def test_what_is_no_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_file = tmp_path / "a-file"
    a_file.touch()
    for path, says in (
        (tmp_path, "holds none"),
        (tmp_path / "gone", "is not there"),
        (a_file, "is a file"),
    ):
        assert exported(str(path), "--to", "csv") == 2
        assert f"{path} {says}" in capsys.readouterr().err
    assert all(one.formats for one in SOURCES)
