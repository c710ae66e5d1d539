"""Write the parts of the documentation that the code knows better: `python docs/generate.py`.

A test fails when the written files differ from what this gives.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
from subitize.stimuli.probe import DRAWING_VERSION

HERE = Path(__file__).parent
NOTE = "<!-- written by docs/generate.py: change the code, then run it again -->\n\n"


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
taken out once. The category consistency has none:
the smallest of several noisy correlations lies below the truth; `category_null` says what
categories answered alike would give. MAE, RMSE and MAPE stand beside NAE and sMAPE because the
literature on counting uses them; nobody is ranked by them.

What an interval can't know is how large a mistake is that was never made: of a responder who says
200 once in a hundred trials, runs without such an answer (8 % of runs with 5 trials per cell) have
an NAE whose interval does not hold the truth. A likeness whose truth is 1, its very
bound, is held nearly always. Where fewer than five exceptions to the usual answer are expected
(always 4 with 3 % of 5, rare errors), intervals hold more often than they promise.

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
    parts = [
        f"How often they hold the truth (`python -m bench coverage`, {min(runs)} to {max(runs)} "
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
        "`{value, low, high, trials}`; what can't be computed on a run is null, with the reason "
        "under `undefined`.\n\n| key | meaning |\n|---|---|\n"
    )
    for key, meaning in KEYS.items():
        parts.append(f"| `{key}` | {meaning.replace('|', chr(92) + '|')} |\n")
    return "".join(parts)


MEASURED = """\
`python -m bench captions` and `python -m bench captions_ray` on two shared cores, with the highest
priority, so that others there had to wait. The load tells how many processes wanted the cores at
the end of a measurement; single runs differ by a tenth or more. Two processes share the work by
row groups, or by slices of a lone one. They are timed from when both are ready to the last unit
stored, each with an empty cache; of the whole command at a million captions, start and fit, which
nobody can share, are about half.
`ROWS` and `WIDE` set the sizes.

"""
LOSSES = """
## Losses on Ray

`SUBITIZE_KILLS=5 python -m pytest tests/ray -k survive`: two nodes on one machine, two workers;
something is killed once so many units (row groups) or responses are stored. Each time the command,
or for a lost driver the same command again, came to its end with the results of the local engine.

| lost | command | times | stored when it was lost | asked again, at most | seconds to the end |
|---|---|---|---|---|---|
"""


def captions_measured() -> str:
    """What counting captions costs, from the committed files."""
    found = json.loads((HERE / "captions_bench.json").read_text(encoding="utf-8"))
    speed, large, ray = (found[k] for k in ("speed", "large", "ray"))
    start = ray["seconds_to_start"]
    spacy = f"times a spaCy pipeline of the small model's sizes ({speed['spacy']:,} a second)"
    told = [
        (speed, "captions per CPU second, one core, tagger on", speed["per_cpu_second"], 280_000),
        (speed, spacy, speed["times"], speed["aim"]),
        (speed, "share of windows known to the cache", speed["hits"], 0.6),
        *(
            line
            for two in (found["two_at_a_million"], found["two_processes"])
            for line in _two(two)
        ),
        (large, "peak memory of driver and two processes, MB", large["peak_mb"], large["aim_mb"]),
        (
            large,
            "CPU per row from 5 M up to these rows over that of 1 M",
            large["of_linear"],
            "",
        ),
        *((one, _ray_cpu(one), one["times"], one["aim"]) for one in (found["ray_small"], ray)),
        (ray, "seconds until Ray's first unit: cluster and workers start", start["ray"], ""),
        (ray, "the same of the local engine", start["local"], ""),
    ]
    parts = [
        "# Counting captions: what was measured\n\n" + NOTE,
        MEASURED,
        "| what | rows | measured | aim | load |\n|---|---|---|---|---|\n",
        *(f"| {w} | {p['rows']:,} | {m:,} | {_aim(a)} | {p['load']} |\n" for p, w, m, a in told),
        _laion(found["costs"], start["ray"]),
        _kills(),
    ]
    return "".join(parts)


def _two(two: dict[str, Any]) -> list[tuple[dict[str, Any], str, float, float | str]]:
    """Two processes against one: by the clock, by CPU, and the whole command."""
    turns = ", ".join(map(str, two["ratios"]))
    one, both = two["whole"]
    clock = f"two processes against one by the clock, without their start, median of {turns}"
    often = "medians of five" if "whole_median" in two else "once"
    whole = f"the same of the whole command, {often} ({one} s against {both} s)"
    return [
        (two, clock, two["median"], two["aim"]),
        (two, "CPU of two processes over that of one, without their start", two["cpu"], ""),
        (two, whole, two.get("whole_median", round(one / both, 2)), ""),
    ]


def _ray_cpu(one: dict[str, Any]) -> str:
    both = f"Ray's CPU ({one['ray_cpu']} s) over the local engine's ({one['local_cpu']} s)"
    return f"{both}, one run each, driver and two workers, first to last unit"


def _aim(aim: float | str) -> str:
    return f"{aim:,}" if aim else ""


def _laion(costs: dict[str, float], start: float) -> str:
    """LAION-400M on one machine and on ten, worked out from what a caption costs."""
    captions, share = 400e6, 0.25
    seconds = captions * ((1 - share) * costs["scan"] + share * costs["look"]) / 1e6
    lines = [
        (f"{machines} machine{'s' * (machines > 1)} of {cores} cores", machines * cores)
        for machines, cores in ((1, 1), (1, 2), (1, 16), (10, 2), (10, 16))
    ]
    return (
        "\n## LAION-400M\n\n"
        f"CPU microseconds for a caption, read from Parquet: {costs['scan']} without a number, "
        f"{costs['window']} where a small window decides, {costs['look']} where all of it must be "
        "looked at (capitals, names, units, several numbers). If a quarter of 400 million captions "
        "hold a number and all of those need the long look, that is 300 M × "
        f"{costs['scan']} µs + 100 M × {costs['look']} µs = {seconds:,.0f} CPU seconds. With all "
        f"cores busy (starting a cluster, {start:.0f} s here, apart):\n\n"
        "| on | minutes |\n|---|---|\n"
        + "".join(f"| {name} | {seconds / cores / 60:.1f} |\n" for name, cores in lines)
    )


def _kills() -> str:
    """What was lost on Ray, and what came of it."""
    found = json.loads((HERE / "ray_kills.json").read_text(encoding="utf-8"))
    parts = [LOSSES]
    for lost, command in dict.fromkeys((one["lost"], one["command"]) for one in found):
        own = [one for one in found if (one["lost"], one["command"]) == (lost, command)]
        stored = ", ".join(str(one["stored_before"]) for one in own)
        whole, again = own[0]["stored_after"], max(one["asked_again"] for one in own)
        took = f"{min(one['seconds'] for one in own):.0f} to {max(o['seconds'] for o in own):.0f}"
        parts.append(
            f"| {lost} | {command} | {len(own)} | {stored} of {whole} | {again} | {took} |\n"
        )
    return "".join(parts)


NUMBERNET = """\
A small image–text model of our own ({weights:,} weights), trained from nothing on the probe's
[scenes](probe.md) and computed in NumPy: no torch, no download. `numbernet/base` matches sentences
and answers questions; further trainings by their seed: {further}.

```
subitize run probe --model numbernet/base
subitize run probe --model numbernet/even-any-words --set answers=flat
rm docs/numbernet.json && make numbernet      # trains all of them anew, about 15 CPU minutes
```

Seeds that are in `numbernet.json` are left as they are; `SUBITIZE_SEEDS=0` trains the first only.

**How it works.** A picture is reduced to 64 × 64 pixels. The *eye*, three convolutions, says of
each of 16 × 16 cells whether the centre of a thing lies in it, what it is and which colour it has;
the 48 likeliest cells are kept with their places. The words of a phrase (kinds, colours and sides
of the tree; their order does not matter, other words are not known) weigh these regions, what is
left is summed up, and a head says how well a number fits the sum. The head of *number words* has
weights of its own for each number; the *number line* reads one magnitude m and scores n by
b − s (log(1 + m) − log(1 + n))². A sentence with several claims, as captions have, is worth its
weakest claim; the answer to a question is the number that fits best.

**How it is trained.** The eye comes first, from plain and hard scenes of training: what is in which
cell. It is shown no number, no question and no sentence, but scenes with odd and even numbers of
things. Then it stays as it is (as the regions of LXMERT and ViLBERT do), and the rest learns the
probe: right sentence against three foils, binary cross-entropy. `base` learns the standard split,
`hard` the hard one (answers to 20, capped at 200, 40 stones as clutter), the `even-…` ones the
interpolated split: right numbers are even, and foils are any (odd numbers occur, but only as wrong
ones) or even (odd numbers do not occur).

**What came out** (`numbernet.json`, made by `make numbernet`): acc_r and share of right answers on
scenes that were not trained, mean over {seeds} seeds and, in brackets, lowest and highest. Foils in
all tests are any wrong numbers at most five from the right one. {drawings}

"""
BEFORE_VERSION_2 = "14d4ccbe5"
"""commit of the trainings on version 1 of the drawings"""
SHOWN = (
    "\nWhat the four cells show: trained on even numbers with a head of number words, the network "
    "recognises even numbers and fails on odd ones. Where odd numbers occur as foils it takes them "
    "for wrong and says the even neighbour; where they do not occur, it does not know their words. "
    "(How often it names one all the same hangs on the seed: see the brackets.) "
    "With a number line it does on odd numbers what it does on even ones, with either foils. So "
    "here it is the head that decides whether counting carries over to numbers that were not "
    "trained, and foils decide how a head of number words fails. This is one small network whose "
    "eye was trained on scenes with any number of things; it says nothing about why larger models "
    "fail.\n\nThe hard split is much harder here, too. It differs in several ways at once (numbers "
    "to 20, stones, fewer items, smaller and more crowded things), so this does not tell which of "
    "them it is.\n\nOutside of such scenes it is not worth much: it knows nine kinds of things in "
    "five colours on white. `subitize run naming --model numbernet/base` runs, and most of its "
    "answers are wrong: people, dots and cards are nothing that it was trained on, and the apples "
    "and butterflies there come in other sizes and looks.\n\n"
)


def numbernet() -> str:
    """Our own model: what it is and what its trainings gave, from the committed file."""
    found = list(json.loads((HERE / "numbernet.json").read_text(encoding="utf-8")).values())
    first = found[0]["configurations"]
    further = ", ".join(f"`?seed={one['seed']}`" for one in found[1:])
    largest = max(one["weights"] for one in first.values())
    parts = [
        "# numbernet\n\n" + NOTE,
        NUMBERNET.format(
            weights=largest, seeds=len(found), further=further, drawings=_drawings(found)
        ),
    ]
    parts.append(
        "| model | split | foils in training | head | asked | acc_r | right answers | "
        "mean error |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    for name, made in first.items():
        asked = ("test",) if made["split"] != "interpolated" else ("even", "odd")
        for part in asked:
            tests = [one["configurations"][name]["test"][part] for one in found]
            shown = [_spread([t[key]["value"] for t in tests]) for key in ("acc_r", "naming")]
            error = _spread([t["mean_error"] for t in tests])
            what = f"{made['split']}, {tests[0]['items']:,} items" if part == "test" else part
            head = f"number {made['head']}"
            lead = f"| `numbernet/{name}` | {made['split']} | {made['foils']} | {head} | {what}"
            parts.append(f"{lead} | {' | '.join(shown)} | {error} |\n")
    parts += [SHOWN, "| seed | commit | drawing | eye | regions | numbers, each of six |\n"]
    parts.append("|---|---|---|---|---|---|\n")
    for one in found:
        cpu = one["cpu_seconds"]
        own = [made["cpu_seconds"] for made in one["configurations"].values()]
        spent = " | ".join(f"{cpu[key]:.0f}" for key in ("drawing", "eye", "looking"))
        parts.append(
            f"| {one['seed']} | `{one['commit'][:9]}` | {spent} | {min(own):.0f} to "
            f"{max(own):.0f} |\n"
        )
    return "".join([*parts, "\nCPU seconds of one core; drawing and eye serve all six.\n"])


def _drawings(found: list[dict[str, Any]]) -> str:
    """By which version of the scenes it was trained; the first trainings did not write it down."""
    old = sum(one["commit"].startswith(BEFORE_VERSION_2) for one in found)
    if not old:
        return f"Trained and tested on version {DRAWING_VERSION} of the drawings, the present one."
    return (
        f"{old} of {len(found)} were trained and tested on version 1 of the drawings,\nbefore "
        "`identical=off` made sure that no two things asked for are alike."
    )


def _spread(values: list[float]) -> str:
    """Mean and ends."""
    low, mean, high = min(values), sum(values) / len(values), max(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]" if len(values) > 1 else f"{mean:.3f}"


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
