"""`subitize read` and `score`: stored responses again, without a call."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.printing import (
    BaseUrl,
    Budget,
    Json,
    KeyEnv,
    partial_text,
    say,
    scores_text,
    show,
)
from subitize.commands.running import tell
from subitize.errors import BadInput
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.opening import calibration_from, load_stored
from subitize.runs.correcting import keep_calibration
from subitize.runs.exclusions import write_exclusions
from subitize.runs.folder import RunFolder, read_info
from subitize.runs.how_far import how_far
from subitize.runs.lock import locked
from subitize.runs.progress import told
from subitize.runs.run import RunOptions, read_run
from subitize.runs.stored import score_run

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


def read(  # noqa: PLR0913, PLR0917  the options of the command, one each
    run: RunPath,
    reader: Annotated[str | None, typer.Option(help="How replies are read.")] = None,
    exclude: Annotated[
        Path | None, typer.Option(help="Lines TRIAL-OR-PICTURE,REASON to leave out.")
    ] = None,
    reading_model: Annotated[
        str | None, typer.Option(help="Have a model read the responses: the only way to ask.")
    ] = None,
    budget_calls: Budget = None,
    base_url: BaseUrl = None,
    api_key_env: KeyEnv = None,
    json: Json = False,
) -> None:
    """Read the stored responses with another reader, or leave some out by hand; asks nobody."""
    if reader == "llm":
        if reading_model is None:
            raise BadInput(
                "The reader llm is a language model: name it with --reading-model MODEL."
            )
        reader = None
    complete = True
    if reading_model is not None:
        options = ModelOptions(base_url, api_key_env)
        complete = read_by(run, open_model(counter_name(reading_model), options), budget_calls)
    if exclude is not None:
        with locked(run):
            say(f"{write_exclusions(run, exclude)} excluded")
    stored = load_stored(run, reader)
    if stored.info.get("reader") != stored.reader:
        with locked(run):
            RunFolder.at(run).update(reader=stored.reader)
    states = dict(Counter(stored.counted["state"]))
    many = stored.counted.height
    text = ", ".join(f"{n:,} {state}" for state, n in states.items())
    found = {"reader": stored.reader, "trials": many, "states": states}
    show(found, f"{many:,} responses read by {stored.reader!r}: {text}", json)
    if not complete:
        raise typer.Exit(1)


def read_by(run: Path, model: Model, budget_calls: int | None) -> bool:
    """Ask a reading model about every response that it has not read yet; whether it read all."""
    benchmark = get_benchmark(read_info(run)["benchmark"])
    outcome = read_run(run, benchmark, model, RunOptions(budget_calls=budget_calls))
    if outcome.error is not None:
        raise outcome.error
    tell(outcome, model.respondent)
    return outcome.complete


def score(
    run: RunPath,
    calibration: Annotated[
        Path | None,
        typer.Option(help="The counter's mistakes: a calibration file, or its naming run."),
    ] = None,
    json: Json = False,
) -> None:
    """Score the stored responses; asks nobody."""
    if calibration is not None:
        found = calibration_from(calibration)
        with locked(run):
            keep_calibration(run, get_benchmark(read_info(run)["benchmark"]), found)
    stored = load_stored(run)
    with told(f"{run}: scoring {stored.answers.height:,} trials"):
        scores = score_run(stored)
    if how_far(stored).complete:
        show(scores, scores_text(scores), json)
    else:
        show({**scores, "partial": True}, partial_text(scores), json)
