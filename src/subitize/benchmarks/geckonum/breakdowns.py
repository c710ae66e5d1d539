"""Labels taken apart: by number, type and wording; how pictures fail; what was asked and counted.

Every share has a 95 % interval by bootstrap over prompts, because pictures of one prompt are not
independent.
"""

from __future__ import annotations

from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from subitize.benchmarks.geckonum.labels import Labels
from subitize.benchmarks.geckonum.tables import counted_labels, image_scores
from subitize.datasets.geckonum.questions import ONE_ENTITY_CODES
from subitize.measures.accuracy import clustered_share
from subitize.readers.annotators import MORE_THAN_TEN

__all__ = [
    "FAILURES",
    "Share",
    "asked_and_counted",
    "by_number",
    "by_type",
    "failures",
    "number_name",
    "picture_outcomes",
    "quantifiers_by_count",
    "shares",
]

SAMPLES = 1000
FAILURES = ("right", "missing", "too few", "too many")
OUTCOMES = ("all right", "a thing missing", "everything missing", "only numbers wrong")
Strings = NDArray[np.str_]
Bools = NDArray[np.bool_]


class Share(TypedDict):
    """A share with its interval and the number of labels it stands on."""

    value: float
    low: float
    high: float
    trials: int


Shares = dict[str, dict[str, Share]]
"""painter: group: share"""


def number_name(number: float) -> str:
    """How a count is written: 11 stands for everything above 10.

    >>> number_name(3.0), number_name(11.0)
    ('3', '10+')
    """
    return "10+" if number >= MORE_THAN_TEN else f"{number:g}"


def shares(
    labels: Labels,
    kept: Bools,
    hit: NDArray[Any],
    group: Strings,
    rng: np.random.Generator,
) -> Shares:
    """Per painter and group the mean of `hit` over the kept labels."""
    found: Shares = {}
    for index, model in enumerate(labels.models):
        own = kept & (labels.model == index)
        for name in dict.fromkeys(group[own].tolist()):
            chosen = own & (group == name)
            found.setdefault(model, {})[name] = share_of(hit[chosen], labels.prompt[chosen], rng)
    return found


def share_of(hit: NDArray[Any], prompts: NDArray[np.int64], rng: np.random.Generator) -> Share:
    """A mean with its interval over prompts."""
    return cast(Share, clustered_share(hit, prompts, rng, samples=SAMPLES).as_json())


def by_number(labels: Labels, rng: np.random.Generator) -> Shares:
    """Task 1: accuracy by the number asked for, smallest first."""
    kept = counted_labels(labels) & labels.first_seeds() & ~np.isnan(labels.truth)
    names = np.array([number_name(truth) for truth in labels.truth], dtype=np.str_)
    found = shares(labels, kept, labels.right(), names, rng)
    return {
        model: dict(sorted(groups.items(), key=lambda item: float(item[0].rstrip("+"))))
        for model, groups in found.items()
    }


def by_type(labels: Labels, task: int, rng: np.random.Generator) -> Shares:
    """Accuracy by prompt type; in Task 3 the mean share of yes of the pictures."""
    if task != 3:
        kept = labels.first_seeds()
        if task == 1:
            kept = kept & counted_labels(labels)
        return shares(labels, kept, labels.right(), labels.kind(), rng)
    model, score, prompt = image_scores(labels)
    kinds = np.array([one.prompt_type for one in labels.prompts])[prompt]
    found: Shares = {}
    for index, name in enumerate(labels.models):
        for kind in dict.fromkeys(kinds[model == index].tolist()):
            chosen = (model == index) & (kinds == kind)
            found.setdefault(name, {})[kind] = share_of(score[chosen], prompt[chosen], rng)
    return found


def failures(labels: Labels, rng: np.random.Generator) -> Shares:
    """Task 1: how labels fail: the thing is missing, there are too few or too many of it."""
    kept = counted_labels(labels) & labels.first_seeds() & ~np.isnan(labels.truth)
    kind = np.full(labels.label.size, "too many", dtype="<U16")
    kind[labels.label < labels.truth] = "too few"
    kind[labels.label == 0] = "missing"
    kind[labels.right()] = "right"
    return _each(labels, kept, kind, FAILURES, rng)


def picture_outcomes(labels: Labels, rng: np.random.Generator) -> dict[str, Shares]:
    """Task 1, prompts with several things: per prompt type, what became of whole pictures."""
    kept = counted_labels(labels) & labels.first_seeds()
    seeds = int(labels.seed.max(initial=0)) + 1
    key = (labels.model * len(labels.prompts) + labels.prompt) * seeds + labels.seed
    pictures, first, picture = np.unique(key, return_index=True, return_inverse=True)
    picture = picture.ravel()
    asked = np.bincount(picture, minlength=pictures.size)
    right = np.bincount(picture, labels.right(), minlength=pictures.size)
    missing = np.bincount(picture, labels.label == 0, minlength=pictures.size)
    outcome = np.full(pictures.size, "only numbers wrong", dtype="<U20")
    outcome[missing > 0] = "a thing missing"
    outcome[missing == asked] = "everything missing"
    outcome[right == asked] = "all right"
    several = np.array([len(one.things()) > 1 for one in labels.prompts], dtype=np.bool_)
    use = kept[first] & several[labels.prompt[first]]
    kinds = labels.kind()[first]
    found: dict[str, Shares] = {}
    for kind in dict.fromkeys(kinds[use].tolist()):
        for index, model in enumerate(labels.models):
            chosen = use & (kinds == kind) & (labels.model[first] == index)
            if chosen.any():
                prompts = labels.prompt[first][chosen]
                found.setdefault(kind, {})[model] = {
                    name: share_of(outcome[chosen] == name, prompts, rng) for name in OUTCOMES
                }
    return found


def _each(
    labels: Labels, kept: Bools, kind: Strings, names: tuple[str, ...], rng: np.random.Generator
) -> Shares:
    found: Shares = {}
    for index, model in enumerate(labels.models):
        own = kept & (labels.model == index)
        if own.any():
            found[model] = {
                name: share_of(kind[own] == name, labels.prompt[own], rng) for name in names
            }
    return found


def asked_and_counted(labels: Labels) -> dict[str, dict[str, dict[str, int]]]:
    """Figure A12: per painter how often each number was asked for and counted."""
    kept = counted_labels(labels) & labels.first_seeds() & ~np.isnan(labels.truth)
    found = {}
    for index, model in enumerate(labels.models):
        own = kept & (labels.model == index)
        if own.any():
            found[model] = {
                "asked": _histogram(labels.truth[own]),
                "counted": _histogram(labels.label[own]),
            }
    return found


def _histogram(numbers: NDArray[np.float64]) -> dict[str, int]:
    values, times = np.unique(np.minimum(numbers, MORE_THAN_TEN), return_counts=True)
    return {number_name(value): int(n) for value, n in zip(values, times, strict=True)}


def quantifiers_by_count(
    counts: Labels | None, lines: Labels | None
) -> dict[str, dict[str, dict[str, int]]]:
    """Figures A16 and A17: per count of things, how often it goes with no, few and many.

    `said` is the line people chose for the picture, `asked` the word in its prompt. Empty where
    nobody counted the pictures of approx-1-entity prompts.
    """
    if counts is None:
        return {}
    words = {code: word for word, code in ONE_ENTITY_CODES.items()}
    chosen: dict[tuple[str, str, int], str] = {}
    if lines is not None:
        for model, prompt, seed, label in zip(
            lines.model, lines.prompt, lines.seed, lines.label, strict=True
        ):
            key = (lines.models[model], lines.prompts[prompt].dataset_id, int(seed))
            chosen[key] = words.get(int(label), "")
    found: dict[str, dict[str, dict[str, int]]] = {"said": {}, "asked": {}}
    scenes = np.nonzero(counts.kind() == "approx-1-entity")[0]
    for place in scenes[np.argsort(counts.label[scenes], kind="stable")].tolist():
        prompt = counts.prompts[counts.prompt[place]]
        count = number_name(float(counts.label[place]))
        key = (counts.models[counts.model[place]], prompt.dataset_id, int(counts.seed[place]))
        for name, word in (("said", chosen.get(key)), ("asked", prompt.things()[0][1])):
            if word:
                row = found[name].setdefault(count, dict.fromkeys(ONE_ENTITY_CODES, 0))
                row[word] += 1
    return {name: rows for name, rows in found.items() if rows}
