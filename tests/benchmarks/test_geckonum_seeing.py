"""Models that answer counting questions about GeckoNum's pictures, from file to score."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from subitize.benchmark import Benchmark
from subitize.benchmarks.geckonum.vqa import GeckoNumVqa
from subitize.benchmarks.geckonum.vqa_sets import SPLITS, Split, vqa_entries, vqa_lines
from subitize.datasets.vqa_files import read_vqa
from subitize.errors import BadInput, UnknownName
from tests.benchmarks.geckonum_data import labels
from tests.benchmarks.geckonum_seen import PAINTERS, Made, drawn_pictures, go
from tests.chat_server import ChatServer, completion


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return drawn_pictures(tmp_path_factory.mktemp("seen"))


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
