"""The pairs of groups whose accuracies the paper compares by χ² (Tables A3, A4, A6, A7, A8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subitize.benchmarks.geckonum.labels import Labels
from subitize.datasets.geckonum.questions import COLOURED, colourless

__all__ = ["COMPARISONS", "Comparison", "Groups", "compared_groups"]

NUMBERS = (1, 2, 3, 4)
"""true numbers in both groups"""
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups of labels that differ in one thing."""

    first: str
    """name of the first group"""
    second: str
    """name of the second group"""
    pick: Callable[[Labels], tuple[Bools, Bools]]
    """the labels of both, before numbers and seeds are looked at"""
    doubled: bool = False
    """whether labels the release holds twice count twice"""


@dataclass(frozen=True, slots=True)
class Groups:
    """Right or wrong in both groups of one painter, and the prompts they belong to."""

    first: Bools
    """right or wrong, first group"""
    second: Bools
    """right or wrong, second group"""
    first_prompts: NDArray[np.int64]
    """prompt of every label of the first group"""
    second_prompts: NDArray[np.int64]
    """prompt of every label of the second group"""


def _simple(labels: Labels) -> Bools:
    return np.asarray(labels.kind() == "numeric_simple")


def _column(labels: Labels, name: str) -> NDArray[np.int64]:
    values = np.array([getattr(one, name) for one in labels.prompts], dtype=np.int64)
    return np.asarray(values[labels.prompt])


def _digits_or_words(labels: Labels) -> tuple[Bools, Bools]:
    simple, word = _simple(labels), _column(labels, "has_numeral")
    return simple & (word == 0), simple & (word == 1)


def _rare_or_frequent(labels: Labels) -> tuple[Bools, Bools]:
    simple, frequent = _simple(labels), _column(labels, "is_frequent")
    return simple & (frequent == 0), simple & (frequent == 1)


def _colour_noun(labels: Labels) -> Bools:
    """Questions about a noun that also occurs with a colour."""
    coloured = {
        colourless(thing, one.prompt_type)
        for one in labels.prompts
        if one.prompt_type in COLOURED
        for thing, _ in one.things()
    }
    among = np.array([noun in coloured for noun in labels.nouns], dtype=np.bool_)
    return np.asarray(among[labels.question])


def _colour(labels: Labels) -> tuple[Bools, Bools]:
    return _simple(labels) & _colour_noun(labels), labels.kind() == "attribute-color"


def _two_colours(labels: Labels) -> tuple[Bools, Bools]:
    kind = labels.kind()
    return (kind == "2-additive") & _colour_noun(labels), kind == "2-additive-color"


def _relation(labels: Labels) -> tuple[Bools, Bools]:
    kind = labels.kind()
    return kind == "2-additive", kind == "attribute-spatial"


COMPARISONS: dict[str, Comparison] = {
    "a3": Comparison("digits", "words", _digits_or_words),
    "a4": Comparison("rare nouns", "frequent nouns", _rare_or_frequent),
    "a6": Comparison("without colour", "with colour", _colour),
    "a7": Comparison("two things without colour", "with colour", _two_colours, doubled=True),
    "a8": Comparison("without relation", "with relation", _relation),
}


def compared_groups(labels: Labels, table: str) -> dict[str, Groups]:
    """The two groups of a table for each painter that has any label in them."""
    comparison = COMPARISONS[table]
    usable = labels.first_seeds() & np.isin(labels.truth, NUMBERS)
    first, second = (usable & mask for mask in comparison.pick(labels))
    right = labels.right()
    times = labels.weight if comparison.doubled else np.ones_like(labels.weight)
    found: dict[str, Groups] = {}
    for index, model in enumerate(labels.models):
        own = labels.model == index
        one, other = first & own, second & own
        if one.any() or other.any():
            found[model] = Groups(
                np.repeat(right[one], times[one]),
                np.repeat(right[other], times[other]),
                np.repeat(labels.prompt[one], times[one]),
                np.repeat(labels.prompt[other], times[other]),
            )
    return found
