"""What models behind a server share: an address, keys that are never shown, ways to fail."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from subitize.errors import BadInput, Hopeless, ModelError, NoCredit, Retryable, Unfit
from subitize.models.base import Model, ModelOptions
from subitize.models.jsons import parsed
from subitize.models.secrets import Secrets
from subitize.models.transport import HttpReply, Scrubbed, Transport, check_url, shown_url

LONGEST_WISH = 86_400.0
"""a Retry-After of more than a day, or of the past century, is a mistake: it counts as none"""
NO_CREDIT = (
    "insufficient_quota", "billing_hard_limit", "billing_not_active", "credit balance is too low",
    "insufficient balance", "insufficient credits", "requires more credits",
)  # fmt: skip
"""how servers say that waiting won't help (OpenAI, Anthropic, DeepSeek, OpenRouter):
https://platform.openai.com/docs/guides/error-codes, https://openrouter.ai/docs/errors"""
AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
UNFIT = (400, 413, 415, 422)
"""statuses that may be about one request only"""
NAME_OF_A_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
"""as people name them: anything else may be a key that was given in its place"""
VARIABLE = re.compile(r"\$\{?(\w+)\}?")
SECRET_HEADER = re.compile(r"key|token|auth|secret|password|cookie", re.IGNORECASE)
HEADER = re.compile(r"^([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*:\s*(.*)$")


class Served(Model):
    """A model that answers over HTTP."""

    paid: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        url: str,
        key: str,
        transport: Transport,
        own_headers: Iterable[str] = (),
    ) -> None:
        super().__init__(name, settings)
        self.url = check_url(url)
        self.endpoint = shown_url(self.url)
        own, secrets = read_headers(own_headers)
        self._secrets = Secrets([key, *secrets])
        self._transport: Transport = Scrubbed(transport, self._secrets)
        self._headers = {
            "Content-Type": "application/json", **_authorization(self.url, key), **own
        }  # fmt: skip

    async def close(self) -> None:
        await self._transport.close()

    def start(self, reply: HttpReply, longest: int = 300) -> str:
        """How the body of a reply begins, in one line."""
        text = reply.body[: 8 * longest].decode(errors="replace")
        return " ".join(text[: 2 * longest].split())[:longest]

    def read_json(self, reply: HttpReply) -> dict[str, Any]:
        """The object that a reply holds; a page of a proxy or half an object is worth a retry."""
        entry = parsed(reply.body)
        if isinstance(entry, list) and len(entry) == 1:
            entry = entry[0]  # Gemini's way to send an error
        if not isinstance(entry, dict):
            if isinstance(entry, list | str | int | float | bool | None):
                raise Retryable("the server's JSON is not an object")
            raise Retryable(f"the server sent no JSON but {self.start(reply, 80)!r}")
        if self._secrets.is_plain(reply.body):
            return entry
        found: dict[str, Any] = self._secrets.plain(entry)
        return found

    def problem(self, reply: HttpReply, words: str, repair: str) -> ModelError:
        """A status that says nothing about the item: another try, or the end."""
        said = f"status {reply.status}: {words.rstrip('.')}"
        lower = words.lower()
        if reply.status == 402 or (
            reply.status in (400, 403, 429) and any(word in lower for word in NO_CREDIT)
        ):
            return NoCredit(
                f"{self.endpoint} answered with {said}. No credit is left there: pay or raise the "
                "limit, then run the same command again"
            )
        if reply.status in (408, 409, 425, 429) or reply.status >= 500:
            busy = reply.status in (429, 503, 529)
            return Retryable(said, wait_wanted(reply), busy=busy)
        kind = Unfit if reply.status in UNFIT else Hopeless
        return kind(f"{self.endpoint} answered with {said}. {repair}")


def _authorization(url: str, key: str) -> dict[str, str]:
    """How a server wants its key: Azure in a header of its own, all others as a bearer's token."""
    if not key:
        return {}
    parts = urlsplit(url)
    azure = (parts.hostname or "").endswith(AZURE) or "api-version" in parts.query
    # Tokens of Microsoft Entra, which begin so, are bearers' tokens there too.
    return {"api-key": key} if azure and not key.startswith("eyJ") else {
        "Authorization": f"Bearer {key}"
    }  # fmt: skip


def wait_wanted(reply: HttpReply) -> float | None:
    """The seconds of a Retry-After header (a number or a date), where it has one to be believed."""
    value = next((v for k, v in reply.headers.items() if k.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
            moment = moment.replace(tzinfo=moment.tzinfo or UTC)
            seconds = max(0.0, (moment - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= LONGEST_WISH else None


def read_key(options: ModelOptions, environment: Mapping[str, str] | None = None) -> str:
    """The key by the environment variable; without a base URL a missing one is an error, unless
    nobody will be asked."""
    environment = os.environ if environment is None else environment
    variable = options.api_key_env or (None if options.base_url else "OPENAI_API_KEY")
    if variable is None:
        return ""
    key = environment.get(variable, "").strip()
    if not key and not options.asks:
        return ""
    if not key and not NAME_OF_A_VARIABLE.fullmatch(variable):
        # Whoever gives the key itself must not find it in a log.
        raise BadInput(
            "--api-key-env takes the name of an environment variable, such as OPENAI_API_KEY, and "
            "what it was given is none that is set. If it is the key itself: put the key into a "
            "variable, and give the variable's name."
        )
    if not key:
        raise BadInput(
            f"No key found: the environment variable {variable} is not set. Set it, name another "
            "with --api-key-env, or give --base-url of a server that needs none."
        )
    if not key.isprintable() or not key.isascii():
        raise BadInput(
            f"The key in the environment variable {variable} holds a character that no header can: "
            "a line end or a letter outside ASCII. Set it again."
        )
    return key


def read_headers(
    given: Iterable[str], environment: Mapping[str, str] | None = None
) -> tuple[dict[str, str], list[str]]:
    """Headers of one's own, and which of their values are secret.

    Each is given as 'NAME: VALUE'; $VARIABLE in a value is taken from the environment.

    >>> read_headers(["X-Title: number sense", "X-Gate: Token $KEY"], {"KEY": "abc"})
    ({'X-Title': 'number sense', 'X-Gate': 'Token abc'}, ['Token abc', 'abc'])
    """
    environment = os.environ if environment is None else environment
    found: dict[str, str] = {}
    secrets: list[str] = []
    for text in given:
        parts = HEADER.match(text.strip())
        if parts is None:
            raise BadInput(f"--header {text.partition(':')[0]!r} is not of the form 'NAME: VALUE'.")
        name, value = parts[1], parts[2].strip()
        variables = VARIABLE.findall(value)
        for variable in variables:
            if variable not in environment:
                raise BadInput(
                    f"--header {name} names the environment variable {variable}, which is not set."
                )
        value = VARIABLE.sub(lambda one: environment[one[1]].strip(), value)
        if not value.isprintable() or not value.isascii():
            raise BadInput(f"The value of --header {name} holds a character that no header can.")
        found[name] = value
        if variables or SECRET_HEADER.search(name):
            # Behind a word such as Bearer the secret stands alone.
            secrets += [value, *(environment[one].strip() for one in variables)]
            secrets += [value.rpartition(" ")[2]] if not variables else []
    return found, secrets
