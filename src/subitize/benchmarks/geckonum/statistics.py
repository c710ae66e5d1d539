"""What the paper's tests leave out: intervals over prompts, effect sizes, corrections, controls.

Pictures of one prompt are not independent, so intervals are bootstrapped over prompts: a sample
draws whole prompts with all their pictures and questions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.benchmarks.geckonum.comparisons import COMPARISONS, Groups, compared_groups
from subitize.benchmarks.geckonum.labels import Labelled, Labels
from subitize.benchmarks.geckonum.tables import (
    DROPS,
    Tables,
    counted_labels,
    image_scores,
    phrases_of,
)
from subitize.errors import BadInput
from subitize.measures.accuracy import clustered_difference, clustered_share
from subitize.measures.ranks import (
    benjamini_hochberg,
    chi_square,
    holm,
    permutation_control,
)
from subitize.records import Score

__all__ = ["SAMPLES", "add_statistics"]

SAMPLES = 2000
ALPHA = 0.05
Intervals = dict[str, dict[str, Score]]


def add_statistics(
    tables: Tables, labelled: Labelled, rng: np.random.Generator, *, samples: int = SAMPLES
) -> dict[str, dict[str, dict[str, Any]]]:
    """Put an `interval` into the cells that have one; return what belongs to no cell.

    table: painter: difference of the two accuracies with interval (points), effect sizes φ and
    Cohen's h, permutation control, p-values adjusted over the painters of the table.
    """
    if samples < 1:
        raise BadInput(f"{samples} bootstrap samples give no interval: take at least 1.")
    intervals: Intervals = {}
    _accuracies(intervals, labelled, rng, samples)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    if labelled.task1 is not None:
        _drops(intervals, labelled.task1, rng, samples)
        for table in COMPARISONS:
            found[table] = _comparisons(intervals, labelled.task1, table, rng, samples)
            _adjust(found[table])
    for table, cells in intervals.items():
        for cell, interval in cells.items():
            if cell in tables[table]:
                ends = (interval.low, interval.high)
                tables[table][cell]["interval"] = [end for end in ends if end is not None]
    return found


def _accuracies(
    intervals: Intervals, labelled: Labelled, rng: np.random.Generator, samples: int
) -> None:
    table, figure = intervals.setdefault("table2", {}), intervals.setdefault("figure5", {})
    for task, labels in ((1, labelled.task1), (2, labelled.task2)):
        if labels is None:
            continue
        kept = counted_labels(labels) if task == 1 else labels.first_seeds()
        for index in np.unique(labels.model[kept]):
            own = kept & (labels.model == index)
            weight = labels.weight[own]
            right = np.repeat(labels.right()[own], weight)
            cell = f"task{task}|{labels.models[index]}|accuracy"
            prompts = np.repeat(labels.prompt[own], weight)
            table[cell] = _share(right, prompts, rng, samples)
    if labelled.task3 is not None:
        model, score, prompt = image_scores(labelled.task3)
        for index in np.unique(model):
            cell = f"task3|{labelled.task3.models[index]}|accuracy"
            table[cell] = _share(score[model == index], prompt[model == index], rng, samples)
    if labelled.task2 is not None:
        labels = labelled.task2
        for phrase, mask in phrases_of(labels).items():
            for index in np.unique(labels.model):
                own = mask & labels.first_seeds() & (labels.model == index)
                if own.any():
                    found = _share(labels.right()[own], labels.prompt[own], rng, samples)
                    figure[f"{phrase}|{labels.models[index]}"] = found


def _share(
    values: NDArray[Any], prompts: NDArray[np.int64], rng: np.random.Generator, samples: int
) -> Score:
    """A share in percent; also one of 0 or 100 has an interval with a width."""
    return _percent(clustered_share(values, prompts, rng, samples=samples))


def _drops(intervals: Intervals, labels: Labels, rng: np.random.Generator, samples: int) -> None:
    found = intervals.setdefault("a5", {})
    right, kind, first = labels.right(), labels.kind(), labels.first_seeds()
    for index in np.unique(labels.model):
        for number in (1, 2, 3):
            asked = first & (labels.model == index) & (labels.truth == number)
            known = {
                name: (right[own].astype(np.float64), labels.prompt[own])
                for name in ("numeric_simple", "2-additive", "3-additive")
                if (own := asked & (kind == name)).any()
            }
            for before, after in DROPS:
                if before in known and after in known:
                    cell = f"{labels.models[index]}|{before}->{after}|{number}"
                    drop = clustered_difference(known[before], known[after], rng, samples=samples)
                    found[cell] = _percent(drop[0])


def _percent(share: Score) -> Score:
    ends = 100 * np.array([share.value, share.low, share.high], dtype=np.float64)
    value, low, high = ends.tolist()
    return Score(value, low, high, share.trials)


def _comparisons(
    intervals: Intervals, labels: Labels, table: str, rng: np.random.Generator, samples: int
) -> dict[str, dict[str, Any]]:
    cells = intervals.setdefault(table, {})
    found: dict[str, dict[str, Any]] = {}
    for model, groups in compared_groups(labels, table).items():
        if not groups.first.size or not groups.second.size:
            continue
        shares = clustered_difference(
            (groups.first.astype(np.float64), groups.first_prompts),
            (groups.second.astype(np.float64), groups.second_prompts),
            rng, samples=samples,
        )  # fmt: skip
        difference, one, other = (_percent(share) for share in shares)
        cells[f"{model}|accuracy_1"], cells[f"{model}|accuracy_2"] = one, other
        found[model] = {
            "groups": [COMPARISONS[table].first, COMPARISONS[table].second],
            "difference": difference.as_json(),
            "prompts_differ": not (difference.low or 0.0) <= 0 <= (difference.high or 0.0),
            "cohens_h": _cohens_h(float(groups.first.mean()), float(groups.second.mean())),
            **_test(groups, rng, samples),
        }
    return found


def _cohens_h(one: float, other: float) -> float:
    """Difference of two shares on the arcsine scale: 0.2 is small, 0.5 medium, 0.8 large."""
    return 2 * (math.asin(math.sqrt(other)) - math.asin(math.sqrt(one)))


def _test(groups: Groups, rng: np.random.Generator, samples: int) -> dict[str, Any]:
    right = (int(groups.first.sum()), int(groups.second.sum()))
    sizes = (int(groups.first.size), int(groups.second.size))
    try:
        test = chi_square(right, sizes)
        control = permutation_control(right, sizes, rng, samples=samples, alpha=ALPHA)
    except BadInput as problem:
        return {"p": None, "why": str(problem)}
    return {
        "p": test.p,
        "phi": test.phi,
        "permutation_p": control.p,
        "permutation_significant": control.significant,
    }


def _adjust(found: dict[str, dict[str, Any]]) -> None:
    """Add p-values adjusted over all painters of a table."""
    tested = [entry for entry in found.values() if entry["p"] is not None]
    if not tested:
        return
    raw = [entry["p"] for entry in tested]
    for entry, one, other in zip(tested, holm(raw), benjamini_hochberg(raw), strict=True):
        entry["p_holm"], entry["p_bh"] = float(one), float(other)
