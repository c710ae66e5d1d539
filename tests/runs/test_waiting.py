"""A server that is busy or gone is waited for by time, all passing errors alike, with a word."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from subitize.errors import BadInput
from subitize.runs.limits import Halt, Limiter, RetryPolicy
from tests.chat_server import ChatServer
from tests.runs.conftest import Go, responses_of

TRIALS = 18


def dropped(_number: int, request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


STORMS: dict[str, Any] = {
    "429": lambda *_: web.Response(status=429),
    "429 and an absurd wish": lambda *_: web.Response(
        status=429, headers={"Retry-After": "99999999999"}
    ),
    "429 and a wish beyond all dates": lambda *_: web.Response(
        status=429, headers={"Retry-After": "Fri, 31 Dec 99999 23:59:59 GMT"}
    ),
    "502": lambda *_: web.Response(status=502, text="<html>bad gateway</html>"),
    "503": lambda *_: web.Response(status=503),
    "page": lambda *_: web.Response(text="<html>soon</html>", content_type="text/html"),
    "reset": dropped,
}


@pytest.mark.parametrize("name", STORMS)
def test_a_storm_is_waited_out_and_told(
    go: Go, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    """For twelve times the first wait nobody is answered: every kind of error is waited out."""

    def storm(number: int, request: web.Request, _body: Any) -> Any:
        passed = server.times[-1] - server.times[0]
        return STORMS[name](number, request) if passed < 3.0 else None

    with ChatServer(storm) as server:
        policy = RetryPolicy(first_wait=0.25, longest_wait=1.0)
        outcome, scores = go(server.url, policy=policy, concurrency=64, progress=None)
    assert outcome.complete
    assert not scores["failed"]
    assert not [line for line in responses_of(outcome.folder) if line["stop"] == "failed"]
    told = capfd.readouterr().err
    assert f"Waiting for {server.url}, for up to" in told
    assert "answers again" in told


@pytest.mark.parametrize("name", ["429", "502", "page", "reset"])
def test_given_tries_bound_every_kind_of_error(go: Go, name: str) -> None:
    with ChatServer(lambda number, request, _: STORMS[name](number, request)) as server:
        outcome, _ = go(server.url, policy=RetryPolicy(2), concurrency=1)
        assert len(server.seen) == 2 * 3
    assert "does not answer as it should" in str(outcome.error)


@pytest.mark.parametrize("name", ["429", "503", "reset"])
def test_waiting_has_an_end_for_all_calls_together(go: Go, name: str) -> None:
    """One outage is waited for once, not once per trial: three trials are enough to stop."""
    with ChatServer(lambda number, request, _: STORMS[name](number, request)) as server:
        policy = RetryPolicy(wait=2.0, first_wait=0.1, longest_wait=0.3)
        outcome, _ = go(server.url, policy=policy, concurrency=1)
        passed = server.times[-1] - server.times[0]
    assert outcome.error is not None
    assert passed > 1.0
    # Not by the clock, which says how busy this machine is: once for all trials there is room for
    # some twenty tries that wait 0.1 s or more, once for each of 18 there would be hundreds.
    assert len(server.seen) < 60


def test_a_trial_that_fails_alone_is_given_up_after_a_few_tries(go: Go) -> None:
    poison: list[str] = []

    def poisoned(_number: int, _request: web.Request, body: Any) -> Any:
        packed = str(body["messages"])
        if not poison:
            poison.append(packed)
        return web.Response(status=500) if packed == poison[0] else None

    with ChatServer(poisoned) as server:
        policy = RetryPolicy(own_tries=5, first_wait=0.05, longest_wait=0.2)
        outcome, scores = go(server.url, concurrency=2, policy=policy)
        assert len(server.seen) < TRIALS + 10
    assert not outcome.complete
    assert scores["failed"] == 1


def test_nobody_there_is_told_soon(go: Go) -> None:
    policy = RetryPolicy(first_wait=0.05, longest_wait=0.2, first_contact=1.0)
    outcome, _ = go("http://127.0.0.1:9/v1", policy=policy)
    assert "--base-url" in str(outcome.error)


def test_calls_come_back_quickly_after_a_storm() -> None:
    import asyncio

    async def storm() -> int:
        limiter = Limiter(64, Halt())
        for _ in range(10):
            await limiter.enter()
            limiter._slowed_at = -1.0
            await limiter.leave(busy=True)
        assert limiter.limit == 1
        answered = 0
        while limiter.limit < 48:
            await limiter.enter()
            await limiter.leave()
            answered += 1
        return answered

    assert asyncio.run(storm()) < 250


def test_bounds_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="--retries is 0"):
        RetryPolicy(0)
    with pytest.raises(BadInput, match="--wait is nan"):
        RetryPolicy(wait=float("nan"))
