"""Any provider of Inspect AI as a namer: settings, replies, problems, keys."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    TopLogprob,
)

from subitize.cli import main
from subitize.errors import BadInput, Hopeless, MissingExtra, ModelError, NoCredit, Retryable
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.catalog import open_model
from subitize.models.inspecting import InspectNamer, reply_of, settings_from_config
from subitize.stimuli.scattered import draw_scattered
from tests.chat_server import ChatServer, completion

PNG = b"\x89PNG\r\n\x1a\n and so on"
KEY = "sk-very-secret-1234567890"


def output(content: Any, stop: Any = "stop", **more: Any) -> ModelOutput:
    message = ChatMessageAssistant(content=content)
    choice = ChatCompletionChoice(message=message, stop_reason=stop, **more)
    used = ModelUsage(
        input_tokens=3, input_tokens_cache_read=4, output_tokens=5, reasoning_tokens=2,
        total_tokens=12,
    )  # fmt: skip
    return ModelOutput(model="m", choices=[choice], usage=used)


@pytest.mark.parametrize(
    ("stop", "ours"),
    [
        ("stop", "stop"), ("max_tokens", "length"), ("content_filter", "refused"),
        ("model_length", "too-long"), ("unknown", "other"),
    ],
)  # fmt: skip
def test_why_it_ended_in_our_words(stop: str, ours: str) -> None:
    assert reply_of(output("7", stop)).stop == ours


def test_thinking_is_kept_beside_the_answer_and_usage_adds_up() -> None:
    parts = [
        ContentReasoning(reasoning="Is it 5?"),
        ContentText(text="It is "),
        ContentText(text="7"),
    ]
    reply = reply_of(output(parts))
    assert (reply.value, reply.stop) == ("It is 7", "stop")
    assert reply.facts == {"reasoning": "Is it 5?"}
    assert reply.usage == {
        "prompt_tokens": 7, "completion_tokens": 5, "reasoning_tokens": 2, "total_tokens": 12
    }  # fmt: skip
    assert reply_of(output([ContentText(text="I won't", refusal=True)])).stop == "refused"
    with pytest.raises(Retryable, match="no answer"):
        reply_of(ModelOutput(model="m", choices=[]))


def test_log_probabilities_are_kept_for_yes_and_no() -> None:
    first = Logprob(
        token="Yes", logprob=-0.1,
        top_logprobs=[TopLogprob(token="Yes", logprob=-0.1), TopLogprob(token="No", logprob=-2.4)],
    )  # fmt: skip
    facts = reply_of(output("Yes", logprobs=Logprobs(content=[first]))).facts
    assert facts["logprobs"] == [["Yes", -0.1]]
    assert facts["first_token"] == [["Yes", -0.1], ["No", -2.4]]


def test_settings_are_those_of_generating_or_the_providers() -> None:
    model = open_model(
        "inspect/mockllm/m?top_p=0.5&parameters=7&colour=red",
        ModelOptions(temperature=0.0, max_tokens=9, extra_body={"a": 1}),
    )
    assert isinstance(model, InspectNamer)
    assert model.settings == {
        "top_p": 0.5, "parameters": 7, "colour": "red", "temperature": 0.0, "max_tokens": 9,
        "extra_body": {"a": 1},
    }  # fmt: skip
    assert model.parameters == 7
    assert (model._config.top_p, model._config.max_tokens, model._config.max_retries) == (0.5, 9, 0)
    assert model._model_args == {"colour": "red"}
    told = {"temperature": 0.0, "max_connections": 5, "top_p": None}
    assert settings_from_config(told, {"api_key": KEY, "x": None}) == {"temperature": 0.0}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("inspect/nobody/x", "can't open 'nobody/x'"),
        ("inspect/mockllm", "can't open 'mockllm'"),
        ("inspect/mockllm/m?temperature=hot", "can't use the setting temperature"),
        ("inspect/mockllm/m?max_retries=5", "which the run itself sees to"),
        ("inspect/mockllm/m?api_key=abc", "looks like a key"),
    ],
)
def test_names_that_cannot_be_opened_are_told(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        open_model(name)


def test_without_the_package_the_command_to_install_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(MissingExtra, match=r"pip install 'subitize\[inspect\]'"):
        open_model("inspect/mockllm/m")
    with pytest.raises(SystemExit) as end:
        main(["import", "inspect", str(tmp_path / "a.eval")])
    assert end.value.code == 2
    assert "pip install 'subitize[inspect]'" in capsys.readouterr().err


def asked(server: ChatServer, monkeypatch: pytest.MonkeyPatch, many: int = 1) -> list[Any]:
    """So many questions, one after the other, as the engine asks them."""
    monkeypatch.setenv("PLAYED_KEY", KEY)
    options = ModelOptions(server.url, "PLAYED_KEY", headers=("X-Gate: open",))
    model = open_model("inspect/openai-api/played/tiny?temperature=0.5&seed=7", options)

    async def go() -> list[Any]:
        found = []
        await model.open()
        for number in range(many):
            try:
                item = Item("t", "How many?", shown(), sample=number)
                found.append((await model.name([item]))[0])  # type: ignore[attr-defined]
            except ModelError as problem:
                found.append(problem)
        await model.close()
        return found

    return asyncio.run(go())


def shown() -> bytes:
    return draw_scattered("apple", 3, 64, np.random.default_rng(0))


def test_a_real_server_is_asked_once_per_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again is the run's business: Inspect and the provider's package must not."""

    def busy(number: int, _request: web.Request, _body: dict[str, Any]) -> Any:
        if number == 0:
            return web.json_response({"error": {"message": "slow down"}}, status=429)
        return (
            web.json_response({"error": {"message": "oops"}}, status=500) if number == 1 else None
        )

    with ChatServer(busy) as server:
        server.keep_bodies = True
        first, second, third = asked(server, monkeypatch, 3)
    assert isinstance(first, Retryable)
    assert first.busy
    assert isinstance(second, Retryable)
    assert not second.busy
    assert isinstance(third, Reply)
    assert third.usage["total_tokens"] == 15
    assert len(server.seen) == 3
    assert [one["seed"] for one in server.bodies] == [7, 8, 9]
    assert server.bodies[0]["temperature"] == 0.5
    sent = [{name.lower(): value for name, value in one.items()} for one in server.headers]
    assert {one["x-gate"] for one in sent} == {"open"}
    assert {one["authorization"] for one in sent} == {f"Bearer {KEY}"}
    assert server.pictures_ok


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (401, f"Incorrect API key provided: {KEY}", Hopeless),
        (404, "no such model", Hopeless),
        (402, "pay first", NoCredit),
        (429, "insufficient_quota: see your plan", NoCredit),
        (422, "I don't like it", ModelError),
    ],
)
def test_problems_are_told_apart_and_tell_no_key(
    monkeypatch: pytest.MonkeyPatch, status: int, words: str, kind: type[Exception]
) -> None:
    def failing(_number: int, _request: web.Request, _body: dict[str, Any]) -> Any:
        return web.json_response({"error": {"message": words}}, status=status)

    with ChatServer(failing) as server:
        (problem,) = asked(server, monkeypatch)
    assert type(problem) is kind, problem
    assert KEY not in str(problem)


def test_a_key_that_comes_back_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def telling(_number: int, _request: web.Request, _body: dict[str, Any]) -> Any:
        return web.json_response(completion(f"Your key is {KEY}."))

    with ChatServer(telling) as server:
        (reply,) = asked(server, monkeypatch)
    assert reply.value == "Your key is [key]."


GROWN = """
import asyncio, gc, tracemalloc
from inspect_ai.model import ModelOutput, ModelUsage
from subitize.models.base import Item
from subitize.models.catalog import open_model

USED = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

def answer(*_):
    return ModelOutput.from_content("m", "7").model_copy(update={"usage": USED})

model = open_model("inspect/mockllm/m")
model._model_args["custom_outputs"] = answer
shown = bytes.fromhex("89504e470d0a1a0a") + bytes(200_000)

async def grown():
    await model.close()
    await model.open()
    sizes = []
    for _ in range(2):
        for _ in range(20):
            await model.name([Item("t", "How many?", shown)])
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    await model.close()
    return (sizes[1] - sizes[0]) / len(shown)

tracemalloc.start()
print(asyncio.run(grown()))
"""


def test_memory_does_not_grow_with_the_number_of_questions() -> None:
    """Inspect writes a transcript of every call, pictures and all: ours must end with the call.

    In a process of its own: where Inspect's own tasks ran before, their transcript stays open.
    """
    done = subprocess.run([sys.executable, "-c", GROWN], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1  # of twenty pictures
