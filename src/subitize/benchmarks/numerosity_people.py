"""Several people as one group: each person's own scores, and their means with intervals over
people.

What one person says to many pictures hangs together, so the answers of a group are not as many
independent ones as there are: who took part is what was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.benchmark import with_states
from subitize.benchmarks.numerosity import readable
from subitize.errors import BadInput
from subitize.measures.accuracy import accuracy
from subitize.measures.confusion import confusion_matrix
from subitize.measures.error_size import nae
from subitize.measures.units import mean_over_units
from subitize.measures.weber import fit_observer
from subitize.records import Score

if TYPE_CHECKING:
    import polars as pl

OF_A_PERSON = ("accuracy", "nae", "bias", "weber_fraction")
NOBODY = "nobody's answers tell it"
ALONE = "one person's answers tell it: how people differ is not known"
UNLIKE_NOBODY = "the people do not differ in it: nothing tells how far off another would be"
BOUNDS = {"accuracy": (0.0, 1.0), "nae": (0.0, np.inf), "weber_fraction": (0.0, np.inf)}


def over_people(answers: pl.DataFrame, highest: int, scores: Mapping[str, Any]) -> dict[str, Any]:
    """`people`, and the headline's accuracy and NAE with intervals over people.

    Nothing where one respondent answered alone. The interval of the headline is never narrower
    than that over trials: a few people who are alike by chance say little of others.
    """
    each: dict[str, dict[str, float | None]] = {}
    undefined: dict[str, str] = {}
    for (person,), own in answers.group_by("respondent", maintain_order=True):
        each[str(person)], why = _of_a_person(own, highest)
        undefined |= {f"people.each.{person}.{name}": reason for name, reason in why.items()}
    if len(each) < 2:
        return {}
    found: dict[str, Any] = {"number": len(each), "each": each}
    for name in OF_A_PERSON:
        known = [value for one in each.values() if (value := one[name]) is not None]
        over = mean_over_units(known, BOUNDS.get(name, (-np.inf, np.inf)))
        found[name] = over
        if over is None:
            undefined[f"people.{name}"] = NOBODY
        elif over.low is None:
            undefined[f"people.{name}.interval"] = ALONE if over.trials == 1 else UNLIKE_NOBODY
    made: dict[str, Any] = {"people": found, "undefined": {**scores["undefined"], **undefined}}
    for name in ("accuracy", "nae"):
        over, headline = found[name], scores.get(name)
        if over is not None and isinstance(headline, Score):
            made[name] = _widened(headline, over, BOUNDS[name])
    return with_states(made, answers)


def _of_a_person(own: pl.DataFrame, highest: int) -> tuple[dict[str, float | None], dict[str, str]]:
    """The person's scores, and why some are null."""
    targets, responses = readable(own)
    found: dict[str, float | None] = dict.fromkeys(OF_A_PERSON)
    if not targets.size:
        return found, dict.fromkeys(OF_A_PERSON, "no answer was read")
    found["accuracy"] = float(accuracy(targets, responses))
    found["nae"] = float(nae(targets, responses))
    found["bias"] = float(np.mean((responses - targets) / targets))
    try:
        matrix = confusion_matrix(targets, responses, highest_target=highest)
        fitted = fit_observer(matrix.counts)
    except BadInput as problem:
        return found, {"weber_fraction": str(problem)}
    if fitted.w is None:
        return found, {"weber_fraction": fitted.reason or NOBODY}
    found["weber_fraction"] = fitted.w.value
    return found, {}


def _widened(headline: Score, over: Score, bounds: tuple[float, float]) -> Score:
    if headline.value is None or over.value is None or over.low is None or over.high is None:
        return headline
    # Around the headline's own value, which weighs answers, not people.
    moved = np.array((over.low, over.high)) + headline.value - over.value
    low, high = np.clip(moved, *bounds).tolist()
    lowest = low if headline.low is None else min(low, headline.low)
    highest = high if headline.high is None else max(high, headline.high)
    return replace(headline, low=lowest, high=highest)
