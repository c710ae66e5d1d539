"""`subitize prompts NAME`: the prompt generators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from subitize.benchmarks.numgen_prompts import numgen_entries
from subitize.benchmarks.prompt_files import format_of, write_prompts
from subitize.commands.printing import say
from subitize.datasets.geckonum.prompts import make_prompts, packed_prompts, read_prompts
from subitize.datasets.geckonum.recipe import Recipe, load_recipe
from subitize.errors import BadInput

__all__ = ["deliver", "prompts"]

prompts = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Format = Annotated[
    str | None, typer.Option("--format", help="json, txt, csv or pkl; by default the file's end.")
]
Out = Annotated[Path | None, typer.Option(help="File to write; prompts are printed without one.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same prompts.")]


@prompts.callback()
def about() -> None:
    """Make the prompts of a benchmark."""


def deliver(
    entries: Sequence[Mapping[str, Any]], format_: str | None, out: Path | None, name: str
) -> None:
    """Write entries to a file, or print their words when neither format nor file is given."""
    if format_ is None and out is None:
        for entry in entries:
            print(entry["prompt"])
        return
    chosen = format_ or format_of(out or Path(name))
    path = out or Path(f"{name}.{chosen}")
    write_prompts(entries, chosen, path)
    say(f"{len(entries)} prompts in {path}")


# NumGen


@prompts.command("numgen")
def numgen(
    count: Annotated[int, typer.Option(min=0, help="How many prompts.")] = 100,
    format_: Format = None,
    out: Out = None,
    seed: Seed = 0,
) -> None:
    """An image with n things, n in 1..10 equally often, things at random."""
    deliver(numgen_entries(count, np.random.default_rng(seed)), format_, out, "numgen_prompts")


# GeckoNum


@prompts.command("geckonum")
def geckonum(
    config: Annotated[
        Path | None, typer.Option(help="TOML recipe: other numbers, nouns, colours, relations.")
    ] = None,
    released: Annotated[
        Path | None, typer.Option("--prompts", help="Take the released prompts.csv instead.")
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="csv, json or txt; by default the file's end.")
    ] = None,
    out: Out = None,
    seed: Seed = 0,
) -> None:
    """GeckoNum's twelve types: eight as published, four drawn by the published rule."""
    if released is not None:
        made = read_prompts(released)
    else:
        recipe = Recipe() if config is None else load_recipe(config)
        made = make_prompts(recipe, np.random.default_rng(seed))
    chosen = format_ or ("txt" if out is None else out.suffix.removeprefix(".").lower())
    text = packed_prompts(made, chosen)
    if out is None:
        print(text, end="")
        return
    try:
        out.write_text(text, "utf-8", newline="")
    except OSError as problem:
        raise BadInput(f"Can't write {out}: {problem.strerror}. Give another --out.") from None
    say(f"{len(made)} prompts in {out}")
