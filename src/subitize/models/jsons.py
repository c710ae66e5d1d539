"""JSON as servers write it: also what strict parsers refuse and everybody else reads."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

DEEPEST = 100
"""levels of JSON that are kept where a parser can't go down all of them"""
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
    except ValueError:
        return NOTHING
    except RecursionError:
        return NOTHING if (shallow := _shallow(body)) == body else parsed(shallow)


_MARK = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


def _shallow(body: bytes) -> bytes:
    """A JSON text with null in the place of what lies deeper than parsers go: what it says was
    paid for, whatever is nested beside it.

    >>> _shallow(b'{"a": 3, "b": ' + b"[" * 101 + b"]" * 101 + b"}").count(b"[")
    99
    """
    kept, place, depth = [], 0, 0
    for mark in _MARK.finditer(body):
        opens = mark[0] in (b"[", b"{")
        depth += opens - (mark[0] in (b"]", b"}"))
        if opens and depth == DEEPEST + 1:
            kept += [body[place : mark.start()], b"null"]
        elif not opens and depth == DEEPEST and mark[0] in (b"]", b"}"):
            place = mark.end()
    return b"".join([*kept, body[place:]]) if depth == 0 else body
