"""Write the parts of the documentation that the code knows better: `python docs/generate.py`.

A test fails when the written files differ from what this gives.
"""

from __future__ import annotations

import json

from measured import HERE, NOTE, captions_measured, numbernet
from typer.testing import CliRunner

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark
from subitize.cli import COMMANDS, LazyGroup, root
from subitize.commands.about_benchmarks import settings_of
from subitize.commands.recipes import shown
from subitize.measures import MEASURES
from subitize.models.base import METHODS
from subitize.models.catalog import FAMILIES
from subitize.published.references import REFERENCES
from subitize.score_keys import KEYS


def help_of(*words: str) -> str:
    result = CliRunner().invoke(
        root, [*words, "--help"], env={"COLUMNS": "100"}, prog_name="subitize"
    )
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
        parts.append("| setting | default | meaning |\n|---|---|---|\n")
        for one in settings_of(found):
            meaning = one.meaning.replace("|", "\\|")
            parts.append(f"| `{one.name}` | {one.default or '(empty)'} | {meaning} |\n")
        for profile, given in found.PROFILES.items():
            words = " ".join(f"{name}={shown(value)}" for name, value in given.items())
            parts.append(f"\n`--profile {profile}`: {words or 'the settings as they are'}\n")
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
    parts += [f"- `{name}`: {one.says} ({one.source})\n" for name, one in MEASURES.items()]
    parts.append("\n| measure | formula | unit | best | where |\n|---|---|---|---|---|\n")
    for name, measure in MEASURES.items():
        formula = measure.formula.replace("|", "\\|").replace("\n", " ")
        unit, best = measure.unit.replace("|", "\\|"), str(measure.best).replace("|", "\\|")
        parts.append(f"| {name} | {formula} | {unit} | {best} | `{measure.where}` |\n")
    works = [f"- {work.rstrip('.')}.\n" for work in sorted(REFERENCES.values())]
    parts += [INTERVALS, coverage(), probe_coverage(), sizes(), MODELS]
    return "".join([*parts, "\n## References\n\n", *works])


INTERVALS = """
## Intervals

All intervals are of 95 %. A mean (accuracy, NAE, sMAPE, MAE, MAPE, the mean square behind RMSE, a
difference on the same pictures) has the interval of `measures/intervals.py`: its usual part plus
what exceptions add and take away, each with a gamma interval (a little wider than the mid-p one,
which holds a count of 3 expected errors in .917 of runs only), trials drawn within category ×
target. Where no error was seen, the interval reaches to the largest mean that one run of twenty
would not have shown (3.1 errors in all trials). How large an error never seen is nobody knows:
where there is a worst one (sMAPE: 100, a skip) it is taken as that, else as off by one; NAE, MAE,
MAPE and RMSE have no interval then with fewer than five trials per cell. Few
trials in a cell do not tell its spread well: with Satterthwaite's degrees of freedom t takes the
place of z. A likeness has the interval of `measures/likeness_interval.py`, around the correlation
without the noise that pulls it towards 0, so it need not hold the value; noise in the influences is
taken out once, and its end nearer to 0 lies where both orders of r's change go together (z A + b v
(z² + 1), A the first order, b v the second in one direction). The category consistency has none:
the smallest of several noisy correlations lies below the truth; `category_null` says what
categories answered alike would give. MAE, RMSE and MAPE stand beside NAE and sMAPE because the
literature on counting uses them; nobody is ranked by them.

What an interval can't know is how large a mistake is that was never made: of a responder who says
200 once in a hundred trials, runs without such an answer (8 % of runs with 5 trials per cell) have
an NAE whose interval does not hold the truth. A likeness whose truth is 1, its very bound, is held
nearly always, as is that of a responder who errs at one or two numbers alone, there about half of
the time: its r hardly changes with how often, so the interval reaches as far down as chance can
bring r up (300 runs each with 5, 10, 20 and 50 trials per cell, right but for 11 in half of the
answers to 10: held in all; for one more in half of those to 7 and 9: 1, 1, .937, .973). An NAE with
rare enormous errors (100 in one of 200 trials) is held in .70 of runs with 5 trials per cell, in
.29 of which none was seen, and in .98 with 20. A few errors of several sizes (right in 97 %, else
any number from 1 to 20; 500 runs each) are held in .95, .96 and .93 with 2, 5 and 20 trials per
cell, but their RMSE in .91, .88 and .94; with 5 trials per cell a category by itself has 1.5 such
errors, too few to tell their size: its NAE is held in .7. Close to 1 one cell of the table holds
more than it must (two kinds of observer with empty cells, 5 trials: .981). Where fewer than five
exceptions to the usual answer are expected (always 4 with 3 % of 5, rare errors), with two trials
per cell, and for NAE and sMAPE of small errors made at large numbers only (observer w .03),
intervals hold more often than they promise. Where only runs with an error have an interval (NAE,
MAE and RMSE, two trials per cell), those are the unlucky ones, and of rare errors it holds less
often among them; over all runs nothing false is said more often than promised.

"""
MODELS = """
## Models of the responder

`observer_with_bias`: μ = a t^β, σ = w μ, lapses λ and a limit L, fitted by maximum likelihood, with
profile intervals, the likelihood ratio test of a = β = 1 and the goodness of fit G² with its p from
200 parametric bootstrap samples (targets up to 50). `weber_fraction` is that of the observer
without bias; `weber_fraction_note` says where it does not fit or takes up a bias.
`scalar_variability` holds the paper's test of the slope against 1 and, under `rounded_observer`,
the comparison with the fitted observer who says whole numbers. With few errors (an observer of
w .03) that test rejects less often than it may: 5 of 350 simulated runs at 20 trials per cell.
`knower_level` is the posterior of
Lee and Sarnecka's (2011) model beside the paper's rule, `anchoring` the share of the modal answer
beyond its base rate, `effort` what an answer costs in tokens by number; the seconds stand beside it
in the report.

`cue_weights` (runs with `--set cues=orthogonal`): log₂ answer = b₀ + b_n log₂ number + b_s log₂
size + b_p log₂ spacing by least squares (DeWind, Adams, Platt and Brannon 2015), size and spacing
as the pictures were asked for. Errors are clustered by picture; intervals are those of t with one
degree less than there are pictures (compared with statsmodels). `angle` is that of the three slopes
to (1, 0, 0) in degrees: 0 for who goes by number alone, 45 for who goes half by size. Answers of 0
have no logarithm and are left out (`left_out`). Who never errs has no interval. The namer
`sim/cues?size=0.5` is recovered.

## Comparing models

`subitize compare RUN RUN…` and `subitize.compare` take differences picture by picture: exact
McNemar test for accuracy, sign flips for NAE and sMAPE, Holm's correction over all pairs and
measures; pictures that either could not be read on are left out and, for accuracy and sMAPE, also
counted wrong. Several answers about one picture count as one, by their mean. What stands for a
picture: CAPTURE's totals behind the occluder, a prompt of GeckoNum, a picture of the probe's task.
`measures.paired.trials_needed` says how many pictures tell two models apart,
`measures.planning.expected_widths` how wide intervals will be.
"""


def coverage() -> str:
    """The table of what intervals cover, from the committed file."""
    table = json.loads((HERE / "coverage.json").read_text(encoding="utf-8"))
    scores = ("accuracy", "nae", "smape", "mae", "rmse", "human_correlation")
    runs = {cell["runs"] for row in table.values() for cell in row.values()}
    many = " to ".join(f"{one:,}" for one in sorted({min(runs), max(runs)}))
    parts = [
        f"How often they hold the truth (`python -m bench coverage`, {many} "
        "simulated runs per cell, five categories, targets 1 to 10; standard error at .95: "
        f"{(0.95 * 0.05 / min(runs)) ** 0.5:.3f}; “of” says which share of runs has one):\n\n",
        f"| responder | per cell | {' | '.join(scores)} |\n|---|---|{'---|' * len(scores)}\n",
    ]
    for name, row in table.items():
        for per_cell, cell in row.items():
            held = " | ".join(_held(cell[score]) for score in scores)
            parts.append(f"| {name} | {per_cell} | {held} |\n")
    return "".join(parts)


def _held(one: dict[str, float | None]) -> str:
    """A coverage, and of how many runs where some have no interval."""
    if one["coverage"] is None:
        return "no interval"
    share, given = (f"{one[part]:.3f}".lstrip("0") for part in ("coverage", "given"))
    return share if one["given"] == 1 else f"{share} of {given}"


def sizes() -> str:
    """The table of how often tests reject what is true, from the committed file."""
    table = json.loads((HERE / "sizes.json").read_text(encoding="utf-8"))
    lines = [(name, per, row) for name, rows in table.items() for per, row in rows.items()]
    tests = [key for key in lines[0][2] if key != "runs"]
    errors = {
        many: (0.05 * 0.95 / many) ** 0.5 for many in sorted({row["runs"] for *_, row in lines})
    }
    told = ", ".join(f"{error:.3f} at {many:,} runs" for many, error in errors.items())
    parts = [
        "\nHow often tests reject a null that is true in simulated runs (`python -m bench sizes`; "
        f".05 is meant, with a standard error of {told}):\n\n",
        f"| responder | per cell | runs | {' | '.join(tests)} |\n",
        f"|---|---|---|{'---|' * len(tests)}\n",
    ]
    for name, per_cell, row in lines:
        shares = " | ".join(f"{row[test]:.3f}".lstrip("0") for test in tests)
        parts.append(f"| {name} | {per_cell} | {row['runs']} | {shares} |\n")
    return "".join(parts)


def probe_coverage() -> str:
    """The same of the probe's intervals, which know that a picture's sentences go together."""
    table = json.loads((HERE / "coverage_probe.json").read_text(encoding="utf-8"))
    parts = [
        "\nThe probe's intervals (`python -m bench coverage_probe`): simulated matchers with three "
        "foils per item (by item: the foils of a picture are judged alike) and a filler. A share's "
        "is never held to be worth more sentences than there are, which makes that of precisions "
        "too wide; a bootstrap over pictures held acc_r near 1 in 81 % of runs with 30 items, not "
        "in 95 %.\n\n| responder | items | runs | held |\n|---|---|---|---|\n"
    ]
    for name, row in table.items():
        for items, cell in row.items():
            held = ", ".join(
                f"{score} {one['coverage']:.3f}".replace(" 0.", " .")
                for score, one in cell.items()
                if score != "runs"
            )
            parts.append(f"| {name} | {items} | {cell['runs']} | {held} |\n")
    return "".join(parts)


def scores() -> str:
    parts = ["# Scores\n\n" + NOTE]
    parts.append(
        "The keys of scores.json, and so of `subitize score --json`. A number with an interval is "
        "`{value, low, high, trials, states}`: its 95 % interval, on how many trials it stands, "
        "and how the answers ended that it could have been made of; a difference of two has no "
        "`states`. What can't be computed on a run is null, with the reason under `undefined`."
        "\n\n| key | meaning |\n|---|---|\n"
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
    "captions-measured.md": captions_measured,
    "numbernet.md": numbernet,
}

if __name__ == "__main__":
    for file, write in PAGES.items():
        (HERE / file).write_text(write(), encoding="utf-8")
