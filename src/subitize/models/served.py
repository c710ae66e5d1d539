"""What models behind a server share: an address, a key that is never shown, ways to fail."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import orjson

from subitize.errors import BadInput, Hopeless, ModelError, Retryable
from subitize.models.base import Model, ModelOptions
from subitize.models.transport import HttpReply, Transport, check_url, shown_url


class Served(Model):
    """A model that answers over HTTP."""

    paid: ClassVar[bool] = True

    def __init__(
        self, name: str, settings: Mapping[str, Any], url: str, key: str, transport: Transport
    ) -> None:
        super().__init__(name, settings)
        self.url = check_url(url)
        self.endpoint = shown_url(self.url)
        self._key = key
        self._transport = transport
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    async def close(self) -> None:
        await self._transport.close()

    def scrub(self, text: str) -> str:
        """Servers echo keys in error messages; none may reach a file."""
        return text.replace(self._key, "[key]") if self._key else text

    def start(self, reply: HttpReply, longest: int = 300) -> str:
        """How the body of a reply begins, in one line."""
        text = self.scrub(reply.body.decode(errors="replace"))
        return " ".join(text[: 2 * longest].split())[:longest]

    def read_json(self, reply: HttpReply) -> dict[str, Any]:
        """The object that a reply holds; a page of a proxy or half an object is worth a retry."""
        try:
            entry = orjson.loads(reply.body)
        except orjson.JSONDecodeError:
            raise Retryable(f"the server sent no JSON but {self.start(reply, 80)!r}") from None
        if not isinstance(entry, dict):
            raise Retryable("the server's JSON is not an object")
        return entry

    def problem(self, reply: HttpReply, words: str, repair: str) -> ModelError:
        """A status that says nothing about the item: another try, or the end."""
        said = f"status {reply.status}: {words.rstrip('.')}"
        if reply.status in (408, 409, 425, 429) or reply.status >= 500:
            busy = reply.status in (429, 503, 529)
            return Retryable(said, wait_wanted(reply), busy=busy)
        return Hopeless(f"{self.endpoint} answered with {said}. {repair}")


def wait_wanted(reply: HttpReply) -> float | None:
    """The seconds of a Retry-After header (a number or a date), where there is one."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    value = next((v for k, v in reply.headers.items() if k.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def read_key(options: ModelOptions, environment: Mapping[str, str] | None = None) -> str:
    """The key by the environment variable; without a base URL a missing one is an error."""
    environment = os.environ if environment is None else environment
    variable = options.api_key_env or (None if options.base_url else "OPENAI_API_KEY")
    if variable is None:
        return ""
    key = environment.get(variable, "").strip()
    if not key:
        raise BadInput(
            f"No key found: the environment variable {variable} is not set. Set it, name another "
            "with --api-key-env, or give --base-url of a server that needs none."
        )
    return key
