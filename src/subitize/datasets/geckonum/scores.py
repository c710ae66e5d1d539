"""Tables of scores that automatic metrics gave to pictures: CSV, Parquet, JSONL or JSON.

Columns: `model` (the painter, as the annotation files call it), `metric`, `score` (higher is
better) and the picture: `image_id` (PROMPT_SEED) or `dataset_id` and `seed`. A file without
`metric` is one metric, named like the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from subitize.errors import BadInput
from subitize.files import read_entries

SCORED = ("metric", "painter", "dataset_id", "picture")
"""what a score is about"""
COLUMNS = ("metric", "model", "image_id", "dataset_id", "seed", "score")
"""what is read of a file"""
MOST_EXAMPLES = 5
"""places that are named per reason"""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of pictures, and rows that could not be used."""

    frame: pl.DataFrame
    """metric, painter, dataset_id, picture, score"""
    dropped: dict[str, list[str]] = field(default_factory=dict)
    """reason: where"""

    def rows(self) -> dict[str, Any]:
        """How many rows were used, and why others were not, with the first places."""
        return {
            "used": self.frame.height,
            "dropped": {reason: len(places) for reason, places in self.dropped.items()},
            "examples": {r: places[:MOST_EXAMPLES] for r, places in self.dropped.items()},
        }


def read_scores(path: Path) -> ScoreTable:
    """One file of scores; what is wrong with a row is named with its place."""
    given = read_entries(path, "the scores", ())
    found = given[0][1].keys() if given else ()
    missing = [name for name in ("model", "score") if name not in found]
    if "image_id" not in found and not {"dataset_id", "seed"} <= set(found):
        missing.append("image_id (or dataset_id and seed)")
    if missing:
        raise BadInput(
            f"{path} lacks the column {', '.join(missing)}; found {', '.join(found) or 'none'}. A "
            "table of scores has model, image_id (PROMPT_SEED), metric and score."
        )
    texts = {name: [row.get(name) for _, row in given] for name in COLUMNS}
    frame = pl.DataFrame(texts, dict.fromkeys(COLUMNS, pl.String), strict=False)
    metric, prompt, seed = map(pl.col, ("metric", "dataset_id", "seed"))
    if "image_id" in found:
        image = pl.col("image_id").str
        prompt, seed = image.extract(r"^(.*)_\d+$"), image.extract(r"_(\d{1,9})$")
    frame = frame.with_columns(pl.all().str.strip_chars()).select(
        metric=metric if "metric" in found else pl.lit(path.stem),
        painter="model",
        dataset_id=prompt,
        picture=seed.str.strip_suffix(".0").cast(pl.Int64, strict=False),
        score=pl.col("score").cast(pl.Float64, strict=False),
        place=pl.Series([place for place, _ in given]),
    )  # fmt: skip
    reason: pl.Expr = pl.lit(None, dtype=pl.String)
    nowhere = pl.any_horizontal(pl.col("dataset_id", "picture").is_null())
    for name, test in (
        ("score is no finite number", pl.col("score").is_finite().fill_null(False).not_()),
        ("picture without prompt and seed", nowhere),
        ("no model", pl.col("painter").fill_null("") == ""),
        ("no metric", metric.fill_null("") == ""),
    ):
        reason = pl.when(test).then(pl.lit(name)).otherwise(reason)
    wrong = frame.select("place", reason=reason)
    dropped: dict[str, list[str]] = {}
    for place, name in wrong.drop_nulls("reason").iter_rows():
        dropped.setdefault(name, []).append(place)
    used = frame.filter(wrong["reason"].is_null()).drop("place")
    return join_scores([ScoreTable(used, dropped)])


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
