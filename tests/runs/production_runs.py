"""Small runs of the production benchmark, as tests make and look at them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.plan import read_trials
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from tests.runs.conftest import QUICK, responses_of
from tests.scored import score_run

SMALL = {"per_cell": 2, "max": 3, "categories": ("apples", "dots")}
TRIALS = 2 * 3 * 2


def produce(
    out: Path,
    model: str = "painter/shapes?size=128",
    *,
    settings: Mapping[str, Any] | None = None,
    counter: str | None = "counter/blobs",
    url: str | None = None,
    **options: Any,
) -> tuple[Outcome, dict[str, Any]]:
    """One production run from prompt to score."""
    benchmark = get_benchmark("production")
    given = ModelOptions(url, timeout=60.0)
    outcome = run_benchmark(
        benchmark,
        benchmark.settings_from({**SMALL, **(settings or {})}),
        open_model(model, given),
        out,
        RunOptions(progress=False, policy=QUICK, **options),
        {"counter": open_model(counter, given)} if counter else {},
    )
    return outcome, score_run(outcome.folder)


def of_stage(folder: Path, stage: str) -> list[dict[str, Any]]:
    """The lines of the journal that answer trials of one stage."""
    asked = {trial.id for trial in read_trials(folder) if trial.stage == stage}
    return [line for line in responses_of(folder) if line["trial"] in asked]


def readers_of(folder: Path) -> list[dict[str, Any]]:
    """The helpers that read, as run.json lists them."""
    return list(orjson.loads((folder / "run.json").read_bytes())["readers"])
