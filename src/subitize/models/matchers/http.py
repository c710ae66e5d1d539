"""A matcher behind HTTP: ViLBERT, or any model that no library here can load, in its own world.

    POST url                          Content-Type: application/json
    {"image": "<base64>", "media_type": "image/png", "sentences": ["There are two dogs.", …]}

    200 {"scores": [0.93, …], "calibrated": true, "unit": "probability"}

A score per sentence, in their order. `calibrated` says whether they are match probabilities (0..1,
right from .5 on); without it they are taken as uncalibrated. `unit` may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from subitize.errors import ModelError
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply
from subitize.models.matchers import scores as given
from subitize.models.names import ModelName
from subitize.models.posted import Posted


class HttpMatcher(Posted):
    """Asks a server how well sentences fit a picture."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)

    async def match(self, items: Sequence[Item]) -> Answers:
        return [await self._match(item) for item in items]

    async def _match(self, item: Item) -> Reply:
        entry = await self.post(item, {"sentences": list(item.options)})
        return Reply("scores", _value(entry, len(item.options)))


def _value(entry: Mapping[str, Any], wanted: int) -> dict[str, Any]:
    """The scores of what a server sent, once all of them make sense."""
    listed, calibrated = entry.get("scores"), entry.get("calibrated", False)
    if not isinstance(listed, list) or len(listed) != wanted:
        many = len(listed) if isinstance(listed, list) else "no"
        raise ModelError(f"the matcher's JSON has {many} scores for {wanted} sentences")
    if not isinstance(calibrated, bool):
        raise ModelError("the matcher's JSON must say `calibrated`: true or false")
    if fault := next(filter(None, (given.fault(one, calibrated) for one in listed)), ""):
        raise ModelError(f"the matcher's JSON can't be used: {fault}")
    unit = str(entry.get("unit") or ("probability" if calibrated else "score"))
    return {"scores": [float(one) for one in listed], "calibrated": calibrated, "unit": unit}


def open_http(name: ModelName, options: ModelOptions) -> HttpMatcher:
    return HttpMatcher.at(name, options, "http://127.0.0.1:8901/match")
