"""Small runs against a real server."""

from __future__ import annotations

from collections.abc import Callable
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

QUICK = RetryPolicy(tries=4, busy_tries=30, first_wait=0.02, longest_wait=0.1)
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
        timeout = options.pop("timeout", 5.0)
        key_env = options.pop("api_key_env", None)
        opened = open_model(model, ModelOptions(url, key_env, timeout=timeout))
        options.setdefault("policy", QUICK)
        options.setdefault("concurrency", 4)
        outcome = run_benchmark(
            benchmark, chosen, opened, tmp_path / out, RunOptions(progress=False, **options)
        )
        return outcome, score_run(outcome.folder)

    return run


def responses_of(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (folder / "responses.jsonl").read_bytes().splitlines()]
