"""Models that look at GeckoNum's pictures: counting questions and metrics, from file to score.

The pictures are drawn here; people are five who count what is really there.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from aiohttp import web
from typer.testing import CliRunner

from subitize.benchmark import Benchmark
from subitize.benchmarks.geckonum.judging import (
    agreement_text,
    agreement_with_people,
    judge_metrics,
)
from subitize.benchmarks.geckonum.metric_run import GeckoNumMetric, picture_scores
from subitize.benchmarks.geckonum.vqa import GeckoNumVqa
from subitize.benchmarks.geckonum.vqa_sets import SPLITS, Split, vqa_entries, vqa_lines
from subitize.benchmarks.prompt_files import write_prompts
from subitize.cli import root
from subitize.datasets.geckonum.pictures import find_pictures
from subitize.datasets.geckonum.questions import claims_of
from subitize.datasets.geckonum.recipe import Recipe
from subitize.datasets.geckonum.scores import ScoreTable
from subitize.datasets.vqa_files import read_vqa
from subitize.errors import BadInput, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import load_stored, run_and_score
from subitize.runs.run import RunOptions
from subitize.stimuli.scattered import draw_scattered
from tests.benchmarks.geckonum_data import BY_TEXT, PROMPTS, counts, labels, write_counts
from tests.chat_server import ChatServer, completion
from tests.models.tiny_clip import save_tiny_clip

PAINTERS = ("imagen_a", "muse_a")
NUMBERS = (1, 2, 3, 4, 6, 10)


@dataclass(frozen=True)
class Made:
    """A folder of pictures, and annotations of them."""

    pictures: Path
    annotations: Path
    drawn: dict[tuple[str, str, int], int]
    """painter, prompt, seed: how many apples are in it"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("seen")
    rng = np.random.default_rng(0)
    drawn: dict[tuple[str, str, int], int] = {}
    for painter in PAINTERS:
        (folder / "pictures" / painter).mkdir(parents=True)
        rows = []
        for n in NUMBERS:
            prompt = BY_TEXT[f"{n} apple{'s' * (n != 1)}."]
            for seed in range(2):
                # Muse-A is wrong in every second picture
                many = n + (seed if painter == "muse_a" else 0)
                picture = draw_scattered("apple", many, 192, rng)
                name = f"{prompt.dataset_id}_{seed}"
                (folder / "pictures" / painter / f"{name}.png").write_bytes(picture)
                drawn[painter, prompt.dataset_id, seed] = many
                said = str(many) if many <= 10 else "10+"
                rows += counts(prompt, [said] * 4 + ["0" if seed else said], seed=seed)
        write_counts(folder / "answers", rows, painter)
    return Made(folder / "pictures", folder / "answers", drawn)


def go(
    benchmark: Benchmark[Any], model: str, out: Path, **settings: Any
) -> tuple[Path, Mapping[str, Any]]:
    options = ModelOptions(base_url=settings.pop("base_url", None))
    outcome, stored = run_and_score(
        benchmark,
        benchmark.settings_from(settings),
        open_model(model, options),
        out,
        RunOptions(progress=False),
    )
    if outcome.error is not None:
        raise outcome.error
    assert outcome.complete, outcome.stopped
    return outcome.folder, stored.scores


def scored(answers: pl.DataFrame) -> ScoreTable:
    return ScoreTable(picture_scores(answers))


# Counting questions


@pytest.fixture(scope="module")
def questions(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vqa") / "eval.jsonl"
    path.write_bytes(vqa_lines(vqa_entries(labels(made.annotations), SPLITS["eval"])))
    return path


def test_the_splits_of_the_paper(made: Made) -> None:
    found = labels(made.annotations)
    assert len(vqa_entries(found, SPLITS["eval"])) == len(made.drawn)
    assert {one.painter for one in vqa_entries(found, SPLITS["train"])} == {"imagen_a"}
    # the fifth person differs on every second picture
    strict = vqa_entries(found, Split(PAINTERS, 5))
    assert len(strict) == len(made.drawn) // 2
    assert all(one.frequency == "frequent" for one in strict)
    with pytest.raises(BadInput, match="No question is left"):
        vqa_entries(found, SPLITS["eval"], frequency="rare")
    with pytest.raises(UnknownName):
        vqa_entries(found, SPLITS["eval"], frequency="often")


def test_answers_are_what_most_people_said(made: Made, questions: Path) -> None:
    entries = read_vqa(questions)
    for one in entries:
        painter, _, name = one.image.partition("/")
        prompt, _, seed = name.rpartition("_")
        many = made.drawn[painter, prompt, int(seed)]
        assert one.answer == min(many, 11)
        assert one.at_least == (many > 10)
        assert one.question == "How many apples are in the image?"


def test_a_counter_that_counts_as_people_do(made: Made, questions: Path, tmp_path: Path) -> None:
    _, scores = go(
        GeckoNumVqa(), "counter/blobs", tmp_path, file=str(questions), pictures=str(made.pictures)
    )
    assert scores["states"] == {"read": len(made.drawn)}
    assert scores["accuracy"]["value"] == 1.0
    assert list(scores["by_number"]) == ["1", "2", "3", "4", "5", "6", "7", "10", "10+"]
    assert set(scores["by_painter"]) == set(PAINTERS)
    assert scores["by_type"]["numeric_simple"]["trials"] == len(made.drawn)


def test_a_namer_that_always_says_two(made: Made, questions: Path, tmp_path: Path) -> None:
    def two(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        return web.json_response(completion("There are two."))

    with ChatServer(two) as server:
        server.keep_bodies = True
        _, scores = go(
            GeckoNumVqa(), "openai/eyes", tmp_path, base_url=server.url, file=str(questions),
            pictures=str(made.pictures),
        )  # fmt: skip
        asked = {body["messages"][-1]["content"][0]["text"] for body in server.bodies}
    assert asked == {"How many apples are in the image? Answer with a number only."}
    twos = sum(many == 2 for many in made.drawn.values())
    assert scores["accuracy"]["value"] == pytest.approx(twos / len(made.drawn))
    assert scores["by_number"]["2"]["value"] == 1.0
    assert scores["within_one"]["value"] > scores["accuracy"]["value"]


def test_missing_pictures_are_named(made: Made, tmp_path: Path) -> None:
    lines = [
        {"image": "imagen_a/geckonum_00101_0", "question": "How many apples?", "answer": 1},
        {"image": "nowhere/lost.jpg", "question": "How many apples?", "answer": 2},
    ]
    first = next(iter(made.drawn))
    lines[0]["image"] = f"{first[0]}/{first[1]}_{first[2]}"
    path = tmp_path / "q.json"
    path.write_text(json.dumps(lines))
    with pytest.raises(BadInput, match=r"1 of 2 pictures .*nowhere/lost\.jpg"):
        go(GeckoNumVqa(), "counter/blobs", tmp_path, file=str(path), pictures=str(made.pictures))
    _, scores = go(
        GeckoNumVqa(), "counter/blobs", tmp_path, file=str(path), pictures=str(made.pictures),
        missing="skip",
    )  # fmt: skip
    assert scores["asked"] == 1
    assert scores["missing_pictures"] == {"count": 1, "first": ["nowhere/lost.jpg"]}


def test_a_picture_that_comes_later_is_not_asked_about(made: Made, tmp_path: Path) -> None:
    """Which pictures are missing is found before the first question, and kept."""
    pictures, path = tmp_path / "pictures", tmp_path / "q.json"
    pictures.mkdir()
    shutil.copy(next(made.pictures.glob("*/*.png")), pictures / "one.png")
    lines = [
        {"image": name, "question": "How many apples?", "answer": 1} for name in ("one", "two")
    ]
    path.write_text(json.dumps(lines))
    settings = {"file": str(path), "pictures": str(pictures), "missing": "skip"}
    _, first = go(GeckoNumVqa(), "counter/blobs", tmp_path, **settings)
    shutil.copy(pictures / "one.png", pictures / "two.png")
    _, again = go(GeckoNumVqa(), "counter/blobs", tmp_path, **settings)
    assert again["asked"] == first["asked"] == 1
    assert again["missing_pictures"] == {"count": 1, "first": ["two"]}
    assert GeckoNumVqa.decide is Benchmark.decide  # nothing is decided by looking


def test_files_of_tallyqa(made: Made, tmp_path: Path) -> None:
    """Entries as TallyQA writes them: simple and complex are kept apart."""
    image = "imagen_a/" + next(made.pictures.glob("imagen_a/*.png")).name
    many = made.drawn["imagen_a", *_split(image)]
    entries = [
        {"image": image, "answer": many, "data_source": "imported_genome", "image_id": 1,
         "question": "How many apples are there?", "question_id": 10, "issimple": True},
        {"image": image, "answer": many + 5, "data_source": "amt", "image_id": 1,
         "question": "How many apples are lying on the left?", "question_id": 11,
         "issimple": False},
        {"image": image, "answer": many, "data_source": "imported_genome", "image_id": 1,
         "question": "How many apples are there?", "question_id": 12, "issimple": True},
    ]  # fmt: skip
    path = tmp_path / "test.json"
    path.write_text(json.dumps(entries))
    _, scores = go(
        GeckoNumVqa(), "counter/blobs", tmp_path, file=str(path), pictures=str(made.pictures)
    )
    assert scores["asked"] == 2  # the same question about the same picture is asked once
    assert scores["by_complexity"]["simple"]["value"] == 1.0
    assert scores["by_complexity"]["complex"]["value"] == 0.0
    assert set(scores["by_painter"]) == {"imported_genome", "amt"}


def _split(image: str) -> tuple[str, int]:
    prompt, _, seed = Path(image).stem.rpartition("_")
    return prompt, int(seed)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no question"),
        ('{"image": "a.png", "question": "How many?"}', "lacks answer"),
        ('{"image": "a.png", "question": "How many?", "answer": "some"}', "no whole number"),
        ('{"image": "../a.png", "question": "How many?", "answer": 1}', "outside the folder"),
        ('{"image": "/etc/a.png", "question": "How many?", "answer": 1}', "outside the folder"),
        ("[1]", "no object"),
        ("{", "not JSON"),
        ("[", "not JSON"),
    ],
)
def test_files_that_are_no_questions(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(content)
    with pytest.raises(BadInput, match=message):
        read_vqa(path)


# Metrics


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
        return web.json_response(completion("Hard to say."))

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
