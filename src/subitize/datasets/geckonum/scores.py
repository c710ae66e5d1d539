"""Tables of scores that automatic metrics gave to pictures: CSV, Parquet or JSONL.

Columns: `model` (the painter, as the annotation files call it), `metric`, `score` (higher is
better) and the picture: `image_id` (PROMPT_SEED) or `dataset_id` and `seed`. A file without
`metric` is one metric, named like the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from subitize.errors import BadInput
from subitize.files import decoded, read_bytes

SCORED = ("metric", "painter", "dataset_id", "picture")
"""what a score is about"""
SCORES = dict.fromkeys(SCORED, pl.String) | {"picture": pl.Int64, "score": pl.Float64}
"""the columns of a table"""
OURS = {"model": "painter", "seed": "picture"}
"""a file's column: what we call it"""
MOST_EXAMPLES = 5
"""places that are named per reason"""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of pictures, and rows that could not be used."""

    frame: pl.DataFrame
    """metric, painter, dataset_id, picture, score"""
    dropped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """reason: where"""

    def rows(self) -> dict[str, Any]:
        """How many rows were used, and why others were not, with the first places."""
        return {
            "used": self.frame.height,
            "dropped": {reason: len(places) for reason, places in self.dropped.items()},
            "examples": {r: list(places[:MOST_EXAMPLES]) for r, places in self.dropped.items()},
        }


def read_scores(path: Path) -> ScoreTable:
    """One file of scores; what is wrong with a row is named with its place."""
    frame = _frame(path)
    frame = frame.rename({name: name.strip() for name in frame.columns})
    missing = [name for name in ("model", "score") if name not in frame.columns]
    if "image_id" not in frame.columns and not {"dataset_id", "seed"} <= set(frame.columns):
        missing.append("image_id (or dataset_id and seed)")
    if missing:
        raise BadInput(
            f"{path} lacks the column {', '.join(missing)}; found {', '.join(frame.columns)}. A "
            "table of scores has model, image_id (PROMPT_SEED), metric and score."
        )
    if "metric" not in frame.columns:
        frame = frame.with_columns(pl.lit(path.stem).alias("metric"))
    # The first record of a CSV file stands on its second line.
    first = 2 if path.suffix.lower() == ".csv" else 1
    return _checked(frame.with_row_index("line", first), path)


def join_scores(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Several tables as one; of two scores of one picture by one metric the first counts."""
    frame = pl.concat([one.frame for one in tables])
    dropped: dict[str, list[str]] = {}
    for one in tables:
        for reason, places in one.dropped.items():
            dropped.setdefault(reason, []).extend(places)
    first = pl.struct(SCORED).is_first_distinct()
    again = frame.filter(~first).select(pl.format("{} {} {}_{}", *SCORED)).to_series()
    if again.len():
        dropped.setdefault("picture scored again", []).extend(again)
    return ScoreTable(frame.filter(first), dropped)


def _frame(path: Path) -> pl.DataFrame:
    ending = path.suffix.lower()
    if ending not in (".csv", ".parquet", ".jsonl", ".ndjson"):
        raise BadInput(
            f"The ending of {path} tells no table of scores: give .csv, .parquet or .jsonl."
        )
    content = read_bytes(path, "the scores")
    try:
        if ending == ".csv":
            return pl.read_csv(decoded(content, str(path)).encode(), infer_schema=False)
        if ending == ".parquet":
            return pl.read_parquet(content)
        return pl.read_ndjson(content, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise BadInput(f"{path} can't be read as {ending[1:]}: {problem}.") from None


def _checked(frame: pl.DataFrame, path: Path) -> ScoreTable:
    texts = [
        name for name in ("metric", "model", "image_id", "dataset_id") if name in frame.columns
    ]
    frame = frame.with_columns(pl.col(name).cast(pl.String).str.strip_chars() for name in texts)
    if "image_id" in frame.columns:
        image = pl.col("image_id").str
        frame = frame.with_columns(
            image.extract(r"^(.*)_\d+$").alias("dataset_id"),
            image.extract(r"_(\d{1,9})$").alias("seed"),
        )
    frame = frame.with_columns(
        pl.col("seed").cast(pl.Int64, strict=False), pl.col("score").cast(pl.Float64, strict=False)
    )
    reason: pl.Expr = pl.lit(None, dtype=pl.String)
    for name, test in (
        ("score is no finite number", pl.col("score").is_finite().fill_null(False).not_()),
        (
            "picture without prompt and seed",
            pl.any_horizontal(pl.col("dataset_id", "seed").is_null()),
        ),
        ("no model", pl.col("model").fill_null("") == ""),
        ("no metric", pl.col("metric").fill_null("") == ""),
    ):
        reason = pl.when(test).then(pl.lit(name)).otherwise(reason)
    frame = frame.with_columns(reason.alias("reason")).rename(OURS)
    dropped: dict[str, list[str]] = {}
    for line, name in frame.drop_nulls("reason").select("line", "reason").rows():
        dropped.setdefault(name, []).append(f"{path}:{line}")
    used = frame.filter(pl.col("reason").is_null()).select(*SCORES)
    return join_scores([ScoreTable(used, dropped)])
