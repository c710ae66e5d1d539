"""How much of the drawing is hidden behind a model that takes 50 ms a batch.

`python -m bench drawing_ahead`: every run is a process of its own. A model that sleeps tells of
each batch when it began and ended; what lies between two batches is time in which it waited. What
it waits longer with its pictures than without any, and the drawing of the first batch, for which
any model has to wait, is what was not hidden of the time that drawing takes alone. The start of the
run, or of the child that local models have, is no part of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.names import ModelName

BATCH, SLEEP, REPEATS, HIDDEN = 8, 0.05, 3, 0.8
SETTINGS: dict[str, Any] = {"per_cell": 10, "prompt": "things", "control": False}


class Sleeping(Model):
    """Looks at nothing and takes its time, as a graphics card does."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)
    batch_size = BATCH

    def name(self, items: Sequence[Item]) -> Answers:
        begun = time.monotonic()
        time.sleep(SLEEP)
        facts = {"begun": begun, "ended": time.monotonic()}
        return [Reply("text", "3", facts=facts) for _ in items]


def open_sleeping(name: ModelName, _options: ModelOptions) -> Sleeping:
    """`sleeping/seeing` and `sleeping/blind`; the latter has no pictures drawn for it."""
    made = Sleeping(name.full)
    made.needs_picture = name.rest == "seeing"  # type: ignore[misc]
    return made


def run(rest: str, isolated: str) -> None:
    """One run in this process: prints how long its model waited between batches."""
    from subitize.benchmarks.catalog import get_benchmark
    from subitize.models.catalog import open_model
    from subitize.runs.run import RunOptions, run_benchmark

    naming = get_benchmark("naming")
    settings = naming.settings_from(SETTINGS)
    model = open_model(f"sleeping/{rest}?isolated={isolated}")
    with tempfile.TemporaryDirectory() as out:
        outcome = run_benchmark(naming, settings, model, Path(out), RunOptions(progress=False))
        assert outcome.complete
        [journal] = Path(out).rglob("responses.jsonl")
        told = [json.loads(json.loads(line)["facts"]) for line in journal.open()]
    spans = sorted({(one["begun"], one["ended"]) for one in told})
    gaps = [after[0] - before[1] for before, after in pairwise(spans)]
    print(json.dumps({"seconds": sum(gaps), "asked": outcome.received, "batches": len(spans)}))


def draw() -> None:
    """The same pictures, drawn one after the other in this new process: prints the seconds."""
    from subitize.benchmarks.catalog import get_benchmark
    from subitize.stimuli import render

    naming = get_benchmark("naming")
    trials = list(naming.trials("ask", naming.settings_from(SETTINGS), {}))
    took = []
    for trial in trials:
        begun = time.monotonic()
        render(trial.stimulus)
        took.append(time.monotonic() - begun)
    print(json.dumps({"seconds": sum(took), "first": sum(took[:BATCH])}))


def measured(package: Path, *words: str) -> dict[str, Any]:
    """The quickest of a few: the machine does other things too."""
    found = []
    for _ in range(REPEATS):
        done = subprocess.run(
            [sys.executable, "-m", "bench.drawing_ahead", *words],
            capture_output=True, text=True, check=False, env=_environment(package),
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        found.append(dict(json.loads(done.stdout.splitlines()[-1])))
    return min(found, key=lambda one: one["seconds"])


def _environment(package: Path) -> dict[str, str]:
    paths = [str(package), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _registered(folder: Path) -> Path:
    """An installed package, as a third party's, that adds the sleeping model by its entry point."""
    info = folder / "sleeping-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sleeping\nVersion: 1.0\n")
    point = "[subitize.models]\nsleeping = bench.drawing_ahead:open_sleeping\n"
    (info / "entry_points.txt").write_text(point)
    return folder


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        package = _registered(Path(folder))
        alone = measured(package, "draw")
        for where, isolated in (("in this process", "false"), ("in a child", "true")):
            seeing = measured(package, "run", "seeing", isolated)
            blind = measured(package, "run", "blind", isolated)
            longer = max(0.0, seeing["seconds"] - blind["seconds"])
            hidden = 1 - (longer + alone["first"]) / alone["seconds"]
            print(
                f"{where:16} {seeing['asked']} pictures, {seeing['batches']} batches of {BATCH}: "
                f"drawing alone {alone['seconds']:.2f} s, of the first batch {alone['first']:.3f} "
                f"s; between batches the model waits {seeing['seconds']:.3f} s, without pictures "
                f"{blind['seconds']:.3f} s: {100 * hidden:.0f} % hidden (at least "
                f"{100 * HIDDEN:.0f})"
            )
            if hidden < HIDDEN:
                sys.exit("drawing is not hidden behind the model")


if __name__ == "__main__":
    {"run": run, "draw": draw}[sys.argv[1]](*sys.argv[2:])
