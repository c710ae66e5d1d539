"""A counter's known mistakes beside a run: RUN/calibration.json, and scores without them.

The mistakes come from a calibration file (pictures that people counted), or from a naming run on
the same counter (pictures whose number is known because we drew them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from subitize.benchmarks.base import Benchmark, Settings
from subitize.counters.calibration import load_calibration
from subitize.errors import BadInput, WrongRun
from subitize.measures.counter_error import corrected_scores
from subitize.models.names import split_settings
from subitize.records import Row
from subitize.runs.folder import read_info, write_whole
from subitize.runs.stored import load_run

__all__ = ["corrected", "keep_calibration"]

FILE = "calibration.json"


def keep_calibration(run: Path, source: Path) -> str | None:
    """Take a calibration (a file, or a counter's naming run) into a run's folder.

    Gives the reader by whose rules the run has to be read from now on: the calibration's
    threshold; null where it has none of its own.
    """
    info = read_info(run)
    if "counter" not in (kinds := _reading_kinds(run, info)):
        raise BadInput(
            f"{run} is not read by a counter ({', '.join(kinds) or 'nobody'} read it): a "
            "calibration corrects a counter's mistakes only."
        )
    found = _from_run(source) if source.is_dir() else load_calibration(source).as_json()
    name, _, _ = split_settings(str(info["reader"]), "reader")
    counter = read_info(run / "readings" / name)["model"]["name"]
    if found.get("counter") and found["counter"] != counter:
        raise BadInput(
            f"{source} is the calibration of {found['counter']}, but {run} was read by {counter}: "
            "calibrate that one."
        )
    write_whole(run / FILE, orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    if found.get("threshold") is None:
        return None
    return f"{name}?group={found['group']}&nms={found['nms']}&threshold={found['threshold']}"


def _reading_kinds(run: Path, info: Mapping[str, Any]) -> tuple[str, ...]:
    name = split_settings(str(info.get("reader") or ""), "reader")[0]
    path = run / "readings" / name / "run.json"
    return (str(read_info(path.parent)["kind"]),) if name and path.exists() else ()


def _from_run(folder: Path) -> dict[str, Any]:
    """What a counter said of naming pictures, whose number is known."""
    stored = load_run(folder)
    if stored.info["benchmark"] != "naming" or stored.info.get("kind") != "counter":
        raise WrongRun(
            f"{folder} is no naming run of a counter: give a calibration file, or a run made with "
            "`subitize run naming --model counter/NAME`."
        )
    seen: dict[str, Counter[tuple[int, int]]] = {}
    for row in stored.rows:
        if row.reading.state == "read" and row.reading.number is not None:
            pairs = seen.setdefault(str(row.trial.condition["category"]), Counter())
            pairs[int(row.trial.target), int(row.reading.number)] += 1
    if not seen:
        raise BadInput(f"{folder} holds no counted picture: finish the run first.")
    return {
        "format": "subitize-calibration",
        "version": 1,
        "counter": stored.info["model"]["name"],
        "threshold": None,
        "pictures": sum(sum(pairs.values()) for pairs in seen.values()),
        "pairs": {
            name: [[true, counted, times] for (true, counted), times in sorted(pairs.items())]
            for name, pairs in seen.items()
        },
    }


def corrected(
    run: Path, benchmark: Benchmark, settings: Settings, rows: Sequence[Row]
) -> dict[str, Any] | None:
    """The run's scores without the counter's mistakes; null where they are not known."""
    path = run / FILE
    if "counter" not in benchmark.READING_KINDS or not path.exists():
        return None
    try:
        pairs: Mapping[str, Any] = orjson.loads(path.read_bytes())["pairs"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise WrongRun(f"{path} is damaged: give --calibration again.") from None
    painted = [
        (str(row.trial.condition["category"]), int(row.trial.target), int(row.reading.number))
        for row in rows
        if row.reading.state == "read" and row.reading.number is not None
    ]
    if not painted:
        return None
    rng = np.random.default_rng([settings.seed, 20250902])
    return corrected_scores(painted, pairs, rng)
