"""The one narrow seam to the network: bytes out, status and bytes back.

Adapters take a `Transport`, so that a test or another client can stand in for aiohttp.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from subitize.errors import BadInput, Retryable

LARGEST_REPLY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server sent; `cut` says that it was longer than the largest we take."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


class Transport(Protocol):
    """Sends a request; raises `Retryable` when no reply came."""

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply: ...

    async def get(self, url: str) -> HttpReply: ...

    async def close(self) -> None: ...


class AiohttpTransport:
    """aiohttp with one session; opened at the first request, inside the event loop."""

    def __init__(self, timeout: float, largest: int = LARGEST_REPLY) -> None:
        self._timeout = timeout
        self._largest = largest
        self._session: aiohttp.ClientSession | None = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self._timeout),
                auto_decompress=True,
            )
        return self._session

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        return await self._ask("POST", url, headers, body)

    async def get(self, url: str) -> HttpReply:
        return await self._ask("GET", url, {}, None)

    async def _ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> HttpReply:
        session = self._open()
        try:
            async with session.request(
                method, url, data=body, headers=headers, allow_redirects=method == "GET"
            ) as sent:
                content = await self._read(sent)
                cut = len(content) > self._largest
                return HttpReply(sent.status, dict(sent.headers), content[: self._largest], cut)
        except TimeoutError:
            raise Retryable(f"no answer within {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as problem:
            raise Retryable(f"no connection: {problem or type(problem).__name__}") from None

    async def _read(self, sent: aiohttp.ClientResponse) -> bytes:
        """The body, but never more than a little over the largest we take."""
        if (sent.content_length or self._largest + 1) <= self._largest:
            return await sent.read()
        parts = bytearray()
        async for part in sent.content.iter_any():
            parts += part
            if len(parts) > self._largest:
                sent.close()
                break
        return bytes(parts)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def check_url(url: str) -> str:
    """A base URL without its final slash; anything else is a clear error."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise BadInput(
            f"--base-url {url!r} is not an address: give one such as http://127.0.0.1:8000/v1."
        )
    if parts.username or parts.password or parts.query:
        raise BadInput(
            f"--base-url {shown_url(url)} holds a name, a password or a query: secrets go into an "
            "environment variable that --api-key-env names."
        )
    return url.rstrip("/")


def shown_url(url: str) -> str:
    """A URL as it may stand in files and messages: no user, no password, no query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))
