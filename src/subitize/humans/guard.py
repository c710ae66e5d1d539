"""What stands before every request: size, rate, host, the visitor's cookie, security headers."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
LOCAL = ("127.0.0.1", "localhost", "::1")
PATIENCE = 30.0
"""seconds in which a request, and then its body, must have come as a whole"""


@dataclass(frozen=True)
class Limits:
    """What one visitor may ask for."""

    body: int = 64 * 1024
    """bytes of a form or of JSON"""
    session_rate: float = 20.0
    """requests a second of one visitor, after a first burst of six seconds' worth"""
    address_rate: float = 400.0
    """requests a second of one network address: a laboratory may sit behind a single one"""
    remembered: int = 20_000
    """visitors whose rate is remembered"""


@dataclass
class Bucket:
    """How much somebody may still ask for; it fills again with time."""

    left: float
    when: float


@dataclass
class Rates:
    """A leaky bucket per name, the longest unseen forgotten first."""

    rate: float
    most: int
    burst: float = 6.0
    """seconds' worth that may come at once"""
    buckets: OrderedDict[str, Bucket] = field(default_factory=OrderedDict)

    def allows(self, name: str, now: float) -> bool:
        """Whether one more request of this name is let through now."""
        full = self.rate * self.burst
        bucket = self.buckets.pop(name, None) or Bucket(full, now)
        bucket.left = min(full, bucket.left + (now - bucket.when) * self.rate)
        bucket.when = now
        self.buckets[name] = bucket
        while len(self.buckets) > self.most:
            self.buckets.popitem(last=False)
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True


def signed(secret: bytes, text: str) -> str:
    """The text with a proof that we wrote it."""
    return f"{text}.{hmac.digest(secret, text.encode(), 'sha256').hex()}"


def unsigned(secret: bytes, proven: str) -> str | None:
    """The text that was signed, or None when it was not, or not by us."""
    text = proven.rpartition(".")[0]
    good = text and hmac.compare_digest(proven.encode(), signed(secret, text).encode())
    return text if good else None


def _parts(address: str) -> tuple[str, str]:
    """Host, and host with port, of an address; of what is none, names that nobody has."""
    try:
        found = urlsplit(address)
        return found.hostname or "", found.netloc
    except ValueError:
        return "", ""


class Refused(Exception):
    """A request that gets a short page instead: status, and a sentence for the visitor."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Guard:
    """An ASGI app around another: refuses what is too much, and puts headers on what goes out."""

    def __init__(
        self, app: Any, secret: bytes, cookie: str, origin: str = "", limits: Limits | None = None
    ) -> None:
        self.app = app
        self.secret = secret
        self.cookie = cookie
        self.secure = origin.startswith("https:")
        self.hosts = {*LOCAL, *([urlsplit(origin).hostname] if origin else [])}
        self.places = {*self.hosts, *([urlsplit(origin).netloc] if origin else [])}
        """where our own pages are, by the name that a browser tells: a port may belong to it"""
        self.limits = limits or Limits()
        self.sessions = Rates(self.limits.session_rate, self.limits.remembered)
        self.addresses = Rates(self.limits.address_rate, self.limits.remembered)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        session, known = self._session(headers.get(b"cookie", ""))
        scope["subitize session"] = session
        problem = self._problem(scope, headers, session if known else None)
        if problem is not None:
            await self._answer(problem, send)
            return
        sending = self._sending(send, None if known else session)
        await self.app(scope, self._bounded(receive), sending)

    def _session(self, cookies: str) -> tuple[str, bool]:
        """The visitor's name, and whether the browser has it already."""
        for part in cookies.split(";"):
            name, _, value = part.strip().partition("=")
            if name == self.cookie:
                found = unsigned(self.secret, value)
                if found is not None:
                    return found, True
        return secrets.token_urlsafe(18), False

    def _problem(
        self, scope: Scope, headers: dict[bytes, str], session: str | None
    ) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        server = (scope.get("server") or ("",))[0]
        # A page elsewhere could give its own name our local address, and so read what we serve.
        if server in LOCAL and _parts(f"//{host}")[0] not in self.hosts:
            return 421, "This server does not answer to that name."
        source = headers.get(b"origin", "")
        if source not in {"", "null"} and _parts(source)[1] not in {host, *self.places}:
            return 403, "This request comes from another site."
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or int(length) > self.limits.body:
            return 413, "Too much was sent."
        now = time.monotonic()
        client = (scope.get("client") or ("",))[0]
        within = self.addresses.allows(client, now)
        if not within or (session is not None and not self.sessions.allows(session, now)):
            return 429, "Too many requests: wait a moment."
        return None

    def _bounded(self, receive: Receive) -> Receive:
        """A body that says nothing of its length is bounded too, and one that does not end."""
        got, more, until = 0, True, time.monotonic() + PATIENCE

        async def bounded() -> Message:
            nonlocal got, more
            try:
                left = until - time.monotonic() if more else None
                message = await asyncio.wait_for(receive(), left)
            except TimeoutError:
                raise Refused(408, "This took too long to come: please send it again.") from None
            got += len(message.get("body", b""))
            more = bool(message.get("more_body"))
            if got > self.limits.body:
                raise Refused(413, "Too much was sent.")
            return message

        return bounded

    def _sending(self, send: Send, session: str | None) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), *HEADERS]
                if session is not None:
                    headers.append((b"set-cookie", self._set_cookie(session)))
                message = {**message, "headers": headers}
            await send(message)

        return sending

    def _set_cookie(self, session: str) -> bytes:
        # Lax, not strict: a personal link is opened from a mail.
        rest = "; HttpOnly; Path=/; SameSite=Lax" + ("; Secure" if self.secure else "")
        return f"{self.cookie}={signed(self.secret, session)}{rest}".encode()

    async def _answer(self, problem: tuple[int, str], send: Send) -> None:
        status, words = problem
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        start = {"type": "http.response.start", "status": status, "headers": headers}
        await self._sending(send, None)(start)
        await send({"type": "http.response.body", "body": words.encode()})
