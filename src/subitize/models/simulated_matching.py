"""Simulated matchers and fillers: what the simulated observers do with sentences and masks.

`sim/matcher` and `sim/filler` err at known rates, so that a run must give them back:
acc_r of the matcher is rc·rf + (rc·(1 − rf) + (1 − rc)·rf)/2 with recalls rc and rf; the filler's
mean rank is r₁ + 2(r₂ − r₁) + (1 − r₂)(3 + last)/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import orjson

from subitize.errors import BadInput, ModelError
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply, singly
from subitize.models.names import ModelName, typed_settings
from subitize.numerals import to_words
from subitize.records import Trial

MATCHES = 0.5
SURE = 0.97
WORDS = 21
"""numbers in a simulated filler's vocabulary, at least: 0..20"""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "matcher": {"seed": 0, "recall_correct": 0.8, "recall_foil": 0.7, "calibrated": True},
    "filler": {"seed": 0, "recall1": 0.6, "recall2": 0.8, "last": 10},
}
RANGES = {
    "recall_correct": (0.0, 1.0), "recall_foil": (0.0, 1.0), "recall1": (0.0, 1.0),
    "recall2": (0.0, 1.0), "last": (3, WORDS),
}  # fmt: skip

Estimate = Callable[[int], int]
"""what an observer takes a number of things for"""


def matched(trial: Trial, options: Sequence[str], estimate: Estimate | None) -> list[float]:
    """Match probabilities of sentences: highest for the number that was seen.

    Without an estimate, or where sentences say no numbers, only the right one matches.
    """
    right = trial.target_choice
    if right not in options:
        raise ModelError("a simulated matcher knows no right sentence here: it can only be told")
    numbers = orjson.loads(trial.condition.get("numbers") or "[]")
    if estimate is None or len(numbers) != len(options) or min(numbers) < 0:
        return [SURE if one == right else 1 - SURE for one in options]
    seen = estimate(numbers[options.index(right)])
    return [SURE * math.exp(-abs(n - seen)) if n != seen else SURE for n in numbers]


def filled(target: int, estimate: Estimate | None) -> list[list[Any]]:
    """Every number word, nearest to what was seen first; spellings of a number side by side."""
    seen = target if estimate is None else estimate(target)
    order = sorted(range(max(WORDS, 2 * target + 1)), key=lambda n: (abs(n - seen), n))
    return worded(order)


def worded(order: Sequence[int]) -> list[list[Any]]:
    """A ranking of words for numbers in this order.

    >>> worded([1, 12])
    [['one', 0.5], ['1', 0.25], ['a', 0.125], ['twelve', 0.0625], ['12', 0.03125]]
    """
    words = [
        word for n in order for word in (to_words(n), str(n), *({0: ("no",), 1: ("a",)}.get(n, ())))
    ]
    return [[word, 2.0 ** -(place + 1)] for place, word in enumerate(words)]


class Told(Model):
    """A model that is told the right answer, and errs in a known way."""

    sees_facts: ClassVar[bool] = True
    needs_picture: ClassVar[bool] = False
    batch_size = 64

    def facts_of(self, item: Item) -> Trial:
        """What the item is about."""
        if item.facts is None:
            raise BadInput(f"{self.respondent} was asked without facts: it is not a real model.")
        return item.facts


class SimulatedMatcher(Told):
    """Recognises right sentences and foils at known rates, each by itself."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)

    def match(self, items: Sequence[Item]) -> Answers:
        return singly(self._match, items)

    def _match(self, item: Item) -> Reply:
        right = self.facts_of(item).target_choice
        if right not in item.options:
            raise ModelError(f"{self.respondent} knows no right sentence here: it must be told")
        rng = np.random.default_rng(item.seed)
        drawn = rng.random((len(item.options), 2)).tolist()
        scores = []
        for sentence, (luck, within) in zip(item.options, drawn, strict=True):
            known = luck < self.settings["recall_correct" if sentence == right else "recall_foil"]
            scores.append(within / 2 + (MATCHES if known == (sentence == right) else 0.0))
        return Reply("scores", {"scores": scores, "calibrated": self.settings["calibrated"]})


class SimulatedFiller(Told):
    """Ranks the right number first, second or later at known rates."""

    kinds: ClassVar[tuple[Kind, ...]] = ("filler",)

    def fill(self, items: Sequence[Item]) -> Answers:
        return singly(self._fill, items)

    def _fill(self, item: Item) -> Reply:
        target = self.facts_of(item).target
        if target is None:
            raise ModelError(f"{self.respondent} knows no right number here: it must be told")
        rng = np.random.default_rng(item.seed)
        luck = float(rng.random())
        rank = 1 if luck < self.settings["recall1"] else 2
        if luck >= self.settings["recall2"]:
            rank = int(rng.integers(3, self.settings["last"], endpoint=True))
        others = [n for n in range(max(WORDS + 1, int(target) + 2)) if n != target]
        order = [others[int(place)] for place in rng.permutation(len(others))]
        order.insert(rank - 1, int(target))
        return Reply("ranking", worded(order))


def open_simulated_kind(name: ModelName, _options: ModelOptions) -> Model:
    settings = typed_settings(name, DEFAULTS[name.rest], RANGES)
    if name.rest == "matcher":
        return SimulatedMatcher(name.full, settings)
    if settings["recall2"] < settings["recall1"]:
        raise BadInput(f"{name.full}: recall2 can't be below recall1.")
    return SimulatedFiller(name.full, settings)
