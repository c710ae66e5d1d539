"""The paper's tables from labels, each cell beside the printed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from subitize.benchmarks.geckonum.comparisons import COMPARISONS, Groups, compared_groups
from subitize.benchmarks.geckonum.labels import Labelled, Labels
from subitize.datasets.geckonum.questions import TASK_OF_TYPE
from subitize.errors import BadInput
from subitize.measures.agreement import LEVELS, Level, krippendorff_alphas
from subitize.measures.ranks import chi_square
from subitize.published.geckonum import (
    ALPHA_REASON,
    BASELINES,
    FACES_REASON,
    MODELS,
    PUBLISHED,
)

__all__ = [
    "DROPS",
    "PHRASES",
    "TABLES",
    "Cell",
    "Tables",
    "counted_labels",
    "geckonum_tables",
    "image_scores",
    "phrases_of",
    "usual_answers",
]

TABLES = (
    "table2", "figure5", "a3", "a4", "a5", "a6", "a7", "a8", "a10", "agreement", "alpha", "counts",
)  # fmt: skip
PHRASES = {
    ("approx-1-entity", "many"): "many X",
    ("approx-1-entity", "few"): "a few X",
    ("approx-1-entity", "no"): "no X",
    ("approx-2-entity", "fewer"): "fewer X than Y",
    ("approx-2-entity", "more"): "more X than Y",
    ("approx-2-entity", "as many"): "as many X as Y",
}
DROPS = (
    ("numeric_simple", "2-additive"),
    ("2-additive", "3-additive"),
    ("numeric_simple", "3-additive"),
)
OVER_ALL_MODELS = frozenset({"agreement", "alpha", "counts"})
"""tables the paper computes over its seven models together"""
EXACT = frozenset({"figure5", "a6"})
"""tables without any of the pictures that the release lacks"""
OF_FIVE = frozenset({"a10", "agreement"})
"""tables whose columns mean so many of five people"""
OTHER_DATA = (
    "more than the pictures that the release lacks can explain: other pictures or answers than the "
    "paper's"
)
Bools = NDArray[np.bool_]
Values = dict[str, float | str | None]
"""cell: value, or the reason why there is none as text"""


class Cell(TypedDict):
    """One number beside the printed one."""

    value: float | None
    published: float | None
    difference: float | None
    why: str | None
    interval: NotRequired[list[float]]


Tables = dict[str, dict[str, Cell]]


def geckonum_tables(labelled: Labelled) -> Tables:
    """Every table that the tasks at hand allow; a cell without a value says why."""
    values: dict[str, Values] = {name: {} for name in TABLES}
    one, two = labelled.task1, labelled.task2
    values["table2"] = _table_2(labelled)
    if two is not None:
        values["figure5"] = _figure_5(two)
    if one is not None:
        for name in COMPARISONS:
            values[name] = _compared(one, name)
        values["a5"] = _drops(one)
        values["a10"] = _agreeing(one)
    values["agreement"] = _agreement(labelled)
    values["alpha"] = _alphas(labelled)
    values["counts"] = _counts(labelled)
    absent = [model for model in MODELS if model not in labelled.models]
    return {
        name: {
            cell: _beside_printed(name, cell, value, absent)
            if name not in OF_FIVE or _five_people(cell, cells)
            else _unlike_printed(name, cell, value)
            for cell, value in cells.items()
        }
        for name, cells in values.items()
    }


def _five_people(cell: str, cells: Mapping[str, object]) -> bool:
    """Whether the columns beside a cell end with 5, as the paper's do."""
    head = cell.rpartition("|")[0]
    return f"{head}|5" in cells and f"{head}|6" not in cells


def _unlike_printed(table: str, cell: str, value: float | str | None) -> Cell:
    why = value if isinstance(value, str) else None
    if why is None and cell in PUBLISHED[table]:
        why = "not beside the printed share: the paper asked five people, here it is another number"
    number = None if isinstance(value, str) or value is None else float(value)
    return {"value": number, "published": None, "difference": None, "why": why}


def _beside_printed(table: str, cell: str, value: float | str | None, absent: list[str]) -> Cell:
    printed = PUBLISHED[table].get(cell)
    number = None if isinstance(value, str) or value is None else float(value)
    why = value if isinstance(value, str) else None
    if printed is not None and number is not None and not printed.agrees(number):
        why = _why(table, cell, number - printed.value, absent)
    return {
        "value": number,
        "published": None if printed is None else printed.value,
        "difference": None if printed is None or number is None else number - printed.value,
        "why": why,
    }


def _why(table: str, cell: str, gap: float, absent: list[str]) -> str:
    if cell == "prompts":
        return "other prompts than the paper's"
    reasons = []
    if table in OVER_ALL_MODELS and absent:
        reasons.append(f"the paper counts seven models; not here: {', '.join(absent)}")
    if table == "alpha" and not cell.startswith("task1"):
        reasons.append(ALPHA_REASON)
    elif cell.startswith(("task2", "task3")) or table in EXACT:
        pass  # nothing is missing from these
    elif reasons or _missing_pictures_explain(table, cell, gap):
        reasons.append(FACES_REASON)
    if reasons:
        return "; ".join(reasons)
    return "unknown" if table in OVER_ALL_MODELS else OTHER_DATA


def _missing_pictures_explain(table: str, cell: str, gap: float) -> bool:
    """Whether 122 of 52,721 pictures can make such a difference; a little above what they do."""
    part = cell.rpartition("|")[2]
    if part == "n" or table == "counts":
        printed = PUBLISHED[table][cell].value
        return -0.03 * printed <= gap <= 0
    most = {"chi2": 3.0, "p": 0.1}.get(part, 0.01 if table == "alpha" else 1.0)
    return abs(gap) <= most


def counted_labels(labels: Labels) -> Bools:
    """Labels that Task 1's accuracy is about (not the counts of approximate scenes)."""
    kinds = np.array([TASK_OF_TYPE.get(one.prompt_type) == 1 for one in labels.prompts])
    return np.asarray(kinds[labels.prompt])


def _asked_labels(task: int, labels: Labels) -> Bools:
    """Labels of five pictures per prompt, of questions the task is about."""
    kept = labels.first_seeds()
    return kept & counted_labels(labels) if task == 1 else kept


def image_scores(
    labels: Labels,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Task 3: for every picture its painter, the share of yes of all answers, and its prompt."""
    kept = labels.first_seeds()
    model, prompt, seed = labels.model[kept], labels.prompt[kept], labels.seed[kept]
    key = (model * len(labels.prompts) + prompt) * (int(seed.max(initial=0)) + 1) + seed
    _, first, image = np.unique(key, return_index=True, return_inverse=True)
    answers = labels.answers[kept]
    yes = np.bincount(image.ravel(), labels.label[kept] * answers)
    scores = yes / np.bincount(image.ravel(), answers)
    return model[first], scores, prompt[first]


def _table_2(labelled: Labelled) -> Values:
    found: Values = {}
    for task, labels in ((1, labelled.task1), (2, labelled.task2), (3, labelled.task3)):
        if labels is None:
            continue
        if task == 3:
            model, score, _ = image_scores(labels)
        else:
            kept = counted_labels(labels) if task == 1 else labels.first_seeds()
            weight = labels.weight[kept]
            model = np.repeat(labels.model[kept], weight)
            score = np.repeat(labels.right()[kept], weight).astype(np.float64)
        for index in np.unique(model):
            own = 100 * score[model == index]
            cell = f"task{task}|{labels.models[index]}"
            found[f"{cell}|accuracy"] = float(own.mean())
            found[f"{cell}|sem"] = (
                float(own.std(ddof=1) / np.sqrt(own.size))
                if own.size > 1
                else "one picture has no standard error"
            )
            found[f"{cell}|difference"] = float(own.mean()) - BASELINES[task]
    return found


def phrases_of(labels: Labels) -> dict[str, Bools]:
    """Task 2: the labels of each kind of sentence."""
    named = np.array(
        [PHRASES.get((one.prompt_type, one.things()[0][1]), "") for one in labels.prompts]
    )[labels.prompt]
    return {phrase: named == phrase for phrase in PHRASES.values()}


def _figure_5(labels: Labels) -> Values:
    right, first = labels.right(), labels.first_seeds()
    return {
        f"{phrase}|{labels.models[model]}": 100 * float(right[chosen].mean())
        for phrase, own in phrases_of(labels).items()
        for model in np.unique(labels.model)
        if (chosen := own & first & (labels.model == model)).any()
    }


def _compared(labels: Labels, table: str) -> Values:
    found: Values = {}
    for model, groups in compared_groups(labels, table).items():
        found |= {f"{model}|{part}": value for part, value in _chi_square(groups).items()}
    return found


def _chi_square(groups: Groups) -> Values:
    sizes = (int(groups.first.size), int(groups.second.size))
    right = (int(groups.first.sum()), int(groups.second.sum()))
    empty = "no label is in this group"
    found: Values = {
        "accuracy_1": 100 * right[0] / sizes[0] if sizes[0] else empty,
        "accuracy_2": 100 * right[1] / sizes[1] if sizes[1] else empty,
        "n": float(sum(sizes)),
    }
    try:
        test = chi_square(right, sizes)
    except BadInput as problem:
        return {"p": str(problem), **found, "chi2": str(problem)}
    return {"p": test.p, **found, "chi2": test.chi2}


def _drops(labels: Labels) -> Values:
    found: Values = {}
    right, kind = labels.right(), labels.kind()
    first = labels.first_seeds()
    for index in np.unique(labels.model[counted_labels(labels)]):
        own = first & (labels.model == index)
        for number in (1, 2, 3):
            asked = own & (labels.truth == number)
            mean = {
                name: 100 * float(right[chosen].mean())
                for name in ("numeric_simple", "2-additive", "3-additive")
                if (chosen := asked & (kind == name)).any()
            }
            for before, after in DROPS:
                if before in mean and after in mean:
                    cell = f"{labels.models[index]}|{before}->{after}|{number}"
                    found[cell] = mean[after] - mean[before]
    return found


def usual_answers(labels: Labels, kept: Bools | None = None) -> int:
    """How many people answer most questions (of those kept)."""
    answers = labels.answers if kept is None else labels.answers[kept]
    return int(np.bincount(answers).argmax()) if answers.size else 0


def _agreeing(labels: Labels) -> Values:
    found: Values = {}
    chosen = labels.first_seeds() & counted_labels(labels)
    for index in np.unique(labels.model[chosen]):
        own = chosen & (labels.model == index)
        weight = labels.weight[own]
        for k in range(1, usual_answers(labels, own) + 1):
            share = weight[labels.agreeing[own] == k].sum() / weight.sum()
            found[f"{labels.models[index]}|{k}"] = 100 * float(share)
    return found


def _agreement(labelled: Labelled) -> Values:
    found: Values = {}
    for task, labels in ((1, labelled.task1), (2, labelled.task2), (3, labelled.task3)):
        if labels is None or not (own := _asked_labels(task, labels)).any():
            continue
        weight, agreeing = labels.weight[own], labels.agreeing[own]
        usual = usual_answers(labels, own)
        for k in range(usual, usual // 2, -1):
            share = weight[agreeing >= k].sum() / weight.sum()
            found[f"task{task}|{k}{'' if k == usual else '+'}"] = 100 * float(share)
    return found


def _alphas(labelled: Labelled) -> Values:
    found: Values = {}
    for task, labels in ((1, labelled.task1), (2, labelled.task2), (3, labelled.task3)):
        if labels is None:
            continue
        used = _asked_labels(task, labels)[labels.unit_of_answer]
        units, answers = labels.unit_of_answer[used], labels.answer[used]
        try:
            alphas: Mapping[Level, float | str] = krippendorff_alphas(units, answers)
        except BadInput as problem:
            alphas = dict.fromkeys(LEVELS, str(problem))
        found |= {f"task{task}|{level}": alpha for level, alpha in alphas.items()}
    return found


def _counts(labelled: Labelled) -> Values:
    every = {1: labelled.task1, 2: labelled.task2, 3: labelled.task3}
    tasks: Mapping[int, Labels] = {task: one for task, one in every.items() if one is not None}
    given = {task: labelled.used[task] + labelled.copies[task] for task in tasks}
    found: Values = {
        "prompts": float(len(labelled.prompts)),
        "images": float(_pictures(list(tasks.values()))),
        "annotations": float(sum(given.values())),
    }
    for task, labels in tasks.items():
        found[f"annotations|task{task}"] = float(given[task])
        if task == 3:
            found["labels|task3"] = float(image_scores(labels)[0].size)
        else:
            kept = _asked_labels(task, labels)
            found[f"labels|task{task}"] = float(labels.weight[kept].sum())
    return found


def _pictures(tasks: Sequence[Labels]) -> int:
    """How many different pictures there are; one may have answers in two tasks."""
    if not tasks:
        return 0
    seeds = 1 + max(int(labels.seed.max(initial=0)) for labels in tasks)
    names = [
        (labels.model * len(labels.prompts) + labels.prompt) * seeds + labels.seed
        for labels in tasks
    ]
    return int(np.unique(np.concatenate(names)).size)
