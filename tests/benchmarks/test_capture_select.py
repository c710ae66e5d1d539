"""Choosing pictures with a pattern by a model's log-probabilities, from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from subitize.cli import main
from subitize.stimuli import Stimulus, render
from subitize.stimuli.capture import configurations, recipe
from tests.benchmarks.capture_runs import question_of
from tests.chat_server import ChatServer, completion


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for one in configurations()[:4]:
        drawn = render(Stimulus("drawn", recipe(one, variant="unoccluded", size=96)))
        (folder / one.name).write_bytes(drawn.png)
    (folder / "notes.txt").write_text("no picture")
    return folder


def sure(*answers: tuple[str, float]) -> Any:
    """A server that answers each new question with the next of these tokens."""
    kept: dict[str, tuple[str, float]] = {}
    left = iter(answers)

    def behave(_n: int, _r: object, body: dict[str, Any]) -> web.Response:
        assert body["logprobs"] is True
        picture = body["messages"][-1]["content"][1]["image_url"]["url"]
        if picture not in kept:
            kept[picture] = next(left)
        token, logprob = kept[picture]
        answer = completion(f"{token}.")
        listed = [{"token": token, "logprob": logprob}, {"token": ".", "logprob": -0.3}]
        answer["choices"][0]["logprobs"] = {"content": listed}
        return web.json_response(answer)

    return behave


def select(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict], str]:
    with pytest.raises(SystemExit) as ended:
        main(["capture", "select", "--json", *arguments])
    shown = capsys.readouterr()
    return int(ended.value.code or 0), json.loads(shown.out) if shown.out else [], shown.err


def test_only_a_sure_yes_is_kept(
    tmp_path: Path, pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = (("Yes", -0.00001), (" yes", -0.01), ("No", -0.00001), ("Maybe", -0.1))
    out = tmp_path / "out"
    given = ["--pictures", str(pictures), "--model", "openai/x", "--out", str(out)]
    with ChatServer(sure(*answers)) as server:
        server.keep_bodies = True
        code, found, _ = select(capsys, *given, "--base-url", server.url, "--concurrency", "1")
        assert len(server.seen) == 4
        # another threshold costs no call
        _, looser, _ = select(capsys, *given, "--base-url", server.url, "--threshold", "0.9")
        assert len(server.seen) == 4
        assert "Are the objects in this image" in question_of(server.bodies[0])
    assert code == 0
    assert [one["kept"] for one in found] == [True, False, False, False]
    assert [one["p_yes"] for one in found][:2] == [
        pytest.approx(0.99999),
        pytest.approx(0.99005, abs=1e-5),
    ]
    assert sorted(one["p_yes"] is None for one in found) == [False, False, False, True]
    assert sum(one["kept"] for one in looser) == 2
    assert json.loads((out / "selection.json").read_text()) == looser


def test_names_of_things_enter_the_question(
    tmp_path: Path, pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    things = tmp_path / "classes.txt"
    things.write_text("".join(f"{path.name}\tcups\n" for path in pictures.glob("*.png")))
    with ChatServer(sure(*[("Yes", 0.0)] * 4)) as server:
        server.keep_bodies = True
        select(
            capsys, "--pictures", str(pictures), "--model", "openai/x", "--out",
            str(tmp_path / "out"), "--things", str(things), "--base-url", server.url,
        )  # fmt: skip
        assert all("Are the cups in this image" in question_of(body) for body in server.bodies)


def test_a_server_without_log_probabilities_is_asked_once_and_named(
    tmp_path: Path, pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(lambda *_: web.json_response(completion("Yes"))) as server:
        code, _, said = select(
            capsys, "--pictures", str(pictures), "--model", "openai/x", "--out",
            str(tmp_path / "out"), "--base-url", server.url,
        )  # fmt: skip
        assert len(server.seen) == 1
    assert code == 2
    assert "openai/x gives no log-probabilities" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--threshold", "1.5"], "a probability"),
        (["--pictures", "nowhere"], "There is no folder nowhere"),
        (["--model", "counter/blobs"], "needs a namer"),
    ],
)
def test_bad_input(
    tmp_path: Path,
    pictures: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    given = ["--pictures", str(pictures), "--model", "sim/perfect", "--out", str(tmp_path / "out")]
    code, _, said = select(capsys, *given, *arguments)
    assert code == 2
    assert words in said


def test_an_empty_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = select(capsys, "--pictures", str(tmp_path), "--model", "sim/perfect")
    assert code == 2
    assert "no pictures" in said


def test_an_interrupt_is_the_end_of_asking(tmp_path: Path, pictures: Path) -> None:
    """It came while the first picture was asked about: the others must not follow."""
    with ChatServer(delay=1e6) as server:
        command = [sys.executable, "-m", "subitize", "capture", "select", "--model", "openai/x"]
        given = ["--pictures", pictures, "--base-url", server.url, "--out", tmp_path / "out"]
        child = subprocess.Popen(
            [*command, *map(str, given)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stderr is not None
        while not server.seen:
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert b"Finishing what is in flight" in child.stderr.readline()
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=900)
        assert (child.returncode, len(server.seen)) == (1, 1)
    assert b"run the same command again" in said
