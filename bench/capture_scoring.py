"""CPU seconds to score a full CAPTURE run, against one bootstrap per score.

6,900 answers (totals of both variants, hidden, pattern of both variants, one help), every
breakdown, 10,000 bootstrap samples. Ours draws configurations once for all scores; the other way
calls `bootstrap_mean` for each of the same columns.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

from subitize.benchmarks.capture import Capture
from subitize.benchmarks.capture.scoring import scores_of
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.benchmarks.capture.tasks import CONDITION
from subitize.measures.resampling import bootstrap_mean

AIM = 2.0
STAGES = ("total", "help", "hidden", "pattern")


def answers_frame(settings: CaptureSettings, rng: np.random.Generator) -> pl.DataFrame:
    """A made-up run: numbers off by up to three, options at random, 5 % of the replies vague."""
    rows = []
    for stage in STAGES:
        for trial in Capture().trials(stage, settings, {}):
            vague, off, pick = rng.random() < 0.05, int(rng.integers(-3, 4)), int(rng.integers(3))
            row = {name: trial.condition.get(name, fill) for name, fill in CONDITION.items()}
            number = None if vague or trial.options else max(0, int(trial.target or 0) + off)
            choice = trial.options[pick] if trial.options and not vague else None
            rows.append(
                row
                | {"trial": trial.id, "stage": stage, "counts": True, "attempt": 0, "value": ""}
                | {"state": "vague" if vague else "read", "number": number, "choice": choice}
                | {"target": trial.target, "target_choice": trial.target_choice}
            )
    schema = {"number": pl.Float64, "target": pl.Float64, "choice": pl.String}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def main() -> None:
    settings = CaptureSettings(prompt="as-if-no-box", help=("all-coordinates",))
    rng = np.random.default_rng(0)
    rows = answers_frame(settings, rng)
    begun = time.process_time()
    scores = scores_of(rows, settings, {})
    ours = time.process_time() - begun
    columns = sum(len(lines) for facts in scores["breakdowns"].values() for lines in facts.values())
    begun = time.process_time()
    for _ in range(3):
        bootstrap_mean(rng.random(1150), rng)
    single = (time.process_time() - begun) / 3
    print(f"{rows.height} answers, {columns} breakdown cells: {ours:.2f} s of CPU (aim {AIM} s)")
    print(f"one bootstrap of 1,150 configurations alone: {single:.2f} s for each score")
