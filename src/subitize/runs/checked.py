"""Lines of a run's files, checked: each field has the type that the format declares.

A folder may be damaged, edited by hand or made by others. What is wrong is found here, where line
and file are known, and not later as a strange error in a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import orjson

from subitize.records import Response, ResponseKind, Trial

TRIAL_STRINGS = ("id", "benchmark", "version", "stage", "question", "target_choice")
KINDS = frozenset(get_args(ResponseKind))
STIMULI = frozenset(("drawn", "file", "prompt", "response", "named"))
FOLLOWED = ("trial", "respondent", "settings_hash", "sample", "attempt")
COUNTS = 2**31


class Damaged(ValueError):
    """A line that is not what it should be."""


WRITTEN: Mapping[str, type] = {
    "trial": str, "respondent": str, "settings_hash": str, "sample": int, "attempt": int,
    "kind": str, "value": str, "stop": str, "usage": dict, "seconds": float, "sha256": str,
    "note": str, "facts": str,
}  # fmt: skip
"""the fields of a line of responses.jsonl in the order in which they are written"""
_NAMES, _KINDS = tuple(WRITTEN), tuple(WRITTEN.values())


def response_of(line: bytes) -> Response:
    """A line of responses.jsonl."""
    return Response(**response_entry(line))


def response_entry(line: bytes) -> dict[str, Any]:
    """A line of responses.jsonl with the fields of a response; some may be missing.

    Done for every line of every run: a line as we write it is known by two comparisons.
    """
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise Damaged from None
    if not isinstance(entry, dict) or not (
        (tuple(entry) == _NAMES and tuple(map(type, entry.values())) == _KINDS)
        or _has_fields(entry)
    ):
        raise Damaged
    if not (
        0 <= entry["sample"] < COUNTS
        and 0 <= entry["attempt"] < COUNTS
        and entry["kind"] in KINDS
        and {*map(type, entry.get("usage", {}).values())} <= {int}
    ):
        raise Damaged
    return entry


def _has_fields(entry: Mapping[str, Any]) -> bool:
    """Whether all that a response must have is there and nothing else, each of its type."""
    return (
        entry.keys() >= set(_NAMES[:8])
        and entry.keys() <= WRITTEN.keys()
        and all(
            type(value) is WRITTEN[name] or (name == "seconds" and type(value) is int)
            for name, value in entry.items()
        )
    )


def trial_of(line: bytes) -> Trial:
    """A line of trials.jsonl."""
    try:
        trial = Trial.from_json(orjson.loads(line))
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError, ValueError):
        raise Damaged from None
    shown = trial.stimulus
    if not (
        all(type(getattr(trial, name)) is str for name in TRIAL_STRINGS)
        and is_id(trial.id)
        and type(shown.kind) is str
        and shown.kind in STIMULI
        and isinstance(shown.recipe, dict)
        and (shown.path is None or type(shown.path) is str)
        and all(type(one) is str for one in trial.options)
        and (trial.target is None or type(trial.target) in (int, float))
        and isinstance(trial.condition, dict)
        and not any(isinstance(one, dict | list) for one in trial.condition.values())
        and (shown.kind != "response" or is_key(shown.recipe))
    ):
        raise Damaged
    return trial


def is_id(identity: Any) -> bool:
    """Whether that is a trial's id: at least sixteen hexadecimal digits."""
    try:
        return isinstance(identity, str) and int(identity[:16], 16) >= 0 and len(identity) >= 16
    except ValueError:
        return False


def is_key(recipe: Mapping[str, Any]) -> bool:
    """Whether the parts of a response's key are there, each of its type."""
    names = [recipe.get(name) for name in FOLLOWED]
    return all(type(one) is str for one in names[:3]) and all(type(one) is int for one in names[3:])
