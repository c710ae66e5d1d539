"""GeckoNum's annotations as counting questions with people's answers (appendix D of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import orjson

from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.tables import counted_labels
from subitize.datasets.geckonum.pictures import picture_name
from subitize.datasets.geckonum.recipe import Recipe
from subitize.datasets.vqa_files import VqaEntry
from subitize.errors import BadInput, UnknownName
from subitize.readers.annotators import MORE_THAN_TEN

__all__ = ["SPLITS", "Split", "vqa_entries", "vqa_lines"]

IN_IMAGE = " are in the image?"


@dataclass(frozen=True, slots=True)
class Split:
    """Which pictures and which answers belong to a set."""

    painters: tuple[str, ...]
    """painters whose pictures it holds, those of them that are there"""
    min_agree: int
    """people who must have given the same answer"""


SPLITS: Mapping[str, Split] = {
    "eval": Split(("imagen_a", "imagen_b", "imagen_c", "imagen_d", "muse_a", "muse_b"), 4),
    "train": Split(("imagen_a", "imagen_b", "imagen_c", "imagen_d"), 1),
}
"""the paper's evaluation and training sets"""


def vqa_entries(
    labelled: Labelled,
    split: Split,
    *,
    every_question: bool = False,
    frequency: str = "",
    recipe: Recipe | None = None,
) -> list[VqaEntry]:
    """Questions with the answer of most people, of pictures on which enough of them agree.

    Only `How many X are in the image?` unless every question is wanted; of frequent or rare nouns
    only, where `frequency` says so.
    """
    labels = labelled.task1
    if labels is None:
        raise BadInput("There are no annotations of task 1: counting questions need counts.")
    if frequency not in ("", "frequent", "rare"):
        raise UnknownName("frequency", frequency, ("frequent", "rare"))
    nouns = recipe or Recipe()
    chosen = np.isin(np.array(labels.models)[labels.model], split.painters)
    chosen &= counted_labels(labels) & (labels.agreeing >= split.min_agree)
    how_often = ["frequent" if nouns.is_frequent(noun) else "rare" for noun in labels.nouns]
    found = []
    for place in np.nonzero(chosen)[0].tolist():
        question = labels.question[place]
        words, prompt = labels.questions[question], labels.prompts[labels.prompt[place]]
        if not every_question and not words.endswith(IN_IMAGE):
            continue
        if frequency and how_often[question] != frequency:
            continue
        painter, answer = labels.models[labels.model[place]], int(labels.label[place])
        name = picture_name(prompt.dataset_id, int(labels.seed[place]))
        found.append(
            VqaEntry(f"{painter}/{name}", words, answer, answer >= MORE_THAN_TEN, painter,
                     prompt.prompt_type, how_often[question])
        )  # fmt: skip
    if not found:
        raise BadInput(
            f"No question is left: painters {', '.join(split.painters)} with at least "
            f"{split.min_agree} people agreeing; the annotations are about "
            f"{', '.join(labelled.models)}."
        )
    return found


def vqa_lines(entries: Sequence[VqaEntry]) -> bytes:
    """Entries as JSONL; what is empty is left out."""
    return b"".join(orjson.dumps(_object(one)) + b"\n" for one in entries)


def _object(entry: VqaEntry) -> dict[str, Any]:
    return {
        name: value
        for name, value in asdict(entry).items()
        if value not in ("", False) or name == "answer"
    }
