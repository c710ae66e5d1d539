"""Helpers: stages asked of others than the model under test, in the same journal."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.limits import RetryPolicy
from subitize.runs.plan import read_trials
from subitize.runs.run import RunOptions, run_benchmark
from tests.image_server import ImageServer
from tests.new_process import subitize
from tests.runs.conftest import responses_of
from tests.runs.killing import kill_after, stored
from tests.runs.test_own_readings import TwoQuestions
from tests.scored import load_run

KILLS, CONCURRENCY = 20, 4
PER_CELL = 6
TRIALS = PER_CELL * 5 * 2
PRODUCTION = [
    "run", "production", "--model", "openai/x?seed=1", "--per-cell", str(PER_CELL), "--max", "5",
    "--categories", "dots,apples", "--concurrency", str(CONCURRENCY), "--json",
]  # fmt: skip
SMALL = ["--per-cell", "2", "--max", "3", "--categories", "dots,apples"]
FEW = 12


def counts_by(answers: pl.DataFrame, counter: str) -> dict[tuple[str, int], float]:
    """What a counter said about each picture, by the picture's trial and attempt."""
    own = answers.filter((answers["stage"] == "count") & (answers["respondent"] == counter))
    rows = own.select("of_trial", "of_attempt", "number").rows()
    found = {(trial, attempt): number for trial, attempt, number in rows}
    assert len(found) == own.height, "a picture was counted twice"
    return found


@pytest.mark.budget(60)
def test_twenty_kills_paint_nothing_twice_and_keep_the_counts_of_two_counters(
    tmp_path: Path,
) -> None:
    """The second counter sees one thing too many: no picture is empty to it, and it is right
    only where one thing was asked for and none was painted."""
    out, rng = tmp_path / "killed", random.Random(8)
    killed, lost = 0, {"paint": 0, "count": 0}
    with ImageServer(delay=0.15, painter="painter/shapes?blank=0.4") as server:
        server.reading_delay, server.surplus = 0.05, 1
        other = f"counter/http?url={server.url}/count"
        given = [sys.executable, "-m", "subitize", *PRODUCTION, "--base-url", server.url]

        def seen() -> dict[str, int]:
            return {"paint": len(server.seen), "count": len(server.counted)}

        def kept() -> dict[str, int]:
            counted = [one for one in stored(out, "count") if one["respondent"] == other]
            return {"paint": len(stored(out, "paint")), "count": len(counted)}

        def moves() -> int:
            journals = sum(path.stat().st_size for path in out.glob("*/responses.jsonl"))
            return journals + sum(seen().values())

        for kill in range(KILLS):
            before = seen(), kept()
            counter = other if kill % 2 else "blobs"
            words = [*given, "--counter", counter, "--out", str(out)]
            killed += kill_after(words, server, moves, rng.uniform(0, 0.4))
            for stage in lost:
                more = seen()[stage] - before[0][stage] - (kept()[stage] - before[1][stage])
                assert 0 <= more <= CONCURRENCY, f"kill {kill}, {stage}"
                lost[stage] += more
        assert killed, "every run ended before its kill"
        for folder in (out, tmp_path / "unbroken"):
            for counter in ("blobs", other):
                subitize(*words[3:-4], "--counter", counter, "--out", str(folder))
            if folder == out:
                # All that was asked for in vain was under way when a kill came.
                assert {stage: seen()[stage] - kept()[stage] for stage in lost} == lost
                asked = seen()
        (run,), (whole,) = out.iterdir(), (tmp_path / "unbroken").iterdir()
        painted = Counter((one["trial"], one["attempt"]) for one in stored(out, "paint"))
        assert set(painted.values()) == {1}, "painted twice"
        assert {attempt for _, attempt in painted} == {0, 1, 2, 3}, "no picture was empty"
        assert len(painted) == seen()["paint"] - asked["paint"]

        answers = pl.read_parquet(run / "answers.parquet")
        by_blobs, by_other = counts_by(answers, "counter/blobs"), counts_by(answers, other)
        assert set(by_blobs) == set(painted)
        assert {attempt for _, attempt in by_other} == {0}
        assert len(by_other) == TRIALS
        assert all(number == by_blobs[key] + 1 for key, number in by_other.items())
        assert not answers.filter(answers["stage"] == "count")["counts"].any()

        targets = {trial.id: trial.target for trial in read_trials(run)}
        right = sum(number == targets[trial] for (trial, _), number in by_other.items())
        assert right > 0, "no picture of one thing was empty"
        # Another reader: no call, not a byte in the journal, and the scores of an unbroken run.
        asked, journal = seen(), (run / "responses.jsonl").read_bytes()
        for reader in ("counter/blobs", other):
            told = subitize("read", str(run), "--reader", reader, "--json").stdout
            assert orjson.loads(told)["reader"] == reader
            subitize("read", str(whole), "--reader", reader)
            broken, unbroken = (
                orjson.loads(subitize("score", str(one), "--json").stdout) for one in (run, whole)
            )
            assert broken == {**unbroken, "run": run.name}
            assert broken["reader"] == reader
            expected = right / TRIALS if reader == other else 1
            assert broken["accuracy"]["value"] == pytest.approx(expected)
        assert seen() == asked
        assert (run / "responses.jsonl").read_bytes() == journal


def test_ctrl_c_is_heard_while_a_helper_hangs(tmp_path: Path) -> None:
    """The counter of the hybrid help never answers; a word comes, and so does the end."""
    with ImageServer() as server:
        server.reading_delay = 1e6
        command = [
            "run", "capture", "--model", "sim/perfect", "--out", str(tmp_path), "--set", "items=6",
            "--set", "tasks=total", "--size", "256", "--prompt", "as-if-no-box", "--set",
            "help=visible-count", "--set", f"counter=counter/http?url={server.url}/count",
        ]  # fmt: skip
        child = subprocess.Popen(
            [sys.executable, "-m", "subitize", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + 900
        while not server.counted:
            assert time.monotonic() < deadline, "the counter was never asked"
            time.sleep(0.01)
        time.sleep(0.3)
        asked = len(server.counted)
        child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        assert b"requests to its visible" in child.stderr.readline()  # what it will ask
        assert b"Finishing what is in flight" in child.stderr.readline()
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=900)
        assert child.returncode == 1
        assert b"stopped: interrupted" in said
        assert b"Traceback" not in said
        assert len(server.counted) == asked
        server.reading_delay = 0.0
        subitize(*command)
        assert len(server.counted) == asked + 6
    (folder,) = tmp_path.iterdir()
    run = load_run(folder)
    assert run.scores["help"]["visible-count"]["smape"]["trials"] == 6
    assert Counter(run.answers["stage"])["visible"] == 6


def test_a_paid_reading_of_what_is_there_can_be_bounded(tmp_path: Path) -> None:
    with ImageServer() as server:
        model = ["--model", "openai/x", "--base-url", server.url, "--counter", "none"]
        subitize("run", "production", *model, *SMALL, "--out", str(tmp_path))
        (folder,) = tmp_path.iterdir()
        painted = len(server.prompts)
        again = [
            "read", str(folder), "--reading-model", "openai/y", "--base-url", server.url, "--json",
        ]  # fmt: skip
        for times in (1, 2):
            done = subitize(*again, "--budget-calls", "3", code=1)
            assert "the budget is spent" in done.stderr
            assert len(server.questions) == 3 * times
            states = orjson.loads(done.stdout)["states"]
            assert states == {"read": 3 * times, "pending": FEW - 3 * times}
        done = subitize(*again)
        assert orjson.loads(done.stdout) == {
            "reader": "openai/y", "trials": FEW, "states": {"read": FEW},
        }  # fmt: skip
        subitize(*again)
        assert (len(server.prompts), len(server.questions)) == (painted, FEW)


def test_each_helper_has_its_own_server_and_key(tmp_path: Path) -> None:
    keys = {"PAINTS": "key-of-the-painter", "COUNTS": "key-of-the-counter"}

    def sent(server: ImageServer) -> set[str]:
        return {headers.get("Authorization", "") for headers in server.headers}

    with ImageServer() as painting, ImageServer() as counting:
        given = [
            "run", "production", *SMALL, "--model", "openai/x", "--counter", "openai/y",
            "--base-url", painting.url, "--base-url", f"counter={counting.url}",
            "--api-key-env", "PAINTS",
        ]  # fmt: skip
        subitize(*given, "--out", str(tmp_path / "a"), **keys)
        assert (len(painting.prompts), len(painting.questions)) == (FEW, 0)
        assert (len(counting.prompts), len(counting.questions)) == (0, FEW)
        # A key goes to the server it was given for, and to no other.
        assert sent(painting) == {"Bearer key-of-the-painter"}
        assert sent(counting) == {""}
        counting.headers.clear()
        more = ["--api-key-env", "counter=COUNTS", "--out", str(tmp_path / "b")]
        subitize(*given, *more, **keys)
        assert sent(painting) == {"Bearer key-of-the-painter"}
        assert sent(counting) == {"Bearer key-of-the-counter"}
        wrong = [*given, "--base-url", f"inpainter={counting.url}", "--out", str(tmp_path / "c")]
        done = subitize(*wrong, code=2, **keys)
        assert "no helper of production 'inpainter'" in done.stderr
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(key.encode() in written for key in keys.values())


def test_an_answer_under_way_is_kept_when_the_next_question_can_t_be_paid(tmp_path: Path) -> None:
    """Two questions about one picture, a budget for one: its answer comes late and is stored."""
    benchmark = TwoQuestions()
    settings = benchmark.settings_from({"per_cell": 1, "max": 1, "categories": ("apples",)})
    with ImageServer() as server:
        server.reading_delay = 0.3

        def go(budget: int | None) -> Any:
            helper = open_model("openai/y", ModelOptions(server.url, timeout=60.0))
            options = RunOptions(budget_calls=budget, progress=False, policy=RetryPolicy(tries=1))
            painter = open_model("painter/shapes?size=64")
            return run_benchmark(
                benchmark, settings, painter, tmp_path, options, {"counter": helper}
            )

        outcome = go(1)
        assert (outcome.complete, outcome.calls, len(server.questions)) == (False, 1, 1)
        counted = [one for one in responses_of(outcome.folder) if one["respondent"] == "openai/y"]
        assert [one["stop"] for one in counted] == ["stop"]
        outcome = go(None)
        assert outcome.complete
        # The first answer is not paid again: two attempts with two questions each.
        assert len(server.questions) == 4


def test_a_run_is_read_where_it_lies(tmp_path: Path) -> None:
    """Under another name, with a helper in its identity, and before its decisions are taken."""
    given = [
        "run", "capture", "--model", "sim/perfect", "--out", str(tmp_path / "runs"), "--set",
        "items=3", "--set", "validation=2", "--set", "tasks=total", "--size", "96", "--set",
        "help=visible-count", "--json",
    ]  # fmt: skip
    subitize(*given, "--limit", "10")
    (folder,) = (tmp_path / "runs").iterdir()
    there = tmp_path / "runs" / "renamed"
    folder.rename(there)
    reading = ["read", str(there), "--reading-model", "sim/perfect?seed=1", "--json"]
    told = orjson.loads(subitize(*reading).stdout)
    assert told == {"reader": "sim/perfect?seed=1", "trials": 10, "states": {"read": 10}}
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["renamed"]
    info = orjson.loads((there / "run.json").read_bytes())
    assert info["decisions"] == {}, "a decision was taken on a part of its trials"
    there.rename(folder)
    (scores,) = orjson.loads(subitize(*given, "--reader", "final").stdout)
    assert scores["smape"]["occluded"]["value"] == 0
    answers = load_run(folder).answers
    assert Counter(answers["stage"])["extract"] == 10
    assert orjson.loads((folder / "run.json").read_bytes())["decisions"].keys() == {
        "prompt", "visible_counts",
    }  # fmt: skip
