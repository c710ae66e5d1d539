"""`subitize merge`: the shards of a run or of a counting of captions, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import get_benchmark
from subitize.captions.counting import write_rows
from subitize.captions.merging import merge_shards
from subitize.captions.store import is_result
from subitize.commands.captions import text_of
from subitize.commands.printing import Json, say, scores_text, show
from subitize.errors import BadInput, WrongRun
from subitize.opening import load_stored
from subitize.runs.folder import read_info
from subitize.runs.merging import merge_runs
from subitize.runs.stored import score_run


def merge(
    shards: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The folders of all shards.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the merged folder.")] = Path("runs"),
    per_caption: Annotated[
        Path | None, typer.Option(help="Captions: Parquet file with each and its number.")
    ] = None,
    json: Json = False,
) -> None:
    """Put together what `run` or `captions` did with --shard I/N; nobody is asked.

    Called again it adds what shards have done since.
    """
    corpora = [is_result(folder) for folder in shards]
    if any(corpora):
        if not all(corpora):
            raise WrongRun(
                f"{shards[corpora.index(False)]} is no counting of captions, but others are: give "
                "the shards of one command."
            )
        folder, result = merge_shards(shards, out)
        if per_caption is not None:
            write_rows(folder, per_caption)
        show(result, text_of(result), json)
        say(f"The result is in {folder}.")
        return
    if per_caption is not None:
        raise BadInput("--per-caption is for shards of captions: leave it out for runs.")
    infos = [read_info(folder) for folder in shards]
    merged = merge_runs(shards, infos, get_benchmark(infos[0]["benchmark"]), out)
    scores = score_run(load_stored(merged.folder))
    show(scores, f"{scores_text(scores)}\nrun folder: {merged.folder}", json)
    if merged.unasked:
        home = shards[0].parent
        place = f" A stage that decides for all does so in the shards' own folder: --out {home}."
        say(
            f"Not whole yet: {merged.unasked} has not come to its end. Run the same commands "
            f"again, then merge again.{'' if out.resolve() == home.resolve() else place}"
        )
        raise typer.Exit(1)
