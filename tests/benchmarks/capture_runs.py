"""Small CAPTURE runs, against a real server or a built-in model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import open_helpers
from subitize.records import Trial
from subitize.runs.limits import RetryPolicy
from subitize.runs.plan import read_trials
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from tests.scored import score_run

QUICK = RetryPolicy(tries=3, first_wait=0.02, longest_wait=0.1)
SMALL: dict[str, Any] = {"items": 6, "validation": 2, "size": 96, "prompt": "as-if-no-box"}

Scores = dict[str, Any]


def ask(
    out: Path,
    *,
    url: str | None = None,
    model: str = "openai/x",
    settings: dict[str, Any] | None = None,
    reading_model: str | None = None,
    **options: Any,
) -> tuple[Outcome, Scores]:
    """Run and score; the same call again resumes."""
    benchmark = get_benchmark("capture")
    chosen = benchmark.settings_from({**SMALL, **(settings or {})})
    given = ModelOptions(url, timeout=60.0)
    opened = open_model(model, given)
    helpers = open_helpers(benchmark, chosen, opened, reading_model, lambda _: given)
    options = {"policy": QUICK, "concurrency": 4, "progress": False, **options}
    outcome = run_benchmark(benchmark, chosen, opened, out, RunOptions(**options), helpers)
    return outcome, score_run(outcome.folder)


def question_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"][0]["text"])


def replying(answer: Callable[[dict[str, Any]], str]) -> Callable[..., Any]:
    """A server's behaviour that answers by a function of the request's body."""
    from aiohttp import web

    from tests.chat_server import completion

    def behave(_number: int, _request: Any, body: dict[str, Any]) -> Any:
        return web.json_response(completion(answer(body)))

    return behave


def trials_of(folder: Path) -> list[Trial]:
    return list(read_trials(folder))


def responses_of(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (folder / "responses.jsonl").read_bytes().splitlines()]


def decisions_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads((folder / "run.json").read_bytes())["decisions"]
    return found
