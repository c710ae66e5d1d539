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

from subitize.benchmark import Benchmark, Settings
from subitize.errors import BadInput, WrongRun
from subitize.measures.counter_error import corrected_scores
from subitize.models.names import split_settings
from subitize.readers.calibration import load_calibration
from subitize.records import Row
from subitize.runs.folder import read_info, write_whole
from subitize.runs.stored import load_run

__all__ = ["corrected", "keep_calibration", "reader_rules", "row_per_picture"]

FILE = "calibration.json"


def keep_calibration(run: Path, source: Path) -> str:
    """Take a calibration (a file, or a counter's naming run) into a run's folder.

    From now on the run is read by the rules (threshold and merging) that the calibration was made
    under; gives that reader.
    """
    info = read_info(run)
    if "counter" not in (kinds := _reading_kinds(run, info)):
        raise BadInput(
            f"{run} is not read by a counter ({', '.join(kinds) or 'nobody'} read it): a "
            "calibration corrects a counter's mistakes only."
        )
    found = _loaded(source)
    name, _, _ = split_settings(str(info["reader"]), "reader")
    counter = read_info(run / "readings" / name)["model"]["name"]
    _check_counter(found, source, counter, f"{run} was read")
    reader = name + _rules_of(found)
    found["reader"] = reader
    write_whole(run / FILE, orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    if info["reader"] != reader:
        info["reader"] = reader
        write_whole(run / "run.json", orjson.dumps(info, option=orjson.OPT_INDENT_2) + b"\n")
    return reader


def reader_rules(source: Path, counter: str) -> str:
    """The rules of a calibration as they stand in a reader's name; those of another are refused."""
    found = _loaded(source)
    _check_counter(found, source, counter, "the pictures are read")
    return _rules_of(found)


def _loaded(source: Path) -> dict[str, Any]:
    return _from_run(source) if source.is_dir() else load_calibration(source).as_json()


def _check_counter(found: Mapping[str, Any], source: Path, counter: str, read: str) -> None:
    if found.get("counter") and found["counter"] != counter:
        raise BadInput(
            f"{source} is the calibration of {found['counter']}, but {read} by {counter}: "
            "calibrate that one."
        )


def _rules_of(found: Mapping[str, Any]) -> str:
    """Threshold and merging as settings of a reader; nothing where the counter's own held."""
    if found.get("threshold") is None:
        return str(found.get("rules", ""))
    return f"?group={found['group']}&nms={found['nms']}&threshold={found['threshold']}"


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
    for row in row_per_picture(stored.rows):
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
        "rules": _settings_of(str(stored.info.get("reader") or "")),
        "pictures": sum(sum(pairs.values()) for pairs in seen.values()),
        "pairs": {
            name: [[true, counted, times] for (true, counted), times in sorted(pairs.items())]
            for name, pairs in seen.items()
        },
    }


def row_per_picture(rows: Sequence[Row]) -> list[Row]:
    """Of the rows about one picture the one whose question names the category, else the first.

    Naming asks about each picture in several forms. A counter that miscounts it in one form does
    so in all: three rows of it tell no more than one.
    """
    found: dict[bytes, Row] = {}
    for row in rows:
        key = orjson.dumps(row.trial.stimulus.recipe, option=orjson.OPT_SORT_KEYS)
        if key not in found or (
            row.trial.condition.get("form") == "category"
            and found[key].trial.condition.get("form") != "category"
        ):
            found[key] = row
    return list(found.values())


def _settings_of(reader: str) -> str:
    """What follows a reader's name, with its mark: '?threshold=0.3', or nothing."""
    name, _, full = split_settings(reader, "reader") if reader else ("", {}, "")
    return full.removeprefix(name)


def corrected(
    run: Path, benchmark: Benchmark, settings: Settings, rows: Sequence[Row], reader: str
) -> dict[str, Any] | None:
    """The run's scores without the counter's mistakes; null where they are not known.

    The mistakes are those of a counter by its rules: read in another way, nothing is corrected.
    """
    path = run / FILE
    if "counter" not in benchmark.READING_KINDS or not path.exists():
        return None
    try:
        kept = orjson.loads(path.read_bytes())
        pairs: Mapping[str, Any] = kept["pairs"]
        calibrated = str(kept.get("reader", reader))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise WrongRun(f"{path} is damaged: give --calibration again.") from None
    if calibrated != reader:
        return {
            "identifiable": False,
            "reason": f"the calibration holds for the reader {calibrated!r}, but {reader!r} read "
            "the pictures: give --calibration again",
            "accuracy": None,
            "nae": None,
        }
    painted = [
        (int(row.trial.target), int(row.reading.number), str(row.trial.condition["category"]))
        for row in rows
        if row.reading.state == "read" and row.reading.number is not None
    ]
    if not painted:
        return None
    rng = np.random.default_rng([settings.seed, 20250902])
    targets, counts, categories = zip(*painted, strict=True)
    return corrected_scores(targets, counts, categories, pairs, rng)
