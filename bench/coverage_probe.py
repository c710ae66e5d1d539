"""How often the probe's 95 % intervals hold the truth: writes docs/coverage_probe.json.

Matchers with known recalls judge items with three foils each, fillers with known ranks fill masks;
each run's intervals hold the truth or do not. "By item" responders know some pictures and not
others: the foils of an item are then judged alike. SUBITIZE_RUNS says how many runs (2,000).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from subitize.benchmarks.probe.scoring import Judged, part_scores
from subitize.measures.accuracy import share_interval
from subitize.measures.intervals import mean_interval

FILE = Path(__file__).parents[1] / "docs" / "coverage_probe.json"
RUNS = 2000
FOILS = 3
ITEMS = (30, 100, 300)
MATCHERS: dict[str, tuple[float, float, bool]] = {
    "recalls .8 and .65": (0.8, 0.65, False),
    "recalls .8 and .65, by item": (0.8, 0.65, True),
    "recalls .98 and .95": (0.98, 0.95, False),
    "recalls .98 and .95, by item": (0.98, 0.95, True),
    "chance": (0.5, 0.5, False),
}
"""recall of right sentences and of foils; whether foils of an item are judged alike"""
FILLER = "ranks .6 first, .2 second, else 3 to 10"


def responders() -> list[str]:
    """Rows of the table."""
    return [*MATCHERS, FILLER]


def truths(name: str) -> dict[str, float]:
    """The scores of a responder, from its chances."""
    if name == FILLER:
        return {"recall_at_1": 0.6, "recall_at_2": 0.8, "mean_rank": 0.6 + 0.4 + 0.2 * 6.5}
    right, foil, _ = MATCHERS[name]
    passed = FOILS * (1 - foil)
    return {
        "acc": (right + FOILS * foil) / (1 + FOILS),
        "recall_correct": right,
        "recall_foil": foil,
        "precision_correct": right / (right + passed),
        "precision_foil": FOILS * foil / (FOILS * foil + 1 - right),
        "acc_r": right * foil + (right * (1 - foil) + (1 - right) * foil) / 2,
    }


def judged(name: str, items: int, rng: np.random.Generator) -> Judged:
    """One run of a matcher."""
    right, foil, by_item = MATCHERS[name]
    known = np.empty((items, 1 + FOILS), bool)
    known[:, 0] = rng.random(items) < right
    # by item: a picture's foils are all seen through with one chance, drawn for the picture
    chance = (
        rng.beta(2 * foil, 2 * (1 - foil), (items, 1)) if by_item else np.full((items, 1), foil)
    )
    known[:, 1:] = rng.random((items, FOILS)) < chance
    truth = np.zeros(known.shape, bool)
    truth[:, 0] = True
    score = rng.random(known.shape) / 2 + np.where(known == truth, 0.5, 0.0)
    item = np.repeat(np.arange(items), 1 + FOILS)
    flat = np.zeros(item.size, np.int64)
    return Judged(score.ravel(), truth.ravel(), item, item, flat, flat, True)


def filled(items: int, rng: np.random.Generator) -> dict[str, Any]:
    """One run of a filler, by the measures that its scores use."""
    luck = rng.random(items)
    rank = np.where(luck < 0.6, 1, np.where(luck < 0.8, 2, rng.integers(3, 11, items))) * 1.0
    whose = np.arange(items)
    return {
        "recall_at_1": share_interval(rank <= 1, whose),
        "recall_at_2": share_interval(rank <= 2, whose),
        "mean_rank": mean_interval(rank, clusters=whose, bounds=(1.0, np.inf)),
    }


def covered(name: str, items: int, runs: int, seed: int = 0) -> dict[str, dict[str, float]]:
    """Coverage, share of misses below the truth and mean width of each score of one responder."""
    truth, rng = truths(name), np.random.default_rng([seed, items])
    ends: dict[str, list[tuple[float, float]]] = {score: [] for score in truth}
    for _ in range(runs):
        if name == FILLER:
            found = filled(items, rng)
        else:
            table = judged(name, items, rng)
            found = part_scores(table, np.ones(table.score.size, bool))
        for score in truth:
            if found[score] is not None:
                ends[score].append((found[score].low, found[score].high))
    told = {}
    for score, value in truth.items():
        low, high = np.array(ends[score]).T
        told[score] = {
            "coverage": round(float(((low <= value) & (value <= high)).mean()), 4),
            "below": round(float((high < value).mean()), 4),
            "width": float(f"{float(np.mean(high - low)):.4g}"),
            "truth": float(f"{value:.6g}"),
        }
    return told


def main() -> int:
    """Write the table, a cell at a time; cells that are there with as many runs stay."""
    runs = int(os.environ.get("SUBITIZE_RUNS", RUNS))
    table: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in responders():
        for items in ITEMS:
            if table.get(name, {}).get(str(items), {}).get("runs", 0) >= runs:
                continue
            made = {"runs": runs, **covered(name, items, runs)}
            table.setdefault(name, {})[str(items)] = made
            FILE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
            print(name, items, {s: made[s]["coverage"] for s in truths(name)}, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
