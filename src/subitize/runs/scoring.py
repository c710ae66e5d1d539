"""From a run folder to its scores; asks nobody."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import StorageFull
from subitize.runs.correcting import corrected
from subitize.runs.folder import read_info, write_whole
from subitize.runs.stored import answered_by, asking_again, choose_reader, read_rows

__all__ = ["score_run"]


def score_run(folder: Path, reader: str | None = None) -> dict[str, Any]:
    """Read all responses, compute every score, write scores.json and return its content.

    Scores that can't be written are returned all the same, with the reason under `unsaved`.
    """
    info = read_info(folder)
    benchmark = get_benchmark(info["benchmark"])
    name, read = choose_reader(benchmark, folder, info, reader)
    settings = benchmark.settings_from(info["settings"])
    rows = read_rows(folder, read, asking_again(benchmark, settings))
    scores: dict[str, Any] = {
        "benchmark": info["benchmark"],
        "version": info["version"],
        "model": info["model"]["name"],
        "parameters": info.get("parameters"),
        "reader": name,
        "run": folder.name,
        **benchmark.score(rows, settings, info.get("decisions", {})),
    }
    answers = {
        asked: read_rows(folder / "readings" / asked, benchmark.answer_reader())
        for asked in answered_by(folder)
    }
    if answers:
        scores |= benchmark.score_answers(rows, answers, settings)
    without_mistakes = corrected(folder, benchmark, settings, rows, name)
    if without_mistakes is not None:
        scores["corrected"] = without_mistakes
        if not without_mistakes["identifiable"]:
            scores["undefined"] = {
                **scores.get("undefined", {}),
                "corrected": without_mistakes["reason"],
            }
    scores["failed"] = Counter(row.reading.state for row in rows)["failed"]
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    try:
        write_whole(folder / "scores.json", orjson.dumps(scores, option=options) + b"\n")
    except StorageFull as problem:
        scores["unsaved"] = str(problem)
    return scores
