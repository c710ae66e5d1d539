"""One line of JSON lines."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import orjson

from subitize.captions.sources import Damaged

MARK = b"\xef\xbb\xbf"
"""that some programs write at the start of UTF-8"""


def lossy(line: bytes) -> bytes:
    """UTF-8, with a sign in place of what is none."""
    return line.decode("utf-8", "replace").encode()


def parse_object(path: str, line: bytes, where: str) -> dict[str, Any]:
    """The object of a line of this file; anything else is damage."""
    text = line.removeprefix(MARK)
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as problem:
        found = problem
        # Python writes NaN, and half of a pair of surrogates
        with suppress(ValueError, RecursionError):
            found = json.loads(text)
    if isinstance(found, dict):
        return found
    said = str(found) if isinstance(found, Exception) else f"found {str(found)[:40]!r}"
    repair = "Mend the line"
    if isinstance(found, list):
        repair = "Write an object in each line (jq -c '.[]' does)"
    raise Damaged(
        f"{path}, {where}: this is no JSON object ({said}). {repair}, or leave the file out with "
        "--skip-damaged."
    )
