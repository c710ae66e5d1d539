"""From names to what runs: benchmarks, models, helpers and run folders by what users write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, WrongRun
from subitize.models.base import Kind, Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.readers.calibration import load_calibration
from subitize.runs.correcting import check_counter, pairs_of
from subitize.runs.folder import read_info
from subitize.runs.run import Outcome, RunOptions, choose_helper_kind, choose_kind, run_benchmark
from subitize.runs.stored import StoredRun, score_run, stored_run

OptionsOf = Callable[[str], ModelOptions]
"""how the model of a role is opened; the empty role is the model under test"""


def open_helpers(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    counter: str | None,
    options_of: OptionsOf,
) -> dict[str, Model]:
    """The helpers of a run: those its settings name, and who reads its responses, or nobody."""
    kind = choose_kind(benchmark, model, settings)
    helpers = {
        role: open_model(counter_name(name), options_of(role))
        for role, name in benchmark.helpers(settings, kind).items()
    }
    if "inpainter" in helpers and not helpers["inpainter"].inpaints:
        raise BadInput(
            f"{helpers['inpainter'].respondent} paints, but can't fill a part of a picture: name "
            "a model that can, such as openai/NAME behind a server with /images/edits."
        )
    role = benchmark.reading_role()
    wanted = counter if counter is not None or not role else benchmark.HELPERS[role].usual
    if wanted not in (None, "", "none"):
        reading = open_model(counter_name(str(wanted)), options_of(role))
        choose_helper_kind(benchmark, role, reading)
        helpers[role] = reading
    return helpers


def run_and_score(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    out: Path,
    options: RunOptions,
    helpers: Mapping[str, Model] | None = None,
) -> tuple[Outcome, StoredRun]:
    """One model through one benchmark; the scores come also when it stopped early."""
    if (check := getattr(model, "check_pictures", None)) is not None:
        check(_files_shown(benchmark, settings, choose_kind(benchmark, model, settings)))
    outcome = run_benchmark(benchmark, settings, model, out, options, helpers)
    gone = outcome.error is not None and not (outcome.folder / "run.json").exists()
    if outcome.error is not None and (gone or isinstance(outcome.error, WrongRun)):
        # Nothing to score: the folder was deleted, or what lies in it is not this run.
        raise outcome.error
    stored = stored_run(outcome.folder, benchmark, options.reader)
    if outcome.received or outcome.failed:
        score_run(stored)
    return outcome, stored


def _files_shown(benchmark: Benchmark[Any], settings: Settings, kind: Kind) -> list[str]:
    """The hashes of the picture files that a run will show; drawn pictures are not drawn for it."""
    decided = benchmark.ready(settings, kind)
    return [
        str(trial.stimulus.recipe["sha256"])
        for stage in benchmark.stages(settings, kind)
        if not stage.follows
        for trial in benchmark.trials(stage.name, settings, decided)
        if trial.stimulus.kind == "file"
    ]


def load_stored(folder: str | Path, reader: str | None = None) -> StoredRun:
    """A run folder, by its own reader or by another one."""
    path = Path(folder)
    return stored_run(path, get_benchmark(read_info(path)["benchmark"]), reader)


def calibration_from(source: Path, counter: str = "") -> dict[str, Any]:
    """A counter's threshold and mistakes: from a calibration file, or from its naming run."""
    if source.is_dir():
        found = load_stored(source)
        pairs = pairs_of(found.folder, found.info, found.reader, found.counted)
    else:
        pairs = load_calibration(source).as_json()
    if counter:
        check_counter(pairs, counter)
    return pairs
