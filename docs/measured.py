"""Pages of the documentation that are made from what was measured and committed as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTE = "<!-- written by docs/generate.py: change the code, then run it again -->\n\n"
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
        (
            f"{machines} machine{'s' * (machines > 1)} of {cores} core{'s' * (cores > 1)}",
            machines * cores,
        )
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
A small image–text model of our own (up to {weights:,} weights), trained from nothing on the probe's
[scenes](probe.md) and computed in NumPy: no torch, no download. `numbernet/base` matches sentences
and answers questions; further trainings by their seed: {further}.

```
subitize run probe --model numbernet/base
subitize run probe --model numbernet/even-any-words --set answers=flat
rm docs/numbernet.json && make numbernet   # trains all of them anew, {minutes:.0f} CPU minutes
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
all tests are any wrong numbers at most five from the right one.

"""
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


def _spent(seed: dict[str, Any]) -> float:
    """CPU seconds of all trainings of a seed."""
    own = sum(made["cpu_seconds"] for made in seed["configurations"].values())
    return float(sum(seed["cpu_seconds"].values()) + own)


def numbernet() -> str:
    """Our own model: what it is and what its trainings gave, from the committed file."""
    found = list(json.loads((HERE / "numbernet.json").read_text(encoding="utf-8")).values())
    first = found[0]["configurations"]
    further = ", ".join(f"`?seed={one['seed']}`" for one in found[1:])
    largest = max(one["weights"] for one in first.values())
    parts = [
        "# numbernet\n\n" + NOTE,
        NUMBERNET.format(
            weights=largest, seeds=len(found), further=further, minutes=sum(map(_spent, found)) / 60
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


def _spread(values: list[float]) -> str:
    """Mean and ends."""
    low, mean, high = min(values), sum(values) / len(values), max(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]" if len(values) > 1 else f"{mean:.3f}"
