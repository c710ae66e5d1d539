"""How often a 95 % interval holds the truth: `python -m bench coverage` writes docs/coverage.json.

Responders whose scores are known exactly answer runs of five categories, targets 1..10 and a few
trials per cell; each run's intervals hold the truth or do not. A cell of the table is a responder,
a number of trials per cell and a score. SUBITIZE_RUNS says how many runs (2,000); with
SUBITIZE_SCORE only that score is measured anew, on the runs that the table was made of.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from subitize.measures.accuracy import proportion_interval
from subitize.measures.baselines import observer_matrix, perfect_matrix
from subitize.measures.intervals import mean_interval
from subitize.measures.likeness import matrix_correlation
from subitize.measures.likeness_interval import likeness_interval
from subitize.measures.trials import Counts, Floats

FILE = Path(__file__).parents[1] / "docs" / "coverage.json"
RUNS = 2000
PER_CELL = (2, 5, 20, 50)
LARGEST = 210
TARGETS = np.arange(1, 11)
SCORES = ("accuracy", "nae", "smape", "mae", "rmse", "human_correlation")
YARDSTICK = observer_matrix()
Entries = tuple[Counts, Counts, Counts, Counts]
"""target, response, stratum and times of answers that are alike"""


def _matrix(chances: Callable[[int], dict[int, float]]) -> Floats:
    found = np.zeros((LARGEST, 10))
    for target in TARGETS.tolist():
        for response, chance in chances(target).items():
            found[response, target - 1] += chance
    return found


def _padded(matrix: Floats) -> Floats:
    found = np.zeros((LARGEST, 10))
    found[: len(matrix)] = matrix
    return found


def _low(scale: float, spread: float) -> Floats:
    from scipy.special import ndtr

    edges = np.arange(21)[:, None] + 0.5
    mass = np.diff(ndtr((edges - scale * TARGETS) / (spread * TARGETS)), axis=0)
    return _padded(np.vstack([np.zeros(10), mass / mass.sum(axis=0)]))


def responders() -> dict[str, list[Floats]]:
    """P(g | t) of each category, by name."""

    def observer(w: float, limit: int = 4) -> Floats:
        return _padded(observer_matrix(w=w, limit=limit))

    alike = {
        "observer w .03": observer(0.03),
        "observer w .15": observer(0.15),
        "observer w .25": observer(0.25),
        "99 % right else + 1": _matrix(lambda t: {t: 0.99, t + 1: 0.01}),
        "99.8 % right else + 1": _matrix(lambda t: {t: 0.998, t + 1: 0.002}),
        "99 % right else 200": _matrix(lambda t: {t: 0.99, 200: 0.01}),
        "mean .8 t, sd .1 t": _low(0.8, 0.1),
        "always 4, 3 % say 5": _matrix(lambda _: {4: 0.97, 5: 0.03}),
        "perfect": _padded(perfect_matrix()),
        "right, half of the 7s 8": _matrix(lambda t: {t: 0.5, t + 1: 0.5} if t == 7 else {t: 1.0}),
    }
    mixed = [observer(0.15)] * 3 + [observer(0.35, 2)] * 2
    return {
        **{name: [matrix] * 5 for name, matrix in alike.items()},
        "two kinds of observer": mixed,
        "two kinds, empty cells": mixed,
    }


def weights_of(name: str) -> Floats:
    """Which cells [category, target] are asked."""
    asked = np.ones((5, 10))
    if name.endswith("empty cells"):
        asked[1, 6:], asked[3, :3] = 0, 0
    return asked


def terms(targets: Any, responses: Any) -> dict[str, tuple[Any, Any, float]]:
    """Of each mean: its terms, what one step is worth and the largest term."""
    off = np.abs(responses - targets) * 1.0
    both = responses + targets
    return {
        "accuracy": ((off == 0) * 1.0, 1.0, 1.0),
        "nae": (off / targets, 1 / targets, np.inf),
        "smape": (100 * off / both, 100 / (2 * targets + 1), 100.0),
        "mae": (off, 1.0, np.inf),
        "rmse": (off**2, 2 * off + 1, np.inf),
    }


def truths(matrices: Sequence[Floats], asked: Floats) -> dict[str, float]:
    """The scores of a responder, from its chances."""
    pooled = np.einsum("ct,cgt->gt", asked, np.stack(matrices))
    rows = np.arange(LARGEST)[:, None]
    found = {
        name: float((pooled * one[0]).sum() / pooled.sum())
        for name, one in terms(TARGETS, rows).items()
    }
    clipped = pooled[:21].copy()
    clipped[20] += pooled[21:].sum(axis=0)
    found["human_correlation"] = matrix_correlation(clipped, observer_matrix()) or 0.0
    return found


def drawn(
    matrices: Sequence[Floats], asked: Floats, per_cell: int, rng: np.random.Generator
) -> Entries:
    """One run."""
    parts = []
    for kind, matrix in enumerate(matrices):
        counts = rng.multinomial((per_cell * asked[kind]).astype(int), matrix.T)
        column, response = np.nonzero(counts)
        parts.append((column + 1, response, kind * 10 + column, counts[column, response]))
    one, two, three, four = (np.concatenate(part) for part in zip(*parts, strict=True))
    return one, two, three, four


def covered(
    name: str, per_cell: int, runs: int, seed: int = 0, scores: Sequence[str] = SCORES
) -> dict[str, dict[str, Any]]:
    """Share of runs with an interval and, of those, coverage, share of misses below the truth and
    mean width, for scores of one responder.

    Beside the width of accuracy stands that of Clopper and Pearson.
    """
    matrices, asked = responders()[name], weights_of(name)
    truth = truths(matrices, asked)
    found = {score: np.zeros((runs, 2)) for score in scores}
    exact = np.zeros(runs)
    rng = np.random.default_rng([seed, per_cell])
    for at in range(runs):
        entries = drawn(matrices, asked, per_cell, rng)
        for score, ends in found.items():
            ends[at] = _ends(score, entries)
        right = entries[3][entries[0] == entries[1]].sum()
        one = proportion_interval(int(right), int(entries[3].sum()))
        exact[at] = (one.high or 0.0) - (one.low or 0.0)
    table = {}
    for score, ends in found.items():
        low, high = ends[~np.isnan(ends[:, 0])].T
        inside = (low <= truth[score] + 1e-9) & (truth[score] <= high + 1e-9)
        table[score] = {
            "given": round(low.size / runs, 4),
            "coverage": _mean(inside),
            "below": _mean(high < truth[score] - 1e-9),
            "width": float(f"{float(np.mean(high - low)):.4g}") if low.size else None,
            "truth": float(f"{truth[score]:.6g}"),
        }
    if "accuracy" in table:
        table["accuracy"]["clopper_pearson"] = float(f"{float(exact.mean()):.4g}")
    return table


def _ends(score: str, entries: Entries) -> tuple[Any, Any]:
    """The interval of one score of a run; NaN where it has none."""
    target, response, stratum, times = entries
    if score == "human_correlation":
        found = likeness_interval(entries, YARDSTICK)
    else:
        values, steps, most = terms(target, response)[score]
        found = mean_interval(
            values, times=times, strata=stratum, steps=steps, bounds=(0.0, most), worst=True
        )
    return (np.nan, np.nan) if found is None or found.low is None else (found.low, found.high)


def _mean(shares: Any) -> float | None:
    return round(float(shares.mean()), 4) if shares.size else None


def main() -> int:
    """Write the table, a responder at a time; cells that are there with as many runs stay."""
    runs, only = int(os.environ.get("SUBITIZE_RUNS", RUNS)), os.environ.get("SUBITIZE_SCORE")
    table: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in responders():
        for per_cell in PER_CELL:
            known = table.get(name, {}).get(str(per_cell), {})
            scores = (only,) if only and known else SCORES
            if known.get("runs", 0) >= runs and not only:
                continue
            # the same seed draws the same runs
            many = runs if scores == SCORES else known["runs"]
            made = {**known, "runs": many, **covered(name, per_cell, many, scores=scores)}
            table.setdefault(name, {})[str(per_cell)] = made
            FILE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
            print(name, per_cell, {s: made[s]["coverage"] for s in scores}, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
