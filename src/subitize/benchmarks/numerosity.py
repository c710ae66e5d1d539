"""The scores that naming and production share: from answers with targets 1..max to one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from subitize.benchmark import states_of, with_states
from subitize.benchmarks.numerosity_models import about_people, effort, observers
from subitize.errors import BadInput, UnknownName
from subitize.measures.bias import bias, bias_interval
from subitize.measures.confusion import Confusion, confusion_matrix
from subitize.measures.counting_level import RULES, counting_level
from subitize.measures.error_size import nae
from subitize.measures.naming import NamingIntervals, naming_intervals
from subitize.measures.trials import Floats
from subitize.records import Score

if TYPE_CHECKING:
    import polars as pl

ERRORS = ("accuracy", "nae", "mae", "rmse", "mape", "smape")
LIKENESSES = ("human_correlation", "random_correlation", "category_consistency")
NOTHING_UNUSUAL = (
    "every cell has one answer only, and fewer than five trials on average: nothing tells how far "
    "off another answer would be (--per-cell)"
)
ONE_ANSWER = "every target has one answer only: nothing tells how far answers spread"
ALONE = (
    "most cells of category and target have one readable trial: an interval needs two or more "
    "(--per-cell)"
)
LIKE_CHANCE = (
    "the answers differ between numbers no more than chance makes them differ: nothing tells how "
    "like they are to anything"
)
MOST_ALONE = 0.05
"""share of trials alone in their cell above which a likeness has no interval"""
NO_INTERVAL = (
    "the smallest of several noisy correlations lies below the truth, and no interval around it "
    "holds it: see category_null"
)


def check_categories(chosen: Sequence[str], known: Sequence[str]) -> None:
    """Each category is a known one and is given once."""
    for name in chosen:
        if name not in known:
            raise UnknownName("category", name, known)
    if not chosen or len(set(chosen)) < len(chosen):
        given = ", ".join(chosen) or "none"
        raise BadInput(f"The categories are {given}: give some of {', '.join(known)}, each once.")


def readable(answers: pl.DataFrame) -> tuple[Floats, Floats]:
    """Targets and responses of the answers that hold a number."""
    read = answers.filter(answers["state"] == "read")
    return read["target"].to_numpy(), read["number"].to_numpy()


def numerosity_scores(
    answers: pl.DataFrame, highest: int, categories: Sequence[str], seed: int
) -> dict[str, Any]:
    """Every measure of the paper on these answers; what can't be computed is null with a reason."""
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

    targets, responses = readable(answers)
    read = answers.filter(answers["state"] == "read")
    kinds = read["category"].to_numpy().astype(str)
    pictures = read["trial"].to_numpy().astype(str)
    matrix = _matrix(answers, highest)
    rng = np.random.default_rng([seed, 20250901])
    scores: dict[str, Any] = {
        "trials": answers.height,
        "states": states_of(answers),
        "confusion": matrix.as_json(),
    }
    found = attempt(
        "accuracy",
        lambda: naming_intervals(
            targets, responses, kinds, rng, highest_target=highest, pictures=pictures
        ),
    )
    scores |= _with_intervals(found, undefined)
    by_category = found.by_category if found is not None else {}
    if found is not None and _alone(answers) > MOST_ALONE:
        _without_intervals(scores)
    scores["nae_over_targets"] = attempt(
        "nae_over_targets", lambda: nae(targets, responses, over="targets")
    )
    scores["counting_levels"] = {
        rule: attempt(f"counting_levels.{rule}", partial(counting_level, matrix.counts, rule=rule))
        for rule in RULES
    }
    scores["bias"] = {
        name: _bias(attempt, name, answers.filter(answers["category"] == name))
        for name in categories
    }
    scores |= observers(matrix.counts, (targets, responses), rng, undefined)
    scores |= about_people(matrix.counts, (targets, responses, kinds, pictures), attempt)
    scores["effort"] = effort(answers)
    scores["categories"] = {
        name: _category(answers.filter(answers["category"] == name), highest, by_category.get(name))
        for name in categories
    }
    undefined |= _why_no_interval(scores, _alone(answers))
    scores["undefined"] = undefined
    return with_states(scores, answers)


def comparable_cells(answers: pl.DataFrame, shown: str = "") -> pl.DataFrame:
    """Answers as models are compared on them: a picture is a category, a number and an index of
    the set that `shown` names, whatever form of the question was asked about it."""
    import polars as pl

    cell = pl.format("{}/{}", "category", "n")
    read = pl.col("state") == "read"
    return answers.select(
        picture=pl.format("{}/{}/{}", pl.lit(shown), cell, "index"),
        stratum=cell,
        target="target",
        answer=pl.when(read).then("number").otherwise(float("nan")),
        kind=pl.lit("number"),
    )


def needed_readable(per_cell: int) -> int:
    """Readable trials that a cell needs: 20, or 40 % of the planned."""
    return min(20, ceil(0.4 * per_cell))


def thin_cells(
    answers: pl.DataFrame, per_cell: int | None, highest: int, categories: Sequence[str]
) -> list[dict[str, Any]]:
    """Cells (category × n) with fewer readable trials than needed: of `per_cell`, or of those asked
    where it is None."""
    asked = Counter(_cells(answers.unique("trial"), "category", "n"))
    read = answers.filter(answers["state"] == "read")
    eligible = Counter(_cells(read, "category", "n"))
    cells = [(category, n) for category in categories for n in range(1, highest + 1)]
    needed = {one: needed_readable(asked[one] if per_cell is None else per_cell) for one in cells}
    return [
        {"category": one[0], "n": one[1], "eligible": eligible[one], "needed": needed[one]}
        for one in cells
        if eligible[one] < needed[one]
    ]


def _with_intervals(found: NamingIntervals | None, undefined: dict[str, str]) -> dict[str, Any]:
    names = (*ERRORS, *LIKENESSES, "category_null", "counting_level")
    if found is None:
        for name in names[1:]:
            undefined[name] = undefined["accuracy"]
        return dict.fromkeys(names)
    scores: dict[str, Any] = {name: getattr(found, name) for name in names}
    for name in names:
        if scores[name] is None:
            undefined[name] = "not defined on these responses"
    if found.category_consistency is not None:
        undefined["category_consistency.interval"] = NO_INTERVAL
    if found.category_null is not None:
        scores["category_null"] = found.category_null._asdict()
    scores["counting_level_shares"] = {str(k): v for k, v in found.level_shares.items()}
    return scores


def _why_no_interval(scores: Mapping[str, Any], alone: float) -> dict[str, str]:
    """Reasons for means, effects and likenesses that have a value and no interval."""
    means = {name: scores[name] for name in ERRORS}
    means["anchoring.excess"] = (scores["anchoring"] or {}).get("excess")
    for name, one in scores["categories"].items():
        means |= {f"categories.{name}.{part}": one[part] for part in ERRORS[:2]}
    effects = {
        f"bias.{name}.effect": (one or {}).get("effect") for name, one in scores["bias"].items()
    }
    likenesses = {name: scores[name] for name in LIKENESSES[:2]}
    unlike = ALONE if alone > MOST_ALONE else LIKE_CHANCE
    return {
        f"{name}.interval": reason
        for found, reason in ((means, NOTHING_UNUSUAL), (effects, ONE_ANSWER), (likenesses, unlike))
        for name, one in found.items()
        if one is not None and one.low is None
    }


def _alone(answers: pl.DataFrame) -> float:
    """The share of trials that are the only readable one of their category and target."""
    read = answers.filter(answers["state"] == "read")
    cells = _cells(read, "category", "target")
    return sum(times == 1 for times in cells.values()) / max(1, read.height)


def _cells(answers: pl.DataFrame, *names: str) -> dict[tuple[Any, ...], int]:
    """How many answers each cell has."""
    return {tuple(one): times for *one, times in answers.group_by(names).len().iter_rows()}


def _without_intervals(scores: dict[str, Any]) -> None:
    """A cell of one trial has no spread of its own: a likeness has no interval then."""
    for name in LIKENESSES[:2]:
        if scores[name] is not None:
            scores[name] = replace(scores[name], low=None, high=None)


def _bias(
    attempt: Callable[[str, Any], Any], category: str, answers: pl.DataFrame
) -> dict[str, Any] | None:
    targets, responses = readable(answers)
    found = attempt(f"bias.{category}", partial(bias, targets, responses))
    if found is None:
        return None
    # Its own generator: another category more or less changes no interval.
    effect = bias_interval(targets, responses, np.random.default_rng(len(targets)))
    return with_states({**asdict(found), "effect": effect}, answers)


def _matrix(answers: pl.DataFrame, highest: int) -> Confusion:
    targets, responses = readable(answers)
    unreadable = answers.filter(answers["state"] != "read")["target"].to_numpy().astype(np.int64)
    if not targets.size:
        empty = np.zeros((2 * highest + 1, highest), dtype=np.int64)
        return Confusion(empty, np.bincount(unreadable, minlength=highest + 1)[1:])
    return confusion_matrix(targets, responses, highest_target=highest, unreadable=unreadable)


def _category(
    answers: pl.DataFrame, highest: int, found: tuple[Score, Score] | None
) -> dict[str, Any]:
    """What the report shows of one category: its matrix, means and spreads by target."""
    targets, responses = readable(answers)
    by_target = [responses[targets == n] for n in range(1, highest + 1)]
    scores = {
        "accuracy": found[0] if found else None,
        "nae": found[1] if found else None,
        "confusion": _matrix(answers, highest).as_json(),
        "means": [float(seen.mean()) if seen.size else None for seen in by_target],
        "sds": [float(seen.std(ddof=1)) if seen.size > 1 else None for seen in by_target],
        "trials": answers.height,
        "states": states_of(answers),
    }
    return with_states(scores, answers)
