"""How commands speak: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import orjson

__all__ = ["print_json", "say", "scores_text"]


def print_json(value: Any) -> None:
    """The result and nothing else."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    sys.stdout.write(orjson.dumps(value, option=options).decode() + "\n")


def say(message: str) -> None:
    """A message for the person at the terminal."""
    print(message, file=sys.stderr)


def scores_text(scores: Mapping[str, Any]) -> str:
    """The headline scores of a run, a line each."""
    lines = [f"{scores['benchmark']} · {scores['model']}"]
    for name, value in scores.items():
        if isinstance(value, Mapping):
            lines += _intervals(name, value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            lines.append(f"  {name.replace('_', ' '):24} {_number(value)}")
    states = ", ".join(f"{count} {state}" for state, count in scores.get("states", {}).items())
    if states:
        lines.append(f"  {'states':24} {states}")
    if isinstance(scores.get("prompt"), str):
        lines.append(f"  {'prompt':24} {scores['prompt']}")
    control = scores.get("control_question")
    if control:
        verdict = "" if control["understood"] else ": it does not seem to understand the pictures"
        right = f"{control['right']} of {control['asked']} right{verdict}"
        lines.append(f"  {'control question':24} {right}")
    if scores.get("flagged_cells"):
        lines.append(f"  {'flagged cells':24} {len(scores['flagged_cells'])}")
    for name, reason in scores.get("undefined", {}).items():
        lines.append(f"  {name.replace('_', ' '):24} – ({reason})")
    return "\n".join(lines)


def _intervals(name: str, value: Mapping[str, Any]) -> list[str]:
    """A line for a score with an interval, or for each such score in a group of them."""
    if "value" not in value or "low" not in value:
        inner = ((k, v) for k, v in value.items() if isinstance(v, Mapping) and "low" in v)
        return [line for key, one in inner for line in _intervals(f"{name} {key}", one)]
    low, high = _number(value.get("low")), _number(value.get("high"))
    return [f"  {name.replace('_', ' '):24} {_number(value['value'])} [{low}, {high}]"]


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return f"{value}" if isinstance(value, int) else f"{value:.4f}"
