"""A key that comes back in pieces is hidden too, and what is nested too deep costs no reply."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.names import parse_name
from subitize.models.openai import OpenAI
from subitize.models.secrets import Secrets
from subitize.models.transport import HttpReply

KEY = "sk-very-secret-0123456789abcdefghijklmno"
PIECES = [KEY[place : place + 5] for place in range(0, len(KEY), 5)]


class Sends:
    """A transport that sends one body, whatever is asked."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def post(self, *_: Any) -> HttpReply:
        return HttpReply(200, {}, self.body)

    async def get(self, _: str) -> HttpReply:
        return HttpReply(404, {}, b"")

    async def close(self) -> None:
        pass


def reply_to(body: bytes) -> Reply:
    options = ModelOptions("http://127.0.0.1:9/v1")
    model = OpenAI(parse_name("openai/m"), options, KEY, Sends(body))
    (reply,) = asyncio.run(model.name([Item("t", "How many?")]))
    assert isinstance(reply, Reply)
    return reply


def completion(message: dict[str, Any], **choice: Any) -> bytes:
    return orjson.dumps({"choices": [{"message": message, "finish_reason": "stop", **choice}]})


def streamed(*deltas: dict[str, Any]) -> bytes:
    choices = [*({"delta": delta} for delta in deltas), {"delta": {}, "finish_reason": "stop"}]
    events = (orjson.dumps({"choices": [{"index": 0, **one}]}) for one in choices)
    return b"".join(b"data: " + event + b"\n\n" for event in events)


def call(piece: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def test_a_key_that_the_server_itself_cut_is_hidden_too() -> None:
    """An error that ends in the middle of the key: 30 of its 40 characters came through."""
    for many in (16, 30, len(KEY) - 1):
        echoed = completion({"content": f"7. Not valid: {KEY[:many]}. Nor {KEY[:many]}"})
        assert reply_to(echoed).value == "7. Not valid: [key]. Nor [key]"
    reply = reply_to(completion({"content": f"7 of {KEY[:15]}"}))  # too little to tell
    assert reply.value == f"7 of {KEY[:15]}"


TOKENS = [
    {"token": piece, "logprob": -0.1, "top_logprobs": [{"token": piece, "logprob": -0.1}]}
    for piece in ("4 ", *PIECES)
]


@pytest.mark.parametrize(
    "body",
    [
        completion({"content": [{"type": "text", "text": piece} for piece in PIECES]}),
        completion({"content": [{"thinking": piece} for piece in PIECES]}),
        completion({"content": "4"}, logprobs={"content": TOKENS}),
        completion({"content": "4"}, logprobs={"content": TOKENS[1:]}),
        streamed({"content": "4"}, *({"reasoning_content": piece} for piece in PIECES)),
        streamed({"content": "4"}, *(call(piece) for piece in PIECES)),
    ],
    ids=["parts", "thinking", "tokens", "first token", "streamed thinking", "streamed call"],
)
def test_a_key_in_pieces_is_hidden(body: bytes) -> None:
    reply = reply_to(body)
    kept = str(reply.value) + orjson.dumps(reply.facts).decode()
    assert "[key]" in kept
    assert not [piece for piece in PIECES if piece in kept]


def test_pieces_of_a_streamed_call_are_one_call() -> None:
    first = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "n", "arguments": ""}}]}
    second = {"tool_calls": [{"index": 1, "id": "b", "function": {"name": "m", "arguments": "{"}}]}
    reply = reply_to(streamed(first, call('{"n":'), call(" 7}"), second))
    listed = orjson.loads(reply.facts["tool_calls"])
    assert [one["function"]["arguments"] for one in listed] == ['{"n": 7}', "{"]


@pytest.mark.parametrize("deep", [1_100, 50_000])
def test_a_reply_beside_what_is_nested_too_deep_is_kept(deep: int) -> None:
    whole = completion({"content": "There are 7 [of them."})
    nested = b'"usage": ' + b'{"a": ["]", ' * deep + b"1" + b"]}" * deep
    assert reply_to(whole[:-1] + b", " + nested + b"}").value == "There are 7 [of them."


PARTS = st.sampled_from([KEY, KEY[:20], KEY[3:], "7", "token", "ä", "\\", '"', "\ud800"])
TEXTS = st.lists(PARTS, max_size=3).map("".join)
VALUES = st.recursive(
    TEXTS | st.integers(-(10**25), 10**25) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@settings(deadline=None)
@example([[[[["7"]]]]], 20)
@given(VALUES, st.integers(0, 30))
def test_what_is_taken_for_plain_need_not_be_looked_through(value: Any, deep: int) -> None:
    for _ in range(deep):
        value = [value]
    secrets = Secrets([KEY])
    body = secrets.scrubbed(json.dumps(value).encode())
    entry = json.loads(body)
    if secrets.is_plain(body):
        assert secrets.plain(entry) == entry


def test_a_usual_reply_is_plain() -> None:
    assert Secrets([KEY]).is_plain(orjson.dumps({"choices": [{"message": {"content": "7"}}]}))
    for odd in ("ä", "\\", {"token": KEY[:4]}, 10**18, [[]] * 50):
        assert not Secrets([KEY]).is_plain(orjson.dumps(odd))
