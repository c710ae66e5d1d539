"""From names to what runs: benchmarks, models, helpers and run folders by what users write."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from subitize.benchmark import Benchmark, Settings
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, WrongRun
from subitize.measures.accuracy import proportion_interval
from subitize.measures.planning import Power, Widths, expected_widths, power_table
from subitize.models.base import Kind, Model, ModelOptions
from subitize.models.catalog import counter_name, open_model
from subitize.readers.calibration import load_calibration
from subitize.records import fingerprint
from subitize.runs.correcting import check_counter, pairs_of
from subitize.runs.estimating import Estimate, How, estimate
from subitize.runs.folder import read_info
from subitize.runs.progress import told
from subitize.runs.run import Outcome, RunOptions, choose_helper_kind, choose_kind, run_benchmark
from subitize.runs.stored import StoredRun, score_run, stored_run
from subitize.stimuli import render

USUAL_WRITER = "`subitize stimuli NAME --out FOLDER`"
WRITERS: Mapping[str, str] = {
    "probe": "`subitize probe sentences --out FOLDER` (with the same --seed and --set, but "
    "task=counting: every task shows the same scenes)"
}
"""which command writes the pictures that a benchmark draws"""
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
        shown = _files_shown(benchmark, settings, choose_kind(benchmark, model, settings))
        check(shown, WRITERS.get(benchmark.NAME, USUAL_WRITER))
    outcome = run_benchmark(benchmark, settings, model, out, options, helpers)
    gone = outcome.error is not None and not (outcome.folder / "run.json").exists()
    if outcome.error is not None and (gone or isinstance(outcome.error, WrongRun)):
        # Nothing to score: the folder was deleted, or what lies in it is not this run.
        raise outcome.error
    stored = stored_run(outcome.folder, benchmark, options.reader)
    if isinstance(outcome.error, BadInput) and stored.answers.is_empty():
        raise outcome.error  # scores of nothing may fail, and would hide why nothing was asked
    if outcome.received or outcome.failed:
        many = f"{stored.answers.height:,} trials"
        with told(f"{benchmark.NAME} · {model.respondent}: scoring {many}", show=options.progress):
            score_run(stored)
    return outcome, stored


def _files_shown(benchmark: Benchmark[Any], settings: Settings, kind: Kind) -> list[str]:
    """The hashes of the picture files that a run will show; drawn ones are drawn for it."""
    decided = benchmark.ready(settings, kind)
    found: dict[str, str] = {}
    for stage in benchmark.stages(settings, kind):
        for trial in () if stage.follows else benchmark.trials(stage.name, settings, decided):
            shown = trial.stimulus
            known = fingerprint([shown.kind, shown.recipe])
            if shown.kind == "file":
                found[known] = str(shown.recipe["sha256"])
            elif shown.kind == "drawn" and known not in found:
                found[known] = hashlib.sha256(render(shown).png).hexdigest()
    return list(found.values())


@dataclass(frozen=True)
class Plan:
    """What a run will ask, what it will cost, and how sure its scores will be."""

    benchmark: str
    model: str
    paid: bool
    """whether the model's calls cost money"""
    estimate: Estimate
    pictures: int
    """different pictures, or prompts, that scores and comparisons stand on"""
    widths: list[Widths]
    """of the intervals of simulated observers; empty where cells are no category × number"""
    share_width: float
    """of the interval of a share of one half over all pictures"""
    power: list[Power]

    def as_json(self) -> dict[str, Any]:
        found = asdict(self.estimate)
        return {
            "benchmark": self.benchmark,
            "model": self.model,
            "paid": self.paid,
            **found,
            "distinct": self.pictures,
            "widths": [row._asdict() for row in self.widths],
            "share_width": self.share_width,
            "power": [row._asdict() for row in self.power],
        }


def plan_of(
    benchmark: Benchmark[Any],
    settings: Settings,
    model: Model,
    helpers: Mapping[str, Model],
    how: How,
) -> Plan:
    """Count, price and foresee a run; nobody is asked, nothing is written."""
    kind = choose_kind(benchmark, model, settings)
    counted = estimate(benchmark, settings, model, kind, helpers, how)
    pictures = min(_distinct(benchmark, settings, kind), how.limit or sys.maxsize)
    half = proportion_interval(max(1, pictures) // 2, max(1, pictures))
    cells: list[Any] = [getattr(settings, name, 0) for name in ("per_cell", "categories", "max")]
    widths = []
    if all(cells) and how.limit is None:
        per_cell, categories, highest = cells
        widths = expected_widths(
            per_cell, np.random.default_rng(0), categories=len(categories), highest_target=highest
        )
    return Plan(
        benchmark.NAME, model.respondent, model.paid, counted, pictures, widths,
        (half.high or 1.0) - (half.low or 0.0), power_table(),
    )  # fmt: skip


def _distinct(benchmark: Benchmark[Any], settings: Settings, kind: Kind) -> int:
    """Different things that the largest of the stages which count is about."""
    decided = {**benchmark.foreseen(settings), **benchmark.ready(settings, kind)}
    most = 0
    for stage in benchmark.stages(settings, kind):
        if stage.counts and not stage.role and not stage.follows:
            with suppress(KeyError):  # a round that depends on answers
                trials = benchmark.trials(stage.name, settings, decided)
                shown = {
                    fingerprint([one.stimulus.kind, one.stimulus.recipe])
                    if one.stimulus.kind != "prompt" else one.id
                    for one in trials
                }  # fmt: skip
                most = max(most, len(shown))
    return most


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
