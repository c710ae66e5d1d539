"""One answer per trial, over all its samples, with its error and its confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subitize.measures.error_size import smape_terms
from subitize.readers.boxes import reading_boxes
from subitize.readers.choices import choice
from subitize.readers.text import ended_early, final, take_confidence
from subitize.records import Reading, Response, Trial

if TYPE_CHECKING:
    import polars as pl

NOT_REPLIES = ("failed", "pending", "excluded")
"""states that say nothing about the model: not asked, not read yet, left out by hand"""


def read_capture(trial: Trial, response: Response) -> Reading:
    """The final number, or the option chosen; a line of confidence is taken out first."""
    early = ended_early(response)
    if early is not None:
        return early
    words, _ = take_confidence(response.value)
    return choice(words, trial.options) if trial.options else final(words)


read_with_boxes = reading_boxes(read_capture)
"""the same, and boxes are counted where a counter answered"""


def read_picture(_trial: Trial, response: Response) -> Reading:
    """Whether an inpainter gave a picture."""
    return ended_early(response) or Reading("read", choice=response.value)


def replies(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers that count and that tell something about the model."""
    return answers.filter(answers["counts"] & ~answers["state"].is_in(NOT_REPLIES))


def one_per_trial(answers: pl.DataFrame, confidence: str) -> pl.DataFrame:
    """A row per trial that has any reply; `confidence` as the setting of that name.

    Of several samples the most common answer counts, the first met of equals; its share among all
    samples is the confidence. Adds `skipped`, `error` (sMAPE in percent, 100 for a skip), `right`
    and `confidence` (0 to 1, null where there is none).
    """
    import polars as pl

    frame = replies(answers)
    said = pl.when(pl.col("state") == "read").then(
        pl.coalesce(pl.col("number").cast(pl.String), "choice")
    )
    times = said.count().over("trial", said)
    frame = frame.with_columns(
        said.is_null().alias("skipped"),
        times.alias("times"),
        pl.len().over("trial").alias("samples"),
        pl.int_range(pl.len()).alias("row"),
    )
    order = {"skipped": False, "times": True, "row": False}
    best = frame.sort(list(order), descending=list(order.values())).unique("trial", keep="first")
    first = frame.unique("trial", keep="first", maintain_order=True).select("trial", "state")
    best = first.join(best.drop("state"), on="trial", how="left", maintain_order="left")
    best = best.with_columns(
        pl.when("skipped").then("state").otherwise(pl.lit("read")).alias("state")
    )
    return best.with_columns(
        pl.Series("error", _errors(best), dtype=pl.Float64),
        pl.when(pl.col("target_choice") == "")
        .then(pl.col("number") == pl.col("target"))
        .otherwise(pl.col("choice") == pl.col("target_choice"))
        .fill_null(False)
        .alias("right"),
        _confidence(best, confidence),
    )


def _errors(answers: pl.DataFrame) -> list[float | None]:
    """sMAPE of each answer in percent; null where a name was asked for."""
    numbers = answers["target"].is_not_null()
    terms = iter(())
    if numbers.any():
        asked = answers.filter(numbers)
        terms = iter(smape_terms(asked["target"].to_numpy(), asked["number"].to_numpy()).tolist())
    return [next(terms) if is_number else None for is_number in numbers]


def _confidence(answers: pl.DataFrame, source: str) -> pl.Series:
    import polars as pl

    if source == "samples":
        share = (answers["times"] / answers["samples"]).set(answers["skipped"], None)
        return share.cast(pl.Float64).alias("confidence")
    sure = [
        take_confidence(value)[1] if source == "asked" and samples == 1 else None
        for value, samples in answers.select("value", "samples").iter_rows()
    ]
    return pl.Series("confidence", sure, dtype=pl.Float64)
