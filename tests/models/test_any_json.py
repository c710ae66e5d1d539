"""Any JSON value in any field of any reply gives a record or an error of ours, never a crash."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson
from hypothesis import example, given, settings
from hypothesis import strategies as st

from subitize.errors import Hollow, SubitizeError
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.counters.http import HttpCounter
from subitize.models.matchers.http import HttpMatcher
from subitize.models.names import parse_name
from subitize.models.openai import OpenAI
from subitize.models.transport import HttpReply
from subitize.runs.replies import as_response

PNG = b"\x89PNG\r\n\x1a\n and so on"
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats()
    # Lone surrogates too: json.dumps writes them, and so do servers.
    | st.text(st.characters(codec=None), max_size=20)
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
CHAT: dict[str, Any] = {
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant", "content": [{"type": "text", "text": "7"}], "refusal": None,
                "reasoning_content": "hm", "tool_calls": [{"id": "1"}],
            },
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "7", "logprob": -0.1, "top_logprobs": [
                {"token": "7", "logprob": -0.1}, {"token": "8", "logprob": -2.5}]}]},
            "error": {"code": 500, "message": "odd"},
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens_details": {"reasoning_tokens": 2}},
    "error": None,
}  # fmt: skip
SCORES: dict[str, Any] = {"scores": [0.5, 0.25], "calibrated": True, "unit": "probability"}
PICTURE: dict[str, Any] = {
    "data": [{"b64_json": "iVBORw0KGgo=", "url": None, "revised_prompt": "x"}],
    "usage": {"total_tokens": 1},
}
PROBLEM: dict[str, Any] = {"error": {"code": "x", "message": "y", "type": "z"}, "detail": None}
BOXES: dict[str, Any] = {
    "boxes": [[0.0, 0.0, 5.0, 5.0, 0.9]], "size": [9, 9], "threshold": 0.4, "nms": 0.5,
    "saturated": False, "note": "n",
}  # fmt: skip
STATUS = st.sampled_from([200, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value, the whole of it included."""
    yield path
    listed = enumerate(value) if isinstance(value, list) else ()
    for name, one in value.items() if isinstance(value, dict) else listed:
        yield from places(one, (*path, name))


def put(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(whole)
    at = changed
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return changed


class Sends:
    """A transport that sends one body, whatever is asked."""

    def __init__(self, status: int, value: Any, headers: Mapping[str, str]) -> None:
        self.reply = HttpReply(status, headers, json.dumps(value).encode())

    async def post(self, *_: Any) -> HttpReply:
        return self.reply

    async def get(self, _: str) -> HttpReply:
        return HttpReply(404, {}, b"")

    async def close(self) -> None:
        pass


def recorded(reply: Any) -> None:
    """A reply makes a line that strict readers of JSON take back as it was."""
    assert isinstance(reply, Reply)
    if reply.kind == "picture":
        reply = Reply("picture", "name.png", reply.stop, reply.usage, reply.facts)
    response = as_response(("t", "m", "s", 0, 0), reply, 0.1, "", "")
    line = orjson.loads(orjson.dumps(response.as_json()))
    assert type(response)(**line) == type(response)(**response.as_json())
    assert response.stop != "failed"
    orjson.loads(response.facts or "{}")


def ask(kind: str, sends: Sends) -> None:
    async def once() -> None:
        item = Item("t", "q", PNG if kind != "paint" else None, thing="apples")
        if kind == "count":
            counter = HttpCounter("counter/http", {}, "http://127.0.0.1:9", "", sends)
            recorded((await counter.count([item]))[0])
            return
        if kind == "match":
            asked = replace(item, options=("two", "three"))
            matcher = HttpMatcher("matcher/http", {}, "http://127.0.0.1:9", "", sends)
            recorded((await matcher.match([asked]))[0])
            return
        options = ModelOptions("http://127.0.0.1:9/v1", temperature=0.0, max_tokens=5)
        model = OpenAI(parse_name("openai/m"), options, "sk-123456", sends)
        recorded((await getattr(model, kind)([item]))[0])

    try:
        asyncio.run(once())
    except Hollow as problem:
        if problem.reply is not None:
            recorded(problem.reply)
    except SubitizeError:
        pass


@settings(max_examples=400)
@given(st.sampled_from(list(places(CHAT))), ANYTHING, STATUS)
@example(("choices", 0, "finish_reason"), "failed", 200)
@example(("choices", 0, "message", "content"), "\ud83d", 200)
@example(("usage", "prompt_tokens"), 10**40, 200)
@example(("usage", "prompt_tokens"), float("nan"), 200)
@example(("usage", "cost"), 10**400, 200)
def test_chat(path: tuple[Any, ...], value: Any, status: int) -> None:
    ask("name", Sends(status, put(CHAT, path, value), {}))


def test_what_is_nested_deep() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = {"x": [deep]}
    for path in places(CHAT):
        ask("name", Sends(200, put(CHAT, path, deep), {}))
        ask("name", Sends(400, put(PROBLEM, path[:1], deep), {}))


@settings(max_examples=200)
@given(st.sampled_from(list(places(PICTURE))), ANYTHING, STATUS)
def test_pictures(path: tuple[Any, ...], value: Any, status: int) -> None:
    ask("paint", Sends(status, put(PICTURE, path, value), {}))


@settings(max_examples=200)
@given(st.sampled_from(list(places(BOXES))), ANYTHING, STATUS)
def test_boxes(path: tuple[Any, ...], value: Any, status: int) -> None:
    ask("count", Sends(status, put(BOXES, path, value), {}))


@settings(max_examples=200)
@given(st.sampled_from(list(places(SCORES))), ANYTHING, STATUS)
def test_scores(path: tuple[Any, ...], value: Any, status: int) -> None:
    ask("match", Sends(status, put(SCORES, path, value), {}))


@settings(max_examples=200)
@given(st.sampled_from(list(places(PROBLEM))), ANYTHING, STATUS, st.text(max_size=40))
@example((), 1, 429, "Wed, 01 Jan 99999 00:00:00 GMT")
@example((), 1, 429, "Fri, 31 Dec 9999 23:59:59 -2359")
@example((), 1, 429, "1e400")
@example((), 1, 429, "nan")
def test_problems(path: tuple[Any, ...], value: Any, status: int, later: str) -> None:
    for kind in ("name", "paint", "count"):
        ask(kind, Sends(status, put(PROBLEM, path, value), {"Retry-After": later}))


@settings(max_examples=200)
@given(st.binary(max_size=300), STATUS)
@example(b"data: {}\n\n", 200)
@example(b"data: [1]\n\ndata: [DONE]\n\n", 200)
@example(b'data: {"choices": [{"delta": 5, "finish_reason": {}}]}\n\n', 200)
@example(b"[" * 100_000, 200)
def test_bytes(body: bytes, status: int) -> None:
    for kind in ("name", "paint", "count"):
        sends = Sends(status, None, {})
        sends.reply = HttpReply(status, {}, body)
        ask(kind, sends)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(list(places(CHAT))), ANYTHING), max_size=3))
def test_streams(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    events = []
    for path, value in changes:
        event = put(CHAT, path, value)
        if isinstance(event, dict) and isinstance(event.get("choices"), list):
            for choice in event["choices"]:
                if isinstance(choice, dict):
                    choice["delta"] = choice.pop("message", None)
        events.append(event)
    sends = Sends(200, None, {})
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    sends.reply = HttpReply(200, {}, body.encode())
    ask("name", sends)
