"""How commands speak: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import orjson
import typer

from subitize.errors import BadInput
from subitize.reports.cells import COUNT, told

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
BaseUrl = Annotated[str | None, typer.Option(help="Address of the model's server.")]
KeyEnv = Annotated[str | None, typer.Option(help="Environment variable with the key.")]
Concurrency = Annotated[int | None, typer.Option(help="Calls under way at once.")]
Budget = Annotated[int | None, typer.Option(help="Send at most N requests in all.")]


Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]


def group(about: str) -> typer.Typer:
    """Commands under one name."""
    made = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
    # Without a callback a group of one command would be that command.
    made.callback(help=about)(lambda: None)
    return made


def show(result: Any, text: str, json: bool) -> None:
    """The result of a command: as JSON, or as text."""
    if json:
        print_json(result)
    else:
        print(text)
    # What is said after it on stderr comes after it on the screen too.
    sys.stdout.flush()


def print_json(value: Any) -> None:
    """The result and nothing else."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    sys.stdout.write(orjson.dumps(value, option=options).decode() + "\n")


def say(message: str) -> None:
    """A message for the person at the terminal."""
    print(message, file=sys.stderr)


NESTED = ("help", "backoff", "pictures_by_task")
"""scores whose parts hold scores that belong to the headline"""


def scores_text(scores: Mapping[str, Any]) -> str:
    """The headline scores of a run, a line each."""
    told_: dict[str, str] = {}
    for name, value in scores.items():
        if name != "format":  # of the file
            told_ |= _numbers(name, value)
    states = scores.get("states", {})
    told_["states"] = ", ".join(f"{many} {state}" for state, many in states.items())
    told_["prompt"] = scores["prompt"] if isinstance(scores.get("prompt"), str) else ""
    if control := scores.get("control_question"):
        verdict = "" if control["understood"] else ": it does not seem to understand the pictures"
        told_["control question"] = f"{control['right']} of {control['asked']} right{verdict}"
    if weights := scores.get("cue_weights"):
        told_["cue weights angle"] = f"{weights['angle']:.1f}° from number alone"
    if doubts := scores.get("counter_doubts"):
        told_["warning"] = f"in {doubts['pictures']} pictures: {doubts['why']}"
    if scores.get("flagged_cells"):
        told_["flagged cells"] = str(len(scores["flagged_cells"]))
    for name, reason in scores.get("undefined", {}).items():
        told_[name] = f"– ({reason})"
    lines = [f"  {name.replace('_', ' '):24} {said}" for name, said in told_.items() if said]
    return "\n".join([f"{scores['benchmark']} · {scores['model']}", *lines])


def partial_text(scores: Mapping[str, Any]) -> str:
    """The same of a run that stopped early: marked, and no table where nothing was read."""
    answered = scores.get("asked", 0) - scores.get("failed", 0)
    head = f"{scores['benchmark']} · {scores['model']} (partial: {answered:,} answered)"
    states = scores.get("states") or {}
    if not states.get("read"):
        told_ = ", ".join(f"{many} {state}" for state, many in states.items())
        return f"{head}\n  nothing was read{': ' + told_ if told_ else ''}"
    return "\n".join([head, *scores_text(scores).splitlines()[1:]])


def _numbers(name: str, value: Any) -> dict[str, str]:
    """A score or number as text, or each score in a group of them."""
    if name in NESTED and isinstance(value, Mapping):
        parts = (_numbers(f"{name} {key}", inner) for key, inner in value.items())
        return {key: said for part in parts for key, said in part.items()}
    if isinstance(value, Mapping) and "low" not in value:
        inner = ((k, v) for k, v in value.items() if isinstance(v, Mapping) and "low" in v)
        return {f"{name} {key}": told(one, ".4f") for key, one in inner}
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or isinstance(value, float | Mapping):
        return {name: told(value, COUNT if whole else ".4f")}
    return {}


def pairs(given: list[str]) -> dict[str, str]:
    """KEY=VALUE settings; dashes in a key are underscores."""
    found: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--set {pair!r} is not of the form KEY=VALUE.")
        found[key.strip().replace("-", "_")] = value
    return found
