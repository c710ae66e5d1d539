"""Pictures from an OpenAI-compatible server: the request's body, and both forms of its reply.

A server sends the picture itself in base64, or an address to fetch it from. Which one can be asked
for in the model's name where the server wants that: `openai/dall-e-3?response_format=b64_json`;
so can `size` and `quality`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import orjson

from subitize.errors import ModelError, Retryable
from subitize.models.base import Item, Reply, unreadable
from subitize.models.transport import Transport, shown_url

CHAT_ONLY = ("temperature", "max_tokens")
DOWNLOADS = 3
"""tries to fetch a picture that is already made and paid for"""
DOWNLOAD_WAIT = 0.5
SEEDS = 2**31
SALVAGED = 100_000
"""bytes that are kept of an answer that is too large"""
PAGE = (b"<!doctype html", b"<html")
"""how a proxy's or a login's page begins, which stands in place of a picture"""


def image_body(model: str, item: Item, settings: Mapping[str, Any]) -> bytes:
    """The request for one picture; a `seed` in the settings makes one for each picture."""
    body = {name: value for name, value in settings.items() if name not in CHAT_ONLY}
    if "seed" in body:
        body["seed"] = (int(body["seed"]) + item.seed) % SEEDS
    return orjson.dumps({"model": model, **body, "prompt": item.question, "n": 1})


def edit_body(model: str, item: Item, settings: Mapping[str, Any]) -> tuple[bytes, str]:
    """A form that asks to fill the transparent part of a picture, and its content type.

    The picture is its own mask, so servers that want one apart get it twice.
    """
    fields = {"model": model, "prompt": item.question, "n": "1"}
    for name, value in settings.items():
        if name not in CHAT_ONLY:
            fields[name] = value if isinstance(value, str) else orjson.dumps(value).decode()
    if "seed" in fields:
        fields["seed"] = str((int(fields["seed"]) + item.seed) % SEEDS)
    mark = f"subitize-{item.trial}"
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    for name in ("image", "mask"):
        head = f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.png"'
        parts += [
            f"{head}\r\nContent-Type: image/png\r\n\r\n".encode(),
            item.picture or b"",
            b"\r\n",
        ]
    parts.append(f"--{mark}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={mark}"


async def read_image(entry: Mapping[str, Any], transport: Transport, base: str) -> Reply:
    """The picture of a server's reply, fetched where the reply is an address."""
    try:
        found = entry["data"][0]
        encoded, address = found.get("b64_json"), found.get("url")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Retryable("the server's JSON holds no picture") from None
    if isinstance(address, str) and address.startswith("data:"):
        encoded = address.partition(",")[2]
    if encoded:
        picture = Reply("picture", _decoded(encoded))
    elif isinstance(address, str) and address:
        picture = await _fetched(_joined(base, address), transport)
    else:
        raise Retryable("the server's JSON holds neither a picture nor its address")
    usage = entry.get("usage")
    told = dict(usage) if isinstance(usage, dict) else {}
    if found.get("revised_prompt"):
        # Some models write their own prompt first: what was drawn is that one.
        told["revised_prompt"] = str(found["revised_prompt"])[:4000]
    return replace(picture, usage=told)


def too_large(taken: bytes) -> Reply:
    """What is kept of an answer that goes on and on: the next would be as large, and paid too."""
    why = f"the picture is larger than the {len(taken):,} bytes that are taken"
    return unreadable(Reply("picture", taken[:SALVAGED]), why)


def _decoded(encoded: Any) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise Retryable("the server's picture is not base64") from None


def _joined(base: str, address: str) -> str:
    """The full address of a picture; only http(s), whatever the server says."""
    try:
        full = urljoin(f"{base}/", address)
        scheme = urlsplit(full).scheme
    except ValueError:
        full = scheme = ""
    if scheme not in ("http", "https"):
        raise ModelError(f"the picture's address is none of http or https: {address[:80]!r}")
    return full


async def _fetched(address: str, transport: Transport) -> Reply:
    """The picture at an address: any bytes but none, and but a page that stands in its place."""
    problem = ""
    for attempt in range(DOWNLOADS):
        if attempt:
            await asyncio.sleep(DOWNLOAD_WAIT * attempt)
        try:
            reply = await transport.get(address)
        except Retryable as error:
            problem = str(error)
            continue
        if reply.status == 200 and reply.cut:
            return too_large(reply.body)
        page = reply.body[:200].lstrip().lower().startswith(PAGE)
        if reply.status == 200 and reply.body and not page:
            return Reply("picture", reply.body)
        problem = f"status {reply.status}" + (" with a page" if page else "")
    raise ModelError(f"the picture could not be fetched from {shown_url(address)}: {problem}")
