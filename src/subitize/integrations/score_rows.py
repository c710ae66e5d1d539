"""The scores of a run as rows, each with its interval and the range that its measure has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

from subitize.measures.weber import HIGHEST, LOWEST


class Range(NamedTuple):
    """What a measure can be."""

    low: float
    high: float
    lower_is_better: bool
    unit: str
    note: str = ""
    """why it ends where it does, where that is no matter of course"""


_SHARE = Range(0.0, 1.0, False, "share")
_PERCENT = Range(0.0, 100.0, False, "percent")
_SMAPE = Range(0.0, 100.0, True, "percent")
_LIKENESS = Range(-1.0, 1.0, False, "correlation")
_WEBER = Range(
    LOWEST, HIGHEST, True, "share of the number",
    f"the observer is fitted with w between {LOWEST} and {HIGHEST}: a larger one is told as "
    f"{HIGHEST}",
)  # fmt: skip
RANGES: Mapping[str, Range] = {
    "accuracy": _SHARE,
    "accuracy_refusals_wrong": _SHARE,
    "nae": Range(0.0, inf, True, "share of the target"),
    "mae": Range(0.0, inf, True, "things"),
    "rmse": Range(0.0, inf, True, "things"),
    "mape": Range(0.0, inf, True, "percent"),
    "smape": _SMAPE,
    "hidden": _SMAPE,
    "exact": _PERCENT,
    "pattern": _PERCENT,
    "price_of_occlusion": Range(-100.0, 100.0, True, "percent"),
    "human_correlation": _LIKENESS,
    "category_consistency": _LIKENESS,
    "random_correlation": Range(-1.0, 1.0, True, "correlation"),
    "weber_fraction": _WEBER,
    "w": _WEBER,
    "lapse_rate": Range(0.0, 1.0, True, "share"),
    "within_one": _SHARE,
    **dict.fromkeys(
        ("acc", "acc_r", "recall_correct", "recall_foil", "precision_correct", "precision_foil",
         "best_match", "recall_at_1", "recall_at_2"), _SHARE,
    ),
    "mean_rank": Range(1.0, inf, True, "rank"),
}  # fmt: skip
"""by the key of scores.json; a score that is no such key (a difference, a slope) has no best end"""


class ScoreRow(NamedTuple):
    """One number of scores.json."""

    score: str
    """its keys, joined by dots: `accuracy`, `smape.occluded`, `categories.apples.nae`"""
    measure: str
    """the key of RANGES that it is one of; empty where it is none"""
    value: float | None
    low: float | None
    high: float | None
    trials: int | None
    reason: str
    """why there is no value or no interval"""


def score_rows(scores: Mapping[str, Any]) -> list[ScoreRow]:
    """Every number with an interval, and the plain numbers beside them."""
    why = scores.get("undefined") or {}
    return [row for key, found in scores.items() for row in _rows((key,), found, why)]


def _rows(path: tuple[str, ...], found: Any, why: Mapping[str, str]) -> Iterator[ScoreRow]:
    name = ".".join(path)
    measure = next((key for key in (path[0], path[-1]) if key in RANGES), "")
    if isinstance(found, Mapping):
        if {"value", "low", "high"} <= found.keys():
            known = (why[key] for key in (f"{name}.interval", name, path[0]) if key in why)
            reason = "" if found["low"] is not None else next(known, "")
            yield ScoreRow(
                name, measure, found["value"], found["low"], found["high"], found.get("trials"),
                reason,
            )  # fmt: skip
            return
        for key, inner in found.items():
            yield from _rows((*path, str(key)), inner, why)
    elif len(path) == 1 and path[0] != "format":
        if isinstance(found, int | float) and not isinstance(found, bool):
            yield ScoreRow(name, measure, float(found), None, None, None, "")
        elif found is None and name in why:
            yield ScoreRow(name, measure, None, None, None, None, why[name])
