"""One label per picture and question from the answers of several people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.benchmarks.geckonum.rows import COPY, Rows, usable_rows
from subitize.datasets.geckonum.annotations import Annotations, Dropped
from subitize.datasets.geckonum.prompts import Prompt
from subitize.datasets.geckonum.questions import (
    ONE_ENTITY_CODES,
    TWO_ENTITY_CODES,
    Question,
    make_questions,
    scene_count_questions,
)
from subitize.datasets.geckonum.recipe import Recipe
from subitize.readers.annotators import counted
from subitize.readers.votes import vote

__all__ = ["SEEDS", "Labelled", "Labels", "label_annotations"]

SEEDS = 5
"""pictures per prompt that all tables but Table 2's Task 1 use: seeds 0 to 4 in the release"""
YES_NO = {"1": 1.0, "1.0": 1.0, "yes": 1.0, "y": 1.0, "true": 1.0,
          "0": 0.0, "0.0": 0.0, "no": 0.0, "n": 0.0, "false": 0.0}  # fmt: skip
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one task, an entry each, and the answers they come from."""

    models: tuple[str, ...]
    """painters"""
    prompts: tuple[Prompt, ...]
    """the prompts file"""
    questions: tuple[str, ...]
    """words of the questions"""
    nouns: tuple[str, ...]
    """what a question of task 1 asks about, singular and without colour; empty for the others"""
    model: Ints
    """which painter"""
    prompt: Ints
    """which prompt"""
    seed: Ints
    """which of the pictures of a prompt"""
    question: Ints
    """which question"""
    truth: Floats
    """what would be right; NaN if there is no true answer"""
    label: Floats
    """what people say: task 1 the first-met mode rounded half to even, task 2 its code, task 3
    the share of yes"""
    weight: Ints
    """2 where the release holds the answers twice, else 1"""
    answers: Ints
    """how many people answered"""
    agreeing: Ints
    """how many of them gave the most common answer"""
    unit_of_answer: Ints
    """for every answer that counts, the label it belongs to"""
    answer: Floats
    """every answer that counts, unrounded"""

    def right(self) -> Bools:
        """Whether the label is the truth; never where there is no truth."""
        return np.asarray(self.label == self.truth)

    def kind(self) -> NDArray[np.str_]:
        """The prompt type of every label."""
        return np.array([one.prompt_type for one in self.prompts], dtype=np.str_)[self.prompt]

    def first_seeds(self) -> Bools:
        """Labels of five pictures per prompt.

        A painter with at most five seeds: all, whatever their numbers. One with more: seeds 0 to 4
        if it has them, else the five lowest of each prompt.
        """
        kept = self.seed < SEEDS
        for index in np.unique(self.model[~kept]):
            own = self.model == index
            seeds = np.unique(self.seed[own])
            if seeds.size <= SEEDS:
                kept[own] = True
            elif not np.isin(np.arange(SEEDS), seeds).all():
                kept[own] = _rank_of_seed(self.prompt[own], self.seed[own]) < SEEDS
        return np.asarray(kept)

    def frame(self) -> pl.DataFrame:
        """All labels as a table, names instead of numbers."""
        ids = np.array([one.dataset_id for one in self.prompts])[self.prompt]
        columns = {
            "model": np.array(self.models)[self.model],
            "image_id": [f"{one}_{seed}" for one, seed in zip(ids, self.seed, strict=True)],
            "dataset_id": ids,
            "prompt_type": self.kind(),
            "seed": self.seed,
            "question": np.array(self.questions)[self.question],
            "noun": np.array(self.nouns)[self.question],
            "truth": self.truth,
            "label": self.label,
            "right": self.right(),
            "weight": self.weight,
            "answers": self.answers,
            "agreeing": self.agreeing,
        }
        return pl.DataFrame(columns).with_columns(pl.col("truth").fill_nan(None))


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labels of every task, and what became of every row."""

    task1: Labels | None
    """counts"""
    task2: Labels | None
    """lines"""
    task3: Labels | None
    """yes or no"""
    models: tuple[str, ...]
    """painters of any task, sorted"""
    prompts: tuple[Prompt, ...]
    """the prompts file"""
    used: dict[int, int]
    """task: rows that count"""
    copies: dict[int, int]
    """task: rows left out because the release holds them twice"""
    dropped: tuple[Dropped, ...]
    """all rows left out, with reason and place"""

    def rows(self) -> dict[str, object]:
        """How many rows were used, and why others were not."""
        reasons: dict[str, int] = {}
        for one in self.dropped:
            reasons[one.reason] = reasons.get(one.reason, 0) + int(one.records.size)
        return {"used": sum(self.used.values()), "dropped": reasons}


def label_annotations(
    annotations: Annotations, prompts: Sequence[Prompt], recipe: Recipe | None = None
) -> Labelled:
    """Clean the answers of every task and give every picture and question its label."""
    asked = [
        *make_questions(prompts, recipe),
        *make_questions(prompts, recipe, mended=True),
        *scene_count_questions(prompts),
    ]
    place = {one.dataset_id: index for index, one in enumerate(prompts)}
    by_task: dict[int, dict[tuple[int, str], Question]] = {1: {}, 2: {}}
    for one in asked:
        if one.task in by_task:
            words = "" if one.task == 2 else one.question
            by_task[one.task].setdefault((place[one.dataset_id], words), one)
    found: dict[int, Labels] = {}
    dropped = list(annotations.dropped)
    used: dict[int, int] = {}
    copies: dict[int, int] = {}
    for task in annotations.tasks:
        labels, left_out = _label_task(task, annotations, tuple(prompts), by_task.get(task))
        found[task] = labels
        dropped += left_out
        used[task] = int(labels.answer.size)
        copies[task] = sum(int(one.records.size) for one in left_out if one.reason == COPY)
    return Labelled(
        found.get(1), found.get(2), found.get(3), tuple(annotations.models()), tuple(prompts),
        used, copies, tuple(dropped),
    )  # fmt: skip


def _label_task(
    task: int,
    annotations: Annotations,
    prompts: tuple[Prompt, ...],
    known: dict[tuple[int, str], Question] | None,
) -> tuple[Labels, list[Dropped]]:
    numbers = None if known is None else {key: index for index, key in enumerate(known)}
    asked = [] if known is None else list(known.values())
    readers = {1: counted, 2: _line_reader(asked), 3: _yes_no}
    rows, dropped = usable_rows(task, annotations, prompts, numbers, readers[task])
    if task == 2:
        # the paper's list gives many the code 4, the release 3; both mean the same line
        one_entity = np.array([one.prompt_type == "approx-1-entity" for one in prompts])
        many = one_entity[rows.prompt] & (rows.value == TWO_ENTITY_CODES["more"])
        rows = replace(rows, value=np.where(many, ONE_ENTITY_CODES["many"], rows.value))
    models = tuple(annotations.models())
    of_file = np.array([models.index(file.model) for file in annotations.files], dtype=np.int64)
    return _labels(task, rows, asked, prompts, (models, of_file)), dropped


def _yes_no(answer: str) -> float | None:
    return YES_NO.get(answer.strip().lower())


def _line_reader(asked: Sequence[Question]) -> Callable[[str], float | None]:
    """A line by its code or by its words."""
    codes = {words: float(code) for one in asked for code, words in one.lines}
    codes |= {f"{code}{tail}": float(code) for code in range(5) for tail in ("", ".0")}
    return lambda answer: codes.get(answer.strip())


def _labels(
    task: int,
    rows: Rows,
    asked: Sequence[Question],
    prompts: tuple[Prompt, ...],
    painters: tuple[tuple[str, ...], Ints],
) -> Labels:
    models, of_file = painters
    key = (rows.file * (int(rows.question.max(initial=0)) + 1) + rows.question) * (
        int(rows.image.max(initial=0)) + 1
    ) + rows.image
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    unit = unit.ravel().astype(np.int64)
    answers = np.bincount(unit, minlength=first.size).astype(np.int64)
    mode, agreeing, _ = vote(unit, rows.value)
    if task == 1:
        label = np.rint(mode)
    elif task == 2:
        label = mode
    else:
        label = np.bincount(unit, rows.value, minlength=first.size) / np.maximum(answers, 1)
    question = rows.question[first]
    truths = [np.nan if one.truth is None else one.truth for one in asked]
    truth = np.array(truths)[question] if asked else np.ones(first.size)
    return Labels(
        models, prompts, rows.questions,
        tuple(one.noun for one in asked) if asked else ("",) * len(rows.questions),
        of_file[rows.file[first]], rows.prompt[first], rows.seed[first], question,
        truth, label, 1 + rows.doubled[first].astype(np.int64), answers, agreeing, unit,
        rows.value,
    )  # fmt: skip


def _rank_of_seed(prompt: Ints, seed: Ints) -> Ints:
    """Which of its prompt's seeds a label has, the lowest being 0."""
    pairs, place = np.unique(np.stack([prompt, seed]), axis=1, return_inverse=True)
    _, start, many = np.unique(pairs[0], return_index=True, return_counts=True)
    rank = np.arange(pairs.shape[1]) - np.repeat(start, many)
    return np.asarray(rank[place.ravel()], dtype=np.int64)
