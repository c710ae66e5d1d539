"""A run's files as columns: what is written as we write it is parsed in blocks, the rest by line,
and both give the same table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from subitize.errors import WrongRun
from subitize.runs import columns
from tests.chat_server import ChatServer
from tests.runs.conftest import Go
from tests.runs.production_runs import produce
from tests.scored import load_run

FILES = ("trials.jsonl", "responses.jsonl")


def table(folder: Path) -> pl.DataFrame:
    (folder / "answers.parquet").unlink(missing_ok=True)
    return load_run(folder).answers


@pytest.fixture
def named(go: Go) -> Path:
    with ChatServer() as server:
        return go(server.url)[0].folder


@pytest.fixture
def painted(tmp_path: Path) -> Path:
    """Pictures with a helper's answers about them, whose trials follow the responses."""
    return produce(tmp_path)[0].folder


@pytest.mark.parametrize("run", ["named", "painted"])
def test_lines_of_another_hand_give_the_same_table(
    run: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = request.getfixturevalue(run)
    whole = table(folder)
    monkeypatch.setattr(columns, "BLOCK", 700)  # a few lines
    assert table(folder).equals(whole)
    for name in FILES:
        lines = [orjson.loads(line) for line in (folder / name).read_bytes().splitlines()]
        backwards = [dict(reversed(line.items())) for line in lines]
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in backwards)
        (folder / name).write_text(written, encoding="utf-8")
    assert table(folder).equals(whole)


DAMAGES: dict[str, tuple[str, Any]] = {
    "a number where text belongs": ("value", 7),
    "an object where text belongs": ("value", {"a": "b"}),
    "nothing where text belongs": ("value", None),
    "text where a number belongs": ("sample", "0"),
    "a fraction where a whole number belongs": ("attempt", 0.5),
    "a number below zero": ("sample", -1),
    "no such kind": ("kind", "song"),
    "tokens in words": ("usage", {"completion_tokens": "five"}),
    "no usage at all": ("usage", []),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_field_of_another_type_is_told_with_its_line(named: Path, name: str) -> None:
    field, value = DAMAGES[name]
    path = named / "responses.jsonl"
    lines = path.read_bytes().splitlines()
    lines[4] = orjson.dumps({**orjson.loads(lines[4]), field: value})
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(WrongRun, match=r"responses\.jsonl, line 5 is damaged"):
        table(named)


@pytest.mark.parametrize(
    ("field", "value"), [("id", "x"), ("stage", 1), ("target", "3"), ("condition", [])]
)
def test_a_trial_that_is_none_is_told_with_its_line(named: Path, field: str, value: Any) -> None:
    path = named / "trials.jsonl"
    lines = path.read_bytes().splitlines()
    lines[2] = orjson.dumps({**orjson.loads(lines[2]), field: value})
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(WrongRun, match=r"trials\.jsonl, line 3 is damaged"):
        table(named)


def test_a_condition_of_another_type_is_told(named: Path) -> None:
    path = named / "trials.jsonl"
    lines = path.read_bytes().splitlines()
    trial = orjson.loads(lines[2])
    trial["condition"]["category"] = 5
    lines[2] = orjson.dumps(trial)
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(WrongRun, match=f"condition 'category' of the trial {trial['id']} is '5'"):
        table(named)


def test_equal_replies_to_equal_questions_are_read_once(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = table(named)
    read: list[tuple[int, int]] = []
    plain = columns.Records.response

    def counted(self: columns.Records, file: int, line: int) -> Any:
        read.append((file, line))
        return plain(self, file, line)

    monkeypatch.setattr(columns.Records, "response", counted)
    assert table(named).equals(whole)
    assert len(read) == whole.select("stage", "form", "thing", "value").n_unique() < whole.height
