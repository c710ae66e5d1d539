"""Anybody's model behind a plain HTTP address: a picture goes out as JSON, an object comes back.

A picture that the server can't use is 422 with {"error": "why"}: that picture fails, the others go
on. 429 and 5xx are tried again; any other status ends the run.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Self

import orjson

from subitize.errors import BadInput, ModelError
from subitize.models.base import Item, ModelOptions, picture_of
from subitize.models.names import ModelName, typed_settings
from subitize.models.served import Served, read_key
from subitize.models.transport import AiohttpTransport, check_url, shown_url
from subitize.pictures.media import media_type

DEFAULTS: Mapping[str, Any] = {"url": "", "revision": ""}
REPAIR = (
    "Check url=, and the key if it wants one (--api-key-env names the environment variable that "
    "holds it)."
)


class Posted(Served):
    """A model asked by POST; settings: `url` and, where wanted, `revision` of what runs there."""

    concurrency = 4

    @classmethod
    def at(cls, name: ModelName, options: ModelOptions, example: str) -> Self:
        """The model at the address that its name gives."""
        settings = typed_settings(name, DEFAULTS)
        if not settings["url"]:
            raise BadInput(
                f"{name.prefix}/{name.rest} needs an address: {name.prefix}/{name.rest}?url="
                f"{example}."
            )
        url = check_url(settings["url"])
        # An address may hold a password: neither the name nor the settings keep it.
        shown = shown_url(url)
        told = f"&trained_on={','.join(name.trained_on)}" if name.trained_on else ""
        # A server of one's own needs no key unless one is named.
        key = read_key(options) if options.api_key_env else ""
        made = cls(
            f"{name.prefix}/{name.rest}?url={shown}{told}", {"url": shown}, url, key,
            AiohttpTransport(options.timeout), options.headers,
        )  # fmt: skip
        made.revision = settings["revision"] or None
        return made

    async def post(self, item: Item, more: Mapping[str, Any]) -> dict[str, Any]:
        """The object that the server gives for a picture and what is asked about it."""
        picture = picture_of(item)
        asked = {
            "image": base64.b64encode(picture).decode("ascii"),
            "media_type": media_type(picture),
            **more,
        }
        reply = await self._transport.post(self.url, self._headers, orjson.dumps(asked))
        if reply.status in (400, 413, 415, 422):
            said = f"status {reply.status}: {self.start(reply)}"
            raise ModelError(f"the {self.kinds[0]} refused this picture: {said}")
        if reply.status != 200:
            raise self.problem(reply, self.start(reply), REPAIR)
        return self.read_json(reply)
