"""From a run folder to its scores; asks nobody."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmarks.catalog import get_benchmark
from subitize.runs.folder import read_info, write_whole
from subitize.runs.stored import choose_reader, read_rows

__all__ = ["score_run"]


def score_run(folder: Path, reader: str | None = None) -> dict[str, Any]:
    """Read all responses, compute every score, write scores.json and return its content."""
    info = read_info(folder)
    benchmark = get_benchmark(info["benchmark"])
    name, read = choose_reader(info, reader)
    settings = benchmark.settings_from(info["settings"])
    rows = read_rows(folder, read)
    scores: dict[str, Any] = {
        "benchmark": info["benchmark"],
        "version": info["version"],
        "model": info["model"]["name"],
        "parameters": info.get("parameters"),
        "reader": name,
        "run": folder.name,
        **benchmark.score(rows, settings, info.get("decisions", {})),
    }
    scores["failed"] = Counter(row.reading.state for row in rows)["failed"]
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    write_whole(folder / "scores.json", orjson.dumps(scores, option=options) + b"\n")
    return scores
