"""Automatic metrics judged by people, against SciPy and by construction."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from subitize.benchmarks.geckonum.labels import Labelled, label_annotations
from subitize.benchmarks.geckonum.metrics import judge_metrics, judged_pictures, table3_text
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.scores import (
    ScoreTable,
    join_scores,
    read_scores,
    scores_from_rows,
)
from subitize.errors import BadInput
from subitize.published.geckonum_metrics import TABLE_3
from tests.benchmarks.geckonum_data import BY_TEXT, counts, labelled, write_counts


@pytest.fixture(scope="module")
def released(data_dir: Path) -> Labelled:
    folder = data_dir / "geckonum"
    return label_annotations(
        read_annotations(folder / "geckonum_annotations.zip"), read_prompts(folder / "prompts.csv")
    )


def scored(people: pl.DataFrame, metric: str, score: Any) -> ScoreTable:
    frame = people.with_columns(pl.lit(metric).alias("metric"), pl.Series("score", score))
    return ScoreTable(frame.select("metric", "model", "dataset_id", "seed", "score"))


def test_a_picture_is_right_if_all_its_questions_are(released: Labelled) -> None:
    people = judged_pictures(released)
    assert released.task1 is not None
    labels = released.task1.frame()
    some = people.filter(pl.col("model") == "dalle_3").sample(200, seed=1)
    for model, prompt, seed, right in some.rows():
        own = labels.filter(
            (pl.col("model") == model) & (pl.col("dataset_id") == prompt) & (pl.col("seed") == seed)
        )
        assert right == all(own["label"] == own["truth"])
    # one picture per painter, prompt and seed
    assert people.select("model", "dataset_id", "seed").is_unique().all()


def test_judgement_is_scipys(released: Labelled) -> None:
    people = judged_pictures(released)
    rng = np.random.default_rng(4)
    right = people["right"].to_numpy()
    values = np.round(rng.normal(size=right.size) + 0.1 * right, 1)
    found = judge_metrics(released, scored(people, "vnli", values))
    one = found["metrics"]["vnli"]
    for model, cell in one["models"].items():
        own = (people["model"] == model).to_numpy()
        u = stats.mannwhitneyu(values[own & right], values[own & ~right], method="asymptotic")
        assert cell["u"] == pytest.approx(u.statistic)
        assert cell["p"] == pytest.approx(u.pvalue)
        assert cell["auc"] == pytest.approx(u.statistic / (cell["n_right"] * cell["n_wrong"]))
        assert cell["low"] < cell["auc"] < cell["high"]
        assert cell["published"] == TABLE_3["vnli"].get(model)
    table = people.with_columns(pl.Series("value", values))
    models = sorted(one["models"])
    for first, second in combinations(models, 2):
        both = table.filter(pl.col("model") == first).join(
            table.filter(pl.col("model") == second), on=["dataset_id", "seed"]
        )
        gap = both["value"].to_numpy() - both["value_right"].to_numpy()
        expected = stats.wilcoxon(gap, method="asymptotic").pvalue
        pair = one["ranking"]["pairs"][f"{first}|{second}"]
        assert pair["n"] == both.height
        assert pair["p"] == pytest.approx(expected)
    assert found["rows"]["used"] == people.height


def test_a_metric_that_knows_and_one_that_does_not(released: Labelled) -> None:
    people = judged_pictures(released)
    right = people["right"].to_numpy()
    blind = np.random.default_rng(0).normal(size=right.size)
    tables = [
        scored(people, "oracle", right.astype(float)),
        scored(people, "blind", blind),
        scored(people, "upside-down", -right.astype(float)),
    ]
    found = judge_metrics(released, join_scores(tables))["metrics"]
    oracle = found["oracle"]
    assert all(cell["tells_apart"] and cell["auc"] == 1 for cell in oracle["models"].values())
    assert oracle["ranking"]["agrees_with_people"]
    assert oracle["ranking"]["order"][0] == "dalle_3"
    assert not any(cell["tells_apart"] for cell in found["blind"]["models"].values())
    assert not found["blind"]["ranking"]["agrees_with_people"]
    for cell in found["upside-down"]["models"].values():
        assert not cell["tells_apart"]
        assert cell["why"] == "wrong pictures score higher"
    text = table3_text({"metrics": found})
    assert "✓" in text
    assert "=" in text
    assert "✗" in text


def test_no_right_picture_has_no_test(tmp_path: Path) -> None:
    folder = write_counts(tmp_path, counts(BY_TEXT["2 dogs."], ["3", "3", "3"]))
    rows = [{"metric": "m", "model": "mine", "dataset_id": BY_TEXT["2 dogs."].dataset_id,
             "seed": 0, "score": 1.0}]  # fmt: skip
    found = judge_metrics(labelled(folder), scores_from_rows(rows))
    cell = found["metrics"]["m"]["models"]["mine"]
    assert cell["p"] is None
    assert cell["why"] == "no picture is right"
    assert "no picture is right" in table3_text(found)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_tables_of_scores(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame(
        {
            "model": ["a", "a", "b"],
            "image_id": ["geckonum_00001_0", "geckonum_00001_1", "geckonum_00002_3"],
            "metric": ["m", "m", "m"],
            "score": [0.25, 1.0, -3.0],
        }
    )
    path = tmp_path / f"scores.{ending}"
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    write[ending](path)
    found = read_scores(path)
    assert found.frame.rows() == [
        ("m", "a", "geckonum_00001", 0, 0.25),
        ("m", "a", "geckonum_00001", 1, 1.0),
        ("m", "b", "geckonum_00002", 3, -3.0),
    ]


def test_rows_that_are_not_used_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "model,dataset_id,seed,score\n"
        "a,p_1,0,0.5\n"
        "a,p_1,0,0.6\n"
        "a,p_1,one,0.5\n"
        ",p_1,1,0.5\n"
        "a,p_1,2,nan\n"
        "a,p_1,3,high\n"
    )
    found = read_scores(path)
    assert found.frame["metric"].to_list() == ["mine"]
    rows = found.rows()
    assert rows["used"] == 1
    assert rows["dropped"] == {
        "picture without prompt and seed": 1,
        "no model": 1,
        "score is no finite number": 2,
        "picture scored again": 1,
    }
    assert rows["examples"]["score is no finite number"] == [f"{path}:6", f"{path}:7"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.csv", "model,score\na,1\n", "image_id"),
        ("s.txt", "model,score\na,1\n", ".parquet"),
        ("s.jsonl", "{no json\n", "can't be read"),
        ("s.parquet", "no parquet", "can't be read"),
        ("s.csv", "", "can't be read"),
    ],
)
def test_files_that_are_no_scores(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read_scores(path)


def test_scores_about_other_pictures_are_an_error(tmp_path: Path) -> None:
    folder = write_counts(tmp_path, counts(BY_TEXT["2 dogs."], ["2", "2"]))
    rows = [{"metric": "m", "model": "other", "dataset_id": "x_1", "seed": 0, "score": 1.0}]
    with pytest.raises(BadInput, match="other"):
        judge_metrics(labelled(folder), scores_from_rows(rows))
    with pytest.raises(BadInput, match="task 2"):
        judge_metrics(labelled(folder), scores_from_rows(rows), 2)


def test_scores_nobody_judged_are_named(tmp_path: Path) -> None:
    prompt = BY_TEXT["2 dogs."]
    folder = write_counts(tmp_path, [*counts(prompt, ["2"]), *counts(prompt, ["3"], seed=1)])
    rows = [
        {"metric": "m", "model": model, "dataset_id": prompt.dataset_id, "seed": seed, "score": 1.0}
        for model, seed in (("mine", 0), ("mine", 1), ("mine", 2), ("nobody", 0))
    ]
    found = judge_metrics(labelled(folder), scores_from_rows(rows))["rows"]
    assert found["used"] == 2
    assert found["dropped"] == {"no answers of people": 2}
    assert found["examples"]["no answers of people"] == [
        f"m mine {prompt.dataset_id}_2", f"m nobody {prompt.dataset_id}_0",
    ]  # fmt: skip
