"""Every file of a run folder opens with one default call of pandas, Polars and DuckDB.

The journal and the plan here bring each rare field no earlier than in line 150: readers that infer
their columns from the first lines must not lose it.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

import subitize
from subitize.benchmarks.catalog import get_benchmark
from subitize.records import USAGE, Response, Stimulus, Trial, make_follower, make_trial
from subitize.runs.journal import Journal
from subitize.runs.plan import Plan
from tests.scored import load_run

WHOSE = ("capture", "1", "total")
LINES = 150


def usual(number: int) -> tuple[Trial, Response]:
    condition = {"configuration": f"c{number}", "task": "total", "variant": "occluded"}
    trial = make_trial(
        WHOSE, Stimulus("prompt", {"text": "x"}), "How many?", target=5, condition=condition
    )
    return trial, Response(trial.id, "m", "h", 0, 0, "text", "5", "stop")


def rare(before: Response) -> tuple[Trial, Response]:
    """Everything that a plain reply lacks."""
    condition = {
        "configuration": "rare", "task": "pattern", "variant": "unoccluded",
        "help": "visible-count", "prompt": "own", "thing": "circles",
        "total": 15, "hidden": 3, "arrangement": "circle",
        "place": 4, "colour": "red", "object": "dots", "told": 12,
    }  # fmt: skip
    trial = make_follower(
        ("capture", "1", "inpainted"), before, "Which?", target=2.5, options=("a", "b"),
        condition=condition, over=Stimulus("file", {"sha256": "0" * 64}, "/pictures/one.png"),
        box=(1, 2, 3.5, 4),
    )  # fmt: skip
    response = Response(
        trial.id, "counter/x", "other", 2, 1, "boxes", '{"boxes":[[0,0,5,5,0.9]]}', "length",
        dict.fromkeys(USAGE, 7), 1.25, "f" * 64, "a note", '{"frames":12}',
    )  # fmt: skip
    return trial, response


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder whose last line is the rare one."""
    folder = tmp_path_factory.mktemp("run")
    benchmark = get_benchmark("capture")
    pairs = [usual(number) for number in range(LINES - 1)]
    pairs.append(rare(pairs[0][1]))
    journal, plan = Journal(folder), Plan(folder, benchmark.CONDITION)
    plan.add([trial for trial, _ in pairs])
    for _, response in pairs:
        journal.write(response)
    plan.close()
    journal.close()
    info = {
        "format": 2, "benchmark": "capture", "version": "1", "kind": "namer",
        "settings": {}, "model": {"name": "m", "settings": {}, "revision": None},
        "respondents": [{"name": "m", "settings_hash": "h"}], "decisions": {}, "readers": [],
    }  # fmt: skip
    (folder / "run.json").write_bytes(orjson.dumps(info))
    assert load_run(folder).answers.height == LINES
    return folder


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was asked, read and scored."""
    out = tmp_path_factory.mktemp("measured")
    return subitize.run("naming", "sim/chatty", out=out, per_cell=2, max=3).folder


def written(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def plain(value: Any) -> Any:
    """A value as JSON has it, whichever library held it."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("name", ["responses.jsonl", "trials.jsonl"])
def test_polars_reads_every_value(folder: Path, name: str) -> None:
    found = pl.read_ndjson(folder / name).to_dicts()
    assert [plain(row) for row in found] == written(folder / name)


@pytest.mark.parametrize("name", ["responses.jsonl", "trials.jsonl"])
def test_pandas_reads_every_value(folder: Path, name: str) -> None:
    pandas = pytest.importorskip("pandas")
    found = pandas.read_json(folder / name, lines=True).to_dict("records")
    expected = written(folder / name)
    assert len(found) == len(expected)
    for row, line in zip(found, expected, strict=True):
        for key, value in line.items():
            # pandas turns numbers in text columns into numbers: nothing is lost by it
            assert str(plain(row[key])) == str(value) or plain(row[key]) == value, key


def test_pandas_keeps_texts_and_objects_as_the_docs_say(folder: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    info = pandas.read_json(folder / "run.json", typ="series", dtype=False)
    assert info.to_dict() == orjson.loads((folder / "run.json").read_bytes())
    line = written(folder / "responses.jsonl")[0] | {"value": "007"}
    (tmp_path / "responses.jsonl").write_bytes(orjson.dumps(line) + b"\n")
    found = pandas.read_json(tmp_path / "responses.jsonl", lines=True, dtype=False)
    assert found["value"].to_list() == ["007"]


@pytest.mark.parametrize("name", ["responses.jsonl", "trials.jsonl"])
def test_duckdb_reads_every_value(folder: Path, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(f"select * from '{folder / name}'")
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    assert len(rows) == LINES
    for row, line in zip(rows, written(folder / name), strict=True):
        for key, value in line.items():
            assert plain(row[key]) == value or str(row[key]) == str(value), key


def test_the_table_opens_everywhere(folder: Path) -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    path = folder / "answers.parquet"
    ours = pl.read_parquet(path)
    theirs = pandas.read_parquet(path)
    assert list(theirs.columns) == ours.columns
    assert ours.height == LINES
    assert [plain(row) for row in theirs.to_dict("records")] == ours.to_dicts()
    assert duckdb.sql(f"select * from '{path}'").fetchall() == ours.rows()
    last = ours.row(-1, named=True)
    assert (last["respondent"], last["sample"], last["attempt"]) == ("counter/x", 2, 1)
    assert (last["told"], last["target"], last["counts"]) == (12, 2.5, False)
    assert (last["of_trial"], last["of_attempt"]) == (ours["trial"][0], 0)


@pytest.mark.parametrize("before", [LINES - 1, LINES - 60])
def test_targets_and_conditions_that_come_late_are_read_everywhere(
    tmp_path: Path, before: int
) -> None:
    """After more lines without one than readers judge by, and after fewer."""
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    late = {"configuration": "late", "told": 12}
    trials = [
        make_trial(
            WHOSE, Stimulus("prompt", {"text": str(number)}), "How many?",
            target=None if number < before else number + 0.5,
            condition={"configuration": None, "told": None} if number < before else late,
        )
        for number in range(LINES)
    ]  # fmt: skip
    for _ in range(2):  # a resumed run finds them all, wherever they stand
        with Plan(tmp_path, get_benchmark("capture").CONDITION) as plan:
            plan.add(trials)
    path = tmp_path / "trials.jsonl"
    lines = written(path)
    assert sorted(line["id"] for line in lines) == sorted(one.id for one in trials)
    assert {line["id"]: line["target"] for line in lines} == {one.id: one.target for one in trials}
    assert pl.read_ndjson(path).to_dicts() == lines
    found = duckdb.sql(f"select * from '{path}'")
    assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == lines
    rows = pandas.read_json(path, lines=True).to_dict("records")
    assert [plain(row["target"]) for row in rows] == [line["target"] for line in lines]
    assert [row["condition"] for row in rows] == [line["condition"] for line in lines]


def told(value: Any) -> Any:
    """What an object says: a column that other lines or objects have is null, or not there."""
    if isinstance(value, dict):
        return {key: own for key, inner in value.items() if (own := told(inner)) not in (None, {})}
    return [told(inner) for inner in value] if isinstance(value, list) else plain(value)


@pytest.mark.parametrize("name", ["run.json", "scores.json"])
def test_what_a_real_run_is_and_scores_opens_everywhere(measured: Path, name: str) -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    path = measured / name
    expected = orjson.loads(path.read_bytes())
    assert told(pl.read_json(path).to_dicts()) == [told(expected)]
    found = duckdb.sql(f"select * from '{path}'")
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    assert told(rows) == [told(expected)]
    exact = pandas.read_json(path, typ="series", dtype=False, precise_float=True)
    assert told(exact.to_dict()) == told(expected)
