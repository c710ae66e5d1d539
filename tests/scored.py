"""Run folders as tests look at them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from subitize.benchmark import Benchmark
from subitize.opening import load_stored
from subitize.records import Row
from subitize.runs import stored
from subitize.runs.answers import COLUMNS
from subitize.runs.stored import StoredRun

__all__ = ["as_answers", "load_run", "score_run"]


def load_run(folder: Path, reader: str | None = None) -> StoredRun:
    """A run folder, its benchmark found by name."""
    return load_stored(folder, reader)


def score_run(folder: Path, reader: str | None = None) -> dict[str, Any]:
    """Score a run folder anew."""
    return stored.score_run(load_stored(folder, reader))


def as_answers(rows: Sequence[Row], benchmark: Benchmark[Any]) -> pl.DataFrame:
    """The answers table of made-up rows, which all count."""
    types = {str: pl.String, int: pl.Int64, float: pl.Float64}
    schema = {name: getattr(pl, kind) for name, kind in COLUMNS.items()}
    schema |= {name: types[type(fill)] for name, fill in benchmark.CONDITION.items()}
    lines = []
    for place, (trial, response, reading) in enumerate(rows):
        found = {name: getattr(response, name, None) for name in COLUMNS}
        found |= {name: getattr(trial, name) for name in ("stage", "target", "target_choice")}
        found |= {name: getattr(reading, name) for name in ("state", "number", "choice", "note")}
        found |= {"counts": True, "order": place}
        found |= {name: trial.condition.get(name, to) for name, to in benchmark.CONDITION.items()}
        lines.append(found)
    return pl.DataFrame(lines, schema=schema, strict=False)
