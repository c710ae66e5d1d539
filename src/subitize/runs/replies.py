"""A model's reply as a response: one type per field, whatever a server told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import checked
from subitize.models.base import Reply, words_of
from subitize.models.secrets import Secrets, whole_characters
from subitize.records import USAGE, Key, Response

PACKED = ("scores", "ranking", "boxes")
LONGEST_STOP = 40
LONGEST_FACTS = 400_000
"""bytes of what is told beside an answer; more is left out, and said"""


def as_response(key: Key, reply: Reply, seconds: float, sha256: str, note: str) -> Response:
    """The response that goes into the journal; a value that no file can hold is an error."""
    try:
        return _packed(key, reply, seconds, sha256, note)
    except ModelError:
        raise
    # what a model gave may be an object of its own, whose words or items raise anything
    except Exception as problem:
        raise ModelError(f"its {reply.kind} can't be stored: {words_of(problem)}") from None


def _packed(key: Key, reply: Reply, seconds: float, sha256: str, note: str) -> Response:
    usage, rest = _usage(reply.usage)
    facts = {**reply.facts, **({"usage": rest} if rest else {})}
    value = reply.value
    if reply.kind == "boxes" and not isinstance(value, str):
        try:
            checked(value["boxes"])
        except (BadInput, TypeError, LookupError) as problem:
            raise ModelError(f"its reply holds no boxes: {problem}") from None
    if reply.kind in PACKED and not isinstance(value, str):
        value = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    stop = whole_characters(reply.stop)[:LONGEST_STOP]
    return Response(
        *key, reply.kind, whole_characters(str(value)), stop, usage, seconds, sha256,
        whole_characters(note), _told(facts),
    )  # fmt: skip


def _told(facts: Mapping[str, Any]) -> str:
    """Facts as JSON text, whatever is in them."""
    if not facts:
        return ""
    # However deep a server nests what it tells, and whatever characters stand in it.
    packed = orjson.dumps(Secrets().plain(dict(facts)), default=str)
    if len(packed) > LONGEST_FACTS:
        packed = orjson.dumps({"left_out": f"{len(packed)} bytes told beside the answer"})
    return packed.decode()


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
