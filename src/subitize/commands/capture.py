"""`subitize capture`: choosing pictures, visible counts and inpainted pictures for CAPTURE."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from subitize.benchmark import Settings
from subitize.benchmarks.capture.inpainting import Inpainting
from subitize.benchmarks.capture.scenes import scenes
from subitize.benchmarks.capture.selecting import THRESHOLD, Selecting, selected
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.commands.printing import print_json, say
from subitize.commands.running import pairs
from subitize.errors import BadInput
from subitize.models.base import Model, ModelOptions
from subitize.models.catalog import open_model
from subitize.pictures.editing import filled
from subitize.readers.choices import read_yes_no
from subitize.runs.folder import read_info, write_whole
from subitize.runs.run import Outcome, RunOptions, choose_kind, run_benchmark
from subitize.runs.stored import load_run, read_rows
from subitize.stimuli import render

__all__ = ["capture"]

capture = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

ModelName = Annotated[str, typer.Option("--model", help="Model to ask.")]
BaseUrl = Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")]
KeyEnv = Annotated[str | None, typer.Option(help="Environment variable with the key.")]
Concurrency = Annotated[int | None, typer.Option(help="Calls under way at once.")]
Budget = Annotated[int | None, typer.Option(help="Send at most N requests.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]


@capture.callback()
def about() -> None:
    """Prepare data for CAPTURE runs."""


@capture.command("select")
def select(  # noqa: PLR0913, PLR0917  the options of the command, one each
    pictures: Annotated[Path, typer.Option(help="Folder of pictures.")],
    model: ModelName,
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
    _kept(first, opened, threshold)
    left = None if budget_calls is None else max(0, budget_calls - first.calls)
    opened = open_model(model, ModelOptions(base_url, api_key_env))
    outcome = run_benchmark(asked, settings, opened, out, RunOptions(concurrency, left))
    found = _kept(outcome, opened, threshold)
    write_whole(out / "selection.json", orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    kept = sum(one["kept"] for one in found)
    if json:
        print_json(found)
    else:
        print(f"{kept} of {len(found)} pictures kept (P(yes) ≥ {threshold}), {out}/selection.json")
    if not outcome.complete:
        say("Not every picture was asked about; run the same command again to go on.")
    raise typer.Exit(0 if outcome.complete else 1)


def _kept(outcome: Outcome, model: Model, threshold: float) -> list[dict[str, Any]]:
    if outcome.error is not None:
        raise outcome.error
    return selected(read_rows(outcome.folder, read_yes_no), threshold, model.respondent)


@capture.command("inpaint")
def inpaint(  # noqa: PLR0913, PLR0917  the options of the command, one each
    model: ModelName,
    out: Annotated[Path, typer.Option(help="Folder for the inpainted pictures.")],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the capture run."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the capture run.")] = 0,
    base_url: BaseUrl = None,
    api_key_env: KeyEnv = None,
    concurrency: Concurrency = None,
    budget_calls: Budget = None,
) -> None:
    """Have a model fill the boxes; use the folder with --set help=inpainted --set inpainter=DIR."""
    asked = Inpainting()
    settings = asked.settings_from({"seed": seed, **pairs(set_ or [])})
    opened = open_model(model, ModelOptions(base_url, api_key_env))
    choose_kind(asked, opened)
    if not opened.inpaints:
        raise BadInput(
            f"{model} paints, but can't fill a part of a picture: name a model that can, such as "
            "openai/NAME behind a server with /images/edits."
        )
    options = RunOptions(concurrency, budget_calls)
    outcome = run_benchmark(asked, settings, opened, out / "runs", options)
    made = _write_filled(outcome.folder, settings, out)
    print(f"{made} inpainted pictures in {out}")
    if outcome.error is not None:
        raise outcome.error
    raise typer.Exit(0 if outcome.complete else 1)


def _write_filled(run: Path, settings: Settings, out: Path) -> int:
    """Every picture received, laid into the box of its occluded picture."""
    assert isinstance(settings, CaptureSettings)
    received = {
        row.trial.condition["configuration"]: run / "images" / str(row.reading.choice)
        for row in read_rows(run, Inpainting.READERS["picture"])
        if row.reading.state == "read" and row.response.stop != "unreadable"
    }
    made = 0
    for scene in scenes(settings, "test"):
        if scene.name in received:
            covered = render(scene.pictures["occluded"]).png
            picture = filled(covered, received[scene.name].read_bytes(), scene.box)
            write_whole(out / f"{Path(scene.name).stem}.png", picture)
            made += 1
    return made


@capture.command("counts")
def counts(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A counter's capture run.")],
    out: Annotated[Path, typer.Option(help="The JSON file to write.")],
) -> None:
    """Visible counts from a counter's run, as a file for `--set help=visible-count`."""
    if read_info(run)["benchmark"] != "capture":
        raise BadInput(f"{run} is no run of capture: run a counter on it first.")
    found = {
        str(row.trial.condition["configuration"]): int(row.reading.number)
        for row in load_run(run).rows
        if row.trial.stage == "total"
        and row.trial.condition["variant"] == "occluded"
        and row.reading.number is not None
    }
    if not found:
        raise BadInput(f"{run} holds no totals of occluded pictures: run a counter on them first.")
    write_whole(out, orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    print(f"{len(found)} visible counts in {out}")
