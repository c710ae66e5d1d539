"""A model's accuracy on each number beside how often captions speak of that number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from subitize.captions.store import BESIDE
from subitize.errors import BadInput
from subitize.files import write_json
from subitize.measures.frequency import accuracy_by_frequency
from subitize.runs.stored import StoredRun

MEASURED = ("correlation", "permutation_p", "partial")


def accuracy_of(run: StoredRun) -> dict[int, tuple[int, int]]:
    """Right answers and readable trials for each target of a run."""
    import polars as pl

    read = run.counted.filter((pl.col("state") == "read") & pl.col("target").is_not_null())
    read = read.filter(pl.col("number").is_not_null() & (pl.col("target") >= 1))
    table = read.group_by("target").agg(
        (pl.col("number") == pl.col("target")).sum().alias("right"), pl.len().alias("trials")
    )
    return {
        int(target): (int(right), int(trials))
        for target, right, trials in table.sort("target").iter_rows()
        if float(target).is_integer()
    }


def put_beside(result: Mapping[str, Any], run: StoredRun, folder: Path) -> dict[str, Any]:
    """Compare, and keep it in the result folder for reports."""
    accuracy = accuracy_of(run)
    numbers = list(accuracy)
    often = [result["frequencies"].get(str(number), 0) for number in numbers]
    model = str(run.scores.get("model") or run.folder.name)
    entry: dict[str, Any] = {
        "model": model,
        "benchmark": run.benchmark.NAME,
        "by_number": [
            {"number": number, "right": right, "trials": trials, "captions": captions}
            for (number, (right, trials)), captions in zip(accuracy.items(), often, strict=True)
        ],
        "undefined": {},
    }
    try:
        right, trials = ([pair[part] for pair in accuracy.values()] for part in (0, 1))
        found = accuracy_by_frequency(numbers, right, trials, often, np.random.default_rng(0))
        entry |= asdict(found)
        if found.partial is None:
            entry["undefined"]["partial"] = "frequency follows from the number alone"
    except BadInput as problem:
        entry |= dict.fromkeys(MEASURED)
        entry["undefined"] = dict.fromkeys(MEASURED, str(problem))
    inner = folder / BESIDE
    inner.mkdir(exist_ok=True)
    write_json(inner / f"{run.folder.name}.json", entry)
    return entry
