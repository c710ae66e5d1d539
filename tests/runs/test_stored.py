"""Scores that no longer hold are made again; a damaged folder is told, not scored."""

from __future__ import annotations

import importlib
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

import subitize
from subitize import __version__
from subitize.commands.rescoring import read
from subitize.errors import WrongRun
from subitize.runs import answers
from subitize.runs.answers import code_of
from tests.chat_server import ChatServer, completion
from tests.runs.conftest import Go
from tests.scored import load_run, score_run

HEDGED = "About 3 of them."


def hedging(number: int, request: web.Request, body: dict[str, object]) -> web.Response:
    return web.json_response(completion(HEDGED))


@pytest.fixture
def folder(go: Go) -> Path:
    """A run in which every number is hedged: `strict` reads none and `final` all."""
    with ChatServer(hedging) as server:
        outcome, scores = go(server.url)
    assert scores["states"] == {"vague": 12}
    return outcome.folder


def test_another_reader_makes_scores_stale(folder: Path) -> None:
    assert load_run(folder).scores["states"] == {"vague": 12}
    read(folder, "final")
    run = load_run(folder)
    assert run.reader == run.scores["reader"] == "final"
    assert run.scores["states"] == {"read": 12}
    assert orjson.loads((folder / "scores.json").read_bytes())["reader"] == "final"


def test_exclusions_make_scores_stale(folder: Path, tmp_path: Path) -> None:
    trial = orjson.loads((folder / "trials.jsonl").read_bytes().splitlines()[0])["id"]
    listed = tmp_path / "excluded.csv"
    listed.write_text(f"{trial},blurred\n")
    read(folder, exclude=listed)
    assert load_run(folder).scores["states"] == {"excluded": 1, "vague": 11}


def test_a_response_that_came_later_makes_scores_stale(folder: Path) -> None:
    made = (folder / "scores.json").stat().st_mtime_ns
    path = folder / "responses.jsonl"
    path.write_bytes(path.read_bytes().replace(HEDGED.encode(), b"Exactly 3!"))
    os.utime(path, ns=(made + 1, made + 1))
    assert load_run(folder).scores["states"] == {"read": 12}


def test_scores_of_another_version_are_made_again(folder: Path) -> None:
    path = folder / "scores.json"
    before = orjson.loads(path.read_bytes())
    assert before["package"] == __version__
    path.write_bytes(orjson.dumps({**before, "package": "0.0.9", "states": {"read": 12}}))
    assert load_run(folder).scores == before
    assert orjson.loads(path.read_bytes()) == before


def test_another_program_of_the_same_version_makes_table_and_scores_again(
    folder: Path, tmp_path: Path
) -> None:
    """A measure or a reader may change between two versions, too."""
    before = orjson.loads((folder / "scores.json").read_bytes())
    made = [folder / "scores.json", folder / "answers.parquet"]
    package = tmp_path / "other" / "subitize"
    shutil.copytree(Path(subitize.__file__).parent, package)

    def made_by(place: Path) -> list[int]:
        again = f"import subitize; subitize.load({str(folder)!r}).scores"
        path = {"PYTHONPATH": str(place)}
        subprocess.run([sys.executable, "-c", again], check=True, env={**os.environ, **path})
        return [path.stat().st_mtime_ns for path in made]

    as_it_was = [path.stat().st_mtime_ns for path in made]
    assert made_by(package.parent) == as_it_was
    reader = package / "readers" / "text.py"
    reader.write_text(f"{reader.read_text('utf-8')}\nMORE = 1\n", "utf-8")
    assert all(now > then for now, then in zip(made_by(package.parent), as_it_was, strict=True))
    after = orjson.loads(made[0].read_bytes())
    assert after.pop("code") != before.pop("code")
    assert after == before


def test_another_program_of_a_benchmark_from_elsewhere_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "elsewhere.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for version in (1, 2, 1):
        source.write_text(
            "from subitize.benchmarks.naming import Naming\n"
            f"class Own(Naming):\n    SCORES = {{'x': '{version}'}}\n"
        )
        answers._code_with.cache_clear()  # another process
        found.append(code_of(importlib.import_module("elsewhere").Own()))
        del sys.modules["elsewhere"]
    assert found[0] == found[2] != found[1]


def test_scores_that_hold_are_not_made_again(folder: Path) -> None:
    before = (folder / "scores.json").stat().st_mtime_ns
    assert load_run(folder).scores["states"] == {"vague": 12}
    assert (folder / "scores.json").stat().st_mtime_ns == before


def test_scores_by_another_reader_are_not_taken_for_the_runs_own(folder: Path) -> None:
    assert load_run(folder, "final").scores["states"] == {"read": 12}
    assert orjson.loads((folder / "run.json").read_bytes())["reader"] == "strict"
    assert load_run(folder).scores["states"] == {"vague": 12}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"{}", b"3"])
def test_damaged_scores_are_made_again(folder: Path, content: bytes) -> None:
    (folder / "scores.json").write_bytes(content)
    assert load_run(folder).scores["states"] == {"vague": 12}


@pytest.mark.parametrize("kept", [0, 1000])
def test_responses_without_a_plan_are_told(folder: Path, kept: int, go: Go) -> None:
    path = folder / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(WrongRun, match=r"lacks .* trials that have a response"):
        score_run(folder)
    with ChatServer(hedging) as server:
        _, scores = go(server.url)
        assert not server.seen
    assert scores["states"] == {"vague": 12}


@pytest.mark.parametrize("damage", [b"[]", b"3", b'{"benchmark": "naming"}'])
def test_a_damaged_run_json_is_told(folder: Path, damage: bytes) -> None:
    (folder / "run.json").write_bytes(damage)
    with pytest.raises(WrongRun, match="damaged"):
        score_run(folder)


def test_settings_that_are_none_are_told(folder: Path) -> None:
    info = orjson.loads((folder / "run.json").read_bytes())
    (folder / "run.json").write_bytes(orjson.dumps({**info, "settings": 3}))
    with pytest.raises(WrongRun, match="lacks settings"):
        score_run(folder)


@pytest.mark.parametrize("damage", [b"{", b"3", b"[1]"])
def test_damaged_exclusions_are_told(folder: Path, damage: bytes) -> None:
    (folder / "excluded.json").write_bytes(damage)
    with pytest.raises(WrongRun, match=r"excluded\.json is damaged"):
        score_run(folder)


@pytest.mark.parametrize(
    ("benchmark", "model", "settings"),
    [("probe", "sim/filler", {"task": "mlm", "items": 60}),
     ("naming", "sim/observer?lapse=0.2", {"per_cell": 3, "max": 6, "control": False})],
)  # fmt: skip
def test_the_order_of_the_journal_changes_no_byte_of_the_scores(
    tmp_path: Path, benchmark: str, model: str, settings: dict[str, Any]
) -> None:
    folder = subitize.run(benchmark, model, out=tmp_path, **settings).folder
    before = (folder / "scores.json").read_bytes()
    journal = folder / "responses.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    random.Random(5).shuffle(lines)
    journal.write_bytes(b"".join(lines))
    score_run(folder)
    assert (folder / "scores.json").read_bytes() == before
