"""Visitors of a web app: they keep cookies and know what a page's forms must carry."""

from __future__ import annotations

import http.cookiejar
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


@contextmanager
def ended_at_last(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, which does not outlive the test, however that ends."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


class Got(NamedTuple):
    """What came back."""

    status: int
    text: str
    headers: Any
    url: str


class Visitor:
    """A browser without a window: keeps cookies, follows redirects, knows the page's csrf value."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.jar = http.cookiejar.CookieJar()
        self.csrf = ""
        # proxies of the machine are not asked: the server is here
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar)
        )

    def get(self, path: str, **headers: str) -> Got:
        """A page by its path, or by a whole address."""
        return self._ask(urllib.request.Request(self._where(path), headers=headers))

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Got:
        """A form, with the csrf value of the last page unless `fields` has another."""
        body = urllib.parse.urlencode({"csrf": self.csrf, **fields}).encode()
        return self._ask(urllib.request.Request(self._where(path), body, headers))

    def _where(self, path: str) -> str:
        return path if path.startswith("http") else self.base + path

    def _ask(self, request: urllib.request.Request) -> Got:
        try:
            with self.opener.open(request) as answer:
                got = Got(answer.status, _text(answer.read()), answer.headers, answer.url)
        except urllib.error.HTTPError as answer:
            got = Got(answer.code, _text(answer.read()), answer.headers, answer.url or "")
            answer.close()
        found = re.search(r'<meta name="csrf" content="(\w+)"', got.text)
        self.csrf = found[1] if found else self.csrf
        return got


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
