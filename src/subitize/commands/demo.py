"""`subitize demo`: the main job on the built-in models."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark, page_of
from subitize.commands.printing import say
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import load_stored, open_helpers, run_and_score
from subitize.reports.build import build_report
from subitize.runs.run import RunOptions


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the runs and report.html.")] = Path("demo"),
    fast: Annotated[bool, typer.Option("--fast", help="Fewer trials.")] = False,
) -> None:
    """Every benchmark on the built-in models, then the report; no network, no key."""
    begun = time.monotonic()
    folders, complete = [], True
    for name in BENCHMARKS:
        benchmark = get_benchmark(name)
        settings = benchmark.settings_from(benchmark.DEMO["fast" if fast else "settings"])
        for model in benchmark.DEMO["models"]:
            say(f"{name}: {model}")
            opened = open_model(model)
            helpers = open_helpers(benchmark, settings, opened, None, lambda _: ModelOptions())
            outcome, _ = run_and_score(
                benchmark, settings, opened, out / "runs", RunOptions(), helpers
            )
            complete = complete and outcome.complete
            folders.append(outcome.folder)
    runs = [load_stored(folder) for folder in folders]
    report = build_report(runs, out / "report.html", page_of)
    print(f"The report is {report} ({time.monotonic() - begun:.0f} s)")
    raise typer.Exit(0 if complete else 1)
