"""Runs made up for the reports: rows as the records have them, scores worked out here by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from subitize.benchmark import Benchmark
from subitize.benchmarks.catalog import get_benchmark
from subitize.records import Reading, Response, Row, Stimulus, make_trial
from subitize.runs.stored import StoredRun
from subitize.stimuli.naming import recipe
from tests.scored import as_answers

CATEGORIES = ("apples", "people", "butterflies", "dots", "fast cards")
NASTY = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "javascript:window.pwned=1",
    "</figcaption></main></body><script>window.pwned=1</script>",
    "{{ 7*7 }}{% raw %}",
    '=HYPERLINK("http://example.invalid","x")',
    "\u202edlrow\x00 several \ud800",
    '<a href="javascript:window.pwned=1">x</a><iframe src="http://example.invalid/"></iframe>',
)
Answer = Callable[[int, np.random.Generator], int]


def exact(target: int, rng: np.random.Generator) -> int:
    return target


def estimate(target: int, rng: np.random.Generator) -> int:
    return target if target <= 4 else max(1, round(rng.normal(target, 0.15 * target)))


def guess(target: int, rng: np.random.Generator) -> int:
    return int(rng.integers(1, 21))


def anchored(target: int, rng: np.random.Generator) -> int:
    """Says 4 or 6 a lot, as small models do, and too few above that."""
    return int(rng.choice([4, 6, max(1, target - 1), target], p=[0.25, 0.15, 0.3, 0.3]))


def simulate(
    answer: Answer, *, per_cell: int = 6, highest: int = 10, seed: int = 0, nasty: bool = False
) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(per_cell):
        for n in range(1, highest + 1):
            for category in CATEGORIES:
                condition = {"category": category, "n": n, "index": index, "form": "things"}
                trial = make_trial(
                    ("naming", "1", "ask"),
                    Stimulus("drawn", recipe(category, n, index, size=128, largest=highest)),
                    "How many things are there in the picture?",
                    target=n,
                    condition={**condition, "thing": "things"},
                )
                number = answer(n, rng)
                reply, reading = f"There are {number}.", Reading("read", number)
                if nasty and index == 0:
                    reply, reading = NASTY[len(rows) % len(NASTY)], Reading("no-number")
                elif nasty:
                    reply = f"{NASTY[len(rows) % len(NASTY)]} {number}"
                rows.append(
                    Row(trial, Response(trial.id, "m", "s", 0, 0, "text", reply, "stop"), reading)
                )
    return rows


def confusion(rows: Sequence[Row], highest: int) -> dict[str, Any]:
    counts = [[0] * highest for _ in range(2 * highest + 1)]
    unreadable = [0] * highest
    for row in rows:
        if row.reading.state == "read":
            counts[min(int(row.reading.number or 0), 2 * highest)][row.trial.target - 1] += 1
        else:
            unreadable[row.trial.target - 1] += 1
    return {
        "rows": list(range(2 * highest + 1)),
        "columns": list(range(1, highest + 1)),
        "counts": counts,
        "unreadable": unreadable,
    }


def with_interval(values: Sequence[float]) -> dict[str, Any]:
    mean = float(np.mean(values))
    half = float(1.96 * np.std(values) / np.sqrt(len(values)))
    return {"value": mean, "low": max(0.0, mean - half), "high": mean + half, "trials": len(values)}


def summary(rows: Sequence[Row], highest: int) -> dict[str, Any]:
    read = [row for row in rows if row.reading.state == "read"]
    numbers = [(float(row.reading.number or 0), row.trial.target) for row in read]
    return {
        "accuracy": with_interval([float(given == target) for given, target in numbers]),
        "nae": with_interval([abs(given - target) / target for given, target in numbers]),
        "confusion": confusion(rows, highest),
        "trials": len(rows),
        "states": dict(Counter(row.reading.state for row in rows)),
    }


def make_run(
    name: str, rows: Sequence[Row], *, highest: int = 10, size: float | None = None, **changes: Any
) -> StoredRun:
    scores = {
        "benchmark": "naming",
        "version": "1",
        "model": name,
        "parameters": size,
        "asked": len(rows),
        **summary(rows, highest),
        "counting_level": 4,
        "human_correlation": {"value": 0.91, "low": 0.88, "high": 0.93},
        "category_consistency": {
            "value": 0.71,
            "low": 0.6,
            "high": 0.8,
            "pair": ["dots", "apples"],
        },
        "bias": {
            category: {"direction": word, "r": 0.42, "p": 0.01, "n": 60}
            for category, word in zip(
                CATEGORIES, ("under", "none", "over", "none", "under"), strict=True
            )
        },
        "scalar_variability": {"verdict": "scalar", "slope": 1.08, "p": 0.4, "r2": 0.9},
        "weber_fraction": {"value": 0.15, "low": 0.13, "high": 0.17},
        "subitizing_limit": 4,
        "categories": {
            category: summary(
                [r for r in rows if r.trial.condition["category"] == category], highest
            )
            for category in CATEGORIES
        },
        "prompt": "things",
        "prompts": {
            form: {
                "mean_error": error,
                "accuracy": 0.6,
                "nae": 0.1,
                "eligible": True,
                "trials": 300,
            }
            for form, error in (("category", 0.52), ("objects", 0.6), ("things", 0.5))
        },
        "control_question": {"asked": 60, "right": 60, "understood": True},
        "flagged_cells": [],
        "undefined": {},
        **changes,
    }
    info = {
        "benchmark": "naming",
        "version": "1",
        "model": {"name": name, "settings": {}, "revision": "r1"},
        "parameters": size,
        "settings": {"seed": 0, "per_cell": 6, "categories": list(CATEGORIES), "max": highest},
        "packages": {"subitize": "0.1.0", "numpy": "2.0"},
        "created": "2025-09-01T10:00:00+00:00",
        "decisions": {"form": "things"},
    }
    return stored(Path(name.replace("/", "-")), info, get_benchmark("naming"), rows, scores)


def stored(
    folder: Path,
    info: Mapping[str, Any],
    benchmark: Benchmark[Any],
    rows: Sequence[Row],
    scores: Mapping[str, Any],
) -> StoredRun:
    """A run that was never written: these rows, and these scores whatever the rows say."""
    trials = {row.trial.id: row.trial for row in rows}
    # A table holds no lone surrogates.
    whole = [
        row._replace(
            response=replace(
                row.response, value=row.response.value.encode("utf-8", "replace").decode()
            )
        )
        for row in rows
    ]
    answers = as_answers(whole, benchmark)
    reader = next(iter(benchmark.READERS))
    run = StoredRun(folder, info, benchmark, benchmark.SETTINGS(), answers, reader)
    asked = {one.id: one.question for one in trials.values() if one.stimulus.kind != "prompt"}
    run.__dict__.update(scores=scores, trials=trials, asked=asked)
    return run


def changed(run: StoredRun, **parts: Any) -> StoredRun:
    """The same run with other parts, its made-up scores and trials kept."""
    made = replace(run, **parts)
    made.__dict__.update(scores=run.scores, trials=run.trials, asked=run.asked)
    return made


def rescored(run: StoredRun, **scores: Any) -> StoredRun:
    """The same run with other scores."""
    made = replace(run)
    made.__dict__.update(scores={**run.scores, **scores}, trials=run.trials, asked=run.asked)
    return made
