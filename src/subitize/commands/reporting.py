"""`subitize report`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from subitize.benchmarks.catalog import known_benchmarks, page_of
from subitize.captions.page import chapter
from subitize.captions.store import is_result, read_result
from subitize.commands.printing import Json, show
from subitize.errors import BadInput
from subitize.opening import load_stored
from subitize.reports.build import build_report
from subitize.reports.links import linked
from subitize.runs.progress import told
from subitize.training.page import chapter as trainings
from subitize.training.run import is_training, read_results


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders, or a folder of them.")
    ],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    figures: Annotated[
        str, typer.Option(help="Also write every figure beside it: svg, pdf, png, with commas.")
    ] = "",
    viewer: Annotated[
        str,
        typer.Option(
            help="Address of `subitize view --bundle` of the same runs, such as view/: marks of "
            "figures open their trials there."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """One HTML file that holds overview, figures (SVG) and tables (CSV)."""
    _check_ours(out)
    folders = [folder for given in runs for folder in find_runs(given)]
    counted = [read_result(folder) for folder in folders if is_result(folder)]
    learnt = [read_results(folder) for folder in folders if is_training(folder)]
    found = [
        load_stored(folder)
        for folder in folders
        if not is_result(folder) and not is_training(folder)
    ]
    order = known_benchmarks()
    found.sort(key=lambda run: order.index(run.benchmark.NAME))
    more = [*([chapter(counted)] if counted else ()), *([trainings(learnt)] if learnt else ())]
    formats = [kind.strip().lower() for kind in figures.split(",") if kind.strip()]
    many = f"{len(folders):,} run{'s' * (len(folders) != 1)}"
    with linked(_address(viewer)), told(f"{out}: drawing {many}"):
        made = build_report(found, out, page_of, more, formats)
    show({"report": str(made), "folders": [str(one) for one in folders]}, str(made), json)


def _address(viewer: str) -> str:
    """An address that a page may lead to: a path, or http(s)."""
    if viewer and urlsplit(viewer).scheme not in ("", "http", "https"):
        raise BadInput(f"--viewer is {viewer!r}: give a path such as view/, or an http(s) address.")
    return viewer


def _check_ours(out: Path) -> None:
    """A report is made again at will, but nothing else is written over."""
    # os.path: a name that no file can have is told where the report is written
    if os.path.isfile(out) and b'content="subitize' not in out.read_bytes():
        raise BadInput(f"{out} is there already and is no report: give another --out.")


def find_runs(given: Path) -> list[Path]:
    """A folder that `run`, `captions` or `finetune` made, or all such right under it."""

    def known(path: Path) -> bool:
        return (path / "run.json").exists() or is_result(path) or is_training(path)

    if known(given):
        return [given]
    inner = sorted(path for path in given.iterdir() if path.is_dir()) if given.is_dir() else []
    found = [path for path in inner if known(path)]
    if not found:
        raise BadInput(
            f"{given} holds no run: give a folder that `subitize run` or `subitize captions` made."
        )
    return found
