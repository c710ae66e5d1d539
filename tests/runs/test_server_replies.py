"""Replies as servers send them: what is read, kept, asked for again, and what ends the run.

A fixture that plays a hosted server names the document or issue that its bytes come from.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from subitize.errors import NoCredit
from subitize.runs.limits import RetryPolicy
from tests.chat_server import ChatServer, completion
from tests.runs.conftest import Go, responses_of

TRIALS = 18


def message(finish: Any = "stop", **fields: Any) -> dict[str, Any]:
    """A completion whose message has these fields."""
    whole = completion(None)
    whole["choices"][0]["message"] = {"role": "assistant", **fields}
    whole["choices"][0]["finish_reason"] = finish
    return whole


def always(answer: Any, status: int = 200) -> Any:
    return lambda *_: web.json_response(answer, status=status)


def first(answer: Any, many: int = 1, status: int = 200) -> Any:
    """The first so many requests get that, the others the usual."""
    return lambda number, *_: web.json_response(answer, status=status) if number < many else None


KEPT = {
    # https://ai.google.dev/api/python/google/generativeai/protos/Candidate/FinishReason
    "gemini stop": (message("STOP", content="4 apples"), "stop", "STOP", "read"),
    "gemini cut": (message("MAX_TOKENS", content="There"), "length", "MAX_TOKENS", "truncated"),
    "gemini safety": (message("SAFETY", content=None), "refused", "SAFETY", "refused"),
    "gemini recitation": (message("RECITATION"), "refused", "RECITATION", "refused"),
    "gemini cut while thinking": (message("length"), "length", "", "truncated"),
    # Mistral, by a client made from its specification: https://docs.rs/crate/
    # mistral-openapi-client/latest/source/src/models/chat_completion_choice.rs
    "mistral": (message("model_length", content="12"), "length", "model_length", "truncated"),
    # Anthropic's stop_reason, which proxies let through: max_tokens, end_turn, refusal
    "anthropic cut": (message("max_tokens", content="There"), "length", "max_tokens", "truncated"),
    "anthropic": (message("end_turn", content="There are 12."), "stop", "end_turn", "read"),
    # Together: https://github.com/openai/openai-dotnet/pull/267
    "together": (message("eos", content="There are 12."), "stop", "eos", "read"),
    # Words that nobody declared; "failed" is one of ours, which must not decide anything
    "unknown": (message("because", content="There are 7."), "other", "because", "read"),
    "failed": (message("failed", content="There are 7."), "other", "failed", "read"),
    "too-long": (message("too-long", content="There are 7."), "other", "too-long", "read"),
    # A reply without its ending: the stream's word for "not yet"
    "none": (message(None, content="There are 7."), "stop", "", "read"),
    # DeepSeek: https://api-docs.deepseek.com/zh-cn/guides/reasoning_model
    "only thinking": (
        message("stop", content="", reasoning_content="I count 12 apples."), "stop", "", "no-number"
    ),
    # vLLM and OpenRouter: https://openrouter.ai/docs/use-cases/reasoning-tokens
    "thinking apart": (
        message("stop", content="There are 7.", reasoning="Maybe 8?"), "stop", "", "read"
    ),
    # https://platform.openai.com/docs/api-reference/chat/object
    "tool call": (
        message("tool_calls", content=None, tool_calls=[{
            "id": "call_abc123", "type": "function",
            "function": {"name": "count", "arguments": '{"n": 5}'},
        }]),
        "other", "tool_calls", "no-number",
    ),
    "content in parts": (
        message("stop", content=[
            {"type": "thinking", "thinking": "8?"}, {"type": "text", "text": "There are 7."}
        ]),
        "stop", "", "read",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_is_a_response_is_kept_and_never_paid_again(go: Go, name: str) -> None:
    answer, stop, finish, state = KEPT[name]
    with ChatServer(always(answer)) as server:
        outcome, scores = go(server.url)
        assert outcome.complete
        go(server.url)
        assert len(server.seen) == TRIALS
    lines = responses_of(outcome.folder)
    assert {line["stop"] for line in lines} == {stop}
    facts = orjson.loads(lines[0]["facts"] or "{}")
    assert facts.get("finish", "") == finish
    assert set(scores["states"]) <= {state, "no-number"}
    assert state in scores["states"]
    sent = answer["choices"][0]["message"]
    thought = sent.get("reasoning_content") or sent.get("reasoning")
    assert facts.get("reasoning") == (thought or ("8?" if name == "content in parts" else None))
    assert ("tool_calls" in facts) == ("tool_calls" in sent)


AGAIN = {
    # https://openrouter.ai/docs/errors: "the returned HTTP response status will be 200 and any
    # error occurred while the LLM is producing the output will be emitted in the response body"
    "error object": {"error": {"code": 502, "message": "Provider returned error"}},
    "error and no code": {"error": {"message": "upstream is gone"}},
    # https://github.com/pydantic/pydantic-ai/issues/2844
    "finish error": message("error", content="There are"),
    "error in the choice": {"choices": [{
        "error": {"code": 502, "message": "Upstream error"}, "finish_reason": "error",
        "message": {"role": "assistant", "content": ""},
    }]},
    "no content": message("stop", content=None),
    "empty": message("stop", content=""),
    "no message": {"choices": [{"finish_reason": "stop"}]},
    "no choices": {"choices": []},
    "not an object": [1, 2],
}  # fmt: skip


@pytest.mark.parametrize("name", AGAIN)
def test_what_is_no_answer_is_asked_for_again(go: Go, name: str) -> None:
    with ChatServer(first(AGAIN[name], 3)) as server:
        outcome, scores = go(server.url)
        assert len(server.seen) == TRIALS + 3
    assert outcome.complete
    assert not scores["failed"]


def test_empty_words_that_stay_are_an_answer_and_no_words_are_not(go: Go) -> None:
    with ChatServer(always(message("stop", content=""))) as server:
        outcome, _ = go(server.url, out="empty")
        assert outcome.complete
        assert len(server.seen) == 3 * TRIALS
        go(server.url, out="empty")
        assert len(server.seen) == 3 * TRIALS
    with ChatServer(always(message("stop"))) as server:
        outcome, _ = go(server.url, out="nothing", concurrency=1)
    assert not outcome.complete
    assert "no content" in str(outcome.error)


SAID = {
    # https://github.com/google-gemini/gemini-cli/issues/4701: a list with one error
    "gemini": (400, [{"error": {
        "code": 400, "message": "Request contains an invalid argument.",
        "errors": [{"message": "Request contains an invalid argument.", "domain": "global",
                    "reason": "badRequest"}],
        "status": "INVALID_ARGUMENT",
    }}], "Request contains an invalid argument"),
    "gemini's key": (400, [{"error": {
        "code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
    }}], "Check the key"),
    # https://openrouter.ai/docs/errors, with status 200
    "openrouter": (200, {"error": {"code": 401, "message": "No auth credentials found"}},
                   "No auth credentials found"),
    # https://docs.claude.com/en/api/errors
    "anthropic": (404, {"type": "error", "error": {
        "type": "not_found_error", "message": "model: claude-0",
    }}, "not_found_error model: claude-0"),
    # LM Studio: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/908, which shows the
    # error as words without an object, and no status
    "lm studio": (400, {"error": "Model does not support images. Please use a model that does."},
                  "Model does not support images. Please use a model that does."),
    "fastapi": (422, {"detail": [{"loc": ["body", "model"], "msg": "field required"}]},
                "field required"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_errors_are_told_in_the_servers_words(go: Go, name: str) -> None:
    status, answer, words = SAID[name]
    with ChatServer(always(answer, status)) as server:
        outcome, _ = go(server.url, concurrency=1)
        assert len(server.seen) == 1
    assert words in str(outcome.error)


VLLM_TOO_LONG = {
    "message": "This model's maximum context length is 1024 tokens. However, you requested 1029 "
    "tokens (1028 in the messages, 1 in the completion). Please reduce the length of the messages "
    "or completion", "type": "BadRequestError", "param": None, "code": 400,
}  # fmt: skip
STATES = {
    # https://github.com/OpenHands/OpenHands/issues/5350, sent by a litellm proxy
    "litellm": (400, {"error": {
        "message": "litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicError - "
        '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: '
        '209303 tokens > 200000 maximum"}}', "type": None, "param": None, "code": "400",
    }}, "too-long"),
    # https://github.com/OpenHands/benchmarks/issues/45
    "litellm again": (400, {"error": {
        "message": 'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":'
        '"invalid_request_error","message":"input length and `max_tokens` exceed context limit: '
        '142123 + 64000 > 200000, decrease input length or `max_tokens` and try again"}}',
        "type": None, "param": None, "code": "400",
    }}, "too-long"),
    # vLLM's words of https://github.com/llm-d/llm-d-inference-sim/issues/596, in today's form and
    # in the older one of https://github.com/block/goose/pull/8031
    "vllm": (400, {"error": VLLM_TOO_LONG}, "too-long"),
    "vllm, older": (400, {"object": "error", **VLLM_TOO_LONG}, "too-long"),
    # Azure: the words of https://github.com/microsoft/azurechat/issues/351, in the form of
    # https://www.developersdigest.tech/errors/api/azure-openai
    "azure": (400, {"error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content "
        "management policy. Please modify your prompt and retry. To learn more about our content "
        "filtering policies please read our documentation: "
        "https://go.microsoft.com/fwlink/?linkid=2198766.", "type": None, "param": "prompt",
        "code": "content_filter", "status": 400,
    }}, "refused"),
    # https://openrouter.ai/docs/errors: 403, the chosen model requires moderation
    "openrouter": (200, {"error": {
        "code": 403, "message": "openai/x requires moderation. Your input was flagged for violence",
    }}, "refused"),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_errors_that_are_states(go: Go, name: str) -> None:
    status, answer, state = STATES[name]
    with ChatServer(always(answer, status)) as server:
        outcome, scores = go(server.url)
        assert len(server.seen) == TRIALS
    assert outcome.complete
    assert set(scores["states"]) == {state}


# https://github.com/ChatGPTNextWeb/NextChat/issues/3664
QUOTA = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details. "
        "For more information on this error, read the docs: "
        "https://platform.openai.com/docs/guides/error-codes/api-errors.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
BROKE = {
    "openai": (429, QUOTA),
    # https://github.com/ChatGPTNextWeb/NextChat/issues/1810: without a code
    "openai, older": (429, {"error": {**QUOTA["error"], "code": None}}),
    # https://openrouter.ai/docs/errors
    "openrouter": (402, {"error": {"code": 402, "message": "Insufficient credits"}}),
}


@pytest.mark.parametrize("name", BROKE)
def test_a_spent_account_stops_the_run_at_once_and_says_so(
    go: Go, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    status, answer = BROKE[name]

    def later(number: int, *_: Any) -> Any:
        return web.json_response(answer, status=status) if number >= 6 else None

    with ChatServer(later) as server:
        outcome, _ = go(server.url, concurrency=1, policy=RetryPolicy())
        assert len(server.seen) == 7
    assert isinstance(outcome.error, NoCredit)
    assert "No credit is left" in str(outcome.error)
    assert outcome.received == 6


def test_a_packed_reply_is_counted_unpacked(go: Go) -> None:
    """A gigabyte of spaces packs into a megabyte; it must be neither held nor stored."""
    import resource

    bomb = gzip.compress(b'{"choices": [{"message": {"content": "' + b" " * (300 << 20), 1)

    def packed(number: int, *_: Any) -> Any:
        if number == 0:
            head = {"Content-Encoding": "gzip"}
            return web.Response(body=bomb, headers=head, content_type="application/json")
        return None

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ChatServer(packed) as server:
        outcome, _ = go(server.url, concurrency=1, timeout=60)
        assert len(server.seen) == TRIALS
    assert outcome.complete
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 220_000
    cut = responses_of(outcome.folder)[0]
    assert cut["stop"] == "length"
    assert len(cut["value"]) <= 100_000
    assert orjson.loads(cut["facts"])["cut"] >= 64 << 20


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_packed_reply_is_read(go: Go, coding: str) -> None:
    async def packed(_number: int, request: web.Request, _body: Any) -> web.StreamResponse:
        assert "gzip" in request.headers["Accept-Encoding"]
        answer = web.json_response(completion("There are 7."))
        answer.enable_compression(web.ContentCoding(coding))
        return answer

    with ChatServer(packed) as server:
        outcome, scores = go(server.url)
    assert outcome.complete
    assert scores["states"]["read"] >= 12


def test_replies_of_fifty_megabytes_make_no_journal_of_that_size(go: Go) -> None:
    def wordy(number: int, *_: Any) -> Any:
        return web.json_response(completion("seven " * 8_000_000)) if number < 2 else None

    with ChatServer(wordy) as server:
        outcome, scores = go(server.url, concurrency=1, timeout=120)
    assert outcome.complete
    assert (outcome.folder / "responses.jsonl").stat().st_size < 10 << 20
    assert scores["states"]["truncated"] == 2
    cut = responses_of(outcome.folder)[0]
    assert orjson.loads(cut["facts"])["cut"] == 48_000_000


KEY = "sk-very-secret-0123456789abcdefghijklmno"


def test_a_key_that_comes_back_in_any_field_reaches_no_file(
    go: Go, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)

    def echo(number: int, *_: Any) -> Any:
        whole = completion(f"4 apples {KEY}", f"stop {KEY}")
        whole["usage"] = {"prompt_tokens": 1, "note": KEY, KEY: 1}
        whole["choices"][0]["logprobs"] = {"content": [{"token": KEY, "logprob": -1.0}]}
        whole["choices"][0]["message"] |= {"reasoning_content": KEY, "tool_calls": [KEY]}
        if number == 0:
            return web.Response(text="x" * 280 + KEY, status=502)
        if number == 1:
            return web.Response(text="x" * 590 + KEY, status=500)
        if number == 2:
            # Escapes hide the key from whoever looks at the bytes alone.
            hidden = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
            text = orjson.dumps(whole).decode().replace(KEY, hidden)
            return web.Response(text=text, content_type="application/json")
        if number == 3:
            halves = [KEY[:15], KEY[15:]]
            parts = [{"choices": [{"index": 0, "delta": {"content": half}}]} for half in halves]
            events = [*parts, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
            body = b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events)
            return web.Response(body=body, content_type="text/event-stream")
        return web.json_response(whole)

    with ChatServer(echo) as server:
        go(server.url, api_key_env="MY_KEY", concurrency=1)
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    out, err = capfd.readouterr()
    assert b"[key]" in written
    for length in (len(KEY), 20, 12):
        assert KEY[:length].encode() not in written
        assert KEY[:length] not in out + err


def test_nan_and_half_characters_are_json_to_us_too(go: Go) -> None:
    body = (
        b'{"choices": [{"message": {"content": "There are 7 \\ud83d apples."}, "finish_reason":'
        b' "stop", "logprobs": NaN}], "usage": {"prompt_tokens": NaN, "total_tokens": 9,'
        b' "cost": Infinity}}'
    )
    with ChatServer(lambda *_: web.Response(body=body, content_type="application/json")) as server:
        outcome, scores = go(server.url)
        assert len(server.seen) == TRIALS
    assert outcome.complete
    assert scores["states"]["read"] >= 12
    line = responses_of(outcome.folder)[0]
    assert line["value"] == "There are 7 \ufffd apples."
    assert line["usage"]["total_tokens"] == 9


def test_usage_nested_three_hundred_deep_is_told_short(go: Go) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = {"x": deep}

    def nested(*_: Any) -> web.Response:
        whole = completion("There are 7.")
        whole["usage"] |= {"deep": deep}
        return web.json_response(whole)

    with ChatServer(nested) as server:
        outcome, _ = go(server.url)
        assert len(server.seen) == TRIALS
    assert outcome.complete
    assert "nested too deep" in responses_of(outcome.folder)[0]["facts"]
