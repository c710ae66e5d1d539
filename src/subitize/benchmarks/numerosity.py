"""The scores that naming and production share: from rows with targets 1..max to one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, UnknownName
from subitize.measures.accuracy import proportion_interval, right_terms
from subitize.measures.bias import bias, bias_interval
from subitize.measures.confusion import Confusion, confusion_matrix
from subitize.measures.counting_level import RULES, counting_level
from subitize.measures.error_size import nae
from subitize.measures.naming import NamingIntervals, naming_intervals
from subitize.measures.trials import Floats
from subitize.measures.variability import scalar_variability
from subitize.measures.weber import fit_observer
from subitize.records import Row, Score

__all__ = ["check_categories", "numerosity_scores", "thin_cells"]

RESAMPLED = ("nae", "human_correlation", "random_correlation", "category_consistency")
"""scores whose interval comes from resampling within cells"""
MOST_ALONE = 0.05
"""share of trials alone in their cell above which resampling within cells tells nothing"""


def check_categories(chosen: Sequence[str], known: Sequence[str]) -> None:
    """Each category is a known one and is given once."""
    for name in chosen:
        if name not in known:
            raise UnknownName("category", name, known)
    if not chosen or len(set(chosen)) < len(chosen):
        raise BadInput(f"The categories are {tuple(chosen)}: give each once.")


def numerosity_scores(
    rows: Sequence[Row], highest: int, categories: Sequence[str], seed: int
) -> dict[str, Any]:
    """Every measure of the paper on these rows; what can't be computed is null with a reason."""
    undefined: dict[str, str] = {}

    def attempt(name: str, compute: Callable[[], Any]) -> Any:
        try:
            found = compute()
        except BadInput as problem:
            undefined[name] = str(problem)
            return None
        if found is None:
            undefined[name] = "not defined on these responses"
        return found

    readable = [row for row in rows if row.reading.state == "read"]
    targets = np.array([row.trial.target for row in readable], dtype=float)
    responses = np.array([row.reading.number for row in readable], dtype=float)
    kinds = np.array([row.trial.condition["category"] for row in readable], dtype=str)
    matrix = _matrix(rows, highest)
    rng = np.random.default_rng([seed, 20250901])
    scores: dict[str, Any] = {
        "trials": len(rows),
        "states": dict(Counter(row.reading.state for row in rows)),
        "confusion": matrix.as_json(),
    }
    found = attempt(
        "accuracy",
        lambda: naming_intervals(targets, responses, kinds, rng, highest_target=highest),
    )
    scores |= _bootstrapped(found, undefined)
    by_category = found.nae_by_category if found is not None else {}
    if found is not None and _alone(targets, kinds) > MOST_ALONE:
        _without_intervals(scores, undefined)
        by_category = {}
    scores["nae_over_targets"] = attempt(
        "nae_over_targets", lambda: nae(targets, responses, over="targets")
    )
    scores["counting_levels"] = {
        rule: attempt(f"counting_levels.{rule}", partial(counting_level, matrix.counts, rule=rule))
        for rule in RULES
    }
    scores["bias"] = {
        name: _bias(attempt, name, targets[kinds == name], responses[kinds == name])
        for name in categories
    }
    scores["scalar_variability"] = attempt(
        "scalar_variability", lambda: asdict(scalar_variability(targets, responses))
    )
    scores |= _fitted(matrix, undefined, attempt)
    scores["categories"] = {
        name: _category(_of(rows, name), highest, by_category.get(name)) for name in categories
    }
    scores["undefined"] = undefined
    return scores


def thin_cells(
    rows: Sequence[Row], per_cell: int, highest: int, categories: Sequence[str]
) -> list[dict[str, Any]]:
    """Cells (category × n) with fewer readable trials than needed: 20, or 40 % of the planned."""
    needed = min(20, ceil(0.4 * per_cell))
    eligible = Counter(
        (row.trial.condition["category"], row.trial.condition["n"])
        for row in rows
        if row.reading.state == "read"
    )
    return [
        {"category": category, "n": n, "eligible": eligible[category, n], "needed": needed}
        for category in categories
        for n in range(1, highest + 1)
        if eligible[category, n] < needed
    ]


def _bootstrapped(found: NamingIntervals | None, undefined: dict[str, str]) -> dict[str, Any]:
    names = ("accuracy", *RESAMPLED)
    if found is None:
        for name in (*names[1:], "counting_level"):
            undefined[name] = undefined["accuracy"]
        return {**dict.fromkeys(names), "counting_level": None}
    for name in (*names, "counting_level"):
        if getattr(found, name) is None:
            undefined[name] = "not defined on these responses"
    scores: dict[str, Any] = {name: _plain(getattr(found, name)) for name in names}
    # A bootstrap of answers that are all right has no spread; the exact interval has.
    trials = found.accuracy.trials
    hits = round((found.accuracy.value or 0.0) * trials)
    scores["accuracy"] = proportion_interval(hits, trials).as_json()
    scores["counting_level"] = found.counting_level
    scores["counting_level_shares"] = {str(k): v for k, v in found.level_shares.items()}
    return scores


def _alone(targets: NDArray[np.float64], kinds: NDArray[np.str_]) -> float:
    """The share of trials that are the only readable one of their category and target."""
    cells = Counter(zip(kinds.tolist(), targets.tolist(), strict=True))
    return sum(times == 1 for times in cells.values()) / max(1, len(targets))


def _without_intervals(scores: dict[str, Any], undefined: dict[str, str]) -> None:
    """Resampling a cell of one trial gives that trial again: no spread, which is no certainty."""
    for name in RESAMPLED:
        if scores[name] is not None:
            scores[name] |= {"low": None, "high": None}
            undefined[f"{name}.interval"] = (
                "most cells of category and target have one readable trial: an interval needs two "
                "or more (--per-cell)"
            )


def _bias(
    attempt: Callable[[str, Any], Any], category: str, targets: Floats, responses: Floats
) -> dict[str, Any] | None:
    found = attempt(f"bias.{category}", partial(bias, targets, responses))
    if found is None:
        return None
    # Its own generator: another category more or less changes no interval.
    effect = bias_interval(targets, responses, np.random.default_rng(len(targets)))
    return {**asdict(found), "effect": effect.as_json()}


def _fitted(
    matrix: Confusion, undefined: dict[str, str], attempt: Callable[[str, Any], Any]
) -> dict[str, Any]:
    fit = attempt("weber_fraction", lambda: fit_observer(matrix.counts))
    if fit is None:
        undefined["subitizing_limit"] = undefined["weber_fraction"]
        return {"weber_fraction": None, "subitizing_limit": None, "lapse_rate": None}
    found: dict[str, Any] = fit.as_json()
    for name, reason in found.pop("undefined", {}).items():
        undefined[name] = reason
    return found


def _plain(found: Score | None) -> dict[str, Any] | None:
    return None if found is None else found.as_json()


def _matrix(rows: Sequence[Row], highest: int) -> Confusion:
    readable = [row for row in rows if row.reading.state == "read"]
    unreadable = [row.trial.target for row in rows if row.reading.state != "read"]
    if not readable:
        empty = np.zeros((2 * highest + 1, highest), dtype=np.int64)
        left_out = np.bincount(unreadable, minlength=highest + 1)[1:] if unreadable else empty[0]
        return Confusion(empty, left_out)
    return confusion_matrix(
        [row.trial.target for row in readable],
        [float(row.reading.number or 0) for row in readable],
        highest_target=highest,
        unreadable=unreadable,
    )


def _of(rows: Sequence[Row], category: str) -> list[Row]:
    return [row for row in rows if row.trial.condition["category"] == category]


def _category(rows: Sequence[Row], highest: int, resampled: Score | None) -> dict[str, Any]:
    """What the report shows of one category: its matrix, means and spreads by target."""
    readable = [row for row in rows if row.reading.state == "read"]
    by_target: dict[int, list[float]] = {n: [] for n in range(1, highest + 1)}
    for row in readable:
        by_target[row.trial.target].append(float(row.reading.number or 0))
    targets = [row.trial.target for row in readable]
    responses = [float(row.reading.number or 0) for row in readable]
    if readable:
        hits = proportion_interval(int(right_terms(targets, responses).sum()), len(readable))
        error = resampled or Score(nae(targets, responses), trials=len(readable))
    return {
        "accuracy": hits.as_json() if readable else None,
        "nae": error.as_json() if readable else None,
        "confusion": _matrix(rows, highest).as_json(),
        "means": [float(np.mean(seen)) if seen else None for seen in by_target.values()],
        "sds": [
            float(np.std(seen, ddof=1)) if len(seen) > 1 else None for seen in by_target.values()
        ],
        "trials": len(rows),
        "states": dict(Counter(row.reading.state for row in rows)),
    }
