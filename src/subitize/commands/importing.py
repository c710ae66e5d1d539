"""`subitize import`: other people's formats, and run folders of older versions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.geckonum.answers import import_people
from subitize.commands import geckonum_people as given
from subitize.commands.printing import Json, group, show
from subitize.opening import load_stored
from subitize.runs.old_format import import_run, old_info
from subitize.runs.stored import score_run

importing = group("Bring other people's formats, and run folders of older versions.")
Out = Annotated[Path, typer.Option(help="Folder under which the new one is made.")]


@importing.command("run")
def run(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A run folder of version 0.1.")],
    out: Out = Path("runs"),
) -> None:
    """Turn a run folder of version 0.1 into today's form; asks nobody, changes nothing in OLD."""
    made = import_run(old, get_benchmark(old_info(old)["benchmark"]), out)
    score_run(load_stored(made))
    print(made)


@importing.command("geckonum")
def geckonum(
    annotations: given.Annotations = None,
    prompts: given.Prompts = None,
    out: Out = Path("runs"),
    config: given.Config = None,
    json: Json = False,
) -> None:
    """What people answered about GeckoNum's pictures: a respondent for each of them."""
    people = given.people(annotations, prompts, config)
    folder = import_people(people, out)
    show({"folder": str(folder), **people.rows()._asdict()}, str(folder), json)
