"""One label per picture and question: the votes of everybody who answered it, as one table.

Whether people answered or a model that reads pictures: the answers are rows of the same table, and
what is scored are these labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from subitize.benchmarks.geckonum.answers import ABOUT, COPY, USED, colour_nouns
from subitize.datasets.geckonum.questions import COLOURED
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE
from subitize.readers.annotators import MORE_THAN_TEN
from subitize.readers.votes import vote

PICTURES = 5
"""pictures per prompt that all tables but Table 2's Task 1 use: seeds 0 to 4 in the release"""
PICTURE = ("painter", "dataset_id", "picture")
"""what names a picture"""
PLACE = ~pl.col("question").str.ends_with(" are in the image?")
"""questions about where things are"""
COLOUR = (
    pl.col("prompt_type").is_in(list(COLOURED))
    & ("," + pl.col("entities").str.replace_all(", ", ",")).str.contains(
        "," + pl.col("question").str.extract(r"^How many (\S+) .+ are in the image") + " ",
        literal=True,
    )
).fill_null(False)
"""questions about things of one colour"""
ASKED = pl.col("five") & pl.col("own_task")
"""labels of five pictures per prompt, of questions that the task's accuracy is about"""


def label_answers(answers: pl.DataFrame, coloured: Sequence[str] | None = None) -> pl.DataFrame:
    """A row per task, picture and question that has a readable answer which counts.

    `coloured`: nouns that prompts give a colour, where there are prompts without an answer.

    `label`: task 1 the first-met mode rounded half to even, task 2 its code, task 3 the share of
    yes. `right`: the label is what was asked for, never where nothing was. `weight`: 2 where the
    release holds the answers twice. `answers`: how many, `agreeing`: how many of them gave the
    most common one, `values`: all of them, unrounded. `five`: belongs to five pictures of its
    prompt. `own_task`: not a mere count of an approximate scene. `colour_noun`: prompts give
    the noun a colour too. `prompt`: a number for the prompt, to draw whole prompts by.
    """
    value = pl.col("number").clip(upper_bound=MORE_THAN_TEN)
    labels = (
        answers.group_by("painter", "order", maintain_order=True)
        .agg(
            pl.col(*ABOUT).first(),
            values=value.filter(USED),
            copies=(pl.col("note") == COPY).sum().cast(pl.Int64),
        )
        .with_columns(answers=pl.col("values").list.len().cast(pl.Int64))
        .filter(pl.col("answers") > 0)
        .sort("task", "painter", "dataset_id", maintain_order=True)
    )
    of_label = np.repeat(np.arange(labels.height), labels["answers"].to_numpy())
    mode, agreeing, _ = vote(of_label, labels["values"].explode(empty_as_null=False).to_numpy())
    yes = pl.col("values").list.mean()
    # Of a painter with at most five pictures per prompt all count, whatever their numbers; of one
    # with more 0 to 4 if it has them, else the five lowest of each prompt.
    of, picture = ["task", "painter"], pl.col("picture")
    few = picture.n_unique().over(of) <= PICTURES
    usual = picture.filter(picture < PICTURES).n_unique().over(of) == PICTURES
    lowest = picture.rank("dense").over([*of, "dataset_id"]) <= PICTURES
    own = pl.col("prompt_type").replace_strict(TASK_OF_TYPE, default=0) == 1
    coloured = colour_nouns(answers) if coloured is None else coloured
    labels = labels.with_columns(
        label=pl.when(pl.col("task") == 3).then(yes).otherwise(pl.Series(np.rint(mode))),
        agreeing=pl.Series(agreeing),
        weight=1 + (pl.col("copies") > 0).cast(pl.Int64),
        prompt=pl.col("dataset_id").rank("dense").cast(pl.Int64),
        five=few | pl.when(usual).then(picture < PICTURES).otherwise(lowest),
        own_task=(pl.col("task") != 1) | own,
        colour_noun=pl.col("noun").is_in(coloured),
    )
    return labels.with_columns(right=(pl.col("label") == pl.col("asked")).fill_null(False))


def unread_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """Per painter and task how many answers count, and how many of them could not be read."""
    counted = answers.filter("counts")
    return counted.group_by("painter", "task", maintain_order=True).agg(
        answers=pl.len(), unread=(pl.col("state") != "read").sum()
    )


def painters_of(labels: pl.DataFrame) -> list[str]:
    """Whose pictures have a label, sorted."""
    return labels["painter"].unique().sort().to_list()


def parts(frame: pl.DataFrame, *by: str) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """The rows of every group, the groups as they come."""
    for names, part in frame.group_by(by, maintain_order=True):
        yield tuple(map(str, names)), part


def doubled(labels: pl.DataFrame) -> pl.DataFrame:
    """Labels that the release holds twice, twice."""
    return pl.concat([labels, labels.filter(pl.col("weight") > 1)])


def picture_scores(labels: pl.DataFrame) -> pl.DataFrame:
    """What accuracies are means of, as `score`: right or wrong; in task 3 a picture's share of yes.

    A row per label of tasks 1 and 2 and per picture of task 3.
    """
    columns = ("task", "painter", "prompt", "prompt_type", "five", "own_task", "weight", "score")
    yes = (pl.col("label") * pl.col("answers")).sum() / pl.col("answers").sum()
    shares = labels.filter(pl.col("task") == 3).group_by("task", *PICTURE, maintain_order=True)
    pictures = shares.agg(
        pl.col("prompt", "prompt_type", "five", "own_task").first(),
        weight=pl.lit(1, dtype=pl.Int64), score=yes,
    )  # fmt: skip
    each = labels.filter(pl.col("task") != 3).with_columns(score=pl.col("right").cast(pl.Float64))
    return pl.concat([each.select(columns), pictures.select(columns)])
