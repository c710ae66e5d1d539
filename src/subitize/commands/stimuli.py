"""`subitize stimuli NAME`: pictures as files, with a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.commands.printing import group
from subitize.stimuli.capture.writing import CaptureSet
from subitize.stimuli.naming import CATEGORIES
from subitize.stimuli.probe.writing import ProbeSet
from subitize.stimuli.writing import NamingSet

stimuli = group("Draw pictures with a manifest of every fact.")


@stimuli.command("naming")
def naming(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Annotated[Path, typer.Option(help="Folder for the pictures and manifest.jsonl.")],
    per_cell: Annotated[int, typer.Option(help="Pictures per category and number.")] = 50,
    max_: Annotated[int, typer.Option("--max", help="Highest number.")] = 10,
    size: Annotated[int, typer.Option(help="Side of the pictures in pixels.")] = 1024,
    categories: Annotated[str, typer.Option(help="Separated by commas.")] = ",".join(CATEGORIES),
    hold: Annotated[str, typer.Option(help="Cue held constant: area, hull or density.")] = "",
    seed: Annotated[int, typer.Option(help="Same seed, same pictures.")] = 0,
    processes: Annotated[int | None, typer.Option(help="Processes; all cores by default.")] = None,
) -> None:
    """Five categories of 1..10 things on white, {n}_{category}_{index}.png."""
    names = tuple(name.strip() for name in categories.split(",") if name.strip())
    wanted = NamingSet(per_cell, max_, size, names, hold, seed)
    written = wanted.write(out, processes)
    print(f"{written} pictures and manifest.jsonl in {out}")


@stimuli.command("capture")
def capture(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and manifest.jsonl.")],
    layout: Annotated[
        str, typer.Option(help="fair: all is inside and can be told; published: as in the paper.")
    ] = "fair",
    size: Annotated[int, typer.Option(help="Side of the pictures in pixels.")] = 200,
    seed: Annotated[int, typer.Option(help="Same seed, same pictures.")] = 0,
    patterns: Annotated[
        str, typer.Option(help="ARRANGEMENT:COUNT, separated by commas; the paper's by default.")
    ] = "",
    occluder: Annotated[
        float | None, typer.Option(help="Side of the square, as a share of the picture's.")
    ] = None,
    processes: Annotated[int | None, typer.Option(help="Processes; all cores by default.")] = None,
) -> None:
    """Patterns of dots or squares, with and without a black square over a part of them."""
    wanted = CaptureSet(layout, size, seed, patterns, occluder)
    written = wanted.write(out, processes)
    print(f"{written} pictures and manifest.jsonl in {out}")


@stimuli.command("probe")
def probe(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Annotated[Path, typer.Option(help="Folder for the pictures and manifest.jsonl.")],
    per_number: Annotated[int, typer.Option(help="Scenes per number.")] = 30,
    highest: Annotated[int, typer.Option(help="Numbers run from 0 to this.")] = 10,
    size: Annotated[int, typer.Option(help="Side of the pictures in pixels.")] = 256,
    conditions: Annotated[str, typer.Option(help="Of questions: 0, 1, 2 or mixed.")] = "mixed",
    overlap: Annotated[float, typer.Option(help="Share of diameters that may overlap.")] = 0.0,
    clutter: Annotated[int, typer.Option(help="Grey stones behind the things.")] = 0,
    identical: Annotated[
        str, typer.Option(help="on: one thing repeated; off: they differ.")
    ] = "off",
    seed: Annotated[int, typer.Option(help="Same seed, same pictures.")] = 0,
    processes: Annotated[int | None, typer.Option(help="Processes; all cores by default.")] = None,
) -> None:
    """Scenes of several kinds, colours and places, with question, caption and number."""
    look = {"size": size, "conditions": conditions, "overlap": overlap, "clutter": clutter}
    wanted = ProbeSet(per_number, highest, {**look, "identical": identical}, seed)
    written = wanted.write(out, processes)
    print(f"{written} pictures and manifest.jsonl in {out}")
