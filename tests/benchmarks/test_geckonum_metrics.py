"""Automatic metrics judged by people, against SciPy and by construction."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from subitize.benchmarks.geckonum.answers import people_from
from subitize.benchmarks.geckonum.judging import judge_metrics, judged_pictures, table3_text
from subitize.benchmarks.geckonum.labels import label_answers
from subitize.datasets.geckonum.annotations import read_annotations
from subitize.datasets.geckonum.prompts import read_prompts
from subitize.datasets.geckonum.scores import SCORED, ScoreTable, join_scores, read_scores
from subitize.errors import BadInput
from subitize.measures.ranks import mann_whitney
from subitize.published.geckonum import TABLE_3
from tests.benchmarks.geckonum_data import BY_TEXT, counts, labels, write_counts


@pytest.fixture(scope="module")
def released(data_dir: Path) -> pl.DataFrame:
    folder = data_dir / "geckonum"
    read = read_annotations(folder / "geckonum_annotations.zip")
    return label_answers(people_from(read, read_prompts(folder / "prompts.csv")).answers)


def scored(people: pl.DataFrame, metric: str, score: Any) -> ScoreTable:
    frame = people.with_columns(pl.lit(metric).alias("metric"), pl.Series("score", score))
    return ScoreTable(frame.select(*SCORED, "score"))


def scores(*rows: tuple[str, str, str, int, float]) -> ScoreTable:
    return ScoreTable(pl.DataFrame(rows, [*SCORED, "score"], orient="row"))


def test_a_picture_is_right_if_all_its_questions_are(released: pl.DataFrame) -> None:
    people = judged_pictures(released)
    counts = released.filter(pl.col("task") == 1)
    some = people.filter(pl.col("painter") == "dalle_3").sample(200, seed=1)
    for painter, prompt, picture, right in some.rows():
        own = counts.filter(
            pl.col("painter") == painter, pl.col("dataset_id") == prompt,
            pl.col("picture") == picture,
        )  # fmt: skip
        assert right == (own["label"].to_list() == own["asked"].to_list())
    # one picture per painter, prompt and seed
    assert people.select("painter", "dataset_id", "picture").is_unique().all()


def test_judgement_is_scipys(released: pl.DataFrame) -> None:
    people = judged_pictures(released)
    rng = np.random.default_rng(4)
    right = people["right"].to_numpy()
    values = np.round(rng.normal(size=right.size) + 0.1 * right, 1)
    found = judge_metrics(released, scored(people, "vnli", values))
    one = found["metrics"]["vnli"]
    for model, cell in one["models"].items():
        own = (people["painter"] == model).to_numpy()
        u = stats.mannwhitneyu(values[own & right], values[own & ~right], method="asymptotic")
        assert cell["u"] == pytest.approx(u.statistic)
        assert cell["p"] == pytest.approx(u.pvalue)
        assert cell["auc"] == pytest.approx(u.statistic / (cell["n_right"] * cell["n_wrong"]))
        assert cell["low"] < cell["auc"] < cell["high"]
        assert cell["published"] == TABLE_3["vnli"].get(model)
    table = people.with_columns(pl.Series("value", values))
    models = sorted(one["models"])
    for first, second in combinations(models, 2):
        both = table.filter(pl.col("painter") == first).join(
            table.filter(pl.col("painter") == second), on=["dataset_id", "picture"]
        )
        gap = both["value"].to_numpy() - both["value_right"].to_numpy()
        expected = stats.wilcoxon(gap, method="asymptotic").pvalue
        pair = one["ranking"]["pairs"][f"{first}|{second}"]
        assert pair["n"] == both.height
        assert pair["p"] == pytest.approx(expected)
    assert found["rows"]["used"] == people.height


def test_a_metric_that_knows_and_one_that_does_not(released: pl.DataFrame) -> None:
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
    assert ">" not in found["blind"]["ranking"]["said"]  # noise ranks nobody
    assert found["blind"]["ranking"]["said"].count(" = ") == 4
    for cell in found["upside-down"]["models"].values():
        assert not cell["tells_apart"]
        assert cell["why"] == "wrong pictures score higher"
    text = table3_text({"metrics": found})
    assert "✓" in text
    assert "=" in text
    assert "✗" in text


def test_prompts_that_score_alike_tell_nothing_apart(released: pl.DataFrame) -> None:
    """Noise of whole prompts: U takes their pictures as independent and finds differences."""
    people, noise = judged_pictures(released), np.random.default_rng(8)
    prompts, prompt = np.unique(people["dataset_id"].to_numpy(), return_inverse=True)
    tables = [
        scored(people, f"noise-{at}", noise.normal(size=prompts.size)[prompt]) for at in range(12)
    ]
    found = judge_metrics(released, join_scores(tables))["metrics"]
    cells = [cell for one in found.values() for cell in one["models"].values()]
    assert np.mean([cell["p"] < 0.05 for cell in cells]) > 0.1
    assert np.mean([cell["tells_apart"] or bool(cell["why"]) for cell in cells]) < 0.1
    for cell in cells:
        assert not cell["tells_apart"] or cell["low"] > 0.5


def test_painters_are_ranked_on_the_pictures_that_all_have(released: pl.DataFrame) -> None:
    """Imagen-C has ten pictures of some prompts: they enter no mean that others lack."""
    people = judged_pictures(released)
    found = judge_metrics(released, scored(people, "same", people["right"].cast(pl.Float64)))
    ranking = found["metrics"]["same"]["ranking"]
    key = ["dataset_id", "picture"]
    painters = people["painter"].unique().to_list()
    every = people.group_by(key).agg(pl.col("painter").n_unique())
    matched = people.join(every.filter(pl.col("painter") == len(painters)), key, "semi")
    assert ranking["matched"] == matched.height / len(painters)
    for painter, mean in ranking["means"].items():
        own = matched.filter(pl.col("painter") == painter)["right"]
        assert mean == pytest.approx(own.mean())
    # of neighbours in the order `>` stands exactly where the test decides
    for one, other in pairwise(ranking["order"]):
        pair = ranking["pairs"][f"{min(one, other)}|{max(one, other)}"]
        assert (f"{one} > {other}" in ranking["said"]) == (pair["higher"] == one)
        assert (f"{one} = {other}" in ranking["said"]) == (pair["higher"] is None)


def test_areas_have_intervals_over_prompts() -> None:
    """Ten copies of each prompt's picture say no more than one."""
    rng = np.random.default_rng(0)
    right, wrong = rng.normal(0.5, 1, 40), rng.normal(0, 1, 40)
    alone = mann_whitney(right, wrong).auc
    prompts = np.repeat(range(40), 10)
    copied = mann_whitney(np.repeat(right, 10), np.repeat(wrong, 10),
                          clusters=(prompts, prompts + 40)).auc  # fmt: skip
    assert copied.value == pytest.approx(alone.value)
    width = copied.high - copied.low
    assert width == pytest.approx(alone.high - alone.low, rel=0.03)
    naive = mann_whitney(np.repeat(right, 10), np.repeat(wrong, 10)).auc
    assert width > 3 * (naive.high - naive.low)
    perfect = mann_whitney([2, 2, 3], [1, 1, 0], clusters=([1, 1, 2], [1, 2, 2])).auc
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert 0 < perfect.low < 0.5  # two prompts can't show more


def test_no_right_picture_has_no_test(tmp_path: Path) -> None:
    folder = write_counts(tmp_path, counts(BY_TEXT["2 dogs."], ["3", "3", "3"]))
    found = judge_metrics(
        labels(folder), scores(("m", "mine", BY_TEXT["2 dogs."].dataset_id, 0, 1.0))
    )
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
        ("s.txt", "score\n1\n", "lacks the column model, image_id .*found score"),
        ("s.jsonl", "{no json\n", "s.jsonl:1 is not JSON"),
        ("s.parquet", "PAR1, but no parquet", "can't be read as Parquet"),
        ("s.csv", "", "found none"),
    ],
)
def test_files_that_are_no_scores(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read_scores(path)


def test_scores_about_other_pictures_are_an_error(tmp_path: Path) -> None:
    folder = write_counts(tmp_path, counts(BY_TEXT["2 dogs."], ["2", "2"]))
    given = scores(("m", "other", "x_1", 0, 1.0))
    with pytest.raises(BadInput, match="other"):
        judge_metrics(labels(folder), given)
    with pytest.raises(BadInput, match="task 2"):
        judge_metrics(labels(folder), given, 2)


def test_scores_nobody_judged_are_named(tmp_path: Path) -> None:
    prompt = BY_TEXT["2 dogs."]
    folder = write_counts(tmp_path, [*counts(prompt, ["2"]), *counts(prompt, ["3"], seed=1)])
    given = scores(*(
        ("m", painter, prompt.dataset_id, picture, 1.0)
        for painter, picture in (("mine", 0), ("mine", 1), ("mine", 2), ("nobody", 0))
    ))  # fmt: skip
    found = judge_metrics(labels(folder), given)["rows"]
    assert found["used"] == 2
    assert found["dropped"] == {"no answers of people": 2}
    assert found["examples"]["no answers of people"] == [
        f"m mine {prompt.dataset_id}_2", f"m nobody {prompt.dataset_id}_0",
    ]  # fmt: skip
