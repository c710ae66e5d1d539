"""`subitize view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from subitize.captions.store import is_result
from subitize.commands.printing import say
from subitize.commands.reporting import find_runs
from subitize.errors import BadInput
from subitize.humans.viewing import make_site, viewer
from subitize.humans.viewing_bundle import write_bundle
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import address, listen, serve
from subitize.training.run import is_training


def view(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders, or a folder of them.")
    ],
    bundle: Annotated[
        Path | None, typer.Option(help="Write a copy for any file server into DIR instead.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 0,
) -> None:
    """Look at runs in a browser: picture, question, reply, reading and why, side by side."""
    found = [folder for given in runs for folder in find_runs(given)]
    folders = [one for one in found if not is_result(one) and not is_training(one)]
    if not folders:
        raise BadInput(f"{runs[0]} holds no run of a benchmark: give a folder of `subitize run`.")
    if bundle is not None:
        print(write_bundle(RunsTable(folders), bundle))
        return
    bound = listen(host, port)
    site = make_site()
    app = viewer(RunsTable(folders), site)
    print(f"{address(bound)}/?token={site.token}", flush=True)
    say("Open this address in a browser; Ctrl-C ends it.")
    serve(app, bound)
