"""A counter behind HTTP: anybody's detector, in any language, on any machine.

    POST url                          Content-Type: application/json
    {"image": "<base64>", "media_type": "image/png", "thing": "apples"}

    200 {"boxes": [[x0, y0, x1, y1, score], …], "size": [width, height],
         "threshold": 0.4, "nms": 0.95, "saturated": false, "note": ""}

Only `boxes` must be there. A picture that the server can't use is 422 with {"error": "why"}: that
picture fails, the others go on. 429 and 5xx are tried again; any other status ends the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import checked
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply
from subitize.models.names import ModelName
from subitize.models.posted import Posted

FIELDS = ("boxes", "size", "threshold", "nms", "saturated", "note")


class HttpCounter(Posted):
    """Asks a server for boxes."""

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)

    async def count(self, items: Sequence[Item]) -> Answers:
        return [await self._count(item) for item in items]

    async def _count(self, item: Item) -> Reply:
        return Reply("boxes", _value(await self.post(item, {"thing": item.thing})))


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
    return HttpCounter.at(name, options, "http://127.0.0.1:8900/count")
