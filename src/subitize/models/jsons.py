"""JSON as servers write it: also what strict parsers refuse and everybody else reads."""

from __future__ import annotations

import json
from typing import Any

import orjson

NOTHING = object()
"""what `parsed` gives where there is no JSON"""


def parsed(body: bytes) -> Any:
    """The value of a JSON text, or `NOTHING`.

    NaN, Infinity and lone surrogates are no JSON by the book, but most servers write and most
    clients read them.

    >>> parsed(b'{"a": NaN}'), parsed(b"<html>") is NOTHING
    ({'a': nan}, True)
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return NOTHING
