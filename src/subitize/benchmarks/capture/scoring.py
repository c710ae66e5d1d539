"""From answers to scores, all paired by configuration and resampled together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from subitize.benchmarks.capture.answers import NOT_REPLIES, Answer, answers_of, errors_of
from subitize.benchmarks.capture.settings import CaptureSettings
from subitize.errors import BadInput
from subitize.measures.reliability import reliability
from subitize.measures.resampling import bootstrap_columns
from subitize.records import Row

__all__ = ["best_prompts", "prompt_table", "scores_of"]

BREAKDOWNS = ("total", "hidden", "arrangement", "place", "colour", "object")
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

    def put(self, key: Key, answers: Sequence[Answer], measured: str) -> None:
        """A column from one group of answers: their `error`, or 100 for each right one."""
        if answers:
            column = np.full(len(self._place), np.nan)
            places = [self._place[answer.condition["configuration"]] for answer in answers]
            right = [100.0 * answer.right for answer in answers]
            column[places] = errors_of(answers) if measured == "error" else right
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
        return {
            key: one.as_json()
            for key, one in zip(self.values, found, strict=True)
            if one is not None
        }


def scores_of(
    rows: Sequence[Row], settings: CaptureSettings, decisions: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that is reported; what can't be computed is null, with a reason."""
    tested = [row for row in rows if row.trial.stage != "prompts"]
    answers = answers_of(tested, settings.confidence)
    groups = _grouped(answers)
    columns = Columns(list(dict.fromkeys(a.condition["configuration"] for a in answers)))
    plain = {v: groups.get(("total", v, ""), []) for v in settings.variants}
    helps = [name for name in settings.help if ("total", "occluded", name) in groups]
    _fill(columns, groups, settings, helps)
    levels = _fill_breakdowns(columns, plain)
    found = columns.intervals(settings.seed)
    scores: dict[str, Any] = {
        "asked": len({row.trial.id for row in rows}),
        "trials": len(answers),
        "states": dict(Counter(row.reading.state for row in tested)),
        "set": settings.set,
        "layout": settings.layout if settings.set == "synthetic" else None,
        "smape": {v: _scored(found, ("smape", v), plain[v]) for v in settings.variants},
        "exact": {v: found.get(("exact", v)) for v in settings.variants},
        "price_of_occlusion": found.get(("price",)),
        "hidden": _scored(found, ("hidden",), groups.get(("hidden", "occluded", ""), [])),
        "hidden_minus_total": found.get(("hidden-total",)),
        "pattern": {
            v: _scored(found, ("pattern", v), groups.get(("pattern", v, ""), []))
            for v in settings.variants
        },
        "pattern_price": found.get(("pattern-price",)),
        "help": {name: _helped(name, found, groups) for name in helps},
        "breakdowns": _broken_down(found, levels),
        "confusion": {v: _confusion(plain[v]) for v in settings.variants if plain[v]},
        "over_predicted": {v: _over_predicted(plain[v]) for v in settings.variants if plain[v]},
        "confidence": {v: _confidence(plain[v], settings) for v in settings.variants if plain[v]},
        "prompt": {
            variant: answers_[0].condition["prompt"]
            for variant, answers_ in plain.items()
            if answers_
        },
        "prompts": prompt_table([row for row in rows if row.trial.stage == "prompts"]),
        "prompt_decision": decisions.get("prompt"),
        "attempts": _attempts(tested),
    }
    scores["undefined"] = _undefined(scores, settings)
    return scores


def _grouped(answers: Sequence[Answer]) -> dict[Key, list[Answer]]:
    groups: dict[Key, list[Answer]] = {}
    for answer in answers:
        about = answer.condition
        groups.setdefault((about["task"], about["variant"], about["help"]), []).append(answer)
    return groups


def _fill(
    columns: Columns,
    groups: Mapping[Key, list[Answer]],
    settings: CaptureSettings,
    helps: Sequence[str],
) -> None:
    """Every column but the breakdowns'."""
    for variant in settings.variants:
        columns.put(("smape", variant), groups.get(("total", variant, ""), []), "error")
        columns.put(("exact", variant), groups.get(("total", variant, ""), []), "right")
        columns.put(("pattern", variant), groups.get(("pattern", variant, ""), []), "right")
    columns.put(("hidden",), groups.get(("hidden", "occluded", ""), []), "error")
    columns.difference(("price",), ("smape", "occluded"), ("smape", "unoccluded"))
    columns.difference(("pattern-price",), ("pattern", "occluded"), ("pattern", "unoccluded"))
    columns.difference(("hidden-total",), ("hidden",), ("smape", "occluded"))
    for name in helps:
        answers = groups[("total", "occluded", name)]
        columns.put(("help", name), answers, "error")
        columns.difference(("effect", name), ("help", name), ("smape", "occluded"))
        if name == "visible-count":
            columns.put(("counter",), [_told(answer) for answer in answers], "error")
            columns.difference(("with-counter",), ("help", name), ("counter",))


def _told(answer: Answer) -> Answer:
    """What the counter alone would have answered: the visible count as the total."""
    return Answer(answer.trial, "read", int(answer.condition["told"]), None)


def _scored(
    found: Mapping[Key, Mapping[str, Any]], key: Key, answers: Sequence[Answer]
) -> dict[str, Any] | None:
    if key not in found:
        return None
    skipped = sum(answer.skipped for answer in answers)
    states = Counter(answer.state for answer in answers if answer.skipped)
    return {**found[key], "skipped": skipped, "skipped_states": dict(states)}


def _helped(
    name: str, found: Mapping[Key, Mapping[str, Any]], groups: Mapping[Key, list[Answer]]
) -> dict[str, Any]:
    helped: dict[str, Any] = {
        "smape": _scored(found, ("help", name), groups[("total", "occluded", name)]),
        "effect": found.get(("effect", name)),
    }
    if name == "visible-count":
        helped["counter_alone"] = found.get(("counter",))
        helped["minus_counter_alone"] = found.get(("with-counter",))
    return helped


def _levels(by: str, answers: Sequence[Answer]) -> Iterator[tuple[Any, list[Answer]]]:
    """The answers by one fact; ranges where there are many numbers."""
    groups: dict[Any, list[Answer]] = {}
    for answer in answers:
        level = answer.condition.get(by)
        if level is not None:
            groups.setdefault(level, []).append(answer)
    many = len(groups) > MOST_LEVELS
    if by in ("total", "hidden") and many:
        for low, high in RANGES:
            inside = [a for level, of_it in groups.items() if low <= level <= high for a in of_it]
            if inside:
                yield (f"{low}–{high}" if high < 10**9 else f"{low}+"), inside
        return
    for level in sorted(groups, key=lambda level: (isinstance(level, str), level)):
        if not many or len(groups[level]) >= LEAST_OF_LEVEL:
            yield level, groups[level]


def _fill_breakdowns(
    columns: Columns, plain: Mapping[str, Sequence[Answer]]
) -> dict[str, dict[str, list[tuple[Any, int]]]]:
    """A column per variant, fact and level; gives the levels with their skipped answers."""
    levels: dict[str, dict[str, list[tuple[Any, int]]]] = {}
    for variant, answers in plain.items():
        for by in BREAKDOWNS:
            for level, inside in _levels(by, answers):
                columns.put(("by", variant, by, level), inside, "error")
                skipped = sum(answer.skipped for answer in inside)
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


def _confusion(answers: Sequence[Answer]) -> dict[str, Any]:
    """How often which number was said to which total, and skips by total."""
    pairs = Counter((a.trial.target, a.value) for a in answers if not a.skipped)
    skipped = Counter(a.trial.target for a in answers if a.skipped)
    return {
        "pairs": [[target, said, times] for (target, said), times in sorted(pairs.items())],
        "skipped": [[target, times] for target, times in sorted(skipped.items())],
    }


def _over_predicted(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """The numbers said most often beyond how often they were right to say."""
    said = Counter(answer.value for answer in answers if not answer.skipped)
    true = Counter(answer.trial.target for answer in answers)
    excess = {number: times - true[number] for number, times in said.items()}
    worst = sorted((n for n in excess if excess[n] > 0), key=lambda n: (-excess[n], n))
    return [
        {"number": n, "said": said[n], "true": true[n], "excess": excess[n]}
        for n in worst[:OVER_PREDICTED]
    ]


def _confidence(answers: Sequence[Answer], settings: CaptureSettings) -> dict[str, Any] | None:
    if settings.confidence == "none":
        return None
    sure = [answer for answer in answers if answer.confidence is not None]
    if not sure:
        return None
    found = reliability([answer.confidence or 0.0 for answer in sure], errors_of(sure))
    return {
        "source": settings.confidence,
        "trials": len(sure),
        "without": len(answers) - len(sure),
        **asdict(found),
    }


def _attempts(rows: Sequence[Row]) -> dict[str, int]:
    """How many replies came at which attempt (0 is the first); more than one with backoff."""
    counts = Counter(row.response.attempt for row in rows if row.reading.state not in NOT_REPLIES)
    return {str(attempt): counts[attempt] for attempt in sorted(counts)}


def prompt_table(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, Any]]]:
    """Every prompt tried, by variant: its sMAPE on the validation part."""
    table: dict[str, dict[str, list[Answer]]] = {}
    for answer in answers_of(rows, "none"):
        about = answer.condition
        table.setdefault(about["variant"], {}).setdefault(about["prompt"], []).append(answer)
    return {
        variant: {
            name: {
                "smape": float(errors_of(answers).mean()),
                "trials": len(answers),
                "skipped": sum(answer.skipped for answer in answers),
            }
            for name, answers in prompts.items()
        }
        for variant, prompts in table.items()
    }


def best_prompts(rows: Sequence[Row], order: Sequence[str]) -> dict[str, str]:
    """For each variant the prompt with the smallest sMAPE; ties go to the first in `order`."""
    table = prompt_table(rows)
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
