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


def response_of(line: bytes) -> Response:
    """A line of responses.jsonl."""
    try:
        response = Response.from_json(orjson.loads(line))
    except (orjson.JSONDecodeError, TypeError):
        raise Damaged from None
    # Written out, because it is done for every line of every run.
    if not (
        type(response.trial) is str
        and type(response.respondent) is str
        and type(response.settings_hash) is str
        and type(response.sample) is int
        and 0 <= response.sample < COUNTS
        and type(response.attempt) is int
        and 0 <= response.attempt < COUNTS
        and type(response.kind) is str
        and response.kind in KINDS
        and type(response.value) is str
        and type(response.stop) is str
        and type(response.seconds) in (float, int)
        and type(response.sha256) is str
        and type(response.note) is str
        and type(response.facts) is str
        and type(response.usage) is dict
        and all(type(many) is int for many in response.usage.values())
    ):
        raise Damaged
    return response


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
        and (shown.kind != "response" or _is_key(shown.recipe))
    ):
        raise Damaged
    return trial


def is_id(identity: Any) -> bool:
    """Whether that is a trial's id: at least sixteen hexadecimal digits."""
    try:
        return isinstance(identity, str) and int(identity[:16], 16) >= 0 and len(identity) >= 16
    except ValueError:
        return False


def _is_key(recipe: Mapping[str, Any]) -> bool:
    names = [recipe.get(name) for name in FOLLOWED]
    return all(type(one) is str for one in names[:3]) and all(type(one) is int for one in names[3:])
