"""`subitize capture`: choosing pictures for CAPTURE."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from subitize.benchmarks.capture.selecting import THRESHOLD, Selecting, selected
from subitize.commands.printing import BaseUrl, Budget, Concurrency, Json, KeyEnv, group, say, show
from subitize.errors import BadInput
from subitize.files import write_json
from subitize.humans.placing import placing_app, placing_from
from subitize.humans.web import address, listen, serve
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.runs.columns import read_responses
from subitize.runs.plan import read_trials
from subitize.runs.run import Outcome, RunOptions, choose_kind, run_benchmark

capture = group("Prepare data for CAPTURE runs.")


@capture.command("select")
def select(  # noqa: PLR0913, PLR0917  the options of the command, one each
    pictures: Annotated[Path, typer.Option(help="Folder of pictures.")],
    model: Annotated[str, typer.Option(help="Model to ask.")],
    out: Annotated[Path, typer.Option(help="Folder for the replies and selection.json.")] = Path(
        "selection"
    ),
    things: Annotated[
        Path | None, typer.Option(help="Lines FILE, tab, THINGS, as in FSC-147's image classes.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="Least P(yes) to be kept.")] = THRESHOLD,
    base_url: BaseUrl = None,
    api_key_env: KeyEnv = None,
    concurrency: Concurrency = None,
    budget_calls: Budget = None,
    json: Json = False,
) -> None:
    """Ask whether the objects of each picture form a pattern; keep those with a sure yes."""
    if not 0 < threshold <= 1:
        raise BadInput(f"--threshold is {threshold}: give a probability above 0, at most 1.")
    asked = Selecting()
    settings = asked.settings_from({"pictures": str(pictures), "things": str(things or "")})
    opened = open_model(model, ModelOptions(base_url, api_key_env))
    choose_kind(asked, opened)
    # One picture first: without log-probabilities asking on would only waste calls.
    first = run_benchmark(asked, settings, opened, out, RunOptions(concurrency, budget_calls, 1))
    found, outcome = _kept(first, threshold), first
    if not first.stopped:
        left = None if budget_calls is None else max(0, budget_calls - first.calls)
        opened = open_model(model, ModelOptions(base_url, api_key_env))
        outcome = run_benchmark(asked, settings, opened, out, RunOptions(concurrency, left))
        found = _kept(outcome, threshold)
    write_json(out / "selection.json", found)
    kept = sum(one["kept"] for one in found)
    text = f"{kept:,} of {len(found):,} pictures kept (P(yes) ≥ {threshold}), {out}/selection.json"
    show(found, text, json)
    if not outcome.complete:
        say("Not every picture was asked about; run the same command again to go on.")
    raise typer.Exit(0 if outcome.complete else 1)


@capture.command("place")
def place(
    pictures: Annotated[Path, typer.Option(help="Folder of the pictures.")],
    selection: Annotated[Path, typer.Option(help="selection.json of `capture select`.")] = Path(
        "selection/selection.json"
    ),
    out: Annotated[
        Path, typer.Option(help="File to write, for `run capture --set metadata=FILE`.")
    ] = Path("own_metadata.json"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any.")] = 8766,
) -> None:
    """Place occluders by hand in a browser: keep or drop, draw the box, name and count."""
    app, site = placing_app(placing_from(selection, pictures, out))
    bound = listen(host, port)
    print(f"place occluders: {address(bound)}/?token={site.token}", flush=True)
    serve(app, bound)


def _kept(outcome: Outcome, threshold: float) -> list[dict[str, Any]]:
    if outcome.error is not None:
        raise outcome.error
    trials = {trial.id: trial for trial in read_trials(outcome.folder)}
    return selected(trials, read_responses(outcome.folder), threshold)
