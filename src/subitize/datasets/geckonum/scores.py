"""Tables of scores that automatic metrics gave to pictures: CSV, Parquet or JSONL.

Columns: `model` (the painter, as the annotation files call it), `metric`, `score` (higher is
better) and the picture: `image_id` (PROMPT_SEED) or `dataset_id` and `seed`. A file without
`metric` is one metric, named like the file.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from subitize.errors import BadInput
from subitize.files import decoded

__all__ = ["MOST_EXAMPLES", "ScoreTable", "join_scores", "read_scores", "scores_from_rows"]

COLUMNS = ("metric", "model", "dataset_id", "seed", "score")
MOST_EXAMPLES = 5
"""places that are named per reason"""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of pictures, and rows that could not be used."""

    frame: pl.DataFrame
    """metric, model, dataset_id, seed, score"""
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


def scores_from_rows(rows: Sequence[Mapping[str, Any]]) -> ScoreTable:
    """Scores that were computed here: mappings with the five columns."""
    schema = dict.fromkeys(COLUMNS[:3], pl.String) | {"seed": pl.Int64, "score": pl.Float64}
    return ScoreTable(pl.DataFrame(list(rows), schema=schema))


def join_scores(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Several tables as one; of two scores of one picture by one metric the first counts."""
    frame = pl.concat([one.frame for one in tables])
    dropped: dict[str, list[str]] = {}
    for one in tables:
        for reason, places in one.dropped.items():
            dropped.setdefault(reason, []).extend(places)
    once = frame.unique(COLUMNS[:4], keep="first", maintain_order=True)
    if once.height < frame.height:
        again = frame.filter(~pl.struct(COLUMNS[:4]).is_first_distinct())
        dropped.setdefault("picture scored again", []).extend(
            f"{metric} {model} {prompt}_{seed}" for metric, model, prompt, seed, _ in again.rows()
        )
    return ScoreTable(once, dropped)


def _frame(path: Path) -> pl.DataFrame:
    ending = path.suffix.lower()
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadInput(f"Can't read the scores {path}: {problem.strerror}.") from None
    try:
        if ending == ".parquet":
            frame = pl.read_parquet(io.BytesIO(content))
        elif ending in (".jsonl", ".ndjson"):
            frame = pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
        elif ending == ".csv":
            frame = pl.read_csv(decoded(content, str(path)).encode(), infer_schema=False)
        else:
            raise BadInput(
                f"The ending of {path} tells no table of scores: give .csv, .parquet or .jsonl."
            )
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise BadInput(f"{path} can't be read as {ending[1:]}: {problem}.") from None
    return frame


def _checked(frame: pl.DataFrame, path: Path) -> ScoreTable:
    texts = [
        name for name in ("metric", "model", "image_id", "dataset_id") if name in frame.columns
    ]
    frame = frame.with_columns(pl.col(name).cast(pl.String).str.strip_chars() for name in texts)
    if "image_id" in frame.columns:
        frame = frame.with_columns(
            pl.col("image_id").str.extract(r"^(.*)_\d+$").alias("dataset_id"),
            pl.col("image_id").str.extract(r"_(\d{1,9})$").cast(pl.Int64).alias("seed"),
        )
    else:
        frame = frame.with_columns(pl.col("seed").cast(pl.Int64, strict=False))
    frame = frame.with_columns(pl.col("score").cast(pl.Float64, strict=False))
    tests = {
        "no metric": pl.col("metric").is_null() | (pl.col("metric") == ""),
        "no model": pl.col("model").is_null() | (pl.col("model") == ""),
        "picture without prompt and seed": pl.col("dataset_id").is_null()
        | pl.col("seed").is_null(),
        "score is no finite number": pl.col("score").is_null() | ~pl.col("score").is_finite(),
    }
    reason: pl.Expr = pl.lit(None, dtype=pl.String)
    for name, test in reversed(tests.items()):
        reason = pl.when(test).then(pl.lit(name)).otherwise(reason)
    frame = frame.with_columns(reason.alias("reason"))
    dropped: dict[str, list[str]] = {}
    for line, name in frame.filter(pl.col("reason").is_not_null()).select("line", "reason").rows():
        dropped.setdefault(name, []).append(f"{path}:{line}")
    return join_scores(
        [ScoreTable(frame.filter(pl.col("reason").is_null()).select(COLUMNS), dropped)]
    )
