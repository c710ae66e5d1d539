"""A real OpenAI-compatible server that makes pictures: our own drawings, sent as servers send them.

A picture is a function of the request's body alone, so two runs get the same ones whatever the
order; a `seed` in the body tells pictures of one prompt apart. It also counts: asked in words it is
a namer that reads pictures, and at /v1/count it is a counter behind HTTP.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any

from aiohttp import web

from subitize.models.base import Item
from subitize.models.catalog import open_model
from subitize.models.counters.blobs import find_blobs
from subitize.pictures.decode import decode
from tests.chat_server import ChatServer, completion

Answer = Callable[[dict[str, Any], bytes], Any]
"""gets the request's body and the picture drawn for it; None means: send that in base64"""

REFUSAL = {
    "error": {
        "code": "content_policy_violation",
        "message": "Your request was rejected as a result of our safety system.",
    }
}


class ImageServer(ChatServer):
    """Runs in a thread of its own; use as a context manager."""

    def __init__(
        self, answer: Answer | None = None, delay: float = 0.0, painter: str = "painter/shapes"
    ) -> None:
        super().__init__(None, delay)
        self.answer = answer
        self.prompts: list[str] = []
        self.questions: list[str] = []
        self.counted: list[str] = []
        self.reading_delay = 0.0
        self.surplus = 0
        """so many things too many are seen by the counter"""
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.redirects: dict[str, str] = {}
        self.forms: list[dict[str, bytes]] = []
        self._painter = open_model(f"{painter}{'&' if '?' in painter else '?'}size=128")

    async def _start(self) -> None:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/images/generations", self._make)
        app.router.add_post("/v1/images/edits", self._edit)
        app.router.add_post("/v1/chat/completions", self._count)
        app.router.add_post("/v1/count", self._find)
        app.router.add_get("/files/{name}", self._fetch)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    def address_of(self, picture: bytes) -> str:
        """Put a picture where it can be fetched."""
        name = f"{hashlib.sha256(picture).hexdigest()[:16]}.png"
        self.files[name] = picture
        return f"http://127.0.0.1:{self.port}/files/{name}"

    async def _make(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.seen.append(hashlib.sha256(raw).hexdigest())
        self.headers.append(dict(request.headers))
        body = json.loads(raw)
        self.prompts.append(body["prompt"])
        self.bodies.append(body)
        await asyncio.sleep(self.delay)
        item = Item("request", body["prompt"], seed=zlib.crc32(raw))
        (reply,) = self._painter.paint([item])  # type: ignore[attr-defined]
        found = self.answer(body, reply.value) if self.answer else None
        if found is None:
            found = {"data": [{"b64_json": base64.b64encode(reply.value).decode()}]}
        return web.json_response(found) if isinstance(found, dict) else found

    async def _edit(self, request: web.Request) -> web.StreamResponse:
        form: dict[str, bytes] = {}
        async for part in await request.multipart():
            form[str(part.name)] = bytes(await part.read())  # type: ignore[union-attr]
        self.forms.append(form)
        (reply,) = self._painter.paint([Item("edit", "An image with 3 apples")])  # type: ignore[attr-defined]
        return web.json_response({"data": [{"b64_json": base64.b64encode(reply.value).decode()}]})

    async def _count(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        question, shown = body["messages"][-1]["content"]
        self.questions.append(question["text"])
        self.headers.append(dict(request.headers))
        await asyncio.sleep(self.reading_delay)
        picture = base64.b64decode(shown["image_url"]["url"].partition(",")[2])
        many = len(find_blobs(decode(picture)))
        return web.json_response(completion(f"There are {many} of them." if many else "None."))

    async def _find(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.counted.append(hashlib.sha256(raw).hexdigest())
        self.headers.append(dict(request.headers))
        await asyncio.sleep(self.reading_delay)
        found = find_blobs(decode(base64.b64decode(json.loads(raw)["image"])))
        too_many = [[200 * n, 0, 200 * n + 5, 5, 1.0] for n in range(self.surplus)]
        return web.json_response({"boxes": [list(box) for box in found] + too_many})

    async def _fetch(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        self.fetched.append(name)
        if name in self.redirects:
            return web.Response(status=302, headers={"Location": self.redirects[name]})
        if name not in self.files:
            return web.Response(status=404)
        return web.Response(body=self.files[name], content_type="image/png")
