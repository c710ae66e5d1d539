"""Naming and CAPTURE: people answer the trials that models are asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.humans.items import NUMBER, Item, Question
from subitize.humans.kinds.material import (
    Example,
    Material,
    checks,
    dots,
    from_stimulus,
    known_by,
    trained,
)
from subitize.humans.study import Study
from subitize.records import Trial

NAMING = {"per_cell": 2, "size": 640, "prompt": "things", "control": False}
CAPTURE = {"variants": ("occluded",), "tasks": ("total",), "prompt": "as-if-no-box"}
WORDS = {
    "naming": (
        "You will see pictures with a few things in each. Type how many things there are.",
        "Give a whole number.",
    ),
    "capture": (
        "You will see pictures of things in a regular pattern. A black box hides a part of it.",
        "Imagine how the pattern goes on behind the box, and type how many things there are in "
        "all: those you see and those behind the box.",
    ),
}
EXAMPLES = {
    "naming": (),
    "capture": (
        Example("hidden-line.svg", "Three balls, a black box and two more balls in one row",
                "How many balls are there in all?", "7",
                "Five are to be seen, and there is room for two more behind the box."),
    ),
}  # fmt: skip


def naming_material(study: Study) -> Material:
    """Every picture of a naming run, in one form of words."""
    benchmark = get_benchmark("naming")
    settings = benchmark.settings_from({**NAMING, "seed": study.seed, **study.settings})
    trials = list(benchmark.trials("ask", settings, benchmark.ready(settings, "namer")))
    practice = [
        Item(
            f"training-{n}",
            (Question("How many things are there in the picture?", NUMBER, right=(str(n),),
                      why=f"There are {n}."),),
            partial(from_stimulus, dots("dots", n, 950)),
            "training",
        )
        for n in (3, 6)
    ]  # fmt: skip
    return _material(study, benchmark, settings, trials, practice)


def capture_material(study: Study) -> Material:
    """A random sample of CAPTURE's occluded pictures."""
    benchmark = get_benchmark("capture")
    settings = benchmark.settings_from({**CAPTURE, "seed": study.seed, **study.settings})
    trials = list(benchmark.trials("total", settings, benchmark.ready(settings, "namer")))
    practice = [
        trained(place, name, Question("How many balls are there in all?", NUMBER,
                                      right=(str(n),), why=why))
        for place, (name, n, why) in enumerate((
            ("hidden-rows.svg", 12, "There are three rows of four: the box hides two of 12."),
            ("hidden-ring.svg", 8, "The ring goes on behind the box, which hides two of 8."),
        ))
    ]  # fmt: skip
    return _material(study, benchmark, settings, trials, practice)


def _material(
    study: Study,
    benchmark: Benchmark[Any],
    settings: Settings,
    trials: Sequence[Trial],
    practice: Sequence[Item],
) -> Material:
    items = [
        Item(
            known_by([trial]),
            (Question(_shown(study.kind, trial), NUMBER, trial),),
            partial(from_stimulus, trial.stimulus),
            about=dict(trial.condition),
        )
        for trial in trials
    ]
    run = {"benchmark": benchmark.NAME, "settings": settings.identity()}
    some = checks(NUMBER, "How many things are there in the picture?")
    return Material([*practice, *some, *items], WORDS[study.kind], EXAMPLES[study.kind], run)


def _shown(kind: str, trial: Trial) -> str:
    """The question as people read it: a model's prompt explains what our instructions have said."""
    if kind == "naming":
        return trial.question
    return f"How many {trial.condition['thing']} are there in all?"
