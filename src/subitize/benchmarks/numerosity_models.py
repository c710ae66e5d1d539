"""What naming and production say of the responder behind the answers: fitted observers, knower
levels, anchoring, and what the answers cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.errors import BadInput
from subitize.measures.anchoring import anchoring
from subitize.measures.biased_observer import BiasedObserver, fit_biased_observer
from subitize.measures.effort import effort_by_number
from subitize.measures.knower_level import knower_level
from subitize.measures.trials import Counts, Floats
from subitize.measures.variability import rounded_observer_slope, scalar_variability
from subitize.measures.weber import fit_observer

if TYPE_CHECKING:
    import polars as pl

MISFIT = "the observer model does not fit"
BIASED = "the answers are biased, which this w takes up: see the observer with bias"


def observers(
    counts: Counts,
    trials: tuple[Floats, Floats],
    rng: np.random.Generator,
    undefined: dict[str, str],
) -> dict[str, Any]:
    """The observers without and with bias, and the spread of answers against both."""
    scores = _unbiased(counts, undefined)
    biased: BiasedObserver | None = None
    try:
        biased = fit_biased_observer(counts, rng)
        if biased.fit_p is None:
            undefined["observer_with_bias.fit_p"] = "computed for targets up to 50"
    except BadInput as problem:
        undefined["observer_with_bias"] = str(problem)
    scores["observer_with_bias"] = None if biased is None else biased.as_json()
    scores["weber_fraction_note"] = _note(scores, biased)
    try:
        found: dict[str, Any] | None = asdict(scalar_variability(*trials))
    except BadInput as problem:
        found, undefined["scalar_variability"] = None, str(problem)
    if found is not None:
        slope, rounded = found["slope"], None
        if slope is not None and biased is not None:
            totals = np.asarray(counts).sum(axis=0)
            rounded = rounded_observer_slope(slope, biased.shares, totals, rng)
        found["rounded_observer"] = None if rounded is None else rounded._asdict()
        if rounded is None and slope is not None:
            undefined["scalar_variability.rounded_observer"] = "no observer could be fitted"
    scores["scalar_variability"] = found
    return scores


def _unbiased(counts: Counts, undefined: dict[str, str]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = fit_observer(counts).as_json()
    except BadInput as problem:
        undefined |= dict.fromkeys(("weber_fraction", "subitizing_limit"), str(problem))
        return {"weber_fraction": None, "subitizing_limit": None, "lapse_rate": None}
    undefined |= found.pop("undefined", {})
    return found


def _note(scores: dict[str, Any], biased: BiasedObserver | None) -> str | None:
    """Why w is to be taken with care."""
    if scores["weber_fraction"] is None or biased is None:
        return None
    parts = [MISFIT] if biased.fits is False else []
    if biased.bias_p < 0.05:
        parts.append(BIASED)
    return "; ".join(parts) or None


def about_people(
    counts: Counts,
    trials: tuple[Floats, Floats, Any, Any],
    attempt: Callable[[str, Callable[[], Any]], Any],
) -> dict[str, Any]:
    """Measures that studies of people use: knower levels and anchoring."""
    targets, responses, kinds, pictures = trials

    def anchored() -> dict[str, Any]:
        cells = [f"{kind}/{target:g}" for kind, target in zip(kinds, targets, strict=True)]
        answer, excess = anchoring(targets, responses, cells, pictures)
        return {"answer": answer, "excess": excess}

    return {
        "knower_level": attempt("knower_level", lambda: knower_level(counts)._asdict()),
        "anchoring": attempt("anchoring", anchored),
    }


def effort(answers: pl.DataFrame) -> dict[str, Any] | None:
    """Tokens of a reply by number shown; null where nobody told them.

    The seconds stand in the answers table: a run that was broken off and resumed must score as an
    unbroken one, and no two runs take the same time.
    """
    worked = answers.filter(answers["state"] != "failed")
    if "tokens" not in worked.columns:
        return None
    values = worked["tokens"].cast(float).fill_null(0.0).to_numpy()
    if not values.any():
        return None
    return {"tokens": effort_by_number(worked["target"].to_numpy(), values)._asdict()}
