"""GeckoNum's annotations as counting questions with people's answers (appendix D of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

import orjson
import polars as pl

from subitize.benchmarks.geckonum.labels import PICTURE, painters_of
from subitize.datasets.geckonum.recipe import Recipe
from subitize.datasets.vqa_files import VqaEntry
from subitize.errors import BadInput, UnknownName
from subitize.readers.annotators import MORE_THAN_TEN

IN_IMAGE = " are in the image?"


class Split(NamedTuple):
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
    labels: pl.DataFrame,
    split: Split,
    recipe: Recipe | None = None,
    frequency: str = "",
    *,
    every_question: bool = False,
) -> list[VqaEntry]:
    """Questions with the answer of most people, of pictures on which enough of them agree.

    Only `How many X are in the image?` unless every question is wanted; of frequent or rare nouns
    only, where `frequency` says so.
    """
    counts = labels.filter(pl.col("task") == 1)
    if counts.is_empty():
        raise BadInput("There are no annotations of task 1: counting questions need counts.")
    if frequency not in ("", "frequent", "rare"):
        raise UnknownName("frequency", frequency, ("frequent", "rare"))
    is_frequent = (recipe or Recipe()).is_frequent
    often = {n: "frequent" if is_frequent(n) else "rare" for n in counts["noun"].unique()}
    chosen = counts.filter(
        "own_task", pl.col("agreeing") >= split.min_agree,
        pl.col("painter").is_in(split.painters),
        pl.lit(every_question) | pl.col("question").str.ends_with(IN_IMAGE),
        pl.lit(not frequency) | pl.col("noun").replace_strict(often).eq(frequency),
    ).select(*PICTURE, "question", "label", "prompt_type", "noun")  # fmt: skip
    found = [
        VqaEntry(f"{painter}/{prompt}_{place}", words, int(label),
                 label >= MORE_THAN_TEN, painter, kind, often[noun])
        for painter, prompt, place, words, label, kind, noun in chosen.iter_rows()
    ]  # fmt: skip
    if not found:
        raise BadInput(
            f"No question is left: painters {', '.join(split.painters)} with at least "
            f"{split.min_agree} people agreeing; the annotations are about "
            f"{', '.join(painters_of(labels))}."
        )
    return found


def vqa_lines(entries: Sequence[VqaEntry]) -> bytes:
    """Entries as JSONL; what is empty is left out."""
    kept = (
        {k: v for k, v in asdict(one).items() if v not in ("", False) or k == "answer"}
        for one in entries
    )
    return b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in kept)
