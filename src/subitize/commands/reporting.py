"""`subitize report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import known_benchmarks, page_of
from subitize.errors import BadInput
from subitize.opening import load_stored
from subitize.reports.build import build_report


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders, or a folder of them.")
    ],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
) -> None:
    """One HTML file with leaderboard, figures and tables; figures and tables also as files."""
    found = [load_stored(folder) for given in runs for folder in find_runs(given)]
    order = known_benchmarks()
    found.sort(key=lambda run: order.index(run.benchmark.NAME))
    print(build_report(found, out, page_of))


def find_runs(given: Path) -> list[Path]:
    """A run folder itself, or all run folders right under it."""
    if (given / "run.json").exists():
        return [given]
    found = sorted(path.parent for path in given.glob("*/run.json")) if given.is_dir() else []
    if not found:
        raise BadInput(f"{given} holds no run: give a folder that `subitize run` made.")
    return found
