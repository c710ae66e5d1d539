"""Fetching what a server names: only where such a server may send us.

A picture's address comes from outside. One that leads to this machine or into a private network
could read what is not meant for the server, so it is refused, unless the server itself is there.
Names are resolved once and connected to as resolved; redirects are followed one by one.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from subitize.errors import ModelError, Retryable

REDIRECTS = 5
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""where a gateway leads on to the IPv4 address of the last four bytes (RFC 6052)"""
Proxy = Callable[[str], str | None]


class Pinned(AbstractResolver):
    """Gives the addresses that were looked at, whatever a second look-up would say."""

    def __init__(self, found: list[tuple[str, int]]) -> None:
        self._found = found

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=kind, proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address, kind in self._found
        ]  # fmt: skip

    async def close(self) -> None:
        """Nothing to free."""


class Fetcher:
    """Opens addresses that a server named."""

    def __init__(self) -> None:
        self.homes: set[str] = set()
        """hosts that we ask: what lies there may be fetched too"""

    @asynccontextmanager
    async def opened(
        self, session: aiohttp.ClientSession, url: str, proxy_of: Proxy
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer to a GET, after at most a few redirects, each of them looked at."""
        for _ in range(REDIRECTS + 1):
            proxy = proxy_of(url)
            connector = await self._checked(url, proxied=bool(proxy))
            async with (
                aiohttp.ClientSession(
                    connector=connector, timeout=session.timeout, auto_decompress=False,
                    headers=session.headers,
                ) as alone,
                alone.get(url, allow_redirects=False, proxy=proxy) as sent,
            ):  # fmt: skip
                target = sent.headers.get("Location")
                if sent.status not in (301, 302, 303, 307, 308) or not target:
                    yield sent
                    return
                url = checked_scheme(urljoin(url, target))
        raise ModelError(f"the picture's address leads on more than {REDIRECTS} times")

    async def _checked(self, url: str, *, proxied: bool) -> aiohttp.TCPConnector | None:
        """A connector to where a name leads now, unless that is private.

        A proxy looks names up itself: there only an address that is written out can be refused.
        """
        host = urlsplit(url).hostname or ""
        found = _written(host) if proxied else await _resolved(host)
        private = [address for address, _ in found if not _public(address)]
        if private and host not in self.homes:
            homes = [_written(home) if proxied else await _resolved(home) for home in self.homes]
            for address in set(private) - {address for home in homes for address, _ in home}:
                raise ModelError(
                    f"the picture's address leads to the private address {address}, where the "
                    "server itself is not: it is not fetched. Have the server send pictures in "
                    "base64 (openai/NAME?response_format=b64_json)"
                )
        return None if proxied else aiohttp.TCPConnector(resolver=Pinned(found))


def checked_scheme(address: str) -> str:
    """Only http(s), whatever a server says."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise ModelError(f"the picture's address is none of http or https: {address[:80]!r}")
    return address


async def _resolved(host: str) -> list[tuple[str, Any]]:
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as problem:
        raise Retryable(f"no connection: {host[:80]!r} can't be found ({problem})") from None
    return list({(str(one[4][0]), one[0]): None for one in found})


def _written(host: str) -> list[tuple[str, Any]]:
    """The address that a host's name writes out, in any form that is taken for one.

    >>> [_written(host)[0][0] for host in ("10.0.0.1", "167772161", "localhost")]
    ['10.0.0.1', '10.0.0.1', '127.0.0.1']
    """
    if host == "localhost" or host.endswith(".localhost"):
        return [("127.0.0.1", socket.AF_INET)]
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        try:
            return [(socket.inet_ntoa(socket.inet_aton(host)), socket.AF_INET)]
        except (OSError, UnicodeError):
            return []
    return [(str(found), socket.AF_INET if found.version == 4 else socket.AF_INET6)]


def _public(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    if found in NAT64:
        mapped = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return (mapped or found).is_global and not found.is_multicast
