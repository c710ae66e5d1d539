"""A counter's known mistakes beside a run: RUN/calibration.json, and scores without them.

The mistakes come from a calibration file (pictures that people counted), or from a naming run of
the same counter (pictures whose number is known because we drew them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from subitize.benchmark import Benchmark, Settings
from subitize.errors import BadInput, WrongRun
from subitize.files import write_json
from subitize.measures.counter_error import corrected_scores
from subitize.readers.calibration import check_pairs
from subitize.runs.folder import RunFolder
from subitize.runs.reading import choose_reader

if TYPE_CHECKING:
    import polars as pl

FILE = "calibration.json"
PICTURE = ("category", "n", "index")
"""what one picture of a naming run is known by"""


def keep_calibration(run: Path, benchmark: Benchmark[Any], found: Mapping[str, Any]) -> str:
    """Take a calibration into a run's folder.

    From now on the run is read by the rules (threshold and merging) that the calibration was made
    under; gives that reader.
    """
    folder = RunFolder.at(run)
    reader = choose_reader(benchmark, folder.info)
    listed = {str(one["name"]): str(one["kind"]) for one in folder.info.get("readers", ())}
    counter = reader.helper[0] if reader.helper else ""
    if listed.get(counter) != "counter" or "category" not in benchmark.CONDITION:
        raise BadInput(
            f"{run} is not read by a counter ({listed.get(counter, 'nobody')} read it), or not by "
            "category: a calibration corrects a counter's mistakes in naming and production only."
        )
    check_counter(found, counter)
    name = counter + rules_of(found)
    write_json(run / FILE, {**found, "reader": name})
    folder.update(reader=name)
    return name


def check_counter(found: Mapping[str, Any], counter: str) -> None:
    """A calibration is that of one counter."""
    if found.get("counter") and found["counter"] != counter:
        raise BadInput(
            f"This is the calibration of {found['counter']}, but the pictures are read by "
            f"{counter}: calibrate that one."
        )


def rules_of(found: Mapping[str, Any]) -> str:
    """Threshold and merging as settings of a reader; nothing where the counter's own held."""
    if found.get("threshold") is None:
        return str(found.get("rules", ""))
    return f"?group={found['group']}&nms={found['nms']}&threshold={found['threshold']}"


def one_per_picture(counted: pl.DataFrame) -> pl.DataFrame:
    """Of the answers about one picture the one whose question names the category, else the first.

    Naming asks about each picture in several forms. A counter that miscounts it in one form does
    so in all: three answers about it tell no more than one.
    """
    first = counted.sort(counted["form"] != "category", maintain_order=True)
    return first.unique(PICTURE, keep="first", maintain_order=True)


def pairs_of(
    folder: Path, info: Mapping[str, Any], reader: str, counted: pl.DataFrame
) -> dict[str, Any]:
    """A calibration from what a counter said of naming pictures, whose number is known."""
    if info.get("kind") != "counter" or not {*PICTURE, "form"} <= set(counted.columns):
        raise WrongRun(
            f"{folder} is no naming run of a counter: give a calibration file, or a run made with "
            "`subitize run naming --model counter/NAME`."
        )
    seen: dict[str, Counter[tuple[int, int]]] = {}
    first = one_per_picture(counted)
    read = first.filter((first["state"] == "read") & first["number"].is_not_null())
    for category, true, said in read.select("category", "target", "number").iter_rows():
        seen.setdefault(category, Counter())[int(true), int(said)] += 1
    if not seen:
        raise BadInput(f"{folder} holds no counted picture: finish the run first.")
    return {
        "format": "subitize-calibration",
        "version": 1,
        "counter": info["model"]["name"],
        "threshold": None,
        "rules": reader[reader.index("?") :] if "?" in reader else "",
        "pictures": sum(sum(pairs.values()) for pairs in seen.values()),
        "pairs": {
            name: [[true, said, times] for (true, said), times in sorted(pairs.items())]
            for name, pairs in seen.items()
        },
    }


def corrected(
    run: Path, benchmark: Benchmark[Any], settings: Settings, answers: pl.DataFrame, reader: str
) -> dict[str, Any] | None:
    """The run's scores without the counter's mistakes; null where they are not known.

    The mistakes are those of a counter by its rules: read in another way, nothing is corrected.
    """
    path = run / FILE
    if not benchmark.reading_role() or not path.exists():
        return None
    try:
        kept = orjson.loads(path.read_bytes())
        pairs: Mapping[str, Any] = kept["pairs"]
        check_pairs(pairs)
        calibrated = str(kept.get("reader", reader))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise WrongRun(f"{path} is damaged: give --calibration again.") from None
    if calibrated != reader:
        return {
            "identifiable": False,
            "reason": f"the calibration holds for the reader {calibrated!r}, but {reader!r} read "
            "the pictures: give --calibration again",
            "accuracy": None,
            "nae": None,
        }
    given = (answers["state"] == "read") & answers["number"].is_not_null()
    read = answers.filter(answers["counts"] & given)
    if not read.height:
        return None
    rng = np.random.default_rng([settings.seed, 20250902])
    asked, said, kinds = (read[name].to_numpy() for name in ("target", "number", "category"))
    return corrected_scores(asked, said, kinds, pairs, rng)
