"""What a chat completion says, whatever the server: text, why it ended, and what stood beside it.

Text is the answer, and only text: thinking is kept, not read, and a tool call answers nothing. A
word for the ending that nobody knows does not spoil the text beside it: that was paid for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from subitize.errors import Hollow, Retryable
from subitize.models.base import Reply
from subitize.models.endings import our_word

LONGEST_TEXT = 4_000_000
"""characters of a reply that are kept; a longer one is cut and counts as truncated"""
LONGEST_THINKING = 200_000
LONGEST_CALL = 10_000
LONGEST_WORD = 100
FIRST_TOKENS = 8
"""of so many tokens the log-probabilities are kept"""
ALTERNATIVES = 20
"""tokens that are kept in the place of the first one"""
THINKING = ("reasoning_content", "reasoning", "thinking")
"""fields of a message in which servers put what a model thought (vLLM, DeepSeek and llama.cpp the
first, OpenRouter, Groq and Ollama the second)"""


def read_completion(entry: Mapping[str, Any]) -> Reply:
    """The reply in a chat completion; nothing at all, or an error, is worth another try."""
    choices = entry.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Retryable("the server's JSON is not a chat completion")
    said = _plain(choice.get("finish_reason")) or ""
    stop = our_word(said)
    if stop == "error":
        raise Retryable(f"the server ended its reply with {said[:LONGEST_WORD]!r}")
    facts = _beside(choice, message)
    if said and said != stop:
        facts["finish"] = said[:LONGEST_WORD]
    text = _plain(message.get("content"))
    if message.get("refusal"):
        text, stop = _plain(message["refusal"]) or "", "refused"
    usage = entry.get("usage")
    told = usage if isinstance(usage, dict) else {}
    if text is not None and len(text) > LONGEST_TEXT:
        facts["cut"] = len(text)
        text, stop = text[:LONGEST_TEXT], "length"
    reply = Reply("text", text or "", stop, told, facts)
    if not text and stop in ("stop", "other") and not ({"reasoning", "tool_calls"} & facts.keys()):
        # Empty words are an answer once they stay so; no words at all are none.
        raise Hollow("the server's reply has no content", None if text is None else reply)
    return reply


def _beside(choice: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept beside the text: thinking, tool calls, log-probabilities."""
    facts: dict[str, Any] = {}
    thought = _thought(message)
    if thought:
        facts["reasoning"] = thought[:LONGEST_THINKING]
    called = message.get("tool_calls") or message.get("function_call")
    if called:
        facts["tool_calls"] = (_plain_json(called))[:LONGEST_CALL]
    tokens = first_tokens(choice)
    if tokens:
        facts["logprobs"] = tokens
        facts["first_token"] = alternatives(choice)
    return facts


def _thought(message: Mapping[str, Any]) -> str:
    for name in THINKING:
        found = _plain(message.get(name))
        if found:
            return found
    parts = message.get("content")
    return "".join(
        _plain(part.get("thinking")) or ""
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
    )


def first_tokens(choice: Mapping[str, Any]) -> list[list[Any]]:
    """The first few tokens with their log-probabilities, where the request asked for them.

    >>> first_tokens({"logprobs": {"content": [{"token": "Yes", "logprob": -0.01}]}})
    [['Yes', -0.01]]
    """
    try:
        listed = (choice.get("logprobs") or {}).get("content") or []
        return [
            [str(one["token"])[:LONGEST_WORD], float(one["logprob"])]
            for one in listed[:FIRST_TOKENS]
        ]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return []


def alternatives(choice: Mapping[str, Any]) -> list[list[Any]]:
    """The likeliest tokens in the place of the first one that says something, itself among them.

    >>> given = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    >>> alternatives({"logprobs": {"content": [{**given[0], "top_logprobs": given}]}})
    [['Yes', -0.1], ['No', -2.5]]
    """
    listed = choice["logprobs"]["content"][:FIRST_TOKENS]
    first = next((one for one in listed if str(one["token"]).strip()), listed[0])
    try:
        others = [
            [str(one["token"])[:LONGEST_WORD], float(one["logprob"])]
            for one in (first.get("top_logprobs") or ())[:ALTERNATIVES]
        ]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        others = []
    own = [str(first["token"])[:LONGEST_WORD], float(first["logprob"])]
    return others if own in others else [own, *others]


def _plain(content: Any) -> str | None:
    """Words as text: bare, in parts, or whatever else a server put there; None for none at all."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        found = [_plain(text) or "" for text in texts if text is not None]
        return "".join(found) if found else None
    return _plain_json(content)


def _plain_json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return str(value)
