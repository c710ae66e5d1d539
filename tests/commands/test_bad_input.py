"""Bad input: one clear message, the right exit code, nothing lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from tests.chat_server import ChatServer

SMALL = [
    "--per-cell", "1", "--max", "2", "--size", "64", "--categories", "dots", "--prompt", "things",
]  # fmt: skip


def subitize(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"}
    return subprocess.run(
        [sys.executable, "-m", "subitize", *words],
        capture_output=True,
        text=True,
        timeout=900,
        env={**clean, **(env or {})},
        check=False,
    )


def check(done: subprocess.CompletedProcess[str], code: int, *says: str) -> None:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    for words in says:
        assert re.search(words, done.stderr), done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--per-cell", "0"], "must be at least 1"),
        (["--max", "0"], "must be at least 1"),
        (["--size", "4"], "too small"),
        (["--size", "1000000"], "too large"),
        (["--seed", "-1"], "seed is -1: give a whole number from 0 to"),
        (["--seed", "9" * 30], "seed is 999"),
        (["--size", "64", "--max", "500"], "do not fit in a 64 x 64 picture"),
        (["--categories", "aples"], "did you mean 'apples'"),
        (["--categories", "dots,dots"], "each once"),
        (["--prompt", "thingz"], "did you mean 'things'"),
        (["--set", "colour=red"], "no setting of naming 'colour'"),
        (["--set", "size"], "KEY=VALUE"),
        (["--set", "size=big"], "size is 'big': give a whole number"),
        (["--limit", "0"], "must be at least 1"),
        (["--concurrency", "0"], "must be at least 1"),
        (["--reader", "strikt"], "did you mean 'strict'"),
        (["--extra-body", "[1]"], "not a JSON object"),
        (["--timeout", "-1"], "must be above 0"),
        (["--temperature", "nan"], "must be 0 or more"),
        (["--max-tokens", "0"], "must be at least 1"),
    ],
)
def test_settings(tmp_path: Path, words: list[str], says: str) -> None:
    done = subitize("run", "naming", "--model", "sim/perfect", "--out", str(tmp_path), *words)
    check(done, 2, says)
    assert done.stdout == ""
    assert not list(tmp_path.iterdir()), "something was made before the message"


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("sim/perfct", "did you mean 'sim/perfect'"),
        ("perfect", "not of the form KIND/NAME"),
        ("sim/observer?v=1", "no setting of sim/observer 'v'"),
        ("sim/observer?w=wide", "must be a number"),
        ("sim/observer?w=-1", "w must lie in"),
        ("openai/gpt", "OPENAI_API_KEY is not set"),
        ("replay/nowhere.jsonl", "Can't read the replies nowhere.jsonl"),
        ("nobody/x", "There is no model 'nobody/x'"),
    ],
)
def test_models(tmp_path: Path, model: str, says: str) -> None:
    done = subitize("run", "naming", "--model", model, "--out", str(tmp_path), *SMALL)
    check(done, 2, says)
    assert not list(tmp_path.iterdir()), "something was planned before the message"


def test_a_counter_given_as_the_reader_of_replies(tmp_path: Path) -> None:
    words = ("--model", "sim/perfect", "--counter", "counter/pattern", "--out", str(tmp_path))
    check(subitize("run", "capture", *words), 2, "or give --set counter=counter/pattern")


def test_unknown_benchmark_and_command() -> None:
    check(subitize("run", "nameing", "--model", "sim/perfect"), 2, "did you mean 'naming'")
    check(subitize("rnu"), 2, "There is no command")
    check(subitize("run", "naming"), 2, "--model")


def test_the_same_model_twice(tmp_path: Path) -> None:
    both = ["--model", "sim/random?seed=1&highest=9", "--model", "sim/random?highest=9&seed=1"]
    check(subitize("run", "naming", *both, "--out", str(tmp_path)), 2, "given twice")


def run_against(url: str, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subitize(
        "run", "naming", "--model", "openai/x", "--base-url", url, "--out", str(out),
        "--retries", "1", "--json", *SMALL, *words,
    )  # fmt: skip


@pytest.mark.parametrize("url", ["127.0.0.1:80", "ftp://x/v1", "http://"])
def test_an_address_that_is_none(tmp_path: Path, url: str) -> None:
    check(run_against(url, tmp_path), 2, "is not an address")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    done = run_against("http://127.0.0.1:9/v1", tmp_path)
    check(done, 1, "--base-url")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda: web.Response(text="<html>Welcome</html>", content_type="text/html"), "no JSON"),
        (lambda: web.Response(status=404, text="not here"), "Check --base-url"),
        (lambda: web.Response(status=401, text="who are you"), "Check the key"),
        (
            lambda: web.json_response(
                {"error": {"message": "image_url is not supported by this model"}}, status=400
            ),
            "see a picture",
        ),
    ],
)
def test_a_server_of_another_kind(tmp_path: Path, answer: Any, says: str) -> None:
    with ChatServer(lambda *_: answer()) as server:
        done = run_against(server.url, tmp_path, "--concurrency", "1")
    check(done, 1, says)
    (scores,) = orjson.loads(done.stdout)
    assert scores["accuracy"] is None
    assert scores["undefined"]["accuracy"]


def test_all_refused_is_a_result(tmp_path: Path) -> None:
    done = subitize(
        "run", "naming", "--model", "sim/refuser", "--out", str(tmp_path), "--json", *SMALL
    )
    check(done, 0)
    (scores,) = orjson.loads(done.stdout)
    assert scores["states"] == {"refused": 2}
    assert scores["nae"] is None
    assert len(scores["flagged_cells"]) == 2


def test_folders_that_are_no_runs(tmp_path: Path) -> None:
    for command in ("score", "read"):
        check(subitize(command, str(tmp_path)), 2, "is not a run folder")
    check(subitize("report", str(tmp_path), "--out", str(tmp_path / "r.html")), 2, "holds no run")
    (tmp_path / "run.json").write_text("{half")
    check(subitize("score", str(tmp_path)), 2, "is damaged")


def test_a_run_folder_given_as_out(tmp_path: Path) -> None:
    words = ["run", "naming", "--model", "sim/perfect", *SMALL]
    check(subitize(*words, "--out", str(tmp_path)), 0)
    (folder,) = tmp_path.iterdir()
    check(subitize(*words, "--out", str(folder)), 2, "itself a run folder")
    (folder / "run.json").unlink()
    check(subitize(*words, "--out", str(tmp_path)), 2, "no run.json: it is damaged")


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    done = subitize(
        "run", "naming", "--model", "sim/perfect", "--out", str(tmp_path / "runs"), *SMALL
    )
    check(done, 2, "a file is in the way")


def test_exclusions(tmp_path: Path) -> None:
    check(subitize("run", "naming", "--model", "sim/perfect", "--out", str(tmp_path), *SMALL), 0)
    (folder,) = tmp_path.iterdir()
    listed = tmp_path / "out.csv"
    listed.write_text("nothing-such,because\n")
    check(
        subitize("read", str(folder), "--exclude", str(listed)), 2, "line 1: this run has no trial"
    )
    trial = orjson.loads((folder / "trials.jsonl").read_bytes().splitlines()[0])["id"]
    listed.write_text(f"# by hand\n{trial},reflections\n")
    done = subitize("read", str(folder), "--exclude", str(listed), "--json")
    check(done, 0)
    assert orjson.loads(done.stdout)["states"] == {"excluded": 1, "read": 1}
    done = subitize("score", str(folder), "--json")
    assert orjson.loads(done.stdout)["states"] == {"excluded": 1, "read": 1}


def test_a_plan_that_lacks_a_line_is_made_whole(tmp_path: Path) -> None:
    words = ["run", "naming", "--model", "sim/perfect", *SMALL, "--out", str(tmp_path)]
    check(subitize(*words), 0)
    path = next(tmp_path.glob("*/trials.jsonl"))
    stored = (path.parent / "responses.jsonl").read_bytes()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[1], *lines[1:]]))
    done = subitize("score", str(path.parent))
    check(done, 2, "trials.jsonl is damaged: it lacks 1 trials that have a response")
    assert done.stderr.count("\n") == 1
    check(subitize(*words), 0)
    assert set(path.read_bytes().splitlines(keepends=True)) == set(lines)
    assert (path.parent / "responses.jsonl").read_bytes() == stored
    check(subitize("score", str(path.parent)), 0)


@pytest.mark.parametrize("damage", [b'{"id":"no hash"}\n', b"{}\n", b"[1]\n", b"half a li\n"])
def test_a_damaged_plan_is_one_message(tmp_path: Path, damage: bytes) -> None:
    words = ["run", "naming", "--model", "sim/perfect", *SMALL, "--out", str(tmp_path)]
    check(subitize(*words), 0)
    path = next(tmp_path.glob("*/trials.jsonl"))
    path.write_bytes(damage + path.read_bytes())
    for command in (words, ["score", str(path.parent)]):
        done = subitize(*command)
        check(done, 2, "trials.jsonl, line 1 is damaged")
        assert done.stderr.count("\n") == 1


def test_a_failed_control_and_thin_cells_stand_beside_the_scores(tmp_path: Path) -> None:
    words = ["--per-cell", "1", "--max", "2", "--size", "64", "--categories", "apples"]
    done = subitize("run", "naming", "--model", "sim/refuser", *words, "--out", str(tmp_path))
    assert done.returncode == 0
    assert re.search(r"control question +0 of 2 right: it does not seem to", done.stdout)
    assert re.search(r"flagged cells +2\n", done.stdout)
    assert re.search(r"prompt +category\n", done.stdout)
