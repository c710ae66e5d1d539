"""How servers want to be asked: learned from what they say, remembered, and told.

A fixture that plays a hosted server names the document or issue that its bytes come from.
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from aiohttp import ClientSession, web

from subitize.errors import BadInput
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.limits import RetryPolicy
from tests.chat_server import ChatServer, completion, usual_reply
from tests.runs.conftest import Go, responses_of
from tests.serving import Serving

TRIALS = 18


def refusal(message: str, param: str | None, code: str = "unsupported_parameter") -> web.Response:
    """OpenAI's form of a refused request."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return web.json_response({"error": error}, status=400)


def reasoning_model(_number: int, _request: web.Request, body: dict[str, Any]) -> Any:
    """An o-series model of OpenAI's, as it answers who asks it like gpt-4o."""
    if "max_tokens" in body:
        # https://github.com/ITSpecialist111/ai_automation_suggester/issues/38
        return refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.", "max_tokens",
        )  # fmt: skip
    if "temperature" in body:
        # https://github.com/owndev/Open-WebUI-Functions/issues/98
        return refusal(
            "Unsupported value: 'temperature' does not support 0.01 with this model. Only the "
            "default (1) value is supported.", "temperature", "unsupported_value",
        )  # fmt: skip
    if body["messages"][0]["role"] == "system":
        # https://github.com/agno-agi/agno/issues/1621
        return refusal(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "messages[0].role", "unsupported_value",
        )  # fmt: skip
    return None


def test_what_a_server_wants_is_learned_once_and_told(
    go: Go, capfd: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(reasoning_model) as server:
        server.keep_bodies = True
        outcome, scores = go(
            server.url, model="openai/o1?system=Be brief&detail=high", concurrency=1,
            temperature=0.01, max_tokens=50, progress=None,
        )  # fmt: skip
        assert len(server.seen) == TRIALS + 3
    assert outcome.complete
    assert not scores["failed"]
    last = server.bodies[-1]
    assert last["max_completion_tokens"] == 50
    assert "temperature" not in last
    assert last["messages"][0] == {"role": "developer", "content": "Be brief"}
    assert last["messages"][1]["content"][1]["image_url"]["detail"] == "high"
    told = capfd.readouterr().err
    assert told.count("max_completion_tokens from now on") == 1
    assert told.count("temperature 0.01 is left out") == 1
    # Under which settings an answer was given stays with the answer.
    facts = [orjson.loads(line["facts"]) for line in responses_of(outcome.folder)]
    assert all(fact["left_out"] == ["temperature"] for fact in facts)


def test_many_calls_under_way_learn_it_together(go: Go) -> None:
    with ChatServer(reasoning_model, delay=0.05) as server:
        outcome, _ = go(
            server.url, model="openai/o1?system=Be brief", concurrency=16, temperature=0.01,
            max_tokens=50,
        )  # fmt: skip
        assert outcome.complete
        assert len(server.seen) <= TRIALS + 3 * 16


def test_a_server_that_refuses_both_roles_gets_the_users(go: Go) -> None:
    def neither(_number: int, _request: web.Request, body: dict[str, Any]) -> Any:
        role = body["messages"][0]["role"]
        if role != "user":
            # https://github.com/langchain-ai/langchain/issues/28895
            return refusal(
                f"Unsupported value: 'messages[0].role' does not support '{role}' with this model.",
                "messages[0].role", "unsupported_value",
            )  # fmt: skip
        return None

    with ChatServer(neither) as server:
        outcome, _ = go(server.url, model="openai/o1-mini?system=Be brief")
    assert outcome.complete


# A status, an answer, the role that it refuses, and the roles in which it was asked in the end.
ROLES_REFUSED = {
    # https://github.com/haru/redmine_ai_helper/issues/242: DashScope
    "dashscope": (400, {"error": {
        "message": "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - "
        "'messages.['0].role'", "type": "invalid_request_error", "param": None, "code": None,
    }}, ["developer"], ["system", "user"]),
    # https://github.com/num-scope/pix/issues/34: DeepSeek
    "deepseek": (400, {"error": {
        "message": "Failed to deserialize the JSON body into the target type: messages[0].role: "
        "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`, "
        "`latest_reminder` at line 1 column 60", "type": "invalid_request_error",
        "param": None, "code": "invalid_request_error",
    }}, ["developer"], ["system", "user"]),
    # https://github.com/0xku/kon/issues/5: llama.cpp
    "llama.cpp": (500, {"error": {
        "code": 500, "message": "\n------------\nWhile executing CallExpression at line 145, "
        "column 28 in source:\n" + "...{%- endif %}" * 30 + "\nError: Jinja Exception: "
        "Unexpected message role.", "type": "server_error",
    }}, ["developer"], ["system", "user"]),
    # https://github.com/vllm-project/vllm/pull/2964: vLLM with Gemma, whose template then wants
    # that roles alternate (https://github.com/vllm-project/vllm/issues/2080)
    "gemma": (400, {
        "object": "error", "message": "System role not supported", "type": "BadRequestError",
        "param": None, "code": 400,
    }, ["system"], ["user"]),
    # https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2219
    "ministral": (500, {"error": {
        "code": 500, "message": "Only user, assistant and tool roles are supported, got system.",
        "type": "server_error",
    }}, ["system"], ["user"]),
}  # fmt: skip
# https://github.com/vllm-project/vllm/issues/2080: vLLM with Mistral
ALTERNATE = {
    "object": "error", "message": "Conversation roles must alternate user/assistant/user/assistant"
    "/...", "type": "invalid_request_error", "param": None, "code": None,
}  # fmt: skip


@pytest.mark.parametrize("name", ROLES_REFUSED)
def test_a_role_that_is_refused_gives_way_to_one_that_is_taken(go: Go, name: str) -> None:
    status, words, refused, taken = ROLES_REFUSED[name]

    def template(_number: int, _request: web.Request, body: dict[str, Any]) -> Any:
        roles = [one["role"] for one in body["messages"]]
        if roles[0] in refused:
            return web.json_response(words, status=status)
        return None if roles == taken else web.json_response(ALTERNATE, status=400)

    with ChatServer(template) as server:
        server.keep_bodies = True
        model = f"openai/x?system=Be brief&system_role={refused[0]}"
        outcome, scores = go(server.url, model=model, concurrency=1)
        assert len(server.seen) <= TRIALS + 2
    assert outcome.complete, outcome.error
    assert not scores["failed"]
    asked = server.bodies[-1]["messages"]
    assert [one["role"] for one in asked] == taken
    if taken == ["user"]:
        assert asked[0]["content"][0]["text"].startswith("Be brief\n\n")
    else:
        assert asked[0]["content"] == "Be brief"


# https://github.com/FoundationAgents/OpenManus/issues/330 (Alibaba's qwq-plus)
STREAM_ONLY = {
    "error": {
        "code": "invalid_parameter_error",
        "message": "This model only support stream mode, please enable the stream parameter to "
        "access the model. ",
        "param": None,
        "type": "invalid_request_error",
    },
    "request_id": "8eeb3d9a-ae59-92bb-8009-d503683b0801",
}


def stream_of(text: str, *, done: bool = True, comment: bool = False) -> web.Response:
    """The events of https://platform.openai.com/docs/api-reference/chat/streaming; the comment is
    OpenRouter's (https://openrouter.ai/docs/api-reference/streaming)."""
    deltas: list[Any] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[at : at + 3]} for at in range(0, len(text), 3)]
    events: list[Any] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    if done:
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        events.append({"choices": [], "usage": usage})
    body = b": OPENROUTER PROCESSING\n\n" if comment else b""
    body += b"".join(b"data: " + orjson.dumps(event) + b"\r\n\r\n" for event in events)
    return web.Response(
        body=body + (b"data: [DONE]\n\n" if done else b""), content_type="text/event-stream"
    )


@pytest.mark.parametrize("asks", [True, False])
def test_servers_that_only_stream(go: Go, asks: bool) -> None:
    def streams(_number: int, _request: web.Request, body: dict[str, Any]) -> Any:
        if asks and not body.get("stream"):
            return web.json_response(STREAM_ONLY, status=400)
        return stream_of(usual_reply(body), comment=not asks)

    with ChatServer() as server:
        plain, _ = go(server.url, out="plain", concurrency=1)
    with ChatServer(streams) as server:
        outcome, _ = go(server.url, out="stream", concurrency=1)
        assert len(server.seen) == TRIALS + asks
    assert outcome.complete
    found = [line["value"] for line in responses_of(outcome.folder)]
    if not asks:
        assert found == [line["value"] for line in responses_of(plain.folder)]
    assert responses_of(outcome.folder)[0]["usage"]["total_tokens"] == 7


def test_a_stream_that_breaks_off_is_asked_for_again(go: Go) -> None:
    def breaks(number: int, _request: web.Request, body: dict[str, Any]) -> Any:
        if number == 1:
            # https://openrouter.ai/docs/errors: an error in the middle of a stream
            return web.Response(
                body=b'data: {"choices":[{"index":0,"delta":{"content":"1"}}]}\n\ndata: {"error":'
                b'{"code":"server_error","message":"Provider disconnected"},"choices":[{"index":0,'
                b'"delta":{"content":""},"finish_reason":"error"}]}\n\n',
                content_type="text/event-stream",
            )
        return stream_of(usual_reply(body), done=number != 0)

    with ChatServer(breaks) as server:
        outcome, scores = go(server.url, concurrency=1)
        assert len(server.seen) == TRIALS + 2
    assert outcome.complete
    assert not scores["failed"]


def test_azure_by_deployment_and_by_its_v1_address(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    """https://learn.microsoft.com/lv-lv/azure/ai-services/openai/reference and, for v1,
    https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest: POST
    https://{endpoint}/openai/deployments/{deployment}/chat/completions?api-version=2024-10-21
    with the header api-key."""
    monkeypatch.setenv("AZURE_KEY", "0123456789abcdef")
    with ChatServer() as server:
        base = f"http://127.0.0.1:{server.port}/openai/deployments/mine?api-version=2024-10-21"
        outcome, _ = go(base, api_key_env="AZURE_KEY")
        assert outcome.complete
        path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
        assert set(server.paths) == {path}
        assert server.headers[0]["api-key"] == "0123456789abcdef"
        assert "Authorization" not in server.headers[0]
        server.paths.clear()
        go(f"http://127.0.0.1:{server.port}/openai/v1/", out="v1", api_key_env="AZURE_KEY")
        assert set(server.paths) == {"/openai/v1/chat/completions"}
        assert server.headers[-1]["Authorization"] == "Bearer 0123456789abcdef"
    info = orjson.loads((outcome.folder / "run.json").read_bytes())
    assert info["endpoint"] == f"http://127.0.0.1:{server.port}/openai/deployments/mine"


# Answers of hosted endpoints, with what their documents add to OpenAI's form.
HOSTED = {
    # Ollama, /v1 of its own port: the form of recordings in public repositories, with the
    # fingerprint "fp_ollama" and thinking in `reasoning`
    "ollama/v1": {
        "id": "chatcmpl-308", "object": "chat.completion", "created": 1777529963,
        "model": "qwen2.5vl:7b", "system_fingerprint": "fp_ollama",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "There are 7.", "reasoning": "Let me see."},
        }],
        "usage": {"prompt_tokens": 6863, "completion_tokens": 1676, "total_tokens": 8539},
    },
    # https://ai.google.dev/gemini-api/docs/openai (base URL …/v1beta/openai/)
    "v1beta/openai": {
        "choices": [{
            "finish_reason": "stop", "index": 0,
            "message": {"content": "There are 7.", "role": "assistant"},
        }],
        "created": 1745000000, "id": "abc", "model": "gemini-2.5-flash",
        "object": "chat.completion",
        "usage": {"completion_tokens": 4, "prompt_tokens": 265, "total_tokens": 300},
    },
    # https://platform.claude.com/docs/en/api/openai-sdk: many fields are always empty
    "v1": {
        "id": "msg_01", "choices": [{
            "finish_reason": "stop", "index": 0, "logprobs": None,
            "message": {"content": "There are 7.", "refusal": None, "role": "assistant",
                        "audio": None, "function_call": None, "tool_calls": None},
        }],
        "created": 1745000000, "model": "claude-opus-4-6", "object": "chat.completion",
        "service_tier": None, "system_fingerprint": None,
        "usage": {"completion_tokens": 4, "prompt_tokens": 9, "total_tokens": 13,
                  "completion_tokens_details": None, "prompt_tokens_details": None},
    },
    # https://openrouter.ai/docs/api-reference/overview: native_finish_reason, reasoning
    "api/v1": {
        "id": "gen-1", "provider": "OpenAI", "model": "openai/gpt-4o", "object": "chat.completion",
        "created": 1745000000, "choices": [{
            "logprobs": None, "finish_reason": "stop", "native_finish_reason": "end_turn",
            "index": 0, "message": {"role": "assistant", "content": "There are 7.",
                                    "refusal": None, "reasoning": None},
        }],
        "usage": {"prompt_tokens": 14, "completion_tokens": 4, "total_tokens": 18, "cost": 0.1},
    },
}  # fmt: skip


@pytest.mark.parametrize("base", HOSTED)
def test_answers_of_hosted_endpoints(go: Go, monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    monkeypatch.setenv("HOSTED_KEY", "hosted-key-0123456789")
    with ChatServer(lambda *_: web.json_response(HOSTED[base])) as server:
        url = f"http://127.0.0.1:{server.port}/{base}/"
        outcome, scores = go(url, api_key_env="HOSTED_KEY")
        assert set(server.paths) == {f"/{base}/chat/completions"}
        assert server.headers[0]["Authorization"] == "Bearer hosted-key-0123456789"
    assert outcome.complete
    assert scores["states"]["read"] >= 12
    line = responses_of(outcome.folder)[0]
    assert (line["value"], line["stop"]) == ("There are 7.", "stop")
    assert line["usage"]["total_tokens"] > 0


def test_headers_of_ones_own_are_sent_and_stand_in_no_file(
    go: Go, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("GATE", "gate-secret-0123456789")
    headers = ("X-Title: number sense", "X-Gate: Token $GATE")

    def echo(_number: int, request: web.Request, _body: Any) -> web.Response:
        return web.json_response(completion(f"There are 7. {request.headers['X-Gate']}"))

    with ChatServer(echo) as server:
        outcome, _ = go(server.url, headers=headers)
        assert server.headers[0]["X-Title"] == "number sense"
        assert server.headers[0]["X-Gate"] == "Token gate-secret-0123456789"
    assert outcome.complete
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"gate-secret" not in written
    with pytest.raises(BadInput, match="NOT_THERE, which is not set"):
        open_model("openai/x", ModelOptions("http://h/v1", headers=("A: $NOT_THERE",)))
    with pytest.raises(BadInput, match="not of the form"):
        open_model("openai/x", ModelOptions("http://h/v1", headers=("no colon",)))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("openai/x?api_key=abc", {}),
        ("openai/x?apikey=abc", {}),
        ("openai/x?token=abc", {}),
        ("openai/x", {"api-key": "abc"}),
        ("openai/x", {"auth": {"client_secret": "abc"}}),
        ("openai/x", {"providers": [{"access_token": "abc"}]}),
        ("openai/x", {"anything": "sk-proj-0123456789abcdefghij"}),
        ("openai/x", {"anything": "Bearer 0123456789"}),
        ("openai/x", {"anything": [["Bearer 0123456789"]]}),
        ("openai/x", {"providers": [[{"api_key": "abc"}]]}),
        ("openai/x", {"Ocp-Apim-Subscription-Key": "abc"}),
        ("openai/x", {"session_token": "abc"}),
        ("openai/x", {"openai_key": "abc"}),
        ("openai/x", {"extra_headers": {"X-Auth": "abc"}}),
    ],
)
def test_keys_in_settings_are_refused(name: str, body: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="looks like a key") as caught:
        open_model(name, ModelOptions("http://127.0.0.1:9/v1", extra_body=body))
    assert "--api-key-env" in str(caught.value)
    assert "0123456789" not in str(caught.value)


def test_ordinary_names_are_no_keys() -> None:
    body = {"max_tokens": 5, "top_k": 1, "prompt_cache_key": "a", "stop_token_ids": [1], "user": ""}
    open_model("openai/x?seed=1", ModelOptions("http://127.0.0.1:9/v1", extra_body=body))


class Proxy(Serving):
    """A real HTTP proxy that passes requests on and keeps their addresses; what is encrypted goes
    no further, for want of a server with a certificate."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _made(self) -> web.BaseRunner:
        return web.ServerRunner(web.Server(self._pass_on))

    async def _pass_on(self, request: web.BaseRequest) -> web.Response:
        if request.method == "CONNECT":
            self.seen.append(f"CONNECT {request.raw_path}")
            return web.Response(status=502)
        self.seen.append(str(request.url))
        async with (
            ClientSession() as session,
            session.post(request.url, data=await request.read()) as sent,
        ):
            return web.Response(body=await sent.read(), content_type="application/json")


PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_what_is_encrypted_goes_through_its_own_proxy(
    go: Go, no_proxies: pytest.MonkeyPatch, name: str
) -> None:
    with Proxy() as proxy:
        no_proxies.setenv(name, proxy.url)
        policy = RetryPolicy(2, first_contact=0.5)
        outcome, _ = go("https://127.0.0.1:9/v1", policy=policy, concurrency=1)
    assert not outcome.complete
    assert set(proxy.seen) == {"CONNECT 127.0.0.1:9"}


def test_the_proxy_of_the_environment_is_used(go: Go, no_proxies: pytest.MonkeyPatch) -> None:
    monkeypatch = no_proxies
    with ChatServer() as server, Proxy() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        outcome, _ = go(server.url)
        assert outcome.complete
        assert set(proxy.seen) == {f"{server.url}/chat/completions"}
        assert len(proxy.seen) == len(server.seen) == TRIALS
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        go(server.url, out="direct")
        assert len(proxy.seen) == TRIALS
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
        with pytest.raises(BadInput, match="NO_PROXY"):
            raise go(server.url, out="socks")[0].error or AssertionError
