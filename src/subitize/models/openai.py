"""Any OpenAI-compatible server: vLLM, Ollama, llama.cpp, LM Studio, hosted ones.

The request body is put together from bytes, with the picture's base64 in its place: building it
through a JSON encoder costs several times the CPU of the whole request.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import orjson

from subitize.errors import Hopeless, ModelError, Retryable
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply
from subitize.models.names import ModelName
from subitize.models.openai_images import edit_body, image_body, read_image
from subitize.models.served import Served, read_key
from subitize.models.transport import AiohttpTransport, HttpReply, Transport
from subitize.pictures.media import media_type

OPENAI = "https://api.openai.com/v1"
OWN_SETTINGS = ("parameters", "system", "max_tokens_field", "detail")
"""settings of the name that we use ourselves; all others go into the request's body"""
TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too many tokens")
POLICY = ("content_policy", "content policy", "content_filter", "safety system", "moderation")
BLIND = re.compile(
    r"(image|vision|multimodal)s?( inputs?)? (is|are) (not |un)supported"
    r"|not support (image|vision|multimodal)"
)
"""how servers say that a model sees no pictures; llama.cpp says it with status 500"""
SALVAGED = 100_000
FIRST_TOKENS = 8
"""of so many tokens the log-probabilities are kept"""


class OpenAI(Served):
    """A model behind an OpenAI-compatible server: chat for namers, images for painters."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer", "painter")
    inpaints: ClassVar[bool] = True
    concurrency = 8

    def __init__(
        self, name: ModelName, options: ModelOptions, key: str, transport: Transport
    ) -> None:
        settings: dict[str, Any] = dict(name.settings)
        for field in ("temperature", "max_tokens"):
            value = getattr(options, field)
            if value is not None:
                settings[field] = value
        settings.update(options.extra_body)
        super().__init__(name.full, settings, options.base_url or OPENAI, key, transport)
        self.parameters = settings.get("parameters")
        self._served_name = name.rest

    async def name(self, items: Sequence[Item]) -> Answers:
        return [await self._chat(item) for item in items]

    async def paint(self, items: Sequence[Item]) -> Answers:
        return [await self._paint(item) for item in items]

    async def _paint(self, item: Item) -> Reply:
        settings = {**self.settings, **item.overrides}
        for own in OWN_SETTINGS:
            settings.pop(own, None)
        if item.picture is None:
            body = image_body(self._served_name, item, settings)
            url, headers = f"{self.url}/images/generations", self._headers
        else:
            body, kind = edit_body(self._served_name, item, settings)
            url, headers = f"{self.url}/images/edits", {**self._headers, "Content-Type": kind}
        reply = await self._transport.post(url, headers, body)
        if reply.status != 200:
            return self.read_problem(reply)
        if reply.cut:
            raise ModelError(f"the server's answer is longer than {len(reply.body):,} bytes")
        return await read_image(self.read_json(reply), self._transport, self.url)

    async def _chat(self, item: Item) -> Reply:
        url = f"{self.url}/chat/completions"
        reply = await self._transport.post(url, self._headers, self.chat_body(item))
        return self._read_chat(reply)

    def chat_body(self, item: Item) -> bytes:
        """The request's body: everything but the picture by orjson, the picture spliced in."""
        content: list[dict[str, Any]] = [{"type": "text", "text": item.question}]
        if item.picture is not None:
            shown: dict[str, Any] = {"url": "\x00"}
            if "detail" in self.settings:
                shown["detail"] = self.settings["detail"]
            content.append({"type": "image_url", "image_url": shown})
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if "system" in self.settings:
            messages.insert(0, {"role": "system", "content": self.settings["system"]})
        body = orjson.dumps({**self._body_settings(item), "messages": messages})
        if item.picture is None:
            return body
        before, after = body.rsplit(b'"\\u0000"', 1)
        kind = media_type(item.picture).encode()
        picture = base64.b64encode(item.picture)
        return b"".join((before, b'"data:', kind, b";base64,", picture, b'"', after))

    def _body_settings(self, item: Item) -> dict[str, Any]:
        body = {**self.settings, **item.overrides}
        limit_field = body.get("max_tokens_field", "max_tokens")
        if "max_tokens" in body:
            body[limit_field] = body.pop("max_tokens")
        for own in OWN_SETTINGS:
            body.pop(own, None)
        if item.sample and "seed" in body:
            body["seed"] = int(body["seed"]) + item.sample
        return {"model": self._served_name, **body}

    def _read_chat(self, reply: HttpReply) -> Reply:
        if reply.status != 200:
            return self.read_problem(reply)
        if reply.cut:
            text = self.scrub(reply.body[:SALVAGED].decode(errors="replace"))
            return Reply("text", text, "length")
        entry = self.read_json(reply)
        try:
            choice = entry["choices"][0]
            message = choice["message"]
            text = _plain(message.get("content"))
        except (KeyError, IndexError, TypeError, AttributeError):
            raise Retryable("the server's JSON is not a chat completion") from None
        stop = str(choice.get("finish_reason") or "stop")
        if message.get("refusal"):
            text, stop = str(message["refusal"]), "refused"
        usage = entry.get("usage")
        told = dict(usage) if isinstance(usage, dict) else {}
        tokens = first_tokens(choice)
        facts = {"logprobs": tokens} if tokens else {}
        return Reply("text", self.scrub(text), stop, told, facts)

    def read_problem(self, reply: HttpReply) -> Reply:
        """A status other than 200: a state, another try, or the end."""
        words = self._words(reply)
        lower = words.lower()
        if reply.status == 413 or (reply.status == 400 and any(w in lower for w in TOO_LONG)):
            return Reply("text", words, "too-long")
        if reply.status == 400 and any(word in lower for word in POLICY):
            return Reply("text", words, "refused")
        if reply.status in (400, 415, 422, 500, 501) and BLIND.search(lower):
            said = f"status {reply.status}: {words.rstrip('.')}"
            raise Hopeless(f"{self.endpoint} answered with {said}. {self._glasses()}")
        raise self.problem(reply, words, self._repair(reply.status))

    def _glasses(self) -> str:
        return (
            f"The model {self._served_name!r} can't see or make pictures as it is served: name "
            "another with --model, or start its server with what pictures need (for llama.cpp "
            "--mmproj FILE)."
        )

    def _repair(self, status: int) -> str:
        if status in (401, 403):
            return "Check the key: --api-key-env names the environment variable that holds it."
        if status == 404 or 300 <= status < 400:
            return f"Check --base-url and the model's name ({self._served_name})."
        return (
            f"Check the model's name ({self._served_name}) and settings, and that it can do what "
            "it is asked: see a picture sent as image_url, or make one."
        )

    def _words(self, reply: HttpReply) -> str:
        """What the server says about the problem, short and without the key."""
        try:
            entry = orjson.loads(reply.body)
            problem = entry.get("error", entry.get("detail", entry))
            if isinstance(problem, dict):
                code, message = problem.get("code"), problem.get("message")
                # Some servers repeat the status as the code.
                parts = (None if str(code) == str(reply.status) else code, message)
                problem = " ".join(str(part) for part in parts if part)
            words = str(problem)
        except (orjson.JSONDecodeError, AttributeError):
            return self.start(reply)
        return self.scrub(" ".join(words.split()))[:300]


def first_tokens(choice: Mapping[str, Any]) -> list[list[Any]]:
    """The first few tokens with their log-probabilities, where the request asked for them.

    >>> first_tokens({"logprobs": {"content": [{"token": "Yes", "logprob": -0.01}]}})
    [['Yes', -0.01]]
    """
    try:
        listed = (choice.get("logprobs") or {}).get("content") or []
        return [[str(one["token"]), float(one["logprob"])] for one in listed[:FIRST_TOKENS]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)


def open_openai(name: ModelName, options: ModelOptions) -> OpenAI:
    return OpenAI(name, options, read_key(options), AiohttpTransport(options.timeout))
