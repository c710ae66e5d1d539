"""The one narrow seam to the network: bytes out, status and bytes back.

Adapters take a `Transport`, so that a test or another client can stand in for aiohttp.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from subitize.errors import BadInput, ModelError, Retryable, Unreachable
from subitize.models.fetching import Fetcher
from subitize.models.secrets import Secrets

LARGEST_REPLY = 64 * 1024 * 1024
"""bytes of a reply, counted after unpacking"""
PUBLIC_QUERY = ("api-version",)
"""what may stand behind the question mark of a base URL: Azure's version of its interface"""
LOST = (aiohttp.ClientError, OSError, asyncio.IncompleteReadError)
ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""compressions that we offer, with zlib's code for each"""


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


def no_connection(problem: BaseException) -> Retryable:
    """A connection that broke, or was never made."""
    never = isinstance(problem, aiohttp.ClientConnectorError)
    said = f"no connection: {problem or type(problem).__name__}"
    return Unreachable(said) if never else Retryable(said)


class Scrubbed:
    """A transport whose replies hold no secret: raw bytes are scrubbed once, as they come in."""

    def __init__(self, transport: Transport, secrets: Secrets) -> None:
        self._transport = transport
        self._secrets = secrets

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        return await self.cleaned(self._transport.post(url, headers, body))

    async def get(self, url: str) -> HttpReply:
        return await self.cleaned(self._transport.get(url))

    async def close(self) -> None:
        await self._transport.close()

    async def cleaned(self, coming: Awaitable[HttpReply]) -> HttpReply:
        """A reply, or the words why none came, without secrets."""
        try:
            reply = await coming
        except Retryable as problem:
            raise type(problem)(self._secrets.text(str(problem))) from None
        body = self._secrets.scrubbed(reply.body, cut=reply.cut)
        return reply if body is reply.body else replace(reply, body=body)


class AiohttpTransport:
    """aiohttp with one session; opened at the first request, inside the event loop.

    Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). What a server names is
    fetched from public addresses, and from where that server is.
    """

    def __init__(self, timeout: float, largest: int = LARGEST_REPLY) -> None:
        self._timeout = timeout
        self._largest = largest
        self._fetcher = Fetcher()
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    def _proxy(self, url: str) -> str | None:
        """The environment is looked through once for each server: for a request it takes long."""
        server = "://".join(urlsplit(url)[:2])
        if server not in self._proxies:
            self._proxies[server] = proxy_of(url)
        return self._proxies[server]

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self._timeout),
                # Unpacked here, where the unpacked bytes are counted.
                auto_decompress=False,
                headers={"Accept-Encoding": "gzip, deflate"},
            )
        return self._session

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        return await self.request("POST", url, headers, body)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> HttpReply:
        """Any request to the server itself."""
        self._fetcher.homes.add(urlsplit(url).hostname or "")
        try:
            async with self._open().request(
                method, url, data=body, headers=headers, allow_redirects=False,
                proxy=self._proxy(url),
            ) as sent:  # fmt: skip
                return await self._reply(sent)
        except TimeoutError:
            raise Retryable(f"no answer within {self._timeout:g} s") from None
        except LOST as problem:
            raise no_connection(problem) from None

    async def get(self, url: str) -> HttpReply:
        """Fetch what a server named; not from private addresses, unless the server is there."""
        try:
            async with self._fetcher.opened(self._open(), url, self._proxy) as sent:
                return await self._reply(sent)
        except TimeoutError:
            raise Retryable(f"no answer within {self._timeout:g} s") from None
        except LOST as problem:
            raise no_connection(problem) from None

    async def _reply(self, sent: aiohttp.ClientResponse) -> HttpReply:
        content = await self._read(sent)
        cut = len(content) > self._largest
        return HttpReply(sent.status, dict(sent.headers), content[: self._largest], cut)

    async def _read(self, sent: aiohttp.ClientResponse) -> bytes:
        """The unpacked body, but never more than a little over the largest we take."""
        packed = sent.headers.get("Content-Encoding", "").strip().lower()
        if packed in ("", "identity"):
            unpacker = None
        elif packed in ENCODINGS:
            unpacker = zlib.decompressobj(ENCODINGS[packed])
        else:
            raise ModelError(f"the server packed its reply as {packed[:30]!r}, unasked")
        if unpacker is None and 0 < (sent.content_length or 0) <= self._largest:
            return await sent.read()
        parts = bytearray()
        most = self._largest + 1
        try:
            async for part in sent.content.iter_any():
                left = most - len(parts)
                parts += part if unpacker is None else unpacker.decompress(part, left)
                if len(parts) >= most:
                    sent.close()
                    break
        except zlib.error:
            raise Retryable(f"the server's reply is damaged: it is no {packed}") from None
        return bytes(parts)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def proxy_of(url: str) -> str | None:
    """The proxy that the environment names for an address, where it names one."""
    parts = urlsplit(url)
    found = getproxies().get(parts.scheme) or getproxies().get("all")
    if not found or proxy_bypass(parts.hostname or ""):
        return None
    scheme = urlsplit(found).scheme
    if scheme not in ("http", "https"):
        raise BadInput(
            f"The proxy of the environment is {shown_url(found)!r}: only http:// and https:// "
            "proxies work here. Set another, or name this server in NO_PROXY."
        )
    return found


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
    asked = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if parts.username or parts.password or asked - set(PUBLIC_QUERY):
        raise BadInput(
            f"--base-url {shown_url(url)} holds a name, a password or a query: secrets go into an "
            "environment variable that --api-key-env names."
        )
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), parts.query, ""))


def below(base: str, path: str) -> str:
    """An address below a base URL, whose query stays at the end.

    >>> below("https://x.openai.azure.com/openai/v1?api-version=preview", "chat/completions")
    'https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview'
    """
    parts = urlsplit(base)
    return urlunsplit((parts.scheme, parts.netloc, f"{parts.path}/{path}", parts.query, ""))


def shown_url(url: str) -> str:
    """A URL as it may stand in files and messages: no user, no password, no query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))
