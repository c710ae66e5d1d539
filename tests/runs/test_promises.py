"""What a run folder promises, against a real server that misbehaves."""

from __future__ import annotations

import ast
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from subitize.errors import RunLocked, WrongRun
from subitize.runs.journal import Journal
from subitize.runs.lock import locked
from subitize.runs.plan import read_trials
from tests.chat_server import ChatServer, completion, usual_reply
from tests.models.tiny_clip import save_tiny_clip
from tests.runs.conftest import Go, responses_of
from tests.runs.test_locks import held
from tests.scored import score_run

TRIALS = 2 * 3 * 2 + 6  # two categories, three numbers, two pictures each; six control questions


def comparable(scores: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in scores.items() if key != "run"}


def test_a_second_run_asks_nothing(go: Go) -> None:
    with ChatServer() as server:
        first, scores = go(server.url)
        assert len(server.seen) == TRIALS
        second, again = go(server.url)
        assert len(server.seen) == TRIALS
    assert first.complete
    assert second.complete
    assert second.calls == 0
    assert server.pictures_ok
    assert scores == again
    assert scores["asked"] == TRIALS


def test_a_cut_at_every_byte_of_the_last_line_is_asked_again(go: Go) -> None:
    with ChatServer() as server:
        outcome, scores = go(server.url)
        path = outcome.folder / "responses.jsonl"
        whole = path.read_bytes()
        start = whole.rstrip(b"\n").rfind(b"\n") + 1
        for cut in range(start, len(whole)):
            path.write_bytes(whole[:cut])
            before = len(server.seen)
            resumed, again = go(server.url)
            assert resumed.complete
            assert len(server.seen) - before == 1, f"cut at byte {cut}"
            assert comparable(again) == comparable(scores)


@pytest.mark.parametrize("name", ["responses.jsonl", "responses-overflow.jsonl"])
def test_a_torn_line_of_any_length_is_cut_off(tmp_path: Path, name: str) -> None:
    """Longer than what is looked through at once, and in the file that a full disk leaves."""
    from subitize.records import USAGE, Response

    whole = Response("t", "m", "s", 0, 0, "text", "4", "stop", dict.fromkeys(USAGE, 0))
    line = orjson.dumps(whole.as_json()) + b"\n"
    torn = orjson.dumps(whole.as_json() | {"trial": "u", "value": "x" * 200_000})[:-1]
    (tmp_path / name).write_bytes(line + torn)
    with Journal(tmp_path) as journal:
        assert journal.torn == len(torn)
        assert journal.find(whole.key) == whole
    assert (tmp_path / "responses.jsonl").read_bytes() == line


def test_a_run_with_torn_lines_is_scored_without_them(go: Go) -> None:
    """While another process writes, or from a folder that can't be written."""
    with ChatServer() as server:
        outcome, scores = go(server.url)
    for name in ("trials.jsonl", "responses.jsonl"):
        with (outcome.folder / name).open("ab") as file:
            file.write(b'{"id":"00ff')
    assert comparable(score_run(outcome.folder)) == comparable(scores)
    assert [trial.id for trial in read_trials(outcome.folder)] == [
        orjson.loads(line)["id"]
        for line in (outcome.folder / "trials.jsonl").read_bytes().splitlines()[:-1]
    ]


def test_order_and_concurrency_change_nothing(go: Go) -> None:
    with ChatServer(delay=0.005) as server:
        _, slow = go(server.url, out="one", concurrency=1)
        _, fast = go(server.url, out="many", concurrency=16)
        assert server.most_under_way > 4
    assert comparable(slow) == comparable(fast)


def test_an_interrupted_run_scores_like_an_unbroken_one(go: Go) -> None:
    with ChatServer() as server:
        _, unbroken = go(server.url, out="unbroken")
        partial, _ = go(server.url, out="broken", budget_calls=5)
        assert not partial.complete
        assert partial.stopped == "the budget is spent"
        finished, resumed = go(server.url, out="broken")
        assert finished.complete
        assert finished.calls == TRIALS - 5
    assert comparable(unbroken) == comparable(resumed)


def test_the_budget_counts_retries(go: Go) -> None:
    def always_down(*_: Any) -> web.Response:
        return web.Response(status=500)

    with ChatServer(always_down) as server:
        outcome, _ = go(server.url, budget_calls=3, concurrency=1)
        assert len(server.seen) == 3
        assert outcome.calls == 3
    assert not outcome.complete


def test_failed_trials_are_asked_again_and_no_others(go: Go) -> None:
    broken = {2, 7}

    def sometimes(number: int, _request: web.Request, _body: Any) -> web.Response | None:
        return (
            web.json_response({"error": {"message": "odd"}}, status=400)
            if number in broken
            else None
        )

    with ChatServer(sometimes) as server:
        outcome, scores = go(server.url, concurrency=1)
        assert not outcome.complete
        assert outcome.failed == 2
        assert scores["failed"] == 2
        seen = len(server.seen)
        resumed, mended = go(server.url, concurrency=1)
        assert len(server.seen) - seen == 2
    assert resumed.complete
    assert mended["failed"] == 0


def test_changing_the_reader_asks_nothing(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        again, scores = go(server.url, reader="final")
        assert again.folder == outcome.folder
        assert again.calls == 0
    assert scores["reader"] == "final"


def test_other_settings_are_another_run(go: Go) -> None:
    with ChatServer() as server:
        first, _ = go(server.url)
        second, _ = go(server.url, settings={"seed": 1})
    assert first.folder != second.folder


def test_a_changed_identity_in_the_folder_is_refused(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        info = orjson.loads((outcome.folder / "run.json").read_bytes())
        info["settings"]["size"] = 128
        (outcome.folder / "run.json").write_bytes(orjson.dumps(info))
        with pytest.raises(WrongRun, match="another run: it differs in settings"):
            go(server.url)


def test_a_picture_drawn_otherwise_is_refused(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        path = outcome.folder / "responses.jsonl"
        lines = responses_of(outcome.folder)
        for line in lines:
            line["sha256"] = "0" * 64
        path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines[:-1]))
        resumed, _ = go(server.url)
    assert isinstance(resumed.error, WrongRun)
    assert "drawn otherwise" in str(resumed.error)


def test_two_processes_cannot_write_one_run(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        with held(outcome.folder), pytest.raises(RunLocked, match="Another process writes"):
            go(server.url)
        with locked(outcome.folder):
            pass


def test_keys_reach_no_file_and_no_message(
    go: Go, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("MY_KEY", key)

    def echo(number: int, request: web.Request, _body: Any) -> web.Response | None:
        said = request.headers["Authorization"]
        if number == 0:
            return web.json_response({"error": {"message": f"bad key {said}"}}, status=500)
        return web.json_response(completion(f"4 apples; you sent {said}"))

    with ChatServer(echo) as server:
        go(server.url, api_key_env="MY_KEY")
        assert server.headers[0]["Authorization"] == f"Bearer {key}"
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    out, err = capfd.readouterr()
    assert key.encode() not in written
    assert key not in out + err


def test_nothing_in_the_package_unpickles() -> None:
    """No call that could: by any module, under any name, however the line is broken."""
    source = Path(__file__).parents[2] / "src" / "subitize"
    unsafe = {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                named = {one.name for one in node.names}
                from_unsafe = (node.module or "").partition(".")[0] in unsafe
                assert not from_unsafe or named == {"UnpicklingError"}, path  # what torch raises
            if isinstance(node, ast.Import):
                assert not {one.name for one in node.names if one.asname} & unsafe, path
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in unsafe:
                assert node.attr == "dumps", path  # NumGen's own file is written, never read
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                given = {one.arg: ast.unparse(one.value) for one in node.keywords}
                assert called.rpartition(".")[2] not in {"read_pickle", "Unpickler"}, path
                assert given.get("allow_pickle", "False") == "False", path
                if called in {"torch.load", "torch.jit.load"}:
                    assert given.get("weights_only") == "True", path


class Trap:
    """What a hostile checkpoint holds: unpickled, it writes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (Path.write_text, (self.mark, "it ran"))


def test_weights_that_would_run_code_are_not_unpickled(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    folder = save_tiny_clip(tmp_path / "clip")
    (folder / "model.safetensors").unlink()
    torch.save({"weight": Trap(tmp_path / "mark")}, folder / "pytorch_model.bin")
    command = [sys.executable, "-m", "subitize", "run", "probe", "--model", f"hf/{folder}",
               "--limit", "2", "--out", str(tmp_path / "runs")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "mark").exists()


@pytest.fixture
def file_limit() -> Any:
    """Set the largest file this process may write; taken back afterwards."""
    import signal

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, old)


def test_a_full_disk_stops_the_run_and_loses_nothing(
    go: Go, file_limit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.runs.journal.RESERVE_BYTES", 1000)

    def wordy(_number: int, _request: web.Request, body: Any) -> web.Response:
        return web.json_response(completion("Let me see. " * 60 + usual_reply(body)))

    with ChatServer(wordy, delay=0.01) as server:
        _, unbroken = go(server.url, out="unbroken")
        before = len(server.seen)
        # Long enough for the plan, too short for all responses
        file_limit(7000)
        outcome, _ = go(server.url, out="full", settings={"control": False}, concurrency=3)
        file_limit(resource.RLIM_INFINITY)
        assert not outcome.complete
        assert "Make room" in str(outcome.error)
        asked = len(server.seen) - before
        stored = [
            orjson.loads(line)
            for name in ("responses.jsonl", "responses-overflow.jsonl")
            for line in (outcome.folder / name).read_bytes().splitlines()
        ]
        assert len({line["trial"] for line in stored}) == asked
        resumed, scores = go(server.url, out="full", settings={"control": False})
        assert resumed.complete
        assert len(server.seen) - before == 12
    assert scores["confusion"] == unbroken["confusion"]


def test_scores_that_cannot_be_written_are_still_given(go: Go, file_limit: Any) -> None:
    with ChatServer() as server:
        outcome, scores = go(server.url)
    file_limit(1000)
    unsaved = score_run(outcome.folder)
    assert unsaved.pop("unsaved").startswith("Can't write")
    assert unsaved == scores
    assert not list(outcome.folder.glob(".*.part"))


def test_damage_in_the_middle_is_named(go: Go) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
        path = outcome.folder / "responses.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        lines[3] = b"{half a li\n"
        path.write_bytes(b"".join(lines))
        with pytest.raises(WrongRun, match="line 4 is damaged"):
            go(server.url)
        with pytest.raises(WrongRun, match="line 4 is damaged"):
            score_run(outcome.folder)
        assert len(server.seen) == TRIALS  # told before anybody is asked


def test_the_plan_is_a_set_of_trials(go: Go) -> None:
    """Its order does not matter, a line twice counts once, and what it lacks is added."""
    with ChatServer() as server:
        outcome, scores = go(server.url)
        path = outcome.folder / "trials.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:0:-1], lines[3]]))
        resumed, again = go(server.url)
        assert len(server.seen) == TRIALS
    assert resumed.complete
    assert sorted(set(path.read_bytes().splitlines(keepends=True))) == sorted(lines)
    assert again["accuracy"] == scores["accuracy"]
    assert again["confusion"] == scores["confusion"]


@pytest.mark.parametrize(
    ("found", "put"), [(rb'"id":"', b'"id":"x'), (rb'"target":[\d.]+', b'"target":"three"')]
)
def test_a_damaged_plan_is_named(go: Go, found: bytes, put: bytes) -> None:
    with ChatServer() as server:
        outcome, _ = go(server.url)
    path = outcome.folder / "trials.jsonl"
    path.write_bytes(re.sub(found, put, path.read_bytes(), count=1))
    with pytest.raises(WrongRun, match=r"trials\.jsonl, line 1 is damaged"):
        go(server.url)


def test_lines_are_short(go: Go) -> None:
    """Less than 1 KB of log per trial beyond the reply's own text."""
    with ChatServer() as server:
        outcome, _ = go(server.url, settings={"size": 1024, "prompt": "best"})
    text = sum(len(line["value"]) for line in responses_of(outcome.folder))
    size = sum(
        (outcome.folder / name).stat().st_size for name in ("trials.jsonl", "responses.jsonl")
    )
    assert (size - text) / len(responses_of(outcome.folder)) < 1000


def test_the_journal_survives_a_reopening_with_failures(tmp_path: Path) -> None:
    from subitize.records import USAGE, Response

    journal = Journal(tmp_path)
    told = dict.fromkeys(USAGE, 0)
    bad = Response("t", "m", "s", 0, 0, "text", "", "failed", told, note="no")
    good = Response("t", "m", "s", 0, 0, "text", "4", "stop", told)
    journal.write(bad)
    journal.close()
    journal = Journal(tmp_path)
    assert journal.find(good.key) is None
    journal.write(good)
    journal.write(bad)
    journal.close()
    journal = Journal(tmp_path)
    assert journal.find(good.key) == good
    journal.close()
    assert not (tmp_path / ".reserve").exists()
    assert os.listdir(tmp_path) == ["responses.jsonl"]
