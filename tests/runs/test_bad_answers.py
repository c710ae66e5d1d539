"""Servers that answer badly: tried again where that makes sense, recorded where not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from tests.chat_server import ChatServer, completion
from tests.runs.conftest import Go, responses_of

TRIALS = 2 * 3 * 2 + 6  # two categories, three numbers, two pictures each; six control questions


STORM: dict[str, Callable[[], web.Response]] = {
    "too many": lambda: web.Response(status=429, headers={"Retry-After": "0.05"}),
    "server error": lambda: web.Response(status=502, text="<html>bad gateway</html>"),
    "page": lambda: web.Response(
        text="<html><body>Welcome</body></html>", content_type="text/html"
    ),
    "nothing": web.Response,
    "half": lambda: web.Response(text='{"choices": [{"mess', content_type="application/json"),
    "list": lambda: web.json_response([1, 2, 3]),
    "no gzip": lambda: web.Response(body=b"no gzip", headers={"Content-Encoding": "gzip"}),
    "no choices": lambda: web.json_response({"choices": []}),
}


@pytest.mark.parametrize("kind", STORM)
def test_a_bad_answer_is_tried_again(go: Go, kind: str) -> None:
    def storm(number: int, *_: Any) -> web.Response | None:
        return STORM[kind]() if number % 3 == 0 else None

    with ChatServer(storm) as server:
        outcome, scores = go(server.url)
    assert outcome.complete
    assert scores["asked"] == TRIALS
    assert not [line for line in responses_of(outcome.folder) if line["stop"] == "failed"]


def test_closed_connections_and_silence_are_tried_again(go: Go) -> None:
    async def rude(number: int, request: web.Request, _body: Any) -> web.Response | None:
        if number in (0, 2, 4):
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if number in (1, 3, 5):
            await asyncio.sleep(3600)
        return None

    with ChatServer(rude) as server:
        outcome, _ = go(server.url, timeout=5.0, concurrency=8)
    assert outcome.complete


def test_retry_after_holds_back_all_calls(go: Go) -> None:
    def busy_once(number: int, *_: Any) -> web.Response | None:
        return web.Response(status=429, headers={"Retry-After": "1"}) if number == 2 else None

    with ChatServer(busy_once, delay=0.02) as server:
        outcome, _ = go(server.url, concurrency=2)
        gaps = [b - a for a, b in zip(server.times, server.times[1:], strict=False)]
    assert outcome.complete
    assert max(gaps) > 0.9


def test_an_empty_and_an_enormous_reply_are_recorded(go: Go) -> None:
    def odd(number: int, *_: Any) -> web.Response | None:
        if number == 0:
            return web.json_response(completion(""))
        if number == 1:
            return web.json_response(completion(None))
        if number == 2:
            return web.json_response(completion("seven " * 400_000))
        if number == 3:
            return web.json_response(completion("There are 4", "length"))
        return None

    with ChatServer(odd) as server:
        outcome, scores = go(server.url, concurrency=1)
        # What has no content is asked for again.
        assert len(server.seen) == TRIALS + 2
    assert outcome.complete
    assert scores["states"]["truncated"] == 1
    longest = max(len(str(line["value"])) for line in responses_of(outcome.folder))
    assert longest == len("seven " * 400_000)


def test_an_endless_reply_is_cut_and_kept(go: Go) -> None:
    async def endless(number: int, request: web.Request, _body: Any) -> web.StreamResponse | None:
        if number:
            return None
        answer = web.StreamResponse()
        await answer.prepare(request)
        try:
            for _ in range(200):
                await answer.write(b"x" * (1 << 20))
        except (ConnectionResetError, ConnectionError):
            return answer
        return answer

    with ChatServer(endless) as server:
        outcome, _ = go(server.url, concurrency=1, timeout=60)
        assert len(server.seen) == TRIALS
    assert outcome.complete
    cut = [line for line in responses_of(outcome.folder) if line["stop"] == "length"]
    assert len(cut) == 1
    assert len(cut[0]["value"]) <= 100_000
