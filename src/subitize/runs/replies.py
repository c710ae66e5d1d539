"""A model's reply as a response: one type per field, whatever a server told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from subitize.models.base import Reply
from subitize.records import USAGE, Key, Response

PACKED = ("scores", "ranking", "boxes")


def as_response(key: Key, reply: Reply, seconds: float, sha256: str, note: str) -> Response:
    """The response that goes into the journal."""
    usage, rest = _usage(reply.usage)
    facts = {**reply.facts, **({"usage": rest} if rest else {})}
    value = reply.value
    if reply.kind in PACKED and not isinstance(value, str):
        value = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    told = orjson.dumps(facts, default=str).decode() if facts else ""
    return Response(
        *key, reply.kind, str(value), reply.stop, usage, seconds, sha256, note, told
    )  # fmt: skip


def _usage(told: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """The declared numbers, and what else was told; details of tokens are looked through."""
    details = told.get("completion_tokens_details")
    inner = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    every = {**told, **({"reasoning_tokens": inner} if inner else {})}
    known = {name: every[name] for name in USAGE if _is_count(every.get(name))}
    rest = {name: value for name, value in told.items() if name not in known}
    return known, rest


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
