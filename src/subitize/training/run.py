"""A fine-tuning from beginning to end: every seed, before and after, mean and standard deviation.

FOLDER/finetune.json   what was asked for
FOLDER/before.json     every measure of the model as it came
FOLDER/seed-0/         best/ and last/: checkpoints for hf/FOLDER; history.json: every evaluation
FOLDER/results.json    what came out; nothing in it depends on time or on interruptions
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import orjson

from subitize.errors import BadInput, WrongRun
from subitize.files import make_folder, read_json, write_json
from subitize.models.base import Model
from subitize.runs.lock import locked
from subitize.runs.shards import slug
from subitize.training.loop import History, Metrics, Task, best_of, train
from subitize.training.plan import Part, Plan

INFO, BEFORE, RESULTS = "finetune.json", "before.json", "results.json"
Say = Callable[[str], None]
TaskOf = Callable[[], Task]
"""opens the model anew and makes the task of it"""
BARS = "▁▂▃▄▅▆▇█"


def folder_of(out: Path, model: Model, about: Mapping[str, Any], plan: Plan) -> tuple[Path, Any]:
    """The folder of a training, by what it is; and that, for finetune.json."""
    named = {"name": model.respondent, "settings": model.settings, "revision": model.revision}
    what = {"model": named, "plan": asdict(plan), **about}
    return out / slug(f"finetune-{about['task']}-{model.respondent}", what), what


def train_seeds(
    folder: Path, what: Mapping[str, Any], plan: Plan, seeds: Sequence[int], task_of: TaskOf,
    say: Say,
) -> dict[str, Any]:  # fmt: skip
    """Train every seed and sum up; done parts are taken from the folder."""
    make_folder(folder, "--out")
    if is_main():
        with locked(folder):
            return _trained(folder, what, plan, seeds, task_of, say)
    return _trained(folder, what, plan, seeds, task_of, lambda _words: None)


def is_main() -> bool:
    """Whether this process writes; `accelerate launch` starts one for each device."""
    return os.environ.get("RANK", "0") == "0"


def _trained(
    folder: Path, what: Mapping[str, Any], plan: Plan, seeds: Sequence[int], task_of: TaskOf,
    say: Say,
) -> dict[str, Any]:  # fmt: skip
    _keep(folder / INFO, what)
    before = _before(folder, task_of, say)
    histories: dict[str, History] = {}
    judged_by = tuple(what["judged_by"])
    for seed in seeds:
        inside = folder / f"seed-{seed}"
        kept = inside / "history.json"
        if kept.exists():
            histories[str(seed)] = orjson.loads(kept.read_bytes())
            continue
        make_folder(inside, "--out")

        def tell(history: History, part: Part, seed: int = seed) -> None:
            say(progress_line(seed, history, part, judged_by))

        histories[str(seed)] = train(task_of(), plan, seed, inside, tell)
    results = {**what, "before": before, **summary(histories, before, judged_by)}
    _keep(folder / RESULTS, results)
    return results


def _keep(path: Path, value: Any) -> None:
    if is_main():
        write_json(path, value)


def _before(folder: Path, task_of: TaskOf, say: Say) -> Metrics:
    """How the model does before any training; measured once."""
    path = folder / BEFORE
    if path.exists():
        known: Metrics = orjson.loads(path.read_bytes())
        return known
    say("measuring the model as it is")
    found: Metrics = task_of().evaluate()
    _keep(path, found)
    return found


def progress_line(seed: int, history: History, part: Part, judged_by: Sequence[str]) -> str:
    """A line per evaluation, with the loss so far as a curve."""
    last = history[-1]
    data, measure = judged_by
    value = last["metrics"][data][measure]
    shown = "–" if value is None else f"{value:.4f}"
    losses = [one["loss"] for one in history]
    return (
        f"seed {seed} · epoch {part.epoch:g} · step {part.end} · loss {last['loss']:.4f} "
        f"{curve(losses)} · {data} {measure} {shown}"
    )


def curve(values: Sequence[float]) -> str:
    """Numbers as a row of bars, the last twenty.

    >>> curve([3.0, 2.0, 1.0, 1.0])
    '█▄▁▁'
    """
    shown = list(values)[-20:]
    low, high = min(shown), max(shown)
    step = (high - low) / (len(BARS) - 1) or 1.0
    return "".join(BARS[int((value - low) / step)] for value in shown)


def summary(
    histories: Mapping[str, History], before: Metrics, judged_by: tuple[str, ...]
) -> dict[str, Any]:
    """Of every seed the evaluation chosen on validation, the last, and the paper's way: the best of
    each measure over all evaluations; then mean and standard deviation over seeds."""
    seeds: dict[str, dict[str, Any]] = {}
    for seed, history in histories.items():
        chosen = best_of(history, (judged_by[0], judged_by[1]))
        seeds[seed] = {
            "evaluations": len(history),
            "best_epoch": chosen["epoch"],
            "last_epoch": history[-1]["epoch"],
            "best": chosen["metrics"],
            "last": history[-1]["metrics"],
            "highest": _highest(history),
            "forgetting": _differences(before, chosen["metrics"]),
        }
    ways = ("best", "last", "highest", "forgetting")
    return {
        "seeds": seeds,
        "histories": dict(histories),
        "summary": {way: _over_seeds([one[way] for one in seeds.values()]) for way in ways},
    }


def summary_text(results: Mapping[str, Any], folder: Path) -> str:
    """What came out, a line per data set."""
    data, measure = results["judged_by"]
    lines = [f"{results['model']['name']} · {measure}, chosen on {data}: mean (std) over seeds"]
    for name, measures in results["summary"]["best"].items():
        found, was = measures[measure], results["before"][name][measure]
        if found["mean"] is not None:
            spread = "" if found["std"] is None else f" ({found['std']:.4f})"
            before = "" if was is None else f"  before {was:.4f}"
            lines.append(f"  {name:14} {found['mean']:.4f}{spread}{before}")
    seeds = ", ".join(f"{folder}/seed-{seed}/best" for seed in results["seeds"])
    return "\n".join([*lines, f"checkpoints: {seeds}", f"report: {folder}/report.html"])


def _highest(history: History) -> Metrics:
    """Each measure at its highest, whenever that was."""
    return {
        data: {
            name: max((v for e in history if (v := e["metrics"][data][name]) is not None),
                      default=None)
            for name in measures
        }
        for data, measures in history[0]["metrics"].items()
    }  # fmt: skip


def _differences(before: Metrics, after: Metrics) -> Metrics:
    """What training changed, measure by measure; below 0 on alignment is forgetting."""
    return {
        data: {
            name: None if value is None or before[data][name] is None
            else value - before[data][name]
            for name, value in measures.items()
        }
        for data, measures in after.items()
    }  # fmt: skip


def _over_seeds(found: Sequence[Metrics]) -> dict[str, dict[str, dict[str, float | None]]]:
    """Mean and standard deviation (with n − 1); null where a seed has no value."""
    told: dict[str, dict[str, dict[str, float | None]]] = {}
    for data, measures in found[0].items():
        told[data] = {}
        for name in measures:
            values = [one[data][name] for one in found]
            known = all(value is not None for value in values)
            told[data][name] = {
                "mean": mean(values) if known else None,
                "std": stdev(values) if known and len(values) > 1 else None,
            }
    return told


def is_training(folder: Path) -> bool:
    """Whether `subitize finetune` made this folder."""
    return (folder / INFO).exists()


def read_results(folder: Path) -> dict[str, Any]:
    """results.json of a training that came to its end."""
    if not (folder / RESULTS).exists():
        raise WrongRun(
            f"{folder} is a training that did not come to its end: run the same `subitize "
            "finetune` again, and it goes on where it stopped."
        )
    found = read_json(folder / RESULTS, "the results of a training")
    if not isinstance(found, dict) or "summary" not in found:
        raise BadInput(f"{folder / RESULTS} is damaged: delete it and run `subitize finetune`.")
    return found
