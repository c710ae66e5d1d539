"""How long scoring takes: all naming scores of a full run, with 10,000 bootstrap samples.

Run it with  python -m bench.scoring  or  python bench/scoring.py.  Times are CPU seconds after
imports; the naive way resamples trials in a loop and scores each sample by the plain functions.
It is timed on fewer samples and scaled up, since every sample costs it the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from subitize.benchmarks.numerosity import numerosity_scores
from subitize.measures.baselines import observer_matrix, random_matrix
from subitize.measures.confusion import confusion_matrix
from subitize.measures.counting_level import counting_level
from subitize.measures.error_size import nae
from subitize.measures.likeness import category_consistency, human_correlation
from subitize.measures.naming import naming_intervals
from subitize.measures.resampling import SAMPLES
from subitize.measures.trials import Floats, trials_of

CATEGORIES = ("apples", "people", "butterflies", "dots", "fast cards")
PER_CELL = 50
TARGET_SECONDS = 1.0
NAIVE_SAMPLES = 100


def simulated_run(matrix: Floats, seed: int = 0) -> tuple[Floats, Floats, Any]:
    """2,500 trials: 5 categories × 10 targets × 50."""
    rng = np.random.default_rng(seed)
    parts = [trials_of(rng.multinomial(PER_CELL, matrix.T).T) for _ in CATEGORIES]
    targets = np.concatenate([part[0] for part in parts])
    responses = np.concatenate([part[1] for part in parts])
    return targets, responses, np.repeat(CATEGORIES, PER_CELL * matrix.shape[1])


def all_scores(targets: Floats, responses: Floats, kinds: Any) -> dict[str, Any]:
    """Every naming score as `subitize score` makes it, with the fits and all that is drawn."""
    answers = pl.DataFrame({"target": targets, "number": responses, "category": kinds})
    answers = answers.with_columns(state=pl.lit("read"), trial=pl.int_range(pl.len()))
    return numerosity_scores(answers, 10, CATEGORIES, 1)


def naive_bootstrap(targets: Floats, responses: Floats, kinds: Any, samples: int) -> None:
    """Resample the trials of each cell, then score the sample, once per sample."""
    rng = np.random.default_rng(1)
    cells = [
        np.nonzero((kinds == kind) & (targets == target))[0]
        for kind in CATEGORIES
        for target in np.unique(targets)
    ]
    for _ in range(samples):
        picked = np.concatenate([cell[rng.integers(0, cell.size, cell.size)] for cell in cells])
        t, g, k = targets[picked], responses[picked], kinds[picked]
        whole = confusion_matrix(t, g).counts
        np.mean(t == g)
        nae(t, g)
        human_correlation(whole)
        counting_level(whole)
        category_consistency(
            {kind: confusion_matrix(t[k == kind], g[k == kind]).counts for kind in CATEGORIES}
        )


def cpu_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of a few runs: what the work needs when nobody disturbs it."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def measured() -> dict[str, dict[str, float]]:
    """CPU seconds of scoring and of the naive bootstrap, for two kinds of responder."""
    results = {}
    for name, matrix in (("observer", observer_matrix()), ("random", random_matrix())):
        run = simulated_run(matrix)
        all_scores(*run)  # SciPy's late imports are not what is timed
        fast = cpu_seconds(lambda run=run: all_scores(*run))  # type: ignore[misc]
        resampling = cpu_seconds(
            lambda run=run: naming_intervals(*run, np.random.default_rng(1))  # type: ignore[misc]
        )
        slow = cpu_seconds(lambda run=run: naive_bootstrap(*run, NAIVE_SAMPLES), 1)  # type: ignore[misc]
        results[name] = {
            "all scores": fast,
            "bootstrap": resampling,
            "naive bootstrap": slow * SAMPLES / NAIVE_SAMPLES,
        }
    return results


def main() -> int:
    """Print the times; exit 1 if scoring takes longer than it may."""
    results = measured()
    print(f"2,500 trials, {SAMPLES:,} bootstrap samples, CPU seconds")
    for name, seconds in results.items():
        ratio = seconds["naive bootstrap"] / seconds["bootstrap"]
        parts = ", ".join(f"{what} {value:.2f}" for what, value in seconds.items())
        print(f"{name:>9}: {parts}; naive / ours = {ratio:.0f}")
    return 0 if all(found["all scores"] < TARGET_SECONDS for found in results.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
