"""Where people's answers to GeckoNum's questions come from: the options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.geckonum.answers import NEEDED, People, people_from, stored_people
from subitize.benchmarks.geckonum.page_tables import dropped_text
from subitize.commands.printing import say
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.recipe import Recipe, load_recipe
from subitize.errors import BadInput

Annotations = Annotated[
    Path | None, typer.Option(help="Zip archive or folder of task_N_MODEL.csv.")
]
Prompts = Annotated[Path | None, typer.Option(help="prompts.csv of the release, or one made here.")]
Run = Annotated[
    Path | None, typer.Option(help="Instead of both: a folder made by `subitize import geckonum`.")
]
Config = Annotated[
    Path | None, typer.Option(help="TOML recipe the prompts were made by, if not the published.")
]


def recipe(config: Path | None) -> Recipe:
    """The recipe that the prompts were made by."""
    return Recipe() if config is None else load_recipe(config)


def people(
    annotations: Path | None,
    prompts: Path | None,
    config: Path | None = None,
    run: Path | None = None,
    *,
    verbose: bool = False,
    whole: bool = False,
) -> People:
    """What people answered, from files or from a run folder; says which rows were not used.

    `whole`: with every column of the answers table, not only those that labels are made of.
    """
    if run is not None and annotations is None and prompts is None:
        found = stored_people(run)
    elif run is None and annotations is not None and prompts is not None:
        read = read_annotations(annotations)
        columns = None if whole else NEEDED
        found = people_from(read, read_prompts(prompts), recipe(config), columns=columns)
        others = [name for name in read.others if name != prompts.name]
        if others:
            say(f"not read, the names are not task_N_MODEL.csv: {', '.join(others)}")
    else:
        raise BadInput("Give --annotations and --prompts, or --run alone.")
    say(dropped_text(found, verbose=verbose))
    if not (rows := found.rows()).used:
        why = ", ".join(f"{n:,}: {reason}" for reason, n in rows.dropped.items()) or "it has none"
        raise BadInput(
            f"No row of {annotations or run} can be used ({why}): give the annotations that belong "
            f"to {prompts or 'its prompts'}."
        )
    return found
