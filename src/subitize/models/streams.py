"""Replies that come as a stream of events (SSE), put together into the object of a whole one.

Some servers send nothing else, also when they are not asked for a stream.
"""

from __future__ import annotations

from typing import Any

from subitize.errors import Retryable
from subitize.models.jsons import parsed

JOINED = ("content", "reasoning_content", "reasoning", "refusal")


def is_stream(body: bytes) -> bool:
    """Whether a body is a stream of events.

    >>> is_stream(b': keep-alive\\n\\ndata: {"choices": []}'), is_stream(b'{"data": 1}')
    (True, False)
    """
    for line in body[:4096].splitlines():
        if line.strip():
            return line.startswith((b"data:", b"event:", b":", b"id:", b"retry:"))
    return False


def joined(body: bytes) -> dict[str, Any]:
    """The chat completion that a stream's events make up; half a stream is worth another try."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": None}
    whole: dict[str, Any] = {"object": "chat.completion", "choices": [choice]}
    ended = seen = False
    for data in _events(body):
        if data == b"[DONE]":
            ended = True
            continue
        entry = parsed(data)
        if not isinstance(entry, dict):
            raise Retryable("the server's stream holds an event that is no JSON object")
        if entry.get("error"):
            return entry
        if isinstance(entry.get("usage"), dict):
            whole["usage"] = entry["usage"]
        choices = entry.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict) and first.get("index", 0) == 0:
            seen = True
            _add(choice, first)
            ended = ended or bool(choice["finish_reason"])
    if not seen:
        raise Retryable("the server's stream holds no answer")
    if not ended:
        raise Retryable("the server's stream broke off")
    return whole


def _add(choice: dict[str, Any], first: dict[str, Any]) -> None:
    """One event of the stream: its texts go behind those before, its last word counts."""
    message = choice["message"]
    delta = first.get("delta", first.get("message"))
    for name, value in delta.items() if isinstance(delta, dict) else ():
        if name in JOINED and isinstance(value, str):
            before = message.get(name)
            message[name] = (before if isinstance(before, str) else "") + value
        elif name in ("tool_calls", "function_call") and value:
            calls = message.setdefault(name, [])
            for part in value if isinstance(value, list) else [value]:
                _add_call(calls, part)
    for name in ("finish_reason", "error"):
        if first.get(name):
            choice[name] = first[name]
    if isinstance(first.get("logprobs"), dict):
        listed = first["logprobs"].get("content")
        kept = choice.setdefault("logprobs", {"content": []})["content"]
        kept += listed if isinstance(listed, list) else []


def _add_call(calls: list[Any], part: Any) -> None:
    """A piece of a call: that of one begun before goes on with its arguments."""
    index = part.get("index", 0) if isinstance(part, dict) else None
    begun = next(
        (one for one in calls if isinstance(one, dict) and one.get("index", 0) == index), None
    )
    old, new = (
        one.get("function", one) if isinstance(one, dict) else None for one in (begun, part)
    )
    if isinstance(old, dict) and isinstance(new, dict) and isinstance(new.get("arguments"), str):
        old["arguments"] = f"{old.get('arguments') or ''}{new['arguments']}"
    else:
        calls.append(part)


def _events(body: bytes) -> list[bytes]:
    """The data of every event; comments and other fields are left out."""
    found: list[bytes] = []
    open_event: list[bytes] = []
    for line in [*body.replace(b"\r\n", b"\n").split(b"\n"), b""]:
        if line.startswith(b"data:"):
            open_event.append(line[5:].strip())
        elif not line.strip() and open_event:
            found.append(b"\n".join(open_event))
            open_event = []
    return found
