"""Any OpenAI-compatible server: vLLM, Ollama, llama.cpp, LM Studio, hosted ones.

The request body is put together from bytes, with the picture's base64 in its place: building it
through a JSON encoder costs several times the CPU of the whole request.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import orjson

from subitize.errors import Hopeless, ModelError, Relearned
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply, Surroundings
from subitize.models.batches import Batches
from subitize.models.chat_reply import read_completion
from subitize.models.dialect import REFUSING, Dialect
from subitize.models.jsons import parsed
from subitize.models.names import ModelName
from subitize.models.openai_images import SALVAGED, edit_body, image_body, read_image, too_large
from subitize.models.served import Served, read_key
from subitize.models.streams import is_stream, joined
from subitize.models.transport import AiohttpTransport, HttpReply, Scrubbed, Transport, below
from subitize.pictures.media import media_type

OPENAI = "https://api.openai.com/v1"
OWN_SETTINGS = ("parameters", "system", "system_role", "max_tokens_field", "detail")
"""settings of the name that we use ourselves; all others go into the request's body"""
TOO_LONG = (
    "context_length", "context length", "maximum context", "context window", "contextwindow",
    "context limit", "context size", "too long", "too many tokens",
)  # fmt: skip
"""ours, OpenAI's, Anthropic's, llama.cpp's and litellm's words:
https://github.com/OpenHands/OpenHands/issues/5350, https://github.com/BrokkAi/brokk-app/issues/540"""
POLICY = (
    "content_policy", "content policy", "content_filter", "content management policy",
    "safety system", "moderation",
)  # fmt: skip
BAD_KEY = ("api key not valid", "invalid api key", "incorrect api key", "api_key_invalid")
"""Gemini says so with status 400"""
BLIND = re.compile(
    r"(image|vision|multimodal)s?( inputs?)? (is|are) (not |un)supported"
    r"|not support (image|vision|multimodal)"
)
"""how servers say that a model sees no pictures; llama.cpp says it with status 500"""
TOLD_AT_MOST = 4000
"""characters in which a wish is looked for: llama.cpp shows its template's lines before it"""
LARGEST_FILE = 512 << 20
"""bytes of a batch's answers"""
UPLOAD_TIMEOUT = 600.0
IN_ONE_BATCH = 2_000
"""questions that are under way at once where they are handed in together"""


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
        url = options.base_url or OPENAI
        super().__init__(name.full, settings, url, key, transport, options.headers)
        self.parameters = settings.get("parameters")
        self._served_name = name.rest
        self._timeout = options.timeout
        self._batches: Batches | None = None
        self._dialect = Dialect(
            str(settings.get("max_tokens_field", "max_tokens")),
            str(settings.get("system_role", "system")),
        )

    def hand_in(self, around: Surroundings) -> None:
        """From now on questions go to the server's batch endpoint."""
        inner = AiohttpTransport(max(self._timeout, UPLOAD_TIMEOUT), LARGEST_FILE)
        clean = Scrubbed(inner, self._secrets)
        self._transport = self._batches = Batches(
            inner, clean, self.url, self._headers, around, self._judge_batch
        )
        self.concurrency = IN_ONE_BATCH

    def _judge_batch(self, reply: HttpReply) -> ModelError:
        """A refusal of the batch endpoint: whatever its words, it is about no question."""
        other = "Lower --concurrency (the questions of a batch), or leave --batch out."
        repair = self._repair(reply.status) if reply.status in (401, 403, 404) else other
        return self.problem(reply, self._words(reply), repair)

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
            url, headers = below(self.url, "images/generations"), self._headers
        else:
            body, kind = edit_body(self._served_name, item, settings)
            url, headers = below(self.url, "images/edits"), {**self._headers, "Content-Type": kind}
        reply = await self._transport.post(url, headers, body)
        if reply.status != 200:
            return self.read_problem(reply)
        if reply.cut:
            return too_large(reply.body)
        entry = self.read_json(reply)
        if entry.get("error") and not entry.get("data"):
            return self.read_problem(_as_problem(reply, entry["error"]))
        return await read_image(entry, self._transport, self.url)

    async def _chat(self, item: Item) -> Reply:
        version = self._dialect.version
        url = below(self.url, "chat/completions")
        body = self.chat_body(item)
        if self._batches:
            unseen = self.chat_body(replace(item, picture=None))
            known = f"{item.trial}-{item.sample}-{item.attempt}\n".encode() + unseen
            reply = await self._batches.chat(known, body)
        else:
            reply = await self._transport.post(url, self._headers, body)
        if reply.status in REFUSING:
            self._learn(self._words(reply, TOLD_AT_MOST), item, version)
        found = self._read_chat(reply)
        dropped = self._dialect.dropped & self._asked(item).keys()
        if dropped:
            # The answer was given under other settings than were asked for.
            return replace(found, facts={**found.facts, "left_out": sorted(dropped)})
        return found

    def _learn(self, words: str, item: Item, version: int) -> None:
        """Ask again where the server says how it wants to be asked, or has said so meanwhile."""
        learned = self._dialect.learn(words, self._asked(item))
        if learned:
            raise Relearned(f"{self.endpoint}: {learned} from now on ({words[:120]})")
        if version != self._dialect.version:
            raise Relearned("")

    def chat_body(self, item: Item) -> bytes:
        """The request's body: everything but the picture by orjson, the picture spliced in."""
        system, role = self.settings.get("system"), self._dialect.role
        # Two messages of one role in a row are refused by the templates that know no system's.
        headed = f"{system}\n\n{item.question}" if system and role == "user" else item.question
        content: list[dict[str, Any]] = [{"type": "text", "text": headed}]
        if item.picture is not None:
            shown: dict[str, Any] = {"url": "\x00"}
            if "detail" in self.settings:
                shown["detail"] = self.settings["detail"]
            content.append({"type": "image_url", "image_url": shown})
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if system and role != "user":
            messages.insert(0, {"role": role, "content": system})
        body = orjson.dumps({**self._body_settings(item), "messages": messages})
        if item.picture is None:
            return body
        before, after = body.rsplit(b'"\\u0000"', 1)
        kind = media_type(item.picture).encode()
        picture = base64.b64encode(item.picture)
        return b"".join((before, b'"data:', kind, b";base64,", picture, b'"', after))

    def _asked(self, item: Item) -> dict[str, Any]:
        """All settings of one request, ours included."""
        return {**self.settings, **item.overrides}

    def _body_settings(self, item: Item) -> dict[str, Any]:
        body = self._asked(item)
        if "max_tokens" in body:
            body[self._dialect.limit_field] = body.pop("max_tokens")
        for own in (*OWN_SETTINGS, *self._dialect.dropped):
            body.pop(own, None)
        if item.sample and "seed" in body:
            body["seed"] = int(body["seed"]) + item.sample
        if self._dialect.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return {"model": self._served_name, **body}

    def _read_chat(self, reply: HttpReply) -> Reply:
        if reply.status != 200:
            return self.read_problem(reply)
        if reply.cut:
            text = reply.body[:SALVAGED].decode(errors="replace")
            return Reply("text", text, "length", facts={"cut": len(reply.body)})
        if is_stream(reply.body):
            entry = self._secrets.plain(joined(reply.body))
        else:
            entry = self.read_json(reply)
        found = _error_in(entry)
        if found is not None:
            return self.read_problem(_as_problem(reply, found))
        said = read_completion(entry)
        # Once more, now that the parts of a text are joined: a secret may come in pieces.
        whole = self._secrets.text(str(said.value))
        if whole is said.value and not said.facts:
            return said
        return replace(said, value=whole, facts=self._secrets.plain(said.facts))

    def read_problem(self, reply: HttpReply) -> Reply:
        """A status other than 200: a state, another try, or the end."""
        words = self._words(reply)
        lower = words.lower()
        if reply.status == 413 or (reply.status == 400 and any(w in lower for w in TOO_LONG)):
            return Reply("text", words, "too-long")
        if reply.status in (400, 403, 422) and any(word in lower for word in POLICY):
            return Reply("text", words, "refused")
        if reply.status in (400, 415, 422, 500, 501) and BLIND.search(lower):
            said = f"status {reply.status}: {words.rstrip('.')}"
            raise Hopeless(f"{self.endpoint} answered with {said}. {self._glasses()}")
        status = 401 if any(word in lower for word in BAD_KEY) else reply.status
        raise self.problem(reply, words, self._repair(status))

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

    def _words(self, reply: HttpReply, longest: int = 300) -> str:
        """What the server says about the problem, short."""
        entry = parsed(reply.body)
        if isinstance(entry, list) and entry:
            entry = entry[0]  # Gemini sends a list with one error
        if not isinstance(entry, dict):
            return self.start(reply)
        problem = entry.get("error", entry.get("detail", entry))
        if isinstance(problem, dict):
            code, message = problem.get("code"), problem.get("message")
            kind = problem.get("type") if not code else None
            # Some servers repeat the status as the code.
            parts = (None if str(code) == str(reply.status) else code, kind, message)
            problem = " ".join(str(part) for part in parts if part) or _packed(problem)
        elif not isinstance(problem, str):
            problem = _packed(problem)
        return " ".join(self._secrets.text(problem).split())[:longest]


def _packed(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return str(value)


def _error_in(entry: Mapping[str, Any]) -> Any:
    """An error that came with status 200: in place of the answer, or as its ending (OpenRouter)."""
    choices = entry.get("choices")
    if entry.get("error") and not choices:
        return entry["error"]
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and first.get("finish_reason") == "error":
        return first.get("error") or entry.get("error")
    return None


def _as_problem(reply: HttpReply, error: Any) -> HttpReply:
    """The reply as it would have come with the status that its error names."""
    code = error.get("code") if isinstance(error, dict) else None
    text = str(code)
    status = int(text) if text.isascii() and text.isdigit() and 400 <= int(text[:9]) < 600 else 500
    return replace(reply, status=status, body=_packed({"error": error}).encode())


def open_openai(name: ModelName, options: ModelOptions) -> OpenAI:
    return OpenAI(name, options, read_key(options), AiohttpTransport(options.timeout))
