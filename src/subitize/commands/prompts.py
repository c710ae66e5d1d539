"""`subitize prompts NAME`: the prompt generators."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from subitize.benchmarks.prompt_files import numgen_entries, packed_prompts, write_prompts
from subitize.commands.printing import Force, Json, group, print_json, say
from subitize.datasets.geckonum.prompts import make_prompts, read_prompts
from subitize.datasets.geckonum.recipe import Recipe, load_recipe
from subitize.files import check_free

prompts = group("Make the prompts of a benchmark.")

Format = Annotated[
    str | None, typer.Option("--format", help="json, txt, csv or pkl; by default the file's end.")
]
Out = Annotated[Path | None, typer.Option(help="File to write; prompts are printed without one.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same prompts.")]


def _print(entries: list[dict[str, Any]], format_: str, json: bool, whole: bool = False) -> None:
    """The prompts themselves, where no file was asked for."""
    if json:
        print_json(entries)
    else:
        typer.echo(packed_prompts(entries, format_, whole=whole), nl=False)


def _tell_file(prompts: int, path: Path, json: bool) -> None:
    say(f"{prompts:,} prompts in {path}")
    if json:
        print_json({"file": str(path), "prompts": prompts})


# NumGen


@prompts.command("numgen")
def numgen(
    count: Annotated[int, typer.Option(min=0, help="How many prompts.")] = 100,
    format_: Format = None,
    out: Out = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """An image with n things, n in 1..10 equally often, things at random."""
    entries = numgen_entries(count, np.random.default_rng(seed))
    if format_ is None and out is None:
        _print(entries, "txt", json)
        return
    path = out or Path(f"numgen_prompts.{format_}")
    check_free(path, "--out", replace=force)
    write_prompts(entries, format_, path)
    _tell_file(count, path, json)


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
    force: Force = False,
    json: Json = False,
) -> None:
    """GeckoNum's twelve types: eight as published, four drawn by the published rule."""
    if released is not None:
        made = read_prompts(released)
    else:
        recipe = Recipe() if config is None else load_recipe(config)
        made = make_prompts(recipe, np.random.default_rng(seed))
    entries = [asdict(prompt) for prompt in made]
    if out is None:
        _print(entries, format_ or "txt", json, whole=True)
        return
    check_free(out, "--out", replace=force)
    write_prompts(entries, format_, out, whole=True)
    _tell_file(len(made), out, json)
