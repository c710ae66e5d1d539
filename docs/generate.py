"""Write the parts of the documentation that the code knows better: `python docs/generate.py`.

A test fails when the written files differ from what this gives.
"""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.cli import COMMANDS, LazyGroup, root
from subitize.measures import MEASURES
from subitize.models.base import METHODS
from subitize.models.catalog import FAMILIES
from subitize.score_keys import KEYS

HERE = Path(__file__).parent
NOTE = "<!-- written by docs/generate.py: change the code, then run it again -->\n\n"


def help_of(*words: str) -> str:
    result = CliRunner().invoke(root, [*words, "--help"], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


def commands() -> str:
    parts = ["# Commands\n\n" + NOTE + "```\n" + help_of() + "\n```\n"]
    group = LazyGroup(name="subitize")
    for name in COMMANDS:
        parts.append(f"\n## subitize {name}\n\n```\n{help_of(name)}\n```\n")
        inner = getattr(group.get_command(None, name), "commands", {})
        for sub in inner:
            parts.append(f"\n### subitize {name} {sub}\n\n```\n{help_of(name, sub)}\n```\n")
    return "".join(parts)


def benchmarks() -> str:
    parts = ["# Benchmarks\n\n" + NOTE]
    for name in BENCHMARKS:
        found = get_benchmark(name)
        parts.append(f"## {name}: {found.TITLE}\n\n{found.PAPER.citation}")
        parts.append(f" doi:{found.PAPER.doi}\n\n")
        parts.append(f"- asks a {' or a '.join(found.KINDS)}; version {found.VERSION}\n")
        parts.append(f"- readers: {', '.join(found.READERS)} (the first is the usual one)\n")
        parts.append(f"- scores: {', '.join(found.MEASURES)}\n\n")
        parts.append("Settings (`--set NAME=VALUE`) and their defaults:\n\n")
        parts.append("| setting | default |\n|---|---|\n")
        for field in found.SETTINGS.__dataclass_fields__.values():
            default = field.default
            shown = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
            parts.append(f"| `{field.name}` | {shown or '(empty)'} |\n")
        parts.append("\nWhere we do otherwise than the paper, and why:\n\n")
        parts += [f"- {deviation}\n" for deviation in found.DEVIATIONS]
        parts.append("\n")
    return "".join(parts)


def models() -> str:
    parts = ["# Models\n\n" + NOTE]
    parts.append(
        "A model's name is `FAMILY/NAME?setting=value&…`; the settings are part of what it is.\n\n"
        "| kind | method |\n|---|---|\n"
    )
    parts += [f"| {kind} | `{method}` |\n" for kind, method in METHODS.items()]
    parts.append("\n| family | names | kinds | what it is |\n|---|---|---|---|\n")
    for prefix, family in FAMILIES.items():
        names = ", ".join(f"`{prefix}/{name}`" for name in family.names) or f"`{family.pattern}`"
        needs = f" Needs `pip install 'subitize[{family.extra}]'`." if family.extra else ""
        kinds = ", ".join(family.kinds)
        parts.append(f"| {prefix} | {names} | {kinds} | {family.about}.{needs} |\n")
    return "".join(parts)


def measures() -> str:
    parts = ["# Measures\n\n" + NOTE]
    parts.append("Every measure is a pure function; nothing in is an error, never 0.\n\n")
    parts.append("| measure | formula | unit | best | where |\n|---|---|---|---|---|\n")
    for name, measure in MEASURES.items():
        formula = measure.formula.replace("|", "\\|").replace("\n", " ")
        unit, best = measure.unit.replace("|", "\\|"), str(measure.best).replace("|", "\\|")
        parts.append(f"| {name} | {formula} | {unit} | {best} | `{measure.where}` |\n")
    return "".join([*parts, INTERVALS, coverage(), MODELS])


INTERVALS = """
## Intervals

All intervals are of 95 %. A mean (accuracy, NAE, sMAPE, MAE, MAPE, the mean square behind RMSE, a
difference on the same pictures) has the interval of `measures/intervals.py`: its usual part plus
what exceptions add and take away, each with a mid-p gamma interval, trials drawn within category ×
target. Where no error was seen, the interval reaches to the largest mean that one run of twenty
would not have shown (3.0 errors in all trials), an error never seen being taken as off by one. A
likeness has the interval of `measures/likeness_interval.py`, around the correlation without the
noise that pulls it towards 0, so it need not hold the value. The category consistency has none:
the smallest of several noisy correlations lies below the truth; `category_null` says what
categories answered alike would give. MAE, RMSE and MAPE stand beside NAE and sMAPE because the
literature on counting uses them; nobody is ranked by them.

What an interval can't know is how large a mistake is that was never made: of a responder who says
200 once in a hundred trials, runs without such an answer (37 % of runs with 2 trials per cell, 8 %
with 5) have an NAE whose interval does not hold the truth. A likeness whose truth is 1, its very
bound, is held nearly always.

"""
MODELS = """
## Models of the responder

`observer_with_bias`: μ = a t^β, σ = w μ, lapses λ and a limit L, fitted by maximum likelihood, with
profile intervals, the likelihood ratio test of a = β = 1 and the goodness of fit G² with its p from
200 parametric bootstrap samples (targets up to 50). `weber_fraction` is that of the observer
without bias; `weber_fraction_note` says where it does not fit or takes up a bias.
`scalar_variability` holds the paper's test of the slope against 1 and, under `rounded_observer`,
the comparison with the fitted observer who says whole numbers. `knower_level` is the posterior of
Lee and Sarnecka's (2011) model beside the paper's rule, `anchoring` the share of the modal answer
beyond its base rate, `effort` what an answer costs in seconds and tokens by number.

## Comparing models

`subitize compare RUN RUN…` and `subitize.compare` take differences picture by picture: exact
McNemar test for accuracy, sign flips for NAE and sMAPE, Holm's correction over all pairs and
measures; pictures that either could not be read on are left out and, for accuracy and sMAPE, also
counted wrong. `measures.paired.trials_needed` says how many pictures tell two models apart,
`measures.planning.expected_widths` how wide intervals will be.
"""


def coverage() -> str:
    """The table of what intervals cover, from the committed file."""
    table = json.loads((HERE / "coverage.json").read_text(encoding="utf-8"))
    scores = ("accuracy", "nae", "smape", "mae", "rmse", "human_correlation")
    runs = {cell["runs"] for row in table.values() for cell in row.values()}
    parts = [
        f"How often they hold the truth (`python -m bench coverage`, {min(runs)} to {max(runs)} "
        "simulated runs per cell, five categories, targets 1 to 10; standard error at .95: "
        f"{(0.95 * 0.05 / min(runs)) ** 0.5:.3f}):\n\n",
        f"| responder | per cell | {' | '.join(scores)} |\n|---|---|{'---|' * len(scores)}\n",
    ]
    for name, row in table.items():
        for per_cell, cell in row.items():
            held = " | ".join(f"{cell[score]['coverage']:.3f}".lstrip("0") for score in scores)
            parts.append(f"| {name} | {per_cell} | {held} |\n")
    return "".join(parts)


def scores() -> str:
    parts = ["# Scores\n\n" + NOTE]
    parts.append(
        "The keys of scores.json, and so of `subitize score --json`. A number with an interval is "
        "`{value, low, high, trials}`; what can't be computed on a run is null, with the reason "
        "under `undefined`.\n\n| key | meaning |\n|---|---|\n"
    )
    for key, meaning in KEYS.items():
        parts.append(f"| `{key}` | {meaning.replace('|', chr(92) + '|')} |\n")
    return "".join(parts)


PAGES = {
    "commands.md": commands,
    "benchmarks.md": benchmarks,
    "models.md": models,
    "measures.md": measures,
    "scores.md": scores,
}

if __name__ == "__main__":
    for file, write in PAGES.items():
        (HERE / file).write_text(write(), encoding="utf-8")
