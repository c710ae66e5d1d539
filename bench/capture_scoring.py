"""CPU seconds to score a full CAPTURE run, against one bootstrap per score.

6,900 answers (totals of both variants, hidden, pattern of both variants, one help), every
breakdown, 10,000 bootstrap samples. Ours draws configurations once for all scores; the other way
calls `bootstrap_mean` for each of the same columns.
"""

from __future__ import annotations

import time

import numpy as np

from subitize.benchmarks.capture import Capture
from subitize.benchmarks.capture.scoring import scores_of
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.measures.resampling import bootstrap_mean
from subitize.records import Reading, Response, Row, Trial

AIM = 2.0
STAGES = ("total", "help", "hidden", "pattern")


def reading(trial: Trial, rng: np.random.Generator) -> Reading:
    if rng.random() < 0.05:
        return Reading("vague")
    if trial.options:
        return Reading("read", choice=trial.options[int(rng.integers(3))])
    return Reading("read", max(0, int(trial.target + rng.integers(-3, 4))))


def main() -> None:
    settings = CaptureSettings(prompt="as-if-no-box", help=("all-coordinates",))
    rng = np.random.default_rng(0)
    rows = [
        Row(trial, Response(trial.id, "x", "h", 0, 0, "text", "", "stop"), reading(trial, rng))
        for stage in STAGES
        for trial in Capture().trials(stage, settings, {})
    ]
    begun = time.process_time()
    scores = scores_of(rows, settings, {})
    ours = time.process_time() - begun
    columns = sum(len(lines) for facts in scores["breakdowns"].values() for lines in facts.values())
    begun = time.process_time()
    for _ in range(3):
        bootstrap_mean(rng.random(1150), rng)
    single = (time.process_time() - begun) / 3
    print(f"{len(rows)} answers, {columns} breakdown cells: {ours:.2f} s of CPU (aim {AIM} s)")
    print(f"one bootstrap of 1,150 configurations alone: {single:.2f} s for each score")
