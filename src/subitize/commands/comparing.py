"""`subitize compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.commands.printing import Json, show
from subitize.commands.reporting import find_runs
from subitize.opening import load_stored
from subitize.reports.comparing import compared_text
from subitize.runs.comparing import compare_runs


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN…", help="Run folders, or a folder of them.")
    ],
    json: Json = False,
) -> None:
    """Paired differences of runs of one benchmark on the same pictures; asks nobody."""
    found = [load_stored(folder) for given in runs for folder in find_runs(given)]
    compared = compare_runs(found)
    show([one.as_json() for one in compared.found], compared_text(compared), json)
