"""Our image-to-text benchmarks as tasks of Inspect: `inspect eval subitize/naming --model …`.

Inspect finds this module by the entry point group `inspect_ai`. A setting of the benchmark is given
as `-T name=value`. `subitize import inspect LOG` makes a run folder of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from subitize.benchmarks.catalog import get_benchmark
from subitize.integrations.inspect_samples import OVERRIDES, PART, asked_of, trial_in
from subitize.models.inspecting import reply_of
from subitize.runs.reading import choose_reader
from subitize.runs.replies import as_response

USUAL: Mapping[str, Mapping[str, Any]] = {
    "capture": {"prompt": "as-if-no-box"}, "probe": {"task": "vqa"}
}  # fmt: skip
"""settings that a task has of its own: Inspect can't choose a prompt by answers to others, and its
models answer in words"""


@task
def naming(reader: str = "", **settings: Any) -> Task:
    """How many things does a model say there are in a picture?"""
    return made("naming", reader, settings)


@task
def capture(reader: str = "", **settings: Any) -> Task:
    """How many things are there, those behind the occluder too?"""
    return made("capture", reader, settings)


@task
def probe(reader: str = "", **settings: Any) -> Task:
    """The counting probe: questions (vqa), or sentences to be judged."""
    return made("probe", reader, settings)


@task(name="geckonum-vqa")
def geckonum_vqa(reader: str = "", **settings: Any) -> Task:
    """Counting questions with people's answers."""
    return made("geckonum-vqa", reader, settings)


def made(name: str, reader: str, given: Mapping[str, Any]) -> Task:
    """The task of a benchmark; settings are read as the command line reads them."""
    benchmark = get_benchmark(name)
    wanted = {**USUAL.get(name, {}), **{key: _text(value) for key, value in given.items()}}
    settings = benchmark.settings_from(wanted)
    asked = asked_of(benchmark, settings)
    chosen = choose_reader(benchmark, {"settings": settings.identity()}, reader or None).name
    return Task(
        dataset=MemoryDataset(asked.samples, name=name),
        solver=asking(),
        scorer=reading(name, chosen),
        epochs=Epochs(asked.epochs, "mean"),
        config=GenerateConfig(max_tokens=benchmark.MAX_TOKENS),
        version=benchmark.VERSION,
        metadata={
            "benchmark": name, "settings": settings.identity(), "reader": chosen,
            "decisions": dict(asked.decisions), "stages": dict(asked.stages),
        },
    )  # fmt: skip


def _text(value: Any) -> str:
    """A value that Inspect has parsed, as it was written."""
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


@solver
def asking() -> Solver:
    """Ask once, with the settings that the benchmark wants for this question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state, **state.metadata[OVERRIDES])

    return solve


@scorer(metrics=[grouped(accuracy(), PART), stderr()])
def reading(benchmark: str, reader: str) -> Scorer:
    """Our reader; the state of a reply that has no number stands in the score's metadata."""
    asked = get_benchmark(benchmark)
    chosen = choose_reader(asked, {}, reader)

    async def score(state: TaskState, target: Target) -> Score:
        trial = trial_in(state.metadata, state.sample_id)
        key = (trial.id, "", "", state.epoch - 1, 0)
        response = as_response(key, reply_of(state.output), 0.0, "", "")
        found = chosen.response(trial, response, [])
        right = asked.is_right(trial, response, found)
        return Score(
            value=CORRECT if right else INCORRECT,
            answer="" if found.value is None else str(found.value),
            explanation=found.note or found.state,
            metadata={"state": found.state},
        )

    return score
