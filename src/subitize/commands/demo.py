"""`subitize demo`: the main job on the built-in models."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark, page_of
from subitize.captions.counting import Counting, count_captions
from subitize.captions.made import made_captions
from subitize.captions.page import chapter
from subitize.captions.progress import Progress
from subitize.captions.store import read_result
from subitize.commands.printing import Json, say, show
from subitize.errors import MissingExtra
from subitize.files import write_whole
from subitize.humans.demo import demo_study
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import load_stored, open_helpers, run_and_score
from subitize.reports.build import Chapter, build_report
from subitize.runs.folder import read_info
from subitize.runs.run import RunOptions

CAPTIONS = 10_000
"""made up for each of the two corpora"""


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the runs and report.html.")] = Path("demo"),
    fast: Annotated[bool, typer.Option("--fast", help="Fewer trials.")] = False,
    json: Json = False,
) -> None:
    """Every benchmark on the built-in models, then the report; no network, no key."""
    begun = time.monotonic()
    folders, complete = [], True
    for name in BENCHMARKS:
        benchmark = get_benchmark(name)
        for settings, model in _demonstrated(benchmark, "fast" if fast else "settings"):
            say(f"{name}: {model}")
            opened = open_model(model)
            helpers = open_helpers(benchmark, settings, opened, None, lambda _: ModelOptions())
            outcome, _ = run_and_score(
                benchmark, settings, opened, out / "runs", RunOptions(), helpers
            )
            complete = complete and outcome.complete
            folders.append(outcome.folder)
    folders += _people(folders, out)
    runs = [load_stored(folder) for folder in folders]
    report = build_report(runs, out / "report.html", page_of, _captions(out))
    result = {"report": str(report), "folders": [str(one) for one in folders], "complete": complete}
    show(result, f"The report is {report} ({time.monotonic() - begun:.0f} s)", json)
    raise typer.Exit(0 if complete else 1)


def _captions(out: Path) -> list[Chapter]:
    """The page of two made-up corpora; none where the tagger is not installed."""
    results = []
    for name, exponent in (("made up, steep", 2.3), ("made up, gentle", 1.8)):
        say(f"captions: {name}")
        file = out / "captions" / f"{name.rpartition(' ')[2]}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        texts, _ = made_captions(CAPTIONS, np.random.default_rng(0), exponent=exponent)
        write_whole(file, b"\n".join(orjson.dumps({"caption": one}) for one in texts))
        try:
            how = Counting(name=name)
            folder, _ = count_captions([str(file)], out / "runs", how, Progress(show=False))
        except MissingExtra as problem:
            say(f"captions: left out. {problem}")
            return []
        results.append(read_result(folder))
    return [chapter(results)]


def _people(folders: list[Path], out: Path) -> list[Path]:
    """What simulated annotators say of painted pictures; nothing where there is no web."""
    painted = [one for one in folders if read_info(one)["benchmark"] == "geckonum"]
    say("people: a study of GeckoNum's Task 1, answered over HTTP")
    try:
        return [demo_study(painted[0], out / "studies", out / "runs")]
    except MissingExtra as problem:
        say(f"people: left out. {problem}")
        return []


def _demonstrated(benchmark: Benchmark[Any], which: str) -> Iterator[tuple[Settings, str]]:
    """What the demo asks: a benchmark's models, then further settings with their own models."""
    usual = benchmark.DEMO[which]
    for changes, models in (({}, benchmark.DEMO["models"]), *benchmark.DEMO.get("also", ())):
        for model in models:
            yield benchmark.settings_from({**usual, **changes}), model
