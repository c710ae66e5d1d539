"""A real OpenAI-compatible HTTP server that answers by rule and misbehaves on demand.

Its answer is a function of the request's body alone, so two runs get the same replies whatever
the order. It keeps a digest of every request it saw.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from typing import Any

from aiohttp import web
from PIL import Image

from tests.serving import Serving

Behaviour = Callable[[int, web.Request, dict[str, Any]], Any]
"""gets the number of the request, the request and its body; None means: answer as usual"""


def usual_reply(body: dict[str, Any]) -> str:
    """A number 1..12 that depends on the question and the picture's pixels only."""
    question = body["messages"][-1]["content"][0]["text"]
    if "represent" in question:
        return "Some apples."
    with _picture(body) as picture:  # ISA-L may pack the same pixels otherwise
        pixels = picture.convert("RGB").tobytes()
    return f"There are {1 + zlib.crc32(pixels, zlib.crc32(question.encode())) % 12} of them."


def _picture(body: dict[str, Any]) -> Image.Image:
    data = body["messages"][-1]["content"][1]["image_url"]["url"].partition(",")[2]
    return Image.open(BytesIO(base64.b64decode(data)))


def completion(text: str | None, finish: str = "stop") -> dict[str, Any]:
    """A chat completion as servers send it."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


class ChatServer(Serving):
    """Answers chat completions under any path."""

    def __init__(self, behave: Behaviour | None = None, delay: float = 0.0) -> None:
        super().__init__()
        self.behave = behave
        self.delay = delay
        self.seen: list[str] = []
        self.times: list[float] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        """path and query of every request"""
        self.keep_bodies = False
        self.pictures_ok = True
        self.under_way = 0
        self.most_under_way = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def repeats(self) -> Counter[str]:
        """How often each request was seen, for those seen more than once."""
        return Counter({key: n for key, n in Counter(self.seen).items() if n > 1})

    def _made(self) -> web.BaseRunner:
        app = web.Application(client_max_size=64 << 20)
        # Whatever stands before: Azure, Gemini and others have paths of their own.
        app.router.add_post("/{base:.*}/chat/completions", self._answer)
        return web.AppRunner(app, access_log=None, shutdown_timeout=0.2)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        number = len(self.seen)
        self.seen.append(hashlib.sha256(raw).hexdigest())
        self.times.append(self._loop.time())
        self.headers.append(dict(request.headers))
        self.paths.append(request.path_qs)
        body = json.loads(raw)
        if self.keep_bodies:
            self.bodies.append(body)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            self._check_picture(body)
            if self.behave is not None:
                answer = self.behave(number, request, body)
                if asyncio.iscoroutine(answer):
                    answer = await answer
                if answer is not None:
                    return answer
            return web.json_response(completion(usual_reply(body)))
        finally:
            self.under_way -= 1

    def _check_picture(self, body: dict[str, Any]) -> None:
        """The picture must be there and whole: a data URI that decodes."""
        head = body["messages"][-1]["content"][1]["image_url"]["url"].partition(",")[0]
        with _picture(body) as picture:
            self.pictures_ok &= head == "data:image/png;base64" and picture.size[0] > 8
