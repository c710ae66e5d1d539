"""Small runs against a real server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.limits import RetryPolicy
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from tests.scored import score_run

QUICK = RetryPolicy(wait=60.0, own_tries=10, first_wait=0.02, longest_wait=0.1)
SMALL = {"per_cell": 2, "max": 3, "size": 64, "prompt": "things", "categories": ("dots", "apples")}

Go = Callable[..., tuple[Outcome, dict[str, Any]]]


@pytest.fixture
def go(tmp_path: Path) -> Go:
    """Run naming against a server and score it; run again in the same folder to resume."""

    def run(
        url: str,
        *,
        out: str = "runs",
        settings: dict[str, Any] | None = None,
        model: str = "openai/x",
        **options: Any,
    ) -> tuple[Outcome, dict[str, Any]]:
        benchmark = get_benchmark("naming")
        chosen = benchmark.settings_from({**SMALL, **(settings or {})})
        options = {"timeout": 30.0, "policy": QUICK, "concurrency": 4, "progress": False, **options}
        of_model = {field.name for field in fields(ModelOptions)} & options.keys()
        given = {name: options.pop(name) for name in of_model}
        opened = open_model(model, ModelOptions(url, **given))
        outcome = run_benchmark(benchmark, chosen, opened, tmp_path / out, RunOptions(**options))
        return outcome, score_run(outcome.folder)

    return run


def responses_of(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (folder / "responses.jsonl").read_bytes().splitlines()]
