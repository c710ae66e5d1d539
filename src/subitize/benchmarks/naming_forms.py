"""What naming makes of its answers beside the scores: prompt forms, the control question, cues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.benchmark import with_states
from subitize.benchmarks.numerosity import readable, thin_cells
from subitize.errors import BadInput
from subitize.measures.accuracy import accuracy
from subitize.measures.cue_weights import NAMES as CUE_NAMES
from subitize.measures.cue_weights import cue_weights
from subitize.measures.error_size import nae
from subitize.measures.naming import error_intervals
from subitize.readers.wrappings import without_thinking
from subitize.stimuli.writing import naming_recipe

if TYPE_CHECKING:
    import polars as pl

    from subitize.benchmarks.naming import NamingSettings

FORMS = ("category", "objects", "things")
CONTROL_RIGHT = re.compile(r"\b(?:apples?|fruits?)\b", re.IGNORECASE)
CONTROL_NEEDED = 0.95
"""share of right answers from which a model understands the pictures; the paper's had all right"""


def flagged_cells(answers: pl.DataFrame, settings: NamingSettings) -> list[dict[str, Any]]:
    """Cells (category × n) with fewer readable trials than needed: of your own pictures, which may
    be of any number, as many as a run of that size needs."""
    planned = None if settings.pictures else settings.per_cell
    return thin_cells(answers, planned, settings.max, settings.categories)


def best_form(answers: pl.DataFrame, settings: NamingSettings) -> str:
    """The form with the lowest mean error; one with an ineligible cell ranks last."""

    def rank(form: str) -> tuple[bool, bool, float, int]:
        own = answers.filter(answers["form"] == form)
        error = mean_error(own)
        # A pilot is too small for the rule on cells: there only the error counts.
        short = settings.prompt != "pilot" and bool(flagged_cells(own, settings))
        return error is None, short, error or 0.0, FORMS.index(form)

    return min(FORMS, key=rank)


def held_out(answers: pl.DataFrame, settings: NamingSettings) -> dict[str, Any] | None:
    """Accuracy and NAE with the form chosen on one half of the pictures and scored on the other.

    The best of several forms is chosen by the error it makes, so its own scores flatter it.
    """
    halves = [answers.filter(answers["index"] % 2 == half) for half in (0, 1)]
    if settings.prompt != "best" or any(half.is_empty() for half in halves):
        return None
    forms = [best_form(half, settings) for half in halves]
    parts = [
        other.filter(other["form"] == form) for form, other in zip(forms, halves[::-1], strict=True)
    ]
    scored = parts[0].vstack(parts[1])
    targets, responses = readable(scored)
    if not targets.size:
        return None
    kinds = scored.filter(scored["state"] == "read")["category"].to_numpy().astype(str)
    right, error = error_intervals(targets, responses, kinds, highest_target=settings.max)
    return with_states({"forms": forms, "accuracy": right, "nae": error}, scored)


def mean_error(answers: pl.DataFrame) -> float | None:
    """Mean |response − target| over readable trials."""
    targets, responses = readable(answers)
    return float(abs(responses - targets).mean()) if targets.size else None


def form_summary(answers: pl.DataFrame, settings: NamingSettings) -> dict[str, Any]:
    """One line of the table of prompt forms."""
    targets, responses = readable(answers)
    return {
        "mean_error": mean_error(answers),
        "accuracy": accuracy(targets, responses) if targets.size else None,
        "nae": nae(targets, responses) if targets.size else None,
        "eligible": not flagged_cells(answers, settings),
        "trials": answers.height,
        "readable": targets.size,
    }


def control_right(reply: str) -> bool:
    """Whether a reply to the control question names what is to be seen."""
    return bool(CONTROL_RIGHT.search(without_thinking(reply)))


def control_summary(answers: pl.DataFrame) -> dict[str, Any] | None:
    """How often the control question was answered rightly; calls that failed are no answers."""
    replies = answers.filter(answers["state"] != "failed")["value"].to_list()
    if not replies:
        return None
    right = sum(map(control_right, replies))
    return {
        "asked": len(replies),
        "right": right,
        "understood": right >= CONTROL_NEEDED * len(replies),
    }


def weights_of_cues(
    answers: pl.DataFrame, settings: NamingSettings, undefined: dict[str, str]
) -> dict[str, Any]:
    """How much number, size and spacing guide the answers; null where that can't be told."""
    read = answers.filter(answers["state"] == "read")
    pictures = list(read.select("category", "n", "index").iter_rows())
    shown = [naming_recipe(settings, *picture)["cues"] for picture in pictures]
    sizes, spacings = (np.array([one[cue] for one in shown], float) for cue in CUE_NAMES[1:])
    try:
        found = cue_weights(
            read["number"].to_numpy(),
            (read["n"].cast(float).to_numpy(), sizes, spacings),
            ["/".join(map(str, picture)) for picture in pictures],
        )
    except BadInput as problem:
        undefined["cue_weights"] = str(problem)
        return {"cue_weights": None}
    if found.number.low is None:
        undefined["cue_weights.interval"] = (
            "every answer lies on the fitted line, so nothing tells how far off the line may be"
        )
    return with_states({"cue_weights": found.as_json()}, answers)
