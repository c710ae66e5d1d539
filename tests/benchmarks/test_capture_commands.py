"""CAPTURE from the command line: defaults, JSON, resume, visible counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subitize.cli import main
from tests.benchmarks.capture_runs import replying
from tests.chat_server import ChatServer
from tests.scored import load_run

SMALL = ["--set", "items=3", "--set", "tasks=total", "--size", "96", "--prompt", "as-if-no-box"]


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def run(out: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, Any]:
    code = command("run", "capture", "--json", "--out", str(out), *SMALL, *more)
    shown = capsys.readouterr().out
    return code, json.loads(shown) if shown else None


def test_json_and_the_longest_reply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(replying(lambda body: "There are 9.")) as server:
        server.keep_bodies = True
        given = ("--model", "openai/x", "--base-url", server.url)
        code, (scores,) = run(tmp_path, capsys, *given)
        assert code == 0
        assert {body["max_tokens"] for body in server.bodies} == {4096}
        assert len(server.seen) == 6
        run(tmp_path, capsys, *given)
        assert len(server.seen) == 6
        run(tmp_path, capsys, *given, "--max-tokens", "50")
        assert server.bodies[-1]["max_tokens"] == 50
    for name in ("benchmark", "version", "model", "asked", "trials", "states", "smape"):
        assert name in scores
    assert set(scores["smape"]["occluded"]) >= {"value", "low", "high", "trials", "skipped"}
    assert set(scores["price_of_occlusion"]) == {"value", "low", "high", "trials"}
    assert "hidden" in scores["undefined"]


def test_a_cut_off_reply_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from aiohttp import web

    from tests.chat_server import completion

    def behave(*_: object) -> web.Response:
        return web.json_response(completion("There are 9 in the first row and", "length"))

    with ChatServer(behave) as server:
        _, (scores,) = run(tmp_path, capsys, "--model", "openai/x", "--base-url", server.url)
    assert scores["smape"]["occluded"]["value"] == 100.0
    assert scores["smape"]["occluded"]["skipped_states"] == {"truncated": 3}


def test_a_killed_run_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A budget stops the run in the middle of the prompts; the whole costs no call twice."""
    more = ("--set", "validation=2", "--prompt", "best", "--set", "help=visible-count")
    with ChatServer() as server:
        given = ("--model", "openai/x", "--base-url", server.url, *more)
        code, _ = run(tmp_path / "a", capsys, *given, "--budget-calls", "25")
        assert code == 1
        code, (broken,) = run(tmp_path / "a", capsys, *given)
        assert code == 0
        assert len(server.seen) == 2 * 20 + 6 + 3
        assert not server.repeats()
        _, (whole,) = run(tmp_path / "b", capsys, *given)
    for name in ("smape", "price_of_occlusion", "help", "prompts", "prompt"):
        assert broken[name] == whole[name]


def test_visible_counts_are_a_stage_asked_of_a_counter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--set", "help=visible-count", "--model", "sim/perfect", "--size", "256")
    code, (scores,) = run(tmp_path, capsys, *more, "--set", "counter=blobs")
    assert code == 0
    (folder,) = tmp_path.iterdir()
    stored = load_run(folder)
    visible = stored.answers.filter(stored.answers["stage"] == "visible")
    assert visible["respondent"].to_list() == ["counter/blobs"] * 3
    assert not visible["counts"].any()
    assert visible["target"].null_count() == 3
    counts = dict(visible.select("configuration", "number").iter_rows())
    assert stored.info["decisions"]["visible_counts"] == counts
    told = stored.counted.filter(stored.counted["help"] == "visible-count")
    assert dict(told.select("configuration", "told").iter_rows()) == counts
    assert scores["help"]["visible-count"]["counter_alone"]["value"] > 0
    assert scores["asked"] == stored.counted.height == 9
    # Whoever tells the count is a part of what the run is; nobody is asked twice.
    assert stored.info["helpers"]["visible"]["name"] == "counter/blobs"
    lines = (folder / "responses.jsonl").read_bytes()
    run(tmp_path, capsys, *more, "--set", "counter=blobs")
    assert (folder / "responses.jsonl").read_bytes() == lines
    run(tmp_path, capsys, *more, "--set", "counter=blobs?split=false")
    assert len(list(tmp_path.iterdir())) == 2


def test_visible_counts_from_a_file_ask_no_counter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--set", "help=visible-count", "--model", "sim/perfect", "--size", "256")
    run(tmp_path / "a", capsys, *more)
    (folder,) = (tmp_path / "a").iterdir()
    counts = load_run(folder).info["decisions"]["visible_counts"]
    file = tmp_path / "counts.json"
    file.write_text(json.dumps(counts))
    code, (scores,) = run(tmp_path / "b", capsys, *more, "--set", f"counts={file}")
    assert code == 0
    (folder,) = (tmp_path / "b").iterdir()
    assert set(load_run(folder).answers["respondent"]) == {"sim/perfect"}
    assert load_run(folder).info["decisions"]["visible_counts"] == counts
    assert scores["help"]["visible-count"]["counter_alone"]["value"] > 0


@pytest.mark.parametrize("gone", ["counts", "inpaint"])
def test_what_is_a_setting_of_run_is_no_command(
    gone: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("capture", gone, "x") == 2
    assert "No such command" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--set", "tasks=sum"), "There is no task 'sum'"),
        (("--set", "colour=red"), "There is no setting of capture 'colour'"),
        (("--set", "set=real"), "needs FSC-147's pictures"),
        (("--size", "10"), "use a larger size"),
        (("--reader", "llm"), "name it with --reading-model"),
        (("--model", "counter/blobs", "--set", "tasks=hidden,pattern"), "A counter finds things"),
    ],
)
def test_bad_input_is_exit_2_with_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], words: str
) -> None:
    code = command(
        "run", "capture", "--out", str(tmp_path), "--model", "sim/perfect", *SMALL, *more
    )
    assert code == 2
    assert words in capsys.readouterr().err


def test_the_reader_llm_is_the_reading_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--model", "sim/perfect", "--reader", "llm", "--reading-model", "sim/chatty")
    code, (scores,) = run(tmp_path, capsys, *given)
    assert code == 0
    assert scores["reader"] == "sim/chatty"
    assert set(scores["reader_agreement"]) == {"sim/chatty"}
