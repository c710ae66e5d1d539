"""A counter behind HTTP: anybody's detector, in any language, on any machine.

    POST url                          Content-Type: application/json
    {"image": "<base64>", "media_type": "image/png", "thing": "apples"}

    200 {"boxes": [[x0, y0, x1, y1, score], …], "size": [width, height],
         "threshold": 0.4, "nms": 0.95, "saturated": false, "note": ""}

Only `boxes` must be there. A picture that the server can't use is 422 with {"error": "why"}: that
picture fails, the others go on. 429 and 5xx are tried again; any other status ends the run.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import orjson

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import checked
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply, picture_of
from subitize.models.names import ModelName, typed_settings
from subitize.models.served import Served, read_key
from subitize.models.transport import AiohttpTransport, Transport, check_url, shown_url
from subitize.pictures.media import media_type

DEFAULTS: Mapping[str, Any] = {"url": "", "revision": ""}
REPAIR = (
    "Check url=, and the key if it wants one (--api-key-env names the environment variable that "
    "holds it)."
)
FIELDS = ("boxes", "size", "threshold", "nms", "saturated", "note")


class HttpCounter(Served):
    """Asks a server for boxes; settings: `url` and, where wanted, `revision` of what runs there."""

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)
    concurrency = 4

    def __init__(
        self,
        settings: Mapping[str, Any],
        key: str,
        transport: Transport,
        own_headers: Sequence[str] = (),
    ) -> None:
        url = check_url(settings["url"])
        # An address may hold a password: neither the name nor the settings keep it.
        shown = shown_url(url)
        name = f"counter/http?url={shown}"
        super().__init__(name, {"url": shown}, url, key, transport, own_headers)
        self.revision = settings["revision"] or None

    async def count(self, items: Sequence[Item]) -> Answers:
        return [await self._count(item) for item in items]

    async def _count(self, item: Item) -> Reply:
        picture = picture_of(item)
        asked = {
            "image": base64.b64encode(picture).decode("ascii"),
            "media_type": media_type(picture),
            "thing": item.thing,
        }
        reply = await self._transport.post(self.url, self._headers, orjson.dumps(asked))
        if reply.status in (400, 413, 415, 422):
            said = f"status {reply.status}: {self.start(reply)}"
            raise ModelError(f"the counter refused this picture: {said}")
        if reply.status != 200:
            raise self.problem(reply, self.start(reply), REPAIR)
        return Reply("boxes", _value(self.read_json(reply)))


def _value(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The known fields of what a server sent, once all of them make sense."""
    if not isinstance(entry.get("boxes"), list):
        raise ModelError("the counter's JSON has no list 'boxes'")
    try:
        checked(entry["boxes"])
        numbers = [*entry.get("size", (1, 1)), entry.get("threshold", 0.0), entry.get("nms", 1.0)]
        if len(numbers) != 4 or any(type(number) not in (int, float) for number in numbers):
            raise BadInput("size is [width, height], threshold and nms are numbers")
    except (BadInput, TypeError) as problem:
        raise ModelError(f"the counter's JSON can't be used: {problem}") from None
    return {name: entry[name] for name in FIELDS if name in entry}


def open_http(name: ModelName, options: ModelOptions) -> HttpCounter:
    settings = typed_settings(name, DEFAULTS)
    if not settings["url"]:
        raise BadInput(
            "counter/http needs an address: counter/http?url=http://127.0.0.1:8900/count."
        )
    # A counter's own server needs no key unless one is named.
    key = read_key(options) if options.api_key_env else ""
    return HttpCounter(settings, key, AiohttpTransport(options.timeout), options.headers)
