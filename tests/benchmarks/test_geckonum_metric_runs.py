"""Models as metrics of GeckoNum's pictures, from folder to score."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from aiohttp import web
from typer.testing import CliRunner

from subitize.benchmarks.geckonum.judging import (
    agreement_text,
    agreement_with_people,
    judge_metrics,
)
from subitize.benchmarks.geckonum.metric_run import GeckoNumMetric, picture_scores
from subitize.benchmarks.prompt_files import write_prompts
from subitize.cli import root
from subitize.datasets.geckonum.pictures import find_pictures
from subitize.datasets.geckonum.questions import claims_of
from subitize.datasets.geckonum.recipe import Recipe
from subitize.datasets.geckonum.scores import ScoreTable
from subitize.datasets.vqa_files import read_vqa
from subitize.errors import BadInput
from subitize.opening import load_stored
from subitize.runs.comparing import compare_runs
from tests.benchmarks.geckonum_data import BY_TEXT, PROMPTS, counts, labels, write_counts
from tests.benchmarks.geckonum_seen import NUMBERS, PAINTERS, Made, drawn_pictures, go
from tests.chat_server import ChatServer, completion
from tests.models.tiny_clip import save_tiny_clip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return drawn_pictures(tmp_path_factory.mktemp("seen"))


def scored(answers: pl.DataFrame) -> ScoreTable:
    return ScoreTable(picture_scores(answers))


def test_a_counter_as_a_metric_ranks_painters_as_people_do(made: Made, tmp_path: Path) -> None:
    folder, scores = go(
        GeckoNumMetric(), "counter/blobs", tmp_path, pictures=str(made.pictures), tasks="1"
    )
    assert scores["means"]["count"]["imagen_a"]["value"] == 1.0
    # always right, but on a handful of prompts
    assert scores["means"]["count"]["imagen_a"]["low"] < 0.9
    assert scores["means"]["count"]["muse_a"]["value"] == 0.5
    table = scored(load_stored(folder).counted)
    found = judge_metrics(labels(made.annotations), table)["metrics"]
    assert set(found) == {"count", "count-distance"}
    for metric in found.values():
        assert metric["models"]["muse_a"]["auc"] == 1.0
        assert metric["models"]["imagen_a"]["why"] == "no picture is wrong"
        assert metric["ranking"]["order"] == ["imagen_a", "muse_a"]
        assert metric["ranking"]["agrees_with_people"]


def test_metrics_have_no_right_answers_to_compare(made: Made, tmp_path: Path) -> None:
    settings = {"pictures": str(made.pictures), "tasks": "1"}
    runs = [
        load_stored(go(GeckoNumMetric(), counter, tmp_path, **settings)[0])
        for counter in ("counter/blobs", "counter/pattern")
    ]
    with pytest.raises(BadInput, match="geckonum-metric has no right answers"):
        compare_runs(runs)


def test_a_counter_agrees_with_people_number_by_number(made: Made, tmp_path: Path) -> None:
    folder, _ = go(
        GeckoNumMetric(), "counter/blobs", tmp_path, pictures=str(made.pictures), tasks="1"
    )
    found = agreement_with_people(load_stored(folder).counted, labels(made.annotations))
    assert found["all"].value == 1.0
    assert found["mean_distance"] == 0.0
    assert list(found["by_number"]) == ["1", "2", "3", "4", "5", "6", "7", "10", "10+"]
    assert found["by_painter"]["muse_a"].trials == 2 * len(NUMBERS)
    text = agreement_text("counter/blobs", found)
    assert "number 10+" in text
    assert "type numeric_simple" in text
    # somebody else's pictures can't be compared
    other = write_counts(tmp_path / "other", counts(BY_TEXT["2 dogs."], ["2"]), "somebody")
    assert agreement_with_people(load_stored(folder).counted, labels(other)) == {}


def test_clipscore_of_a_folder(made: Made, tmp_path: Path) -> None:
    clip = tmp_path / "clip"
    clip.mkdir()
    save_tiny_clip(clip)
    folder, scores = go(
        GeckoNumMetric(), f"clip/{clip}", tmp_path / "runs", pictures=str(made.pictures)
    )
    run = load_stored(folder)
    answers = run.counted
    assert answers.height == len(made.drawn)
    for value, number in answers.select("value", "number").iter_rows():
        [cosine] = json.loads(value)["scores"]
        assert number == pytest.approx(2.5 * max(cosine, 0))
    assert all(one.options[0].startswith("A photo depicts ") for one in run.trials.values())
    assert set(scores["means"]) == {"clipscore"}
    table = scored(answers)
    found = judge_metrics(labels(made.annotations), table)["metrics"]["clipscore"]
    # the paper prints nothing about Muse-A, so there is nothing to put beside
    assert found["models"]["muse_a"]["published"] is None
    assert found["published_ranks_as_people"] is False


def test_any_matcher_is_a_metric_under_its_own_name(made: Made, tmp_path: Path) -> None:
    """A file of scores: CLIPScore's formula for cosines only, probabilities as they are."""
    lines = ["sha256,sentence,score"]
    for path in sorted(made.pictures.rglob("*.png")):
        words = next(o.prompt for o in PROMPTS if path.stem.startswith(o.dataset_id + "_"))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f'{digest},"{words}",{0.25 if "_0" in path.stem[-2:] else 0.75}')
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(lines))
    prompts = tmp_path / "prompts.csv"
    write_prompts([asdict(one) for one in PROMPTS], "csv", prompts)
    for settings, metric, factor in [
        ("", "match", 1),
        ("&calibrated=false", "match", 1),
        ("&calibrated=false&unit=cosine", "clipscore", 2.5),
    ]:
        name = f"matcher/scores?file={table}{settings}"
        folder, scores = go(
            GeckoNumMetric(), name, tmp_path / "runs", pictures=str(made.pictures), prefix=""
        )
        assert set(scores["means"]) == {metric}
        for painter in PAINTERS:
            assert scores["means"][metric][painter]["value"] == pytest.approx(0.5 * factor)
        judged = CliRunner().invoke(
            root, ["geckonum", "metrics", "--scores", str(folder), "--annotations",
                   str(made.annotations), "--prompts", str(prompts), "--json"],
        )  # fmt: skip
        assert judged.exit_code == 0, judged.output
        [named] = json.loads(judged.stdout)["metrics"]
        assert named == f"{metric} ({load_stored(folder).info['model']['name']})"


def test_how_likely_yes_is_as_a_metric(made: Made, tmp_path: Path) -> None:
    def sure(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        found = completion("Yes")
        likely = [{"token": "Yes", "logprob": np.log(0.6)}, {"token": "No", "logprob": np.log(0.2)}]
        found["choices"][0]["logprobs"] = {"content": [{**likely[0], "top_logprobs": likely}]}
        return web.json_response(found)

    with ChatServer(sure) as server:
        server.keep_bodies = True
        _, scores = go(
            GeckoNumMetric(), "yes/openai/eyes", tmp_path, base_url=server.url,
            pictures=str(made.pictures), prefix="",
        )  # fmt: skip
    for painter in PAINTERS:
        assert scores["means"]["p-yes"][painter]["value"] == pytest.approx(0.75)
    asked = {one["messages"][-1]["content"][0]["text"] for one in server.bodies}
    assert "Does this picture show: 2 apples? Answer with yes or no." in asked


def test_question_answering_as_a_metric(made: Made, tmp_path: Path) -> None:
    """No apple, but exactly one apple: the second makes no sense without the first."""

    def contrary(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        question = body["messages"][-1]["content"][0]["text"]
        return web.json_response(completion("Yes." if "exactly" in question else "No."))

    with ChatServer(contrary) as server:
        _, scores = go(
            GeckoNumMetric(), "openai/eyes", tmp_path, base_url=server.url,
            pictures=str(made.pictures),
        )  # fmt: skip
    for painter in PAINTERS:
        assert scores["means"]["qa"][painter]["value"] == 0.5
        assert scores["means"]["qa-premises"][painter]["value"] == 0.0


def test_an_unreadable_answer_leaves_the_picture_out(made: Made, tmp_path: Path) -> None:
    def vague(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        return web.json_response(completion("A nice picture."))

    with ChatServer(vague) as server:
        _, scores = go(
            GeckoNumMetric(), "openai/eyes", tmp_path, base_url=server.url,
            pictures=str(made.pictures),
        )  # fmt: skip
    assert scores["means"] == {}
    assert scores["undefined"]["means"]
    assert scores["states"] == {"no-number": 2 * len(made.drawn)}


def test_every_prompt_makes_claims() -> None:
    for prompt in PROMPTS:
        claims = claims_of(prompt, Recipe())
        assert claims
        for place, claim in enumerate(claims):
            assert claim.question.endswith("?")
            assert claim.question.split()[0] in {"Is", "Are"}
            assert claim.premise is None or claim.premise < place
    spatial = next(one for one in PROMPTS if " below " in one.prompt)
    assert " below the " in claims_of(spatial, Recipe())[-1].question


def test_folders_without_pictures_are_named(made: Made, tmp_path: Path) -> None:
    known = {prompt.dataset_id for prompt in PROMPTS}
    with pytest.raises(BadInput, match="no folder"):
        find_pictures(tmp_path / "nowhere", known)
    with pytest.raises(BadInput, match="no picture at all"):
        find_pictures(tmp_path, known)
    (tmp_path / "cat.png").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"cat\.png"):
        find_pictures(tmp_path, known)
    (tmp_path / "geckonum_00000_0.png").write_bytes(b"x")
    (tmp_path / "geckonum_00000_0.jpg").write_bytes(b"x")
    with pytest.raises(BadInput, match="both picture 0"):
        find_pictures(tmp_path, known)
    with pytest.raises(BadInput, match="needs pictures"):
        GeckoNumMetric().settings_from({})


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"image": "a.png", "question": "How many cats?", "answer": 1}')
    assert len(read_vqa(path)) == 1
    path.write_text(path.read_text() + '\n{"image": "b.png", "question": "How many?", "answer": 2}')
    assert [one.answer for one in read_vqa(path)] == [1, 2]
