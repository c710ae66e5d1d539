"""OpenAI's batch endpoint: handed in once, killed at any moment, collected later.

The server plays https://developers.openai.com/api/reference/cli/resources/batches/index.md, whose
field names it uses.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from subitize.errors import BadInput
from tests.chat_server import ChatServer, completion, usual_reply
from tests.runs.conftest import Go, responses_of

TRIALS = 12
PLAIN = {"control": False}
"""without its second stage, which is a second batch"""


class BatchServer(ChatServer):
    """Takes files of requests and answers them after a while."""

    def __init__(self, takes: float = 0.3) -> None:
        super().__init__()
        self.takes = takes
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        """every request of every batch that was made"""
        self.hold: str = ""
        """'files' or 'batches': that call never answers, though it does its work"""
        self.expires: set[str] = set()
        """batches that end with half of their answers"""
        self.fails: dict[str, Any] | None = None
        self.looks = 0
        self.fault: Callable[[str, web.StreamResponse], web.StreamResponse] | None = None
        """gets each call ('GET /v1/batches') and what it did; gives what is answered"""

    async def _start(self) -> None:
        @web.middleware
        async def faulty(request: web.Request, handler: Any) -> web.StreamResponse:
            done: web.StreamResponse = await handler(request)
            call = f"{request.method} {request.rel_url}"
            return self.fault(call, done) if self.fault else done

        app = web.Application(client_max_size=256 << 20, middlewares=[faulty])
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{name}/content", self._content)
        app.router.add_post("/v1/batches", self._make)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{name}", self._look)
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()  # type: ignore[union-attr]
        await self._held("files")
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _held(self, what: str) -> None:
        while self.hold == what:
            await asyncio.sleep(0.02)

    async def _make(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        name = f"batch_{len(self.batches)}"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        self.asked += [json.dumps(line["body"], sort_keys=True) for line in lines]
        self.batches[name] = {
            "id": name, "object": "batch", "status": "in_progress", "made": time.monotonic(),
            "metadata": body["metadata"], "lines": lines, "endpoint": body["endpoint"],
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }  # fmt: skip
        await self._held("batches")
        return web.json_response(self._shown(name))

    def _shown(self, name: str) -> dict[str, Any]:
        return {k: v for k, v in self.batches[name].items() if k not in ("lines", "made")}

    async def _list(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": [self._shown(n) for n in self.batches]})

    async def _look(self, request: web.Request) -> web.StreamResponse:
        self.looks += 1
        name = request.match_info["name"]
        batch = self.batches[name]
        if batch["status"] == "in_progress" and time.monotonic() - batch["made"] > self.takes:
            self._end(name, batch)
        return web.json_response(self._shown(name))

    def _end(self, name: str, batch: dict[str, Any]) -> None:
        if self.fails is not None:
            batch |= {"status": "failed", "errors": {"object": "list", "data": [self.fails]}}
            self.fails = None
            return
        expired = name in self.expires
        lines = batch["lines"][: len(batch["lines"]) // 2] if expired else batch["lines"]
        out = [
            {
                "id": f"batch_req_{number}", "custom_id": line["custom_id"], "error": None,
                "response": {
                    "status_code": 200, "request_id": "req_1",
                    "body": completion(usual_reply(line["body"])),
                },
            }
            for number, line in enumerate(reversed(lines))
        ]  # fmt: skip
        self.files[f"out-{name}"] = b"".join(orjson.dumps(line) + b"\n" for line in out)
        batch |= {"status": "expired" if expired else "completed", "output_file_id": f"out-{name}"}

    async def _content(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=self.files[request.match_info["name"]])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.models.batches.LINGER", 0.2)
    monkeypatch.setattr("subitize.models.batches.FIRST_LOOK", 0.05)


def comparable(scores: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in scores.items() if key != "run"}


def test_a_batch_scores_like_single_requests(
    go: Go, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    with ChatServer() as server:
        _, single = go(server.url, out="single", settings=PLAIN)
    with BatchServer() as server:
        outcome, scores = go(
            server.url, out="batch", batch=True, api_key_env="MY_KEY", concurrency=None,
            progress=None, settings=PLAIN,
        )  # fmt: skip
        assert outcome.complete
        assert not server.seen
        assert len(server.batches) == 1
        assert len(server.asked) == len(set(server.asked)) == TRIALS
        again, _ = go(server.url, out="batch", batch=True, api_key_env="MY_KEY", settings=PLAIN)
        assert again.complete
        assert len(server.batches) == 1
    assert comparable(scores) == comparable(single)
    assert f"{TRIALS} requests are handed in as batch_0" in capfd.readouterr().err
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert key.encode() not in written


def test_what_a_batch_left_unanswered_is_handed_in_again(go: Go) -> None:
    with BatchServer() as server:
        server.expires.add("batch_0")
        outcome, scores = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert len(server.asked) == TRIALS + TRIALS // 2
    assert outcome.complete
    assert not scores["failed"]


@pytest.mark.parametrize(
    ("code", "words", "goes_on"),
    [
        # https://github.com/openai/openai-python/issues/2084
        (
            "token_limit_exceeded",
            "Enqueued token limit reached for gpt-4o-mini in organization org-x. Limit: 2,000,000 "
            "enqueued tokens. Please try again once some in_progress batches have been completed.",
            True,
        ),
        ("invalid_model", "The model x does not exist", False),
    ],
)
def test_a_batch_that_fails_as_a_whole(go: Go, code: str, words: str, goes_on: bool) -> None:
    with BatchServer() as server:
        server.fails = {"code": code, "message": words, "line": None, "param": None}
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert len(server.batches) == 1 + goes_on
    assert outcome.complete == goes_on
    if not goes_on:
        assert words in str(outcome.error)


def command(url: str, out: Path) -> list[str]:
    return [
        sys.executable, "-m", "subitize", "run", "naming", "--model", "openai/x", "--base-url", url,
        "--out", str(out), "--per-cell", "2", "--max", "3", "--size", "64", "--categories", "dots",
        "--prompt", "things", "--batch",
    ]  # fmt: skip


@pytest.mark.parametrize("when", ["uploading", "making", "waiting"])
def test_a_killed_run_comes_back_and_collects(tmp_path: Path, when: str) -> None:
    """No request is part of two batches, wherever the kill hits."""
    with BatchServer(takes=0.2) as server:
        server.hold = {"uploading": "files", "making": "batches", "waiting": ""}[when]
        if when == "waiting":
            server.takes = 1e9
        process = subprocess.Popen(command(server.url, tmp_path), stderr=subprocess.PIPE)
        ready = {
            "uploading": lambda: server.files,
            "making": lambda: server.batches,
            "waiting": lambda: server.looks,
        }[when]
        while not ready():
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.communicate()
        server.hold, server.takes = "", 0.2
        done = subprocess.run(
            command(server.url, tmp_path), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert len(server.batches) == 1
        (folder,) = tmp_path.iterdir()
        assert len(server.asked) == len(set(server.asked)) == len(responses_of(folder))


def test_pictures_that_are_packed_otherwise_are_no_new_questions(
    go: Go, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ISA-L gives other bytes for the same pixels now and then (1 of 1,200 measured)."""
    with BatchServer() as server:
        outcome, scores = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        (outcome.folder / "responses.jsonl").write_bytes(b"")
        monkeypatch.setattr("subitize.pictures.encode._LEVEL", 0)
        again, same = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert again.complete
        assert len(server.batches) == 1
        assert len(server.asked) == TRIALS
    assert comparable(same) == comparable(scores)


def test_an_interrupt_leaves_the_batch_with_the_server(tmp_path: Path) -> None:
    import signal

    with BatchServer(takes=1e9) as server:
        process = subprocess.Popen(command(server.url, tmp_path), stderr=subprocess.PIPE, text=True)
        while not server.looks:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        assert process.returncode == 1
        assert "Traceback" not in said
        assert "Run the same command again" in said
        server.takes = 0.0
        done = subprocess.run(
            command(server.url, tmp_path), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert len(server.batches) == 1


class Faults:
    """Answers the first calls of a kind otherwise than the server would."""

    def __init__(self, call: str, many: int, answer: Callable[[bytes], web.Response]) -> None:
        self.call, self.left, self.answer = call, many, answer

    def __call__(self, call: str, done: web.StreamResponse) -> web.StreamResponse:
        if not call.startswith(self.call) or self.left <= 0:
            return done
        self.left -= 1
        assert isinstance(done, web.Response)
        return self.answer(bytes(done.body or b""))  # type: ignore[arg-type]


def gateway(_: bytes) -> web.Response:
    return web.Response(status=502, text="<html>Bad gateway</html>")


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Faults("POST /v1/batches", 1, gateway), id="made, but the answer is lost"),
        pytest.param(Faults("GET /v1/batches/", 2, gateway), id="looks fail"),
        pytest.param(
            Faults("GET /v1/batches/", 2, lambda _: web.Response(status=404)), id="not known yet"
        ),
        pytest.param(Faults("GET /v1/files/", 2, gateway), id="downloads fail"),
        pytest.param(
            Faults("GET /v1/files/", 2, lambda body: web.Response(body=body[: len(body) // 2])),
            id="cut in a line",
        ),
        pytest.param(
            Faults("GET /v1/files/", 1, lambda body: web.Response(body=body.split(b"\n")[0])),
            id="cut behind a line",
        ),
        pytest.param(
            Faults(
                "GET /v1/files/",
                1,
                lambda body: web.Response(body=b'7\n{"custom_id":[1]}\n' + body),
            ),
            id="odd lines",
        ),
    ],
)
def test_a_fault_of_the_endpoint_is_no_second_batch(go: Go, fault: Faults) -> None:
    with BatchServer() as server:
        server.fault = fault
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert outcome.complete
        assert fault.left == 0
        assert len(server.batches) == 1


@pytest.mark.parametrize("listing", ["fails first", "has pages"])
def test_a_batch_that_was_made_is_found_again(go: Go, listing: str) -> None:
    """Killed before the answer came: the list is asked until it tells whether it was made."""
    with BatchServer() as server:
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        handed = outcome.folder / "batches.jsonl"
        handed.write_bytes(handed.read_bytes().splitlines(keepends=True)[0])
        (outcome.folder / "responses.jsonl").unlink()
        if listing == "fails first":
            server.fault = Faults("GET /v1/batches?", 3, gateway)
        else:
            others = [{"id": f"batch_x{number}", "metadata": None} for number in range(100)]
            page = {"object": "list", "data": others, "has_more": True}
            server.fault = Faults("GET /v1/batches?", 1, lambda _: web.json_response(page))
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert outcome.complete
        assert len(server.batches) == 1


def test_what_failed_in_a_batch_is_asked_again_by_the_next_run(go: Go) -> None:
    def spoil(body: bytes) -> web.Response:
        *others, last = body.splitlines()
        wrong = {"status_code": 400, "body": {"error": {"message": "Invalid image."}}}
        return web.Response(
            body=b"\n".join([*others, orjson.dumps({**orjson.loads(last), "response": wrong})])
        )

    with BatchServer() as server:
        server.fault = Faults("GET /v1/files/", 2, spoil)
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert outcome.failed == 1
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert outcome.complete
        assert len(server.asked) == TRIALS + 1


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        ("POST /v1/files", 413, "leave --batch out"),
        ("POST /v1/files", 400, "The file is too long for our moderation"),
        ("POST /v1/batches", 403, "Check the key"),
        ("GET /v1/batches/", 401, "Check the key"),
    ],
)
def test_a_refusal_of_the_endpoint_stops_the_run_and_is_about_no_question(
    go: Go, call: str, status: int, words: str
) -> None:
    said = {"error": {"message": "The file is too long for our moderation"}}
    with BatchServer() as server:
        server.fault = Faults(call, 10**6, lambda _: web.json_response(said, status=status))
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
    assert words in str(outcome.error)
    assert not responses_of(outcome.folder)


def test_notes_that_cannot_be_written_stop_the_run(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with BatchServer() as server:
        monkeypatch.setattr("subitize.models.batch_notes.sync_data", full)
        outcome, _ = go(server.url, batch=True, concurrency=None, settings=PLAIN)
        assert not server.batches
    assert "No space left on device" in str(outcome.error)


def test_models_that_hand_nothing_in_say_so(go: Go) -> None:
    with pytest.raises(BadInput, match="--batch is for namers"):
        go("http://127.0.0.1:9/v1", model="sim/perfect", batch=True)
