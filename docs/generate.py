"""Write the parts of the documentation that the code knows better: `python docs/generate.py`.

A test fails when the written files differ from what this gives.
"""

from __future__ import annotations

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
