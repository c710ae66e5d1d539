"""`subitize take`: benchmarks as experiments for people."""

from __future__ import annotations

import signal
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.printing import Json, group, say, scores_text, show
from subitize.errors import BadInput
from subitize.humans.grouping import group_people
from subitize.humans.taking import experiment, make_site
from subitize.humans.taking_session import Display, Person, open_session, practice_of
from subitize.humans.web import address, listen, serve
from subitize.opening import load_stored
from subitize.runs.stored import score_run

take = group("Take part yourself: a benchmark's pictures as an experiment in a browser.")


@take.command("naming")
def naming(  # noqa: PLR0913, PLR0917  the options of the command, one each
    name: Annotated[str, typer.Option(help="Who takes part: a word that does not say who it is.")],
    per_cell: Annotated[int, typer.Option(help="Pictures per category and number.")] = 2,
    max_: Annotated[int, typer.Option("--max", help="Numbers 1 to this.")] = 10,
    duration: Annotated[int, typer.Option(help="Milliseconds that a picture is shown.")] = 200,
    categories: Annotated[
        str | None, typer.Option(help="Some of the categories, by commas.")
    ] = None,
    size: Annotated[int, typer.Option(help="Side of a picture in pixels.")] = 1024,
    seed: Annotated[int, typer.Option(help="Which pictures, and in which order.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the run's folder.")] = Path("runs"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 0,
    json: Json = False,
) -> None:
    """How many things? Each picture for a moment, then a mask; type the number.

    The same command goes on where it stopped. Ends by scoring, like `run`.
    """
    benchmark = get_benchmark("naming")
    given = {
        "per_cell": per_cell, "max": max_, "size": size, "seed": seed, "prompt": "things",
        "control": False,
    }  # fmt: skip
    settings = benchmark.settings_from(given | ({"categories": categories} if categories else {}))
    display = Display(duration)
    person = Person(name, display)
    # A port that is taken is told before there is a folder.
    with listen(host, port) as bound, open_session(benchmark, settings, person, out) as session:
        if not session.complete:
            site = make_site()
            ended = partial(signal.raise_signal, signal.SIGINT)
            app = experiment(session, practice_of(benchmark, settings), display, site, ended)
            where = sys.stderr if json else sys.stdout
            print(f"{address(bound)}/?token={site.token}", file=where, flush=True)
            say("Open this address in a browser; Ctrl-C stops, the same command goes on.")
            serve(app, bound)
        complete, saved, folder = session.complete, session.saved, session.folder.path
    if not saved:
        say(f"No answer was given yet; the session waits in {folder}.")
        raise typer.Exit(1)
    scores = score_run(load_stored(folder))
    show(scores, f"{scores_text(scores)}\nrun folder: {folder}", json)
    raise typer.Exit(0 if complete else 1)


@take.command("group")
def together(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="People's run folders.")],
    name: Annotated[str, typer.Option(help="What the group is called.")] = "group",
    out: Annotated[Path, typer.Option(help="Folder for the group's folder.")] = Path("runs"),
    json: Json = False,
) -> None:
    """Put people's sessions together as one run, with intervals over people."""
    if len(runs) < 2:
        raise BadInput("A group is two people or more: give their run folders.")
    folder = group_people(runs, name, out)
    scores = score_run(load_stored(folder))
    show(scores, f"{scores_text(scores)}\nrun folder: {folder}", json)
