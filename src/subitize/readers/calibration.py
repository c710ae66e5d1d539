"""The calibration of a counter: its best threshold by human counts, and how wrong it is with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.files import read_json
from subitize.measures.accuracy import proportion_interval
from subitize.measures.boxes import NMS, THRESHOLDS, Rules, rules_from
from subitize.measures.intervals import mean_interval
from subitize.measures.trials import Counts, Floats

FORMAT = "subitize-calibration"
SCORES = ("accuracy", "nae", "held_out_nae", "categories")
"""may be absent from a file"""
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a sweep found, as its file has it; runs take threshold and mistakes from it."""

    counter: str
    """which counter, where told"""
    threshold: float
    """the best threshold"""
    nms: float
    """the merging it was found under"""
    group: float
    """the share of the picture from which a box may be a group's"""
    pictures: int
    """how many labelled pictures it stands on"""
    accuracy: Mapping[str, Any]
    """at the best threshold, with its interval"""
    nae: Mapping[str, Any] | None
    """at the best threshold, with its interval"""
    held_out_nae: float | None
    """NAE of pictures that had no say in the choice of the threshold"""
    categories: Mapping[str, Mapping[str, Any]]
    """accuracy and NAE by category"""
    curve: Mapping[str, list[float]]
    """`thresholds`, `nae` and `accuracy` of the whole sweep"""
    pairs: Mapping[str, list[list[int]]]
    """by category: [true count, counted, how many pictures]"""

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": 1, **asdict(self)}


def load_calibration(path: Path) -> Calibration:
    """Read a calibration file; anything else is a clear error."""
    repair = "Make one with `subitize calibrate --boxes F --counts F --out FILE`."
    entry = read_json(path, "the calibration", repair)
    if not isinstance(entry, dict) or entry.get("format") != FORMAT:
        raise BadInput(f"{path} is no calibration file. {repair}")
    try:
        rules_from({name: entry[name] for name in ("threshold", "nms", "group")}, str(path))
        told = {**dict.fromkeys(SCORES), **entry}
        found = Calibration(**{one.name: told[one.name] for one in fields(Calibration)})
        check_pairs(found.pairs)
        return found
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise BadInput(f"{path} is a damaged calibration file: {problem!r}.") from None


def check_pairs(pairs: Mapping[str, Any]) -> None:
    """That these are the pairs of a calibration; whatever else they are raises something."""
    for triple in (triple for triples in pairs.values() for triple in triples):
        if len(triple) != 3 or any(type(part) is not int or part < 0 for part in triple):
            raise ValueError(f"{triple} is not [true count, counted, pictures]")


def calibrate(
    counts: Counts,
    truth: Counts,
    categories: list[str],
    rng: np.random.Generator,
    *,
    rules: Rules | None = None,
    counter: str = "",
) -> Calibration:
    """From counts at each threshold (pictures × `THRESHOLDS`) and human counts to a calibration.

    The best threshold has the least NAE; of several that do, the middle one. Pictures in which
    people counted 0 have no NAE: they count for accuracy only.
    """
    some = truth > 0
    if not some.any():
        raise BadInput("People counted 0 in every picture: NAE needs a picture with a thing in it.")
    errors = np.abs(counts - truth[:, None]) / np.where(some, truth, 1)[:, None]
    curve = errors[some].mean(axis=0)
    best = middle_of_best(curve)
    chosen = counts[:, best]
    kinds = np.array(categories)
    scores = _scores(chosen, truth)
    return Calibration(
        counter,
        float(THRESHOLDS[best]),
        NMS if rules is None or rules.nms is None else rules.nms,
        (rules or Rules()).group,
        len(truth),
        **scores,
        held_out_nae=_held_out(errors[some], rng),
        categories={
            name: _scores(chosen[kinds == name], truth[kinds == name])
            for name in sorted(set(categories))
        },
        curve={
            "thresholds": THRESHOLDS.tolist(),
            "nae": curve.tolist(),
            "accuracy": (counts == truth[:, None]).mean(axis=0).tolist(),
        },
        pairs={
            name: _pairs(truth[kinds == name], chosen[kinds == name]) for name in set(categories)
        },
    )


def middle_of_best(curve: Floats) -> int:
    """Index of the least value; of a flat bottom its middle.

    >>> middle_of_best(np.array([3.0, 1.0, 1.0, 1.0, 2.0]))
    2
    """
    least = np.nonzero(curve <= curve.min() + 1e-12)[0]
    runs = np.split(least, np.nonzero(np.diff(least) > 1)[0] + 1)
    longest = max(runs, key=len)
    return int(longest[(len(longest) - 1) // 2])


def _scores(counted: Counts, truth: Counts) -> dict[str, Any]:
    some = truth > 0
    right = proportion_interval(int((counted == truth).sum()), len(truth))
    found: dict[str, Any] = {"accuracy": right.as_json(), "nae": None}
    if some.any():
        errors = np.abs(counted[some] - truth[some]) / truth[some]
        nae = mean_interval(errors, steps=1 / truth[some], bounds=(0.0, np.inf))
        found["nae"] = nae.as_json()
    return found


def _held_out(errors: Floats, rng: np.random.Generator) -> float | None:
    """NAE of pictures that had no say in the choice of the threshold (ten folds)."""
    if len(errors) < 2 * FOLDS:
        return None
    fold = rng.permutation(len(errors)) % FOLDS
    sums = np.stack([errors[fold == one].sum(axis=0) for one in range(FOLDS)])
    total = sum(own[middle_of_best(sums.sum(axis=0) - own)] for own in sums)
    return float(total / len(errors))


def _pairs(truth: Counts, counted: Counts) -> list[list[int]]:
    pairs, times = np.unique(np.stack([truth, counted]), axis=1, return_counts=True)
    return [[int(t), int(c), int(n)] for t, c, n in zip(*pairs, times, strict=True)]
