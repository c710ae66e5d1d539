"""From answers to scores, all paired by configuration and resampled together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.benchmark import states_of
from subitize.benchmarks.capture.answers import one_per_trial, replies
from subitize.benchmarks.capture.scenes import Scene
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.errors import BadInput
from subitize.files import read_json
from subitize.measures.accuracy import proportion_interval
from subitize.measures.error_size import smape_terms
from subitize.measures.intervals import mean_interval
from subitize.measures.naming import rooted
from subitize.measures.reliability import reliability
from subitize.measures.trials import Floats
from subitize.records import Score

if TYPE_CHECKING:
    import polars as pl

BREAKDOWNS = {
    "synthetic": ("total", "hidden", "arrangement", "place", "colour", "object"),
    "real": ("total", "hidden", "object"),
}
RANGES = ((1, 10), (11, 20), (21, 30), (31, 50), (51, 100), (101, 200), (201, 10**9))
"""of totals and hidden numbers where there are too many different ones for a level each"""
MOST_LEVELS = 24
LEAST_OF_LEVEL = 5
"""a kind of object with fewer pictures has no line of its own where kinds are many"""
OVER_PREDICTED = 5
NO_TOTAL = (
    "no total was asked, or none has a reply",
    "no total was asked, none has a reply, or the pictures carry their black box already",
)
"""why there is no sMAPE: of the synthetic and of the real set"""

Key = tuple[Any, ...]
STEPS: Mapping[str, Callable[[Floats, Floats], Any]] = {
    "error": lambda target, _: 100 / (2 * target + 1),
    "right": lambda _, __: 100.0,
    "mae": lambda _, __: 1.0,
    "squared": lambda _, square: 2 * np.sqrt(square) + 1,
    "mape": lambda target, _: 100 / target,
}
"""what an answer that is off by one thing adds to each kind of column"""


class Columns:
    """Values per configuration, a column each; NaN where there is none."""

    def __init__(self, names: Sequence[str]) -> None:
        self._place = {name: index for index, name in enumerate(names)}
        self._values: dict[Key, np.ndarray[Any, np.dtype[np.float64]]] = {}
        self._skipped: dict[Key, Counter[str]] = {}
        self._states: dict[Key, dict[str, int]] = {}
        self._steps: dict[Key, Floats] = {}
        self._bounds: dict[Key, tuple[float, float]] = {}
        self.found: dict[Key, dict[str, Any]] = {}
        """every column's mean with its interval and how many configurations it stands on"""

    def put(self, key: Key, answers: pl.DataFrame | None, measured: str) -> None:
        """A column from one group of answers: their `error`, 100 for each `right` one, or how far
        they are `off`."""
        if answers is None:
            return
        column, steps = np.full((2, len(self._place)), np.nan)
        places = [self._place[name] for name in answers["configuration"]]
        values = answers[measured].cast(float).to_numpy()
        target = answers["target"].cast(float).to_numpy()
        column[places] = values * (1 + 99 * (measured == "right"))
        # what an answer that is off by one adds
        steps[places] = STEPS[measured](target, np.abs(values))
        self._values[key], self._steps[key] = column, steps
        self._bounds[key] = 0.0, 100.0 if measured in ("error", "right") else np.inf
        self._skipped[key] = Counter(answers.filter(answers["skipped"])["state"])
        self._states[key] = states_of(answers)

    def difference(self, key: Key, first: Key, second: Key) -> None:
        """first − second where a configuration has both."""
        if first in self._values and second in self._values:
            column = self._values[first] - self._values[second]
            if not np.isnan(column).all():
                self._values[key] = column
                self._steps[key] = np.fmax(self._steps[first], self._steps[second])
                self._bounds[key] = -self._bounds[second][1], self._bounds[first][1]

    def measure(self) -> None:
        """Fill `found`: the mean of every column over the configurations that have it."""
        for key, column in self._values.items():
            known = ~np.isnan(column)
            if known.any():
                one = mean_interval(
                    column[known],
                    steps=self._steps[key][known],
                    bounds=self._bounds[key],
                    # a skip on one side only moves a difference as far as a skip moves an error
                    worst=True,
                )
                self.found[key] = replace(one, states=self._states.get(key, {})).as_json()

    def with_skips(self, *key: str) -> dict[str, Any] | None:
        """What was found of a column, and how many of its answers were skipped, by state."""
        if key not in self.found:
            return None
        states = self._skipped[key]
        return {**self.found[key], "skipped": states.total(), "skipped_states": dict(states)}

    def breakdowns(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """The columns by variant, fact and level."""
        found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for key in (key for key in self.found if key[0] == "by"):
            _, variant, by, level = key
            line = {"level": level, **self.found[key], "skipped": self._skipped[key].total()}
            found.setdefault(variant, {}).setdefault(by, []).append(line)
        return found


def scores_of(
    answers: pl.DataFrame, settings: CaptureSettings, decisions: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that is reported; what can't be computed is null, with a reason."""
    counted = answers.filter(answers["counts"])
    tested = counted.filter(counted["stage"] != "prompts")
    given = one_per_trial(tested, settings.confidence)
    groups = given.partition_by("task", "variant", "help", as_dict=True, maintain_order=True)
    asked = {v: groups["total", v, ""] for v in settings.variants if ("total", v, "") in groups}
    columns = Columns(given["configuration"].unique(maintain_order=True).to_list())
    _fill(columns, groups, settings)
    backed = _first_attempts(columns, answers, asked, settings)
    columns.measure()
    found, variants = columns.found, settings.variants
    attempts = Counter(replies(tested)["attempt"])
    scores: dict[str, Any] = {
        "asked": counted["trial"].n_unique(),
        "trials": given.height,
        "states": states_of(tested),
        "set": settings.set,
        "layout": settings.layout if settings.set == "synthetic" else None,
        "smape": {v: columns.with_skips("smape", v) for v in variants},
        "exact": {v: found.get(("exact", v)) for v in variants},
        "mae": {v: found.get(("mae", v)) for v in variants},
        "rmse": {v: _rooted(found.get(("squared", v))) for v in variants},
        "mape": {v: found.get(("mape", v)) for v in variants},
        "price_of_occlusion": found.get(("price",)),
        "hidden": columns.with_skips("hidden"),
        "hidden_minus_total": found.get(("hidden-total",)),
        "pattern": {v: columns.with_skips("pattern", v) for v in variants},
        "pattern_price": found.get(("pattern-price",)),
        "help": {
            name: {"smape": columns.with_skips("help", name), "effect": found.get(("effect", name))}
            for name in settings.help
            if ("total", "occluded", name) in groups
        },
        "backoff": {
            variant: {
                "first": columns.with_skips("first", variant),
                "with_backoff": columns.with_skips("smape", variant),
                "effect": found.get(("rescue", variant)),
                "rescued": rescued,
            }
            for variant, rescued in backed.items()
        },
        "breakdowns": columns.breakdowns(),
        "confusion": {v: _confusion(own) for v, own in asked.items()},
        "over_predicted": {v: _over_predicted(own) for v, own in asked.items()},
        "confidence": {v: _confidence(own, settings) for v, own in asked.items()},
        "prompt": {variant: own["prompt"][0] for variant, own in asked.items()},
        "prompts": prompt_table(counted.filter(counted["stage"] == "prompts")),
        "prompt_decision": decisions.get("prompt"),
        "attempts": {str(attempt): times for attempt, times in sorted(attempts.items())},
    }
    if "visible-count" in scores["help"]:
        alone = {"counter_alone": ("counter",), "minus_counter_alone": ("with-counter",)}
        scores["help"]["visible-count"] |= {name: found.get(key) for name, key in alone.items()}
    scores["undefined"] = _undefined(scores, settings)
    return scores


def _fill(columns: Columns, groups: Mapping[Key, pl.DataFrame], settings: CaptureSettings) -> None:
    """Every column, from the answers by task, variant and help."""
    for variant in settings.variants:
        columns.put(("smape", variant), groups.get(("total", variant, "")), "error")
        columns.put(("exact", variant), groups.get(("total", variant, "")), "right")
        columns.put(("pattern", variant), groups.get(("pattern", variant, "")), "right")
        for name, errors in _errors(groups.get(("total", variant, ""))):
            columns.put((name, variant), errors, name)
    columns.put(("hidden",), groups.get(("hidden", "occluded", "")), "error")
    columns.difference(("price",), ("smape", "occluded"), ("smape", "unoccluded"))
    columns.difference(("pattern-price",), ("pattern", "occluded"), ("pattern", "unoccluded"))
    columns.difference(("hidden-total",), ("hidden",), ("smape", "occluded"))
    for name in settings.help:
        own = groups.get(("total", "occluded", name))
        columns.put(("help", name), own, "error")
        columns.difference(("effect", name), ("help", name), ("smape", "occluded"))
        if name == "visible-count" and own is not None:
            # What the counter alone would have answered: the visible count as the total.
            alone = smape_terms(own["target"].to_numpy(), own["told"].to_numpy())
            columns.put(("counter",), own.with_columns(error=alone), "error")
            columns.difference(("with-counter",), ("help", name), ("counter",))
    plain = [variant for variant in settings.variants if ("total", variant, "") in groups]
    for variant, by in product(plain, BREAKDOWNS[settings.set]):
        for level, inside in _levels(by, groups["total", variant, ""]):
            columns.put(("by", variant, by, level), inside, "error")


def _first_attempts(
    columns: Columns,
    answers: pl.DataFrame,
    asked: Mapping[str, pl.DataFrame],
    settings: CaptureSettings,
) -> dict[str, dict[str, Any] | None]:
    """With backoff: columns of the first attempts, and per variant how many skips it rescued."""
    found: dict[str, dict[str, Any] | None] = {}
    for variant, own in asked.items() if settings.backoff else ():
        # the attempts before the one that counts are in the journal, and count nowhere else
        first = answers.filter(
            answers["trial"].is_in(own["trial"].to_list())
            & (answers["respondent"] == own["respondent"][0])
            & (answers["attempt"] == 0)
        )
        given = one_per_trial(first.with_columns(counts=True), "none")
        if not given.height:
            continue
        columns.put(("first", variant), given, "error")
        columns.difference(("rescue", variant), ("smape", variant), ("first", variant))
        skipped = given.filter(given["skipped"])["trial"].to_list()
        after = own.filter(own["trial"].is_in(skipped))
        found[variant] = (
            proportion_interval(int((~after["skipped"]).sum()), after.height).as_json()
            if after.height
            else None
        )
    return found


def _errors(answers: pl.DataFrame | None) -> Iterator[tuple[str, pl.DataFrame]]:
    """The answers that hold a number, with their error in things, squared and in percent."""
    if answers is None:
        return
    said = answers.filter(~answers["skipped"])
    if said.height:
        target = said["target"].cast(float)
        off = (said["number"].cast(float) - target).abs()
        yield "mae", said.with_columns(mae=off)
        yield "squared", said.with_columns(squared=off**2)
        positive = said.with_columns(mape=100 * off / target).filter(target > 0)
        if positive.height:
            yield "mape", positive


def _rooted(square: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The root of a mean square and of its interval."""
    return None if square is None else rooted(Score(**square)).as_json()


def _levels(by: str, answers: pl.DataFrame) -> Iterator[tuple[Any, pl.DataFrame]]:
    """The answers by one fact; ranges where there are many numbers."""
    known = answers.filter(answers[by].is_not_null())
    groups = known.partition_by(by, as_dict=True, maintain_order=True)
    many = len(groups) > MOST_LEVELS
    if by in ("total", "hidden") and many:
        for low, high in RANGES:
            inside = known.filter(known[by].is_between(low, high))
            if inside.height:
                yield (f"{low}–{high}" if high < 10**9 else f"{low}+"), inside
        return
    for (level,) in sorted(groups):
        if not many or groups[(level,)].height >= LEAST_OF_LEVEL:
            yield level, groups[(level,)]


def _confusion(answers: pl.DataFrame) -> dict[str, Any]:
    """How often which number was said to which total, and skips by total."""
    said = answers.filter(~answers["skipped"])
    pairs = Counter(zip(said["target"].cast(int), said["number"].cast(int), strict=True))
    skipped = answers.filter(answers["skipped"])["target"].cast(int)
    return {
        "pairs": [[*pair, times] for pair, times in sorted(pairs.items())],
        "skipped": [[target, times] for target, times in sorted(Counter(skipped).items())],
    }


def _over_predicted(answers: pl.DataFrame) -> list[dict[str, Any]]:
    """The numbers said most often beyond how often they were right to say."""
    said = Counter(answers.filter(~answers["skipped"])["number"].cast(int))
    true = Counter(answers["target"].cast(int))
    excess = {number: times - true[number] for number, times in said.items()}
    worst = sorted((n for n in excess if excess[n] > 0), key=lambda n: (-excess[n], n))
    return [
        {"number": n, "said": said[n], "true": true[n], "excess": excess[n]}
        for n in worst[:OVER_PREDICTED]
    ]


def _confidence(answers: pl.DataFrame, settings: CaptureSettings) -> dict[str, Any] | None:
    sure = answers.filter(answers["confidence"].is_not_null())
    if settings.confidence == "none" or not sure.height:
        return None
    found = reliability(sure["confidence"].to_numpy(), sure["error"].to_numpy())
    return {
        "source": settings.confidence,
        "trials": sure.height,
        "without": answers.height - sure.height,
        **asdict(found),
    }


def prompt_table(answers: pl.DataFrame) -> dict[str, dict[str, dict[str, Any]]]:
    """Every prompt tried, by variant: its sMAPE on the validation part."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    tried = one_per_trial(answers, "none")
    for (variant, name), own in tried.group_by("variant", "prompt", maintain_order=True):
        table.setdefault(str(variant), {})[str(name)] = {
            "smape": float(own["error"].to_numpy().mean()),
            "trials": own.height,
            "skipped": int(own["skipped"].sum()),
        }
    return table


def best_prompts(answers: pl.DataFrame, order: Sequence[str]) -> dict[str, str]:
    """For each variant the prompt with the smallest sMAPE; ties go to the first in `order`."""
    table = prompt_table(answers.filter(answers["stage"] == "prompts"))
    if not table:
        raise BadInput("No prompt can be chosen: no reply of the validation part can be scored.")
    return {
        variant: min(prompts, key=lambda name: (prompts[name]["smape"], order.index(name)))
        for variant, prompts in table.items()
    }


def visible_counts(scenes: Sequence[Scene], answers: pl.DataFrame, file: str) -> dict[str, int]:
    """How many objects a counter saw in each occluded picture, or what the file says."""
    if file:
        lacks, repair = f"{file} has no whole number", "count them all"
        given = read_json(Path(file), "the counts in")
        if not isinstance(given, dict):
            raise BadInput(f"{file} is not a JSON object of picture names and counts.")
        found = {name: number for name, number in given.items() if isinstance(number, int)}
    else:
        lacks, repair = "The counter gave no count", "name another with --set counter=MODEL"
        read = answers.filter((answers["stage"] == "visible") & answers["number"].is_not_null())
        found = dict(read.select("configuration", "number").iter_rows())
    missing = [one.name for one in scenes if one.name not in found]
    if missing:
        raise BadInput(
            f"{lacks} for {len(missing):,} of {len(scenes):,} pictures, the first {missing[0]!r}: "
            f"{repair}."
        )
    return {one.name: int(found[one.name]) for one in scenes}


def _undefined(scores: Mapping[str, Any], settings: CaptureSettings) -> dict[str, str]:
    """Why a score is null."""
    reasons: dict[str, str] = {}
    for variant in settings.variants:
        if scores["smape"][variant] is None:
            reasons[f"smape.{variant}"] = NO_TOTAL[settings.set == "real"]
        if scores["pattern"][variant] is None:
            reasons[f"pattern.{variant}"] = "the pattern was not asked for"
        for name in ("mae", "rmse", "mape"):
            if scores["smape"][variant] is not None and scores[name][variant] is None:
                reasons[f"{name}.{variant}"] = "every answer was a skip: none is a number"
        if variant in scores["backoff"] and scores["backoff"][variant]["rescued"] is None:
            reasons[f"backoff.{variant}.rescued"] = "no first attempt was skipped"
    if scores["price_of_occlusion"] is None:
        reasons["price_of_occlusion"] = "it needs the totals of both variants"
    if scores["hidden"] is None:
        needs = "" if settings.set == "synthetic" or settings.points else ": it needs points"
        reasons["hidden"] = f"the hidden objects were not asked for{needs}"
    for name, helped in scores["help"].items():
        if helped["effect"] is None:
            reasons[f"help.{name}"] = "it needs the plain totals of occluded pictures"
    if settings.confidence != "none" and not any(scores["confidence"].values()):
        reasons["confidence"] = "no reply states a confidence"
    return reasons
