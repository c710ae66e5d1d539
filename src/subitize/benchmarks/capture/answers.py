"""One answer per trial, over all its samples, with its error and its confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subitize.measures.error_size import smape_terms
from subitize.readers.boxes import BoxesReader
from subitize.readers.choices import choice
from subitize.readers.text import ended_early, final, hidden, take_confidence
from subitize.readers.votes import most_common
from subitize.records import Reading, Response, Trial

if TYPE_CHECKING:
    import polars as pl

NOT_REPLIES = ("failed", "pending", "excluded")
"""states that say nothing about the model: not asked, not read yet, left out by hand"""


def read_capture(trial: Trial, response: Response) -> Reading:
    """The final number, or the option chosen; a line of confidence is taken out first.

    Who is asked for the hidden ones alone may tell the whole too.
    """
    words, _ = take_confidence(response.value)
    read = hidden if trial.stage == "hidden" else final
    said = choice(words, trial.options) if trial.options else read(words)
    return ended_early(response) or said


read_with_boxes = BoxesReader(read_capture)
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

    value = pl.coalesce(pl.col("number").cast(pl.String), "choice")
    frame = replies(answers).with_columns(said=pl.when(pl.col("state") == "read").then(value))
    votes = most_common(frame, "trial", "said")
    best = votes.join(frame, ["trial", "said"], nulls_equal=True, maintain_order="left_right")
    best = best.unique("trial", keep="first", maintain_order=True)
    named = pl.col("target_choice") != ""
    right = pl.when(named).then(pl.col("choice") == pl.col("target_choice"))
    return best.with_columns(
        _errors(best),
        _confidence(best, confidence),
        skipped=pl.col("said").is_null(),
        right=right.otherwise(pl.col("number") == pl.col("target")).fill_null(False),
    )


def _errors(answers: pl.DataFrame) -> pl.Series:
    """sMAPE of each answer in percent; null where a name was asked for."""
    import polars as pl

    asked, said = answers["target"].fill_null(0).to_numpy(), answers["number"].to_numpy()
    terms = pl.Series("error", smape_terms(asked, said) if len(asked) else [], dtype=pl.Float64)
    return terms.set(answers["target"].is_null(), None)


def _confidence(answers: pl.DataFrame, source: str) -> pl.Series:
    import polars as pl

    if source == "samples":
        share = answers["agreeing"] / answers["answers"]
        return share.set(answers["said"].is_null(), None).alias("confidence")
    sure = [
        take_confidence(value)[1] if source == "asked" and samples == 1 else None
        for value, samples in answers.select("value", "answers").iter_rows()
    ]
    return pl.Series("confidence", sure, dtype=pl.Float64)
