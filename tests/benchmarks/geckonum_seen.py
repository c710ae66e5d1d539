"""Pictures of two painters, drawn here, for models that look at GeckoNum's.

People are five who count what is really there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from subitize.benchmark import Benchmark
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import run_and_score
from subitize.runs.run import RunOptions
from subitize.stimuli.scattered import draw_scattered
from tests.benchmarks.geckonum_data import BY_TEXT, counts, write_counts

PAINTERS = ("imagen_a", "muse_a")
NUMBERS = (1, 2, 3, 4, 6, 10)


@dataclass(frozen=True)
class Made:
    """A folder of pictures, and annotations of them."""

    pictures: Path
    annotations: Path
    drawn: dict[tuple[str, str, int], int]
    """painter, prompt, seed: how many apples are in it"""


def drawn_pictures(folder: Path) -> Made:
    """What two painters drew, and what five people said of it."""
    rng = np.random.default_rng(0)
    drawn: dict[tuple[str, str, int], int] = {}
    for painter in PAINTERS:
        (folder / "pictures" / painter).mkdir(parents=True)
        rows = []
        for n in NUMBERS:
            prompt = BY_TEXT[f"{n} apple{'s' * (n != 1)}."]
            for seed in range(2):
                # Muse-A is wrong in every second picture
                many = n + (seed if painter == "muse_a" else 0)
                picture = draw_scattered("apple", many, 192, rng)
                name = f"{prompt.dataset_id}_{seed}"
                (folder / "pictures" / painter / f"{name}.png").write_bytes(picture)
                drawn[painter, prompt.dataset_id, seed] = many
                said = str(many) if many <= 10 else "10+"
                rows += counts(prompt, [said] * 4 + ["0" if seed else said], seed=seed)
        write_counts(folder / "answers", rows, painter)
    return Made(folder / "pictures", folder / "answers", drawn)


def go(
    benchmark: Benchmark[Any], model: str, out: Path, **settings: Any
) -> tuple[Path, Mapping[str, Any]]:
    options = ModelOptions(base_url=settings.pop("base_url", None))
    outcome, stored = run_and_score(
        benchmark,
        benchmark.settings_from(settings),
        open_model(model, options),
        out,
        RunOptions(progress=False),
    )
    if outcome.error is not None:
        raise outcome.error
    assert outcome.complete, outcome.stopped
    return outcome.folder, stored.scores
