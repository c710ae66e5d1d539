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
BOUNDS = {"accuracy": (0.0, 1.0), "nae": (0.0, np.inf), "weber_fraction": (0.0, np.inf)}


def over_people(answers: pl.DataFrame, highest: int, scores: Mapping[str, Any]) -> dict[str, Any]:
    """`people`, and the headline's accuracy and NAE with intervals over people.

    Nothing where one respondent answered alone. The interval of the headline is never narrower
    than that over trials: a few people who are alike by chance say little of others.
    """
    each = {
        str(person): _of_a_person(own, highest)
        for (person,), own in answers.group_by("respondent", maintain_order=True)
    }
    if len(each) < 2:
        return {}
    found: dict[str, Any] = {"number": len(each), "each": each}
    for name in OF_A_PERSON:
        known = [value for one in each.values() if (value := one[name]) is not None]
        found[name] = mean_over_units(known, BOUNDS.get(name, (-np.inf, np.inf)))
    made: dict[str, Any] = {"people": found}
    for name in ("accuracy", "nae"):
        over, headline = found[name], scores.get(name)
        if over is not None and isinstance(headline, Score):
            made[name] = _widened(headline, over, BOUNDS[name])
    return with_states(made, answers)


def _of_a_person(own: pl.DataFrame, highest: int) -> dict[str, float | None]:
    targets, responses = readable(own)
    found: dict[str, float | None] = dict.fromkeys(OF_A_PERSON)
    if not targets.size:
        return found
    found["accuracy"] = float(accuracy(targets, responses))
    found["nae"] = float(nae(targets, responses))
    found["bias"] = float(np.mean((responses - targets) / targets))
    try:
        matrix = confusion_matrix(targets, responses, highest_target=highest)
        fitted = fit_observer(matrix.counts).w
        found["weber_fraction"] = None if fitted is None else fitted.value
    except BadInput:
        pass
    return found


def _widened(headline: Score, over: Score, bounds: tuple[float, float]) -> Score:
    if headline.value is None or over.value is None or over.low is None or over.high is None:
        return headline
    # Around the headline's own value, which weighs answers, not people.
    moved = np.array((over.low, over.high)) + headline.value - over.value
    low, high = np.clip(moved, *bounds).tolist()
    lowest = low if headline.low is None else min(low, headline.low)
    highest = high if headline.high is None else max(high, headline.high)
    return replace(headline, low=lowest, high=highest)
