"""From answers to scores, all paired by configuration and resampled together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.benchmarks.capture.answers import one_per_trial, replies
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.errors import BadInput
from subitize.measures.error_size import smape_terms
from subitize.measures.reliability import reliability
from subitize.measures.resampling import bootstrap_columns

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

Key = tuple[Any, ...]


class Columns:
    """Values per configuration, a column each; NaN where there is none."""

    def __init__(self, names: Sequence[str]) -> None:
        self._place = {name: index for index, name in enumerate(names)}
        self.values: dict[Key, np.ndarray[Any, np.dtype[np.float64]]] = {}

    def put(self, key: Key, answers: pl.DataFrame, measured: str) -> None:
        """A column from one group of answers: their `error`, or 100 for each `right` one."""
        if not answers.height:
            return
        column = np.full(len(self._place), np.nan)
        places = [self._place[name] for name in answers["configuration"]]
        column[places] = answers[measured].cast(float).to_numpy() * (1 + 99 * (measured == "right"))
        self.values[key] = column

    def difference(self, key: Key, first: Key, second: Key) -> None:
        """first − second where a configuration has both."""
        if first in self.values and second in self.values:
            column = self.values[first] - self.values[second]
            if not np.isnan(column).all():
                self.values[key] = column

    def intervals(self, seed: int) -> dict[Key, dict[str, Any]]:
        """Every column's mean with its interval and how many configurations it stands on."""
        if not self.values:
            return {}
        table = np.stack(list(self.values.values()), axis=1)
        found = bootstrap_columns(table, np.random.default_rng([seed, 20250422]))
        both = zip(self.values, found, strict=True)
        return {key: one.as_json() for key, one in both if one is not None}


def scores_of(
    answers: pl.DataFrame, settings: CaptureSettings, decisions: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that is reported; what can't be computed is null, with a reason."""
    counted = answers.filter(answers["counts"])
    tested = counted.filter(counted["stage"] != "prompts")
    given = one_per_trial(tested, settings.confidence)
    groups = given.partition_by("task", "variant", "help", as_dict=True, maintain_order=True)
    nothing = given.clear()
    columns = Columns(given["configuration"].unique(maintain_order=True).to_list())
    plain = {v: groups.get(("total", v, ""), nothing) for v in settings.variants}
    pattern = {v: groups.get(("pattern", v, ""), nothing) for v in settings.variants}
    hidden = groups.get(("hidden", "occluded", ""), nothing)
    helped = {
        name: groups["total", "occluded", name]
        for name in settings.help
        if ("total", "occluded", name) in groups
    }
    for variant in settings.variants:
        columns.put(("smape", variant), plain[variant], "error")
        columns.put(("exact", variant), plain[variant], "right")
        columns.put(("pattern", variant), pattern[variant], "right")
    columns.put(("hidden",), hidden, "error")
    _fill_differences(columns, helped)
    levels = _fill_breakdowns(columns, plain, BREAKDOWNS[settings.set])
    found = columns.intervals(settings.seed)
    asked = {variant: own for variant, own in plain.items() if own.height}
    scores: dict[str, Any] = {
        "asked": counted["trial"].n_unique(),
        "trials": given.height,
        "states": dict(Counter(tested["state"])),
        "set": settings.set,
        "layout": settings.layout if settings.set == "synthetic" else None,
        "smape": {v: _scored(found, ("smape", v), plain[v]) for v in settings.variants},
        "exact": {v: found.get(("exact", v)) for v in settings.variants},
        "price_of_occlusion": found.get(("price",)),
        "hidden": _scored(found, ("hidden",), hidden),
        "hidden_minus_total": found.get(("hidden-total",)),
        "pattern": {v: _scored(found, ("pattern", v), pattern[v]) for v in settings.variants},
        "pattern_price": found.get(("pattern-price",)),
        "help": {name: _helped(name, found, own) for name, own in helped.items()},
        "breakdowns": _broken_down(found, levels),
        "confusion": {v: _confusion(own) for v, own in asked.items()},
        "over_predicted": {v: _over_predicted(own) for v, own in asked.items()},
        "confidence": {v: _confidence(own, settings) for v, own in asked.items()},
        "prompt": {variant: own["prompt"][0] for variant, own in asked.items()},
        "prompts": prompt_table(counted.filter(counted["stage"] == "prompts")),
        "prompt_decision": decisions.get("prompt"),
        "attempts": {
            str(attempt): times
            for attempt, times in sorted(Counter(replies(tested)["attempt"]).items())
        },
    }
    scores["undefined"] = _undefined(scores, settings)
    return scores


def _fill_differences(columns: Columns, helped: Mapping[str, pl.DataFrame]) -> None:
    """The paired differences, and the columns of help."""
    columns.difference(("price",), ("smape", "occluded"), ("smape", "unoccluded"))
    columns.difference(("pattern-price",), ("pattern", "occluded"), ("pattern", "unoccluded"))
    columns.difference(("hidden-total",), ("hidden",), ("smape", "occluded"))
    for name, own in helped.items():
        columns.put(("help", name), own, "error")
        columns.difference(("effect", name), ("help", name), ("smape", "occluded"))
        if name == "visible-count":
            # What the counter alone would have answered: the visible count as the total.
            alone = smape_terms(own["target"].to_numpy(), own["told"].to_numpy())
            columns.put(("counter",), own.with_columns(error=alone), "error")
            columns.difference(("with-counter",), ("help", name), ("counter",))


def _scored(
    found: Mapping[Key, Mapping[str, Any]], key: Key, answers: pl.DataFrame
) -> dict[str, Any] | None:
    if key not in found:
        return None
    skipped = answers.filter(answers["skipped"])["state"]
    return {**found[key], "skipped": len(skipped), "skipped_states": dict(Counter(skipped))}


def _helped(
    name: str, found: Mapping[Key, Mapping[str, Any]], answers: pl.DataFrame
) -> dict[str, Any]:
    helped: dict[str, Any] = {
        "smape": _scored(found, ("help", name), answers),
        "effect": found.get(("effect", name)),
    }
    if name == "visible-count":
        helped["counter_alone"] = found.get(("counter",))
        helped["minus_counter_alone"] = found.get(("with-counter",))
    return helped


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


def _fill_breakdowns(
    columns: Columns, plain: Mapping[str, pl.DataFrame], facts: Sequence[str]
) -> dict[str, dict[str, list[tuple[Any, int]]]]:
    """A column per variant, fact and level; gives the levels with their skipped answers."""
    levels: dict[str, dict[str, list[tuple[Any, int]]]] = {}
    for variant, answers in plain.items():
        for by in facts:
            for level, inside in _levels(by, answers):
                columns.put(("by", variant, by, level), inside, "error")
                skipped = int(inside["skipped"].sum())
                levels.setdefault(variant, {}).setdefault(by, []).append((level, skipped))
    return levels


def _broken_down(
    found: Mapping[Key, Mapping[str, Any]],
    levels: Mapping[str, Mapping[str, Sequence[tuple[Any, int]]]],
) -> dict[str, Any]:
    return {
        variant: {
            by: [
                {"level": level, **found[("by", variant, by, level)], "skipped": skipped}
                for level, skipped in listed
            ]
            for by, listed in facts.items()
        }
        for variant, facts in levels.items()
    }


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


def _undefined(scores: Mapping[str, Any], settings: CaptureSettings) -> dict[str, str]:
    """Why a score is null."""
    reasons: dict[str, str] = {}
    for variant in settings.variants:
        if scores["smape"][variant] is None:
            reasons[f"smape.{variant}"] = "no total was asked, or none has a reply"
        if scores["pattern"][variant] is None:
            reasons[f"pattern.{variant}"] = "the pattern was not asked for"
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
