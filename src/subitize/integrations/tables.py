"""A run as tables for spreadsheets and data frames: the answers, and the scores with intervals."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from subitize.files import csv_text
from subitize.integrations.score_rows import ScoreRow, score_rows
from subitize.runs.columns import trial_columns
from subitize.runs.stored import StoredRun

if TYPE_CHECKING:
    import polars as pl


def answer_table(run: StoredRun) -> pl.DataFrame:
    """The answers table with the question of each trial, which stands in the plan alone."""
    asked = trial_columns(run.folder, run.benchmark.CONDITION).select("trial", "_question")
    questions = asked.unique("trial", keep="first").rename({"_question": "question"})
    return run.answers.join(questions, on="trial", how="left", maintain_order="left")


def as_csv(run: StoredRun) -> dict[str, bytes]:
    """answers.csv with every raw reply and its reading, scores.csv with every interval."""
    rows = csv_text(ScoreRow._fields, score_rows(run.scores))
    answers = answer_table(run).write_csv()
    return {"answers.csv": answers.encode(), "scores.csv": rows.encode()}


def as_parquet(run: StoredRun) -> dict[str, bytes]:
    """The same two tables as Parquet."""
    import polars as pl

    answers, scores = io.BytesIO(), io.BytesIO()
    answer_table(run).write_parquet(answers)
    types = dict(zip(ScoreRow._fields, (pl.String, pl.String, *(pl.Float64,) * 3, pl.Int64,
                                        pl.String), strict=True))  # fmt: skip
    pl.DataFrame(score_rows(run.scores), schema=types, orient="row").write_parquet(scores)
    return {"answers.parquet": answers.getvalue(), "scores.parquet": scores.getvalue()}
