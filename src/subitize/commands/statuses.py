"""`subitize status`: how far the runs of a folder are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.captions.store import is_result
from subitize.commands.printing import Json, show
from subitize.commands.reporting import find_runs
from subitize.errors import RunLocked, StorageFull, SubitizeError
from subitize.opening import load_stored
from subitize.runs.how_far import how_far
from subitize.runs.lock import locked
from subitize.training.run import is_training


def status(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder of runs, or one run.")
    ] = Path("runs"),
    json: Json = False,
) -> None:
    """Each run: how many trials are answered, how many failed, whether it is partial or going on;
    asks nobody."""
    found = [_told(one) for one in find_runs(folder) if not is_result(one) and not is_training(one)]
    lines = []
    for one in found:
        if one["state"] == "unreadable":
            lines.append(f"{one['run']}\n  unreadable: {one['problem']}")
            continue
        share = 100 * one["answered"] / one["wanted"] if one["wanted"] else 100.0
        failed = f", {one['failed']:,} failed" if one["failed"] else ""
        lines.append(
            f"{one['run']}\n  {one['benchmark']} · {one['model']}: {one['state']}, "
            f"{one['answered']:,} of {one['wanted']:,} trials ({share:.0f} %){failed}"
        )
    partial = sum(one["state"] != "complete" for one in found)
    lines.append(f"{len(found):,} run{'s' * (len(found) != 1)}, {partial} of them not complete")
    show(found, "\n".join(lines), json)


def _told(folder: Path) -> dict[str, Any]:
    try:
        run = load_stored(folder)
        far = how_far(run)
    except SubitizeError as problem:
        return {"run": str(folder), "state": "unreadable", "problem": str(problem)}
    state = "complete" if far.complete else "partial"
    try:
        with locked(folder):
            pass
    except RunLocked:
        state = "going on"
    except StorageFull:  # a folder that can't be written is no run that goes on
        pass
    return {
        "run": str(folder), "benchmark": run.info["benchmark"], "model": run.info["model"]["name"],
        "state": state, "wanted": far.wanted, "answered": far.answered, "failed": far.failed,
    }  # fmt: skip
