"""Simulated observers: they know the target and err in a known way.

They run through the same code as real models, so an experiment can be tested before anyone is
paid, and a fit can be checked by recovering what was put in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from subitize.errors import ModelError, Unable
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply, singly
from subitize.models.names import ModelName, typed_settings
from subitize.models.simulated_matching import Estimate, Told, filled, matched
from subitize.records import Trial

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "perfect": {"seed": 0},
    "observer": {"seed": 0, "w": 0.15, "limit": 4, "lapse": 0.0},
    "random": {"seed": 0, "highest": 20},
    "chatty": {"seed": 0},
    "refuser": {"seed": 0},
    "cues": {"seed": 0, "size": 0.5, "w": 0.15},
}
RANGES = {"w": (0.0, 5.0), "size": (0.0, 1.0), "lapse": (0.0, 1.0), "highest": (1, 2**31)}

PROSE = (
    "There are {} {} in the picture.",
    "I can see **{}** {} here.",
    "Looking closely at the image, I count {} {}.",
    "Sure! The picture shows {} {} on a white background.",
    "{} {}.",
)
REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot determine what is in this image.",
    "As an AI language model, I am unable to view pictures.",
)


class Simulated(Told):
    """One of the simulated observers; `self.kind_of_observer` says which."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer", "matcher", "filler")

    def __init__(self, name: ModelName, settings: Mapping[str, Any]) -> None:
        super().__init__(name.full, settings)
        self.kind_of_observer = name.rest

    def name(self, items: Sequence[Item]) -> Answers:
        return singly(lambda item: Reply("text", self._say(item)), items)

    def match(self, items: Sequence[Item]) -> Answers:
        return singly(self._match, items)

    def _match(self, item: Item) -> Reply:
        facts, rng = self.facts_of(item), np.random.default_rng(item.seed)
        if self.kind_of_observer == "refuser":
            return Reply("scores", {}, stop="refused")
        scores = matched(facts, item.options, self._estimate(rng))
        if self.kind_of_observer == "random":
            scores = rng.random(len(item.options)).tolist()
        return Reply("scores", {"scores": scores, "calibrated": True})

    def fill(self, items: Sequence[Item]) -> Answers:
        return singly(self._fill, items)

    def _fill(self, item: Item) -> Reply:
        facts, rng = self.facts_of(item), np.random.default_rng(item.seed)
        if self.kind_of_observer == "refuser":
            return Reply("ranking", [], stop="refused")
        if facts.target is None:
            raise ModelError(f"{self.respondent} knows no right number here: it can only be told")
        ranking = filled(int(facts.target), self._estimate(rng))
        if self.kind_of_observer == "random":
            places = rng.permutation(len(ranking)).tolist()
            ranking = [[ranking[a][0], ranking[b][1]] for b, a in enumerate(places)]
        return Reply("ranking", ranking)

    def _estimate(self, rng: np.random.Generator) -> Estimate | None:
        if self.kind_of_observer != "observer":
            return None
        return lambda n: estimate(n, self.settings, rng) if n else 0

    def _say(self, item: Item) -> str:
        facts, rng = self.facts_of(item), np.random.default_rng(item.seed)
        target, words = facts.target, facts.target_choice
        if self.kind_of_observer == "refuser":
            return REFUSALS[int(rng.integers(len(REFUSALS)))]
        if target is not None:
            return self._say_number(int(target), facts, rng)
        if not words:
            raise ModelError(f"{self.respondent} knows no right answer here: it can only be told")
        return self._say_choice(words, item.options, rng)

    def _say_number(self, target: int, trial: Trial, rng: np.random.Generator) -> str:
        if self.kind_of_observer == "observer":
            return str(estimate(target, self.settings, rng))
        if self.kind_of_observer == "cues":
            return str(guided(target, trial, self.settings, rng))
        if self.kind_of_observer == "random":
            return str(int(rng.integers(1, self.settings["highest"] + 1)))
        if self.kind_of_observer == "chatty":
            thing = trial.condition.get("thing", "things")
            return PROSE[int(rng.integers(len(PROSE)))].format(target, thing)
        return str(target)

    def _say_choice(self, target: str, options: tuple[str, ...], rng: np.random.Generator) -> str:
        if self.kind_of_observer == "random" and options:
            return options[int(rng.integers(len(options)))]
        if self.kind_of_observer == "random":
            return "Something or other."
        return f"I would say: {target}." if self.kind_of_observer == "chatty" else target


def estimate(target: int, settings: Mapping[str, Any], rng: np.random.Generator) -> int:
    """A number near the target: exact up to the subitizing `limit`; above, normal around it with
    sd `w` × target, rounded, drawn again outside 1..max(20, 2 × target); a `lapse` is uniform on
    that range."""
    highest = max(20, 2 * target)
    if settings["lapse"] and rng.random() < settings["lapse"]:
        return int(rng.integers(1, highest + 1))
    if target <= settings["limit"]:
        return target
    while True:
        drawn = round(float(rng.normal(target, settings["w"] * target)))
        if 1 <= drawn <= highest:
            return drawn


def guided(target: int, trial: Trial, settings: Mapping[str, Any], rng: np.random.Generator) -> int:
    """A number guided by `size` for that share and by number for the rest: log₂ answer =
    (1 - size) log₂ n + size (log₂ of the picture's size, its middle standing for the middle n),
    with the noise of a Weber fraction `w`. Of the two whole numbers around, each is said as often
    as keeps the mean of logarithms."""
    cues = trial.stimulus.recipe.get("cues")
    if not cues:
        raise Unable(
            "sim/cues goes by the size of the things, which only pictures with orthogonal cues "
            "tell: run it with --set cues=orthogonal."
        )
    share, middle = settings["size"], math.log2(cues["largest"]) / 2
    seen = math.log2(cues["size"] / cues["middle"]) + middle
    felt = (1 - share) * math.log2(target) + share * seen
    felt = max(0.0, felt + float(rng.normal(0, settings["w"] / math.log(2))))
    low = int(2**felt)
    above = (felt - math.log2(low)) / math.log2((low + 1) / low)
    return low + int(rng.random() < above)


def open_simulated(name: ModelName, _options: ModelOptions) -> Simulated:
    return Simulated(name, typed_settings(name, DEFAULTS[name.rest], RANGES))
