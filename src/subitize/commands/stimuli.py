"""`subitize stimuli NAME`: pictures as files, with a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.commands.printing import Json, group, show
from subitize.stimuli.capture.writing import CaptureSet
from subitize.stimuli.cues import CUES, cue_correlations
from subitize.stimuli.naming import CATEGORIES
from subitize.stimuli.probe.writing import ProbeSet
from subitize.stimuli.writing import NamingSet

stimuli = group("Draw pictures with a manifest of every fact.")


PerCell = Annotated[int, typer.Option(help="Pictures per category and number.")]
Max = Annotated[int, typer.Option("--max", help="Highest number.")]
Size = Annotated[int, typer.Option(help="Side of the pictures in pixels.")]
Categories = Annotated[str, typer.Option(help="Separated by commas.")]
Hold = Annotated[str, typer.Option(help="Cue held constant: area, hull or density.")]
Varied = Annotated[
    str, typer.Option("--cues", help="orthogonal: size and spacing don't tell the number.")
]
Seed = Annotated[int, typer.Option(help="Same seed, same pictures.")]
Out = Annotated[Path, typer.Option(help="Folder for the pictures and manifest.jsonl.")]
Processes = Annotated[int | None, typer.Option(help="Processes; all cores by default.")]

EVERY = ",".join(CATEGORIES)


def _names(categories: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in categories.split(",") if name.strip())


def _tell(pictures: int, out: Path, json: bool) -> None:
    manifest = out / "manifest.jsonl"
    result = {"folder": str(out), "pictures": pictures, "manifest": str(manifest)}
    show(result, f"{pictures:,} pictures and {manifest.name} in {out}", json)


@stimuli.command("naming")
def naming(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Out,
    per_cell: PerCell = 50,
    max_: Max = 10,
    size: Size = 1024,
    categories: Categories = EVERY,
    hold: Hold = "",
    varied: Varied = "",
    seed: Seed = 0,
    processes: Processes = None,
    json: Json = False,
) -> None:
    """Five categories of 1..10 things on white, {n}_{category}_{index}.png."""
    wanted = NamingSet(per_cell, max_, size, _names(categories), hold, seed, varied)
    _tell(wanted.write(out, processes), out, json)


@stimuli.command("cues")
def cues(  # noqa: PLR0913, PLR0917  the options of the command, one each
    per_cell: PerCell = 50,
    max_: Max = 10,
    size: Size = 1024,
    categories: Categories = EVERY,
    hold: Hold = "",
    varied: Varied = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """How far area, hull, … of the pictures of `stimuli naming` tell the number; writes nothing."""
    wanted = NamingSet(per_cell, max_, size, _names(categories), hold, seed, varied)
    found = cue_correlations(recipe for _, recipe in wanted.recipes())
    columns = list(next(iter(found.values())))
    wide = [max(6, len(column)) + 2 for column in columns]
    heads = "".join(f"{column:>{room}}" for column, room in zip(columns, wide, strict=True))
    lines = [f"Spearman's correlation of the number with\n{'':12}{heads}"]
    for cue, values in found.items():
        shown = ("–" if r is None else f"{r:+.2f}" for r in values.values())
        cells = "".join(f"{one:>{room}}" for one, room in zip(shown, wide, strict=True))
        lines.append(f"{cue.replace('_', ' '):12}{cells}  {CUES[cue]}")
    show(found, "\n".join(lines), json)


@stimuli.command("capture")
def capture(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Out,
    layout: Annotated[
        str, typer.Option(help="fair: all is inside and can be told; published: as in the paper.")
    ] = "fair",
    size: Annotated[int, typer.Option(help="Side of the pictures in pixels.")] = 200,
    seed: Seed = 0,
    patterns: Annotated[
        str, typer.Option(help="ARRANGEMENT:COUNT, separated by commas; the paper's by default.")
    ] = "",
    occluder: Annotated[
        float | None, typer.Option(help="Side of the square, as a share of the picture's.")
    ] = None,
    processes: Processes = None,
    json: Json = False,
) -> None:
    """Patterns of dots or squares, with and without a black square over a part of them."""
    wanted = CaptureSet(layout, size, seed, patterns, occluder)
    _tell(wanted.write(out, processes), out, json)


@stimuli.command("probe")
def probe(  # noqa: PLR0913, PLR0917  the options of the command, one each
    out: Out,
    per_number: Annotated[int, typer.Option(help="Scenes per number.")] = 30,
    highest: Annotated[int, typer.Option(help="Numbers run from 0 to this.")] = 10,
    size: Annotated[int, typer.Option(help="Side of the pictures in pixels.")] = 256,
    conditions: Annotated[str, typer.Option(help="Of questions: 0, 1, 2 or mixed.")] = "mixed",
    overlap: Annotated[float, typer.Option(help="Share of diameters that may overlap.")] = 0.0,
    clutter: Annotated[int, typer.Option(help="Grey stones behind the things.")] = 0,
    identical: Annotated[
        str, typer.Option(help="on: one thing repeated; off: they differ.")
    ] = "off",
    seed: Seed = 0,
    processes: Processes = None,
    json: Json = False,
) -> None:
    """Scenes of several kinds, colours and places, with question, caption and number."""
    look = {"size": size, "conditions": conditions, "overlap": overlap, "clutter": clutter}
    wanted = ProbeSet(per_number, highest, {**look, "identical": identical}, seed)
    _tell(wanted.write(out, processes), out, json)
