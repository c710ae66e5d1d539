"""The OpenAI-compatible adapter: bodies, answers, problems."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from subitize.errors import BadInput, Hopeless, ModelError, Retryable
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.names import parse_name
from subitize.models.openai import OpenAI
from subitize.models.served import read_key, wait_wanted
from subitize.models.transport import HttpReply, check_url, shown_url

PNG = b"\x89PNG\r\n\x1a\n and so on"


class Scripted:
    """A transport that gives one answer and keeps what was sent."""

    def __init__(self, status: int = 200, body: bytes = b"", headers: Any = None) -> None:
        self.answer = HttpReply(status, headers or {}, body)
        self.sent: list[bytes] = []

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        self.sent.append(body)
        return self.answer

    async def get(self, url: str) -> HttpReply:
        return self.answer

    async def close(self) -> None:
        pass


def model(transport: Scripted, name: str = "openai/m", key: str = "", **options: Any) -> OpenAI:
    return OpenAI(
        parse_name(name), ModelOptions("http://127.0.0.1:9/v1", **options), key, transport
    )


def ask(transport: Scripted, **kwargs: Any) -> Reply | ModelError:
    item = Item("t", 'How many "things"?', PNG)
    return asyncio.run(model(transport, **kwargs).name([item]))[0]


def test_the_body_is_valid_json_with_the_picture_in_place() -> None:
    opened = model(Scripted(), "openai/m?seed=5&top_p=0.5&system=Be brief", temperature=0.0)
    body = orjson.loads(opened.chat_body(Item("t", 'say "\x00"', PNG, sample=2)))
    assert body["messages"][0] == {"role": "system", "content": "Be brief"}
    text, picture = body["messages"][1]["content"]
    assert text == {"type": "text", "text": 'say "\x00"'}
    assert base64.b64decode(picture["image_url"]["url"].partition(",")[2]) == PNG
    assert body["model"] == "m"
    assert (body["temperature"], body["top_p"], body["seed"]) == (0.0, 0.5, 7)
    assert "system" not in body


def test_overrides_and_the_token_field() -> None:
    opened = model(Scripted(), "openai/m?max_tokens_field=max_completion_tokens", max_tokens=9)
    body = orjson.loads(opened.chat_body(Item("t", "q", PNG, overrides={"temperature": 0.3})))
    assert body["max_completion_tokens"] == 9
    assert body["temperature"] == 0.3
    assert "max_tokens" not in body
    assert "max_tokens_field" not in body


@pytest.mark.parametrize(
    ("message", "text", "stop"),
    [
        ({"content": "7"}, "7", "stop"),
        ({"content": [{"type": "text", "text": "7"}, {"type": "x"}]}, "7", "stop"),
        ({"content": None, "refusal": "I won't"}, "I won't", "refused"),
    ],
)
def test_replies(message: Any, text: str, stop: str) -> None:
    body = orjson.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    reply = ask(Scripted(body=body))
    assert isinstance(reply, Reply)
    assert (reply.value, reply.stop) == (text, stop)


@pytest.mark.parametrize(
    ("status", "words", "stop"),
    [
        (400, {"error": {"code": "context_length_exceeded", "message": "too big"}}, "too-long"),
        (413, {}, "too-long"),
        (400, {"error": {"message": "Rejected by our safety system"}}, "refused"),
    ],
)
def test_problems_that_are_states(status: int, words: Any, stop: str) -> None:
    reply = ask(Scripted(status, orjson.dumps(words)))
    assert isinstance(reply, Reply)
    assert reply.stop == stop


@pytest.mark.parametrize(
    ("status", "repair"), [(401, "--api-key-env"), (404, "--base-url"), (400, "see a picture")]
)
def test_problems_that_end_the_run_name_the_repair(status: int, repair: str) -> None:
    with pytest.raises(Hopeless, match=repair):
        ask(Scripted(status, b'{"error": {"message": "no"}}'))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (400, "This model does not support images."),
        (501, "Multimodal input is unsupported here"),
    ],
)
def test_a_model_that_sees_nothing_is_asked_once(status: int, words: str) -> None:
    body = orjson.dumps({"error": {"code": status, "message": words}})
    with pytest.raises(Hopeless, match=r"'m' can't see or make pictures") as caught:
        ask(Scripted(status, body))
    assert f"{status}: {words.rstrip('.')}. The model" in str(caught.value)


def test_a_server_in_trouble_is_asked_again() -> None:
    for words in ("Out of memory", "Image queue is full", "This image size is not supported"):
        with pytest.raises(Retryable):
            ask(Scripted(500, orjson.dumps({"error": {"message": words}})))


def test_busy_answers_carry_the_servers_wish() -> None:
    with pytest.raises(Retryable) as caught:
        ask(Scripted(429, b"{}", {"retry-after": "7"}))
    assert caught.value.busy
    assert caught.value.retry_after == 7
    assert wait_wanted(HttpReply(429, {"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}, b"")) == 0
    assert wait_wanted(HttpReply(429, {"Retry-After": "soon"}, b"")) is None


def test_a_key_in_an_error_message_is_scrubbed() -> None:
    with pytest.raises(Hopeless) as caught:
        ask(Scripted(401, b'{"error": {"message": "bad key sk-123"}}'), key="sk-123")
    assert "sk-123" not in str(caught.value)
    assert "[key]" in str(caught.value)


def test_keys_and_addresses() -> None:
    assert read_key(ModelOptions("http://h/v1"), {}) == ""
    assert read_key(ModelOptions(), {"OPENAI_API_KEY": "k"}) == "k"
    # A key for one server is never sent to another.
    assert read_key(ModelOptions("http://h/v1"), {"OPENAI_API_KEY": "k"}) == ""
    with pytest.raises(BadInput, match="OPENAI_API_KEY is not set"):
        read_key(ModelOptions(), {})
    with pytest.raises(BadInput, match="MINE is not set"):
        read_key(ModelOptions("http://h/v1", "MINE"), {})
    for bad in ("localhost:8000", "ftp://x", "http://", "", "http://[::1", "http://h:x/v1"):
        with pytest.raises(BadInput, match="not an address"):
            check_url(bad)
    with pytest.raises(BadInput, match="--api-key-env") as caught:
        check_url("http://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)
    assert shown_url("https://me:secret@host:8/v1?key=1") == "https://host:8/v1"
