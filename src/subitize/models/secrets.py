"""Secrets stay here: scrubbed from whatever a server sends, refused where they would be written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, AnyStr

from subitize.errors import BadInput

HIDDEN = "[key]"
SHORTEST = 6
"""a key shorter than this ('x', 'none') is a placeholder: scrubbing it would spoil replies"""
PART = 16
"""so many characters of a longer key, from its beginning on, are hidden where a server cut it"""
DEEPEST = 40
"""levels of JSON that are looked into; what lies deeper is no answer to a question"""
DIGITS = 100
LONG_NUMBER = re.compile(rb"\d{19}")
NAMES = {
    "accesskey", "accesstoken", "apikey", "apitoken", "auth", "authkey", "authorization",
    "authtoken", "bearer", "bearertoken", "credential", "credentials", "hftoken", "idtoken", "key",
    "passphrase", "passwd", "password", "privatekey", "pwd", "refreshtoken", "secret",
    "secretkey", "token", "xapikey",
}  # fmt: skip
"""names of fields that hold a secret, without their dashes and underscores"""
ENDINGS = (
    "apikey", "secret", "password", "accesstoken", "authtoken", "secretkey", "privatekey",
    "credentials", "accesskey", "authorization", "apitoken", "bearertoken", "sessiontoken",
    "refreshtoken", "subscriptionkey", "sessionkey", "servicekey", "accountkey", "signingkey",
    "openaikey", "anthropickey", "azurekey", "geminikey", "googlekey", "openrouterkey", "xauth",
)  # fmt: skip
VALUES = re.compile(r"^(Bearer \S{8}|(sk|rk|pk|hf|gsk|xai|AIza|eyJ|ghp|AKIA)[-_A-Za-z0-9.]{16})")
"""how keys of well-known services begin"""


class Secrets:
    """What must stand in no file and no message."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        long_enough = {one for one in secrets if len(one) >= SHORTEST}
        self._texts = sorted(long_enough, key=len, reverse=True)
        self._bytes = [one.encode() for one in self._texts]

    def scrubbed(self, body: bytes, *, cut: bool = False) -> bytes:
        """Raw bytes without any secret; of a body that was `cut`, without the half of one at the
        end too."""
        for secret in self._bytes:
            if secret[:PART] in body:
                body = _without(body, secret, HIDDEN.encode())
            if cut:
                tails = (n for n in range(len(secret) - 1, 2, -1) if body.endswith(secret[:n]))
                body = body[: len(body) - next(tails, 0)]
        return body

    def text(self, text: str) -> str:
        """A text without any secret, and without the halves of characters that UTF-8 can't hold."""
        for secret in self._texts:
            if secret[:PART] in text:
                text = _without(text, secret, HIDDEN)
        return whole_characters(text)

    def plain(self, value: Any, depth: int = 0) -> Any:
        """JSON whose texts went through `text`: a secret may come back in escapes, or in pieces."""
        if isinstance(value, str):
            return self.text(value)
        if depth > DEEPEST and isinstance(value, dict | list):
            return "(nested too deep)"
        if isinstance(value, dict):
            return {self.text(str(k)): self.plain(v, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self.plain(one, depth + 1) for one in self._tokens(value)]
        if type(value) is int and not -(2**63) <= value < 2**64:
            return str(value)[:DIGITS]  # larger than JSON numbers are elsewhere
        return value

    def is_plain(self, body: bytes) -> bool:
        """Whether `plain` would change nothing in the JSON of a body that was scrubbed: each of its
        texts stands there as it is, tokens, depths and long numbers there are none."""
        return (
            body.isascii()
            and b"\\" not in body
            and b'"token"' not in body
            and body.count(b"[") + body.count(b"{") <= DEEPEST
            and not LONG_NUMBER.search(body)
        )

    def _tokens(self, listed: list[Any]) -> list[Any]:
        """A list of tokens without those that a secret is made of, one piece in each."""
        named = [one.get("token") if isinstance(one, dict) else None for one in listed]
        pieces = [piece for piece in named if isinstance(piece, str)]
        if len(pieces) < len(named):
            return listed
        ends = list(accumulate(len(piece) for piece in pieces))
        said = "".join(pieces)
        hidden: set[int] = set()
        for secret in self._texts:
            place = said.find(secret)
            while place >= 0:
                last = bisect_right(ends, place + len(secret) - 1)
                hidden.update(range(bisect_right(ends, place), last + 1))
                place = said.find(secret, place + 1)
        # What stood in the place of such a token begins as the secret does.
        return [
            {**one, "token": HIDDEN, "top_logprobs": []} if place in hidden else one
            for place, one in enumerate(listed)
        ]


def _without(text: AnyStr, secret: AnyStr, hidden: AnyStr) -> AnyStr:
    """A text without a secret, and without a beginning of it that is long enough to tell."""
    text = text.replace(secret, hidden)
    place = text.find(secret[:PART]) if len(secret) > PART else -1
    while place >= 0:
        end = place + PART
        while end - place < len(secret) and text[end : end + 1] == secret[end - place :][:1]:
            end += 1
        text = text[:place] + hidden + text[end:]
        place = text.find(secret[:PART], place + len(hidden))
    return text


def whole_characters(text: str) -> str:
    r"""A text in which lone surrogates, which no file can hold, are replaced; pairs are joined.

    >>> whole_characters("7 \ud83d apples") == "7 \ufffd apples"
    True
    """
    if text.isascii():  # known without looking at it
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def refuse_secrets(settings: Mapping[str, Any], where: str) -> None:
    """Settings stand in run.json: a name or a value that looks like a key is refused.

    >>> refuse_secrets({"max_tokens": 5, "prompt_cache_key": "a"}, "--extra-body")
    """
    for name, value in settings.items():
        plain = re.sub(r"[^a-z0-9]", "", str(name).lower())
        if plain in NAMES or plain.endswith(ENDINGS) or _holds_key(value):
            raise BadInput(
                f"{where} has the field {str(name)!r}, which looks like a key, and what stands "
                "there is written into the run's files: put the key into an environment variable "
                "and name that with --api-key-env (or --header 'NAME: $VARIABLE')."
            )
        for one in _objects_in(value):
            refuse_secrets(one, where)


def _holds_key(value: Any) -> bool:
    """Whether a value, or one in its lists, begins as keys do."""
    if isinstance(value, list):
        return any(_holds_key(one) for one in value)
    return isinstance(value, str) and VALUES.match(value) is not None


def _objects_in(value: Any) -> list[Mapping[str, Any]]:
    """The objects that a value is, or that its lists hold."""
    if isinstance(value, list):
        return [found for one in value for found in _objects_in(one)]
    return [value] if isinstance(value, Mapping) else []
