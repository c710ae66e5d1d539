"""`subitize captions`: how often which number stands in a corpus of captions."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from subitize.captions.counting import Counting, WorkersMaker, count_captions, write_rows
from subitize.captions.progress import Progress
from subitize.captions.sources import check_rows_file
from subitize.captions.taggers import DEFAULT
from subitize.commands.catalog import get_part
from subitize.commands.printing import Json, say, show
from subitize.errors import BadInput
from subitize.reports.cells import told
from subitize.runs.shards import parse_shard


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
    workers: Annotated[
        int, typer.Option(help="Processes; 0 is one for each core, fewer for little.")
    ] = 0,
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
    judgements: Annotated[
        Path | None,
        typer.Option(help="What people say of the checked captions: id, answer, judge."),
    ] = None,
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out what can't be read, and say so.")
    ] = False,
    json: Json = False,
) -> None:
    """Count how often captions speak of 1, 2, 3 … things; run again to go on after a stop."""
    if check_images < 0:
        raise BadInput(f"--check-images is {check_images}: give how many captions to check.")
    if per_caption is not None:
        check_rows_file(per_caption, files)
    how = Counting(
        name=name,
        column=column,
        tagger=tagger,
        shard=parse_shard(shard),
        per_caption=per_caption is not None,
        skip_damaged=skip_damaged,
        workers=_workers(workers),
        engine=_engine(engine, ray_address, workers),
    )
    folder, result = count_captions(files, out, how, Progress(show=False if json else None))
    if per_caption is not None:
        write_rows(folder, per_caption)
    if captions_of:
        result["beside"] = get_part("captions beside")(result, captions_of, folder)
    if check_images:
        sample = get_part("captions sample")(
            files, column, image_column, tagger, check_images, skip_damaged=skip_damaged
        )
        result["images"] = get_part("captions pictures")(sample, counter, folder)
    if judgements is not None:
        result["images"] = get_part("captions judgements")(folder, judgements)
    show(result, text_of(result), json)
    say(f"The result is in {folder}; `subitize report {quote(str(folder))}` draws it.")
    for one in result["files"]:
        for odd in one["odd"]:
            say(f"{one['path']}, {odd}")
        if one["damage"]:
            say(f"left out: {one['damage'][0]}")
        elif not one["rows"] and how.shard == (1, 1):
            say(f"{one['path']} holds no captions: it is empty.")


def _workers(wanted: int) -> int:
    if wanted < 0:
        raise BadInput(f"--workers is {wanted}: give 1 or more, or 0 for one for each core.")
    return wanted


def _engine(engine: str, address: str | None, workers: int) -> WorkersMaker | None:
    if engine == "local" and address is None:
        return None
    made: WorkersMaker | None = get_part("captions ray")(engine, address, workers)
    return made


def text_of(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    rows, many = result["rows"], result["with_number"]
    share = f" ({told(result['share'], '.2%')})" if result["share"] else ""
    lines = [f"{result['name']}: {rows:,} captions, {many:,} count something{share}"]
    aside = {"null": "without a caption", "not_text": "no text", "broken": "not UTF-8"}
    if any(result[name] for name in aside):
        found = (f"{result[name]:,} {said}" for name, said in aside.items() if result[name])
        lines.append(f"of all rows: {', '.join(found)}")
    top = sorted(result["frequencies"].items(), key=lambda one: int(one[0]))[:10]
    lines += [f"  {number:>6} {count:>12,}" for number, count in top]
    if result["fit"]:
        lines.append(f"power law: exponent {told(result['fit']['exponent'], '.3f')}")
        shown = list(result["decades"].items())[:3]
        excess = "; ".join(f"{number}: {told(one['excess'], '.2f')}" for number, one in shown)
        lines.append(f"decades, times what the law gives: {excess}")
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
        lines += get_part("captions pictures told")(images)
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
