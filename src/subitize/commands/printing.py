"""How commands speak: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import orjson
import typer

from subitize.errors import BadInput
from subitize.reports.cells import COUNT, OUTSIDE, as_score, text, told

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


MARK = "†"
"""on what lies outside its own interval"""
NESTED = ("help", "backoff", "pictures_by_task")
"""scores whose parts hold scores that belong to the headline"""


def scores_text(scores: Mapping[str, Any]) -> str:
    """The headline scores of a run, a line each."""
    told_: dict[str, str] = {}
    for name, value in scores.items():
        if name != "format":  # of the file
            told_ |= _numbers(name, value)
    told_ |= _verdicts(scores)
    states = scores.get("states", {})
    told_["states"] = ", ".join(f"{many:,} {state}" for state, many in states.items())
    told_["prompt"] = scores["prompt"] if isinstance(scores.get("prompt"), str) else ""
    if control := scores.get("control_question"):
        verdict = "" if control["understood"] else ": it does not seem to understand the pictures"
        told_["control question"] = f"{control['right']:,} of {control['asked']:,} right{verdict}"
    if weights := scores.get("cue_weights"):
        told_["cue weights angle"] = f"{weights['angle']:.1f}° from number alone"
    if doubts := scores.get("counter_doubts"):
        told_["warning"] = f"in {doubts['pictures']:,} pictures: {doubts['why']}"
    if (missing := scores.get("missing_pictures")) and missing["count"]:
        more = ", …" if missing["count"] > len(missing["first"]) else ""
        named = f"{', '.join(missing['first'])}{more}"
        told_["missing pictures"] = f"{missing['count']:,} left out: {named}; run.json lists them"
    told_ |= _left_out(scores)
    if scores.get("flagged_cells"):
        told_["flagged cells"] = f"{len(scores['flagged_cells']):,}"
    alike: dict[str, list[str]] = {}
    for name, reason in scores.get("undefined", {}).items():
        alike.setdefault(reason, []).append(name)
    told_ |= {", ".join(names): f"– ({reason})" for reason, names in alike.items()}
    lines = [f"  {name.replace('_', ' '):24} {said}" for name, said in told_.items() if said]
    if any(said.endswith(MARK) for said in told_.values()):
        lines.append(f"  {MARK} {OUTSIDE}")
    return "\n".join([f"{scores['benchmark']} · {scores['model']}", *lines])


def _marked(score: Any, form: str) -> str:
    """A score as text; one outside its own interval bears a mark."""
    known = as_score(score)
    ends = [end for end in (known.low, known.value, known.high) if end is not None]
    outside = len(ends) == 3 and sorted(ends) != ends
    return f"{told(score, form)} {MARK}" if outside else told(score, form)


def _left_out(scores: Mapping[str, Any]) -> dict[str, str]:
    """Items with faults, and those that could not be asked for one."""
    found = {}
    if faults := (scores.get("broken") or {}).get("faults"):
        told_ = ", ".join(f"{many:,} {name}" for name, many in faults.items())
        found["broken items"] = f"{scores['broken']['items']:,}: {told_}"
    if unusable := scores.get("unusable"):
        first = scores.get("unusable_first", {})
        found["not asked"] = "; ".join(
            f"{many:,} {name}" + (f" (the first: {first[name][0]})" if first.get(name) else "")
            for name, many in unusable.items()
        )
    return found


def _verdicts(scores: Mapping[str, Any]) -> dict[str, str]:
    """What tests say, in words."""
    found = {}
    if null := scores.get("category_null"):
        found["category null"] = (
            f"{null['verdict']} (alike ones have {null['null_mean']:.4f}, p {text(null['p'], 'p')})"
        )
    if (spread := scores.get("scalar_variability")) and spread["slope"] is not None:
        said = [f"{spread['verdict']} (slope {spread['slope']:.2f}, p {text(spread['p'], 'p')})"]
        if rounded := spread.get("rounded_observer"):
            expected = f"{rounded['expected']:.2f}, p {text(rounded['p'], 'p')}"
            said.append(f"{rounded['verdict']} (expected {expected})")
        found["scalar variability"] = "; ".join(said)
    if note := scores.get("weber_fraction_note"):
        found["weber fraction note"] = note
    if level := scores.get("knower_level"):
        chance = level["posterior"][level["level"]]
        found["knower level"] = f"{level['level']:,} (posterior {chance:.2f})"
    return found


def partial_text(scores: Mapping[str, Any]) -> str:
    """The same of a run that stopped early: marked, and no table where nothing was read."""
    answered = scores.get("asked", 0) - scores.get("failed", 0)
    head = f"{scores['benchmark']} · {scores['model']} (partial: {answered:,} answered)"
    states = scores.get("states") or {}
    if not states.get("read"):
        told_ = ", ".join(f"{many:,} {state}" for state, many in states.items())
        return f"{head}\n  nothing was read{': ' + told_ if told_ else ''}"
    return "\n".join([head, *scores_text(scores).splitlines()[1:]])


def _numbers(name: str, value: Any) -> dict[str, str]:
    """A score or number as text, or each score in a group of them."""
    if name in NESTED and isinstance(value, Mapping):
        parts = (_numbers(f"{name} {key}", inner) for key, inner in value.items())
        return {key: said for part in parts for key, said in part.items()}
    if isinstance(value, Mapping) and "low" not in value:
        inner = (
            (k, v)
            for k, v in value.items()
            if isinstance(v, Mapping) and "low" in v and v.get("value") is not None
        )
        return {f"{name} {key}": _marked(one, ".4f") for key, one in inner}
    if name == "parameters" and value is not None:
        return {name: _size(float(value))}
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or isinstance(value, float | Mapping):
        return {name: _marked(value, COUNT if whole else ".4f")}
    return {}


def _size(billions: float) -> str:
    """How many parameters, as people say it.

    >>> _size(7.06), _size(0.124), _size(0.000046885)
    ('7.06 billion', '124 million', '46,885')
    """
    times, unit = (1, "billion") if billions >= 1 else (1e3, "million")
    return f"{billions * times:.3g} {unit}" if billions >= 1e-3 else f"{billions * 1e9:,.0f}"


def pairs(given: list[str]) -> dict[str, str]:
    """KEY=VALUE settings; dashes in a key are underscores."""
    found: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--set {pair!r} is not of the form KEY=VALUE.")
        found[key.strip().replace("-", "_")] = value
    return found
