"""Model names: `prefix/rest?setting=value&…`; the settings are part of the model's identity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson

from subitize.errors import BadInput, UnknownName, in_words

WHERE = ("device", "isolated")
"""settings that say where a model computes, not what it is"""


class ModelName(NamedTuple):
    """A model's name, taken apart."""

    full: str
    """what the model is: as the user wrote it, with settings in alphabetical order, without those
    that only say where it computes"""
    prefix: str
    """which family: sim, openai, counter, …"""
    rest: str
    """which model of that family"""
    settings: Mapping[str, Any]
    """what stands after the question mark; numbers, booleans and null as such"""
    isolated: bool | None = None
    """whether it is to compute in a process of its own; not a part of what it is"""
    trained_on: tuple[str, ...] = ()
    """data sets it is known to have been trained on, for the mark `zero-shot`: coco, cc, …"""


def parse_name(text: str) -> ModelName:
    """Take a model name apart.

    >>> parse_name("sim/observer?w=.25&seed=3").settings == {"w": 0.25, "seed": 3}
    True
    >>> parse_name("hf/here?dtype=float32&isolated=false&device=cuda:1").full
    'hf/here?dtype=float32'
    >>> parse_name("matcher/scores?file=vilbert.csv&trained_on=cc,coco").trained_on
    ('cc', 'coco')
    """
    path, settings, full = split_settings(text, "model name")
    prefix, slash, rest = path.partition("/")
    if not (prefix and slash and rest):
        raise BadInput(
            f"The model name {text!r} is not of the form KIND/NAME: for example sim/perfect or "
            "openai/gpt-4o; `subitize models` lists what there is."
        )
    isolated = settings.pop("isolated", None)
    if not isinstance(isolated, bool | None):
        raise BadInput(f"isolated is {isolated!r} in {text!r}: give true or false.")
    shown = full.partition("?")[2].split("&")
    what = "&".join(pair for pair in shown if pair.partition("=")[0] not in WHERE)
    full = f"{path}?{what}" if what else path
    told = str(settings.pop("trained_on", "")).lower().split(",")
    trained_on = tuple(one.strip() for one in told if one.strip())
    return ModelName(full, prefix, rest, settings, isolated, trained_on)


def split_settings(text: str, what: str) -> tuple[str, dict[str, Any], str]:
    """What stands before the question mark, the settings after it, and the name in good order.

    >>> split_settings("strict?threshold=0.3&nms=0.9", "reader")
    ('strict', {'nms': 0.9, 'threshold': 0.3}, 'strict?nms=0.9&threshold=0.3')
    >>> split_settings("owl?checkpoint=a+b/c d", "counter")[1]  # no address: a plus is a plus
    {'checkpoint': 'a+b/c d'}
    """
    path, _, query = text.partition("?")
    pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    settings = {key: _value(value) for key, value in sorted(pairs)}
    if len(settings) != len(pairs):
        raise BadInput(f"The {what} {text!r} gives one setting twice: give it once.")
    shown = "&".join(f"{key}={value}" for key, value in sorted(pairs))
    return path, settings, f"{path}?{shown}" if shown else path


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # ".8" is no JSON, but a number
        return float(text) if re.fullmatch(r"[-+]?\.\d+", text) else text


def typed_settings(
    name: ModelName,
    defaults: Mapping[str, Any],
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> dict[str, Any]:
    """The settings of a name over their defaults.

    Unknown names, wrong types and numbers outside their range are errors.
    """
    settings = dict(defaults)
    for key, value in name.settings.items():
        if key not in defaults:
            raise UnknownName(f"setting of {name.prefix}/{name.rest}", key, defaults)
        default = defaults[key]
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # noqa: PLW2901  "w=1" means 1.0
        if default is not None and type(value) is not type(default):
            wanted = in_words(type(default))
            raise BadInput(f"The setting {key}={value} of {name.full} must be {wanted}.")
        low, high = ranges.get(key, (-inf, inf))
        if key in ranges and not low <= value <= high:
            raise BadInput(f"{name.full}: {key} must lie in {low:g}..{high:g}.")
        settings[key] = value
    return settings
