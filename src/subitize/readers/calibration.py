"""A calibration file: a counter's best threshold, and how wrong it is with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from subitize.errors import BadInput
from subitize.measures.boxes import Rules, rules_from

__all__ = ["Calibration", "load_calibration"]

FORMAT = "subitize-calibration"

Pairs = Mapping[str, list[list[int]]]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a sweep found; runs take their threshold and the counter's mistakes from it."""

    rules: Rules
    """the best threshold, with the merging it was found under"""
    pictures: int
    """how many labelled pictures it stands on"""
    curve: Mapping[str, list[float]]
    """`thresholds`, `nae` and `accuracy` of the whole sweep"""
    scores: Mapping[str, Any]
    """accuracy and NAE at the best threshold with intervals, `held_out_nae`, and by category"""
    pairs: Pairs
    """by category: [true count, counted, how many pictures]"""
    counter: str = ""
    """which counter, where told"""

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": 1,
            "counter": self.counter,
            "threshold": self.rules.threshold,
            "nms": self.rules.nms,
            "group": self.rules.group,
            "pictures": self.pictures,
            **self.scores,
            "curve": dict(self.curve),
            "pairs": dict(self.pairs),
        }


def load_calibration(path: Path) -> Calibration:
    """Read a calibration file; anything else is a clear error."""
    try:
        entry = orjson.loads(path.read_bytes())
    except OSError as problem:
        raise BadInput(f"Can't read {path}: {problem.strerror}.") from None
    except orjson.JSONDecodeError:
        entry = None
    if not isinstance(entry, dict) or entry.get("format") != FORMAT:
        raise BadInput(
            f"{path} is no calibration file: make one with "
            "`subitize calibrate --boxes F --counts F --out FILE`."
        )
    try:
        rules = rules_from({name: entry[name] for name in ("threshold", "nms", "group")}, str(path))
        pairs = {
            str(name): [_triple(triple) for triple in triples]
            for name, triples in entry["pairs"].items()
        }
        scores = {
            name: entry.get(name) for name in ("accuracy", "nae", "held_out_nae", "categories")
        }
        return Calibration(
            rules, int(entry["pictures"]), entry["curve"], scores, pairs, str(entry["counter"])
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise BadInput(f"{path} is a damaged calibration file: {problem!r}.") from None


def _triple(given: Any) -> list[int]:
    true, counted, times = (int(part) for part in given)
    if min(true, counted, times) < 0:
        raise ValueError(f"{given} holds a number below 0")
    return [true, counted, times]
