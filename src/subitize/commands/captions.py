"""`subitize captions`: how often which number stands in a corpus of captions."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.captions.beside import put_beside
from subitize.captions.counting import Counting, WorkersMaker, count_captions, write_rows
from subitize.captions.images import check_images as check_pictures
from subitize.captions.images import sample_pairs, write_study
from subitize.captions.merging import merge_shards
from subitize.captions.page_checks import marked
from subitize.captions.progress import Progress
from subitize.captions.ray_workers import RayWorkers
from subitize.captions.taggers import DEFAULT
from subitize.commands.printing import Json, say, show
from subitize.commands.reporting import find_runs
from subitize.errors import BadInput
from subitize.models.catalog import counter_name, open_model
from subitize.opening import load_stored
from subitize.reports.cells import told
from subitize.runs.ray_engine import Cluster, check_engine


def captions(  # noqa: PLR0913, PLR0917  one parameter per option
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Parquet, CSV, TSV or JSONL files (text also .gz, .bz2, .xz, .zst), directories "
            "or patterns.",
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(help="Column of the captions; in files without a header its place (1, 2 …)."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the result folder.")] = Path("runs"),
    name: Annotated[str, typer.Option(help="What reports call the corpus.")] = "",
    per_caption: Annotated[
        Path | None, typer.Option(help="Parquet file with each caption and its number.")
    ] = None,
    tagger: Annotated[
        str, typer.Option(help="Who tells nouns: textblob, or spacy:PIPELINE.")
    ] = DEFAULT,
    workers: Annotated[int, typer.Option(help="Processes; 0 is one for each core.")] = 0,
    engine: Annotated[str, typer.Option(help="Where it is counted: local or ray.")] = "local",
    ray_address: Annotated[
        str | None, typer.Option(help="A running Ray cluster; else one is started here.")
    ] = None,
    shard: Annotated[str, typer.Option(help="Count part I of N only, as I/N; then merge.")] = "1/1",
    captions_of: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN", help="Set a model's accuracy by number beside (repeatable)."),
    ] = None,
    check_images: Annotated[
        int, typer.Option(help="Check so many captions against their pictures.")
    ] = 0,
    image_column: Annotated[
        str | None, typer.Option(help="Column of the pictures, or of their paths.")
    ] = None,
    counter: Annotated[str, typer.Option(help="Who counts in the pictures.")] = "blobs",
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out what can't be read, and say so.")
    ] = False,
    json: Json = False,
) -> None:
    """Count how often captions speak of 1, 2, 3 … things; run again to go on after a stop."""
    how = Counting(
        name=name,
        column=column,
        tagger=tagger,
        shard=_shard(shard),
        per_caption=per_caption is not None,
        skip_damaged=skip_damaged,
        workers=_workers(workers),
        engine=_engine(engine, ray_address, workers),
    )
    folder, result = count_captions(files, out, how, Progress(show=False if json else None))
    if per_caption is not None:
        write_rows(folder, per_caption)
    if captions_of:
        result["beside"] = [
            put_beside(result, load_stored(run), folder)
            for given in captions_of
            for run in find_runs(given)
        ]
    if check_images:
        pairs = sample_pairs(files, column, image_column, tagger, check_images)
        result["images"] = check_pictures(pairs, open_model(counter_name(counter)), folder)
        say(f"The same captions as questions for people: {write_study(pairs, folder)}")
    show(result, text_of(result), json)
    say(f"The result is in {folder}; `subitize report {folder}` draws it.")
    damaged = [one for one in result["files"] if one["damage"]]
    for one in damaged:
        say(f"left out: {one['damage'][0]}")


def merge(
    shards: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The result folders of all shards.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the merged result folder.")] = Path("runs"),
    per_caption: Annotated[
        Path | None, typer.Option(help="Parquet file with each caption and its number.")
    ] = None,
    json: Json = False,
) -> None:
    """Put together what `subitize captions --shard I/N` counted on several machines."""
    folder, result = merge_shards(shards, out)
    if per_caption is not None:
        write_rows(folder, per_caption)
    show(result, text_of(result), json)
    say(f"The result is in {folder}.")


def _workers(wanted: int) -> int:
    if wanted < 0:
        raise BadInput(f"--workers is {wanted}: give 1 or more, or 0 for one for each core.")
    return wanted or os.cpu_count() or 1


def _engine(engine: str, address: str | None, workers: int) -> WorkersMaker | None:
    if check_engine(engine, address) == "local":
        return None
    return partial(RayWorkers, Cluster(address, workers))


def _shard(given: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", given)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts:
        raise BadInput(f"--shard is {given!r}: give the part and how many, such as 2/10.")
    return part, parts


def text_of(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    rows, many = result["rows"], result["with_number"]
    lines = [f"{result['name']}: {rows:,} captions, {many:,} count something"]
    top = sorted(result["frequencies"].items(), key=lambda one: int(one[0]))[:10]
    lines += [f"  {number:>6} {count:>12,}" for number, count in top]
    if result["rejected"]:
        lines.append("numbers that count nothing:")
        lines += [f"  {reason:12} {count:>12,}" for reason, count in result["rejected"].items()]
    hits = result["cache"]["hits"]
    if hits is not None:
        lines.append(f"windows known from before: {hits:.0%}")
    if result["agreement"] is not None:
        lines.append(
            f"windows that TextBlob takes for the same: {told(result['agreement'], '.1%')}"
        )
    if images := result.get("images"):
        rate = told(images["misaligned"], ".1%")
        lines.append(
            f"numbers that do not fit the picture, by {images['counter']}: {rate} of "
            f"{images['checked']} ({images['failed']} could not be checked)"
        )
        lines += [
            f"  {marked(one)}: {one['found']} {one['thing']} found"
            for one in images["examples"][:5]
        ]
    for one in result.get("beside", ()):
        said = one["undefined"].get("correlation")
        lines.append(
            f"{one['model']} on {one['benchmark']}: accuracy and ln frequency "
            + (f"– ({said})" if said else f"r = {told(one['correlation'], '.2f')}")
        )
        if not said:
            lines.append(
                f"  permutations of the numbers: p = {one['permutation_p']:.4f}; with ln n taken "
                f"out: r = {told(one['partial'], '.2f')}"
            )
    return "\n".join(lines)
