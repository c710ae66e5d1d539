"""The questions are those that people were shown."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from subitize.datasets.geckonum.prompts import Prompt, make_prompts, read_prompts
from subitize.datasets.geckonum.questions import (
    MISWORDED,
    Question,
    make_questions,
    questions_csv,
    read_questions,
    scene_count_questions,
)
from subitize.datasets.geckonum.recipe import TASK_OF_TYPE, Recipe
from subitize.errors import BadInput


@pytest.fixture(scope="module")
def released(data_dir: Path) -> list[Prompt]:
    return read_prompts(data_dir / "geckonum" / "prompts.csv")


@pytest.fixture(scope="module")
def shown(data_dir: Path) -> dict[tuple[int, str], dict[int, str]]:
    """(task, prompt): question id: words, of every file of the release."""
    found: dict[tuple[int, str], dict[int, str]] = defaultdict(dict)
    with zipfile.ZipFile(data_dir / "geckonum" / "geckonum_annotations.zip") as archive:
        for name in archive.namelist():
            if name.startswith(("task_1", "task_3")):
                text = io.StringIO(archive.read(name).decode(), newline="")
                for row in csv.DictReader(text):
                    key = int(name[5]), row["image_id"].rpartition("_")[0]
                    found[key][int(row["question_id"])] = row["question"]
    return found


def by_prompt(questions: list[Question]) -> dict[tuple[int, str], dict[int, Question]]:
    found: dict[tuple[int, str], dict[int, Question]] = defaultdict(dict)
    for one in questions:
        found[one.task, one.dataset_id][one.question_id] = one
    return found


def test_task_1_word_for_word(
    released: list[Prompt], shown: dict[tuple[int, str], dict[int, str]]
) -> None:
    ours = by_prompt(make_questions(released))
    asked = {key: words for key, words in shown.items() if key[0] == 1}
    assert len(asked) == 1260
    for key, words in asked.items():
        assert {place: one.question for place, one in ours[key].items()} == words, key


def test_task_2_word_for_word(data_dir: Path, released: list[Prompt]) -> None:
    ours = by_prompt(make_questions(released))
    rows = 0
    with zipfile.ZipFile(data_dir / "geckonum" / "geckonum_annotations.zip") as archive:
        for name in archive.namelist():
            if name.startswith("task_2"):
                for row in csv.DictReader(io.StringIO(archive.read(name).decode(), newline="")):
                    one = ours[2, row["image_id"].rpartition("_")[0]][0]
                    assert dict(one.lines)[int(row["answer_num"])] == row["answer_text"]
                    assert one.truth == float(row["gt_num"])
                    rows += 1
    assert rows
    counts = {"approx-1-entity": 3, "approx-2-entity": 5}
    for prompt in released:
        if prompt.prompt_type in counts:
            assert len(ours[2, prompt.dataset_id][0].lines) == counts[prompt.prompt_type]


def test_task_3_agrees_with_most_of_the_generators_questions(
    released: list[Prompt], shown: dict[tuple[int, str], dict[int, str]]
) -> None:
    ours = by_prompt(make_questions(released))
    agreeing = total = whole = 0
    for key, words in shown.items():
        if key[0] == 3:
            mine = {one.question for one in ours[key].values()}
            agreeing += len(mine & set(words.values()))
            total += len(words)
            whole += mine == set(words.values())
    assert (agreeing, total, whole) == (116, 208, 15)  # as docs/geckonum.md says


def test_task_3_leaves_out_what_is_not_about_number(released: list[Prompt]) -> None:
    questions = [one for one in make_questions(released) if one.task == 3]
    for one in questions:
        assert not re.search(r"\btable\b|\bimage\b", one.question)
    sizes = [len(found) for (task, _), found in by_prompt(questions).items() if task == 3]
    assert set(sizes) <= {2, 3, 4, 5, 6}  # "between two and six questions per prompt"


def prompt(text: str, entities: str, kind: str, identity: str = "geckonum_09999") -> Prompt:
    return Prompt(0, text, 1, -1, entities, kind, identity)


def truths(found: Prompt, **options: bool) -> dict[str, float | None]:
    return {one.question: one.truth for one in make_questions([found], **options)}


def test_truths() -> None:
    assert truths(prompt("3 black and 2 red.", "black cat:3,red cat:2", "2-additive-color")) == {
        "How many cats are in the image?": 5,
        "How many black cats are in the image?": 3,
        "How many red cats are in the image?": 2,
    }
    text = "There are 4 flies to the left of one fish."
    assert truths(prompt(text, "fly:4,fish:1", "attribute-spatial")) == {
        "How many flies are in the image?": 4,
        "How many fish are in the image?": 1,
        "How many flies are to the left of fish?": 4,
        "How many fish are to the right of flies?": 1,
    }


def test_the_question_without_truth_is_that_of_the_release_alone(released: list[Prompt]) -> None:
    without = [one for one in make_questions(released) if one.truth is None]
    assert [(one.dataset_id, one.question) for one in without] == [
        ("geckonum_01209", "How many cats are in the image?")
    ]
    drawn = prompt("Two black cats and 2 red cats.", "black cat:2,red cat:2", "2-additive-color")
    assert truths(drawn)["How many cats are in the image?"] == 4


def test_misworded_questions_can_be_mended(released: list[Prompt]) -> None:
    broken = [one for one in released if one.dataset_id in MISWORDED]
    assert len(broken) == 8
    first = broken[0]
    assert truths(first)["How many cinnamon sticks are below sticks?"] == 3  # the burgers' number
    assert "How many burgers are below cinnamon sticks?" in truths(first, mended=True)
    assert all(len(truths(one, mended=True)) == 4 for one in broken)


def test_every_made_prompt_gets_questions() -> None:
    prompts = make_prompts(Recipe(), np.random.default_rng(3))
    asked = {one.dataset_id for one in make_questions(prompts)}
    assert asked == {one.dataset_id for one in prompts}
    assert {one.task for one in make_questions(prompts)} == {1, 2, 3}
    assert len(scene_count_questions(prompts)) == 24
    assert set(TASK_OF_TYPE) == {one.prompt_type for one in prompts}


def test_questions_from_elsewhere(tmp_path: Path) -> None:
    prompts = make_prompts(Recipe(), np.random.default_rng(0))
    path = tmp_path / "questions.csv"
    path.write_text("dataset_id,question\ngeckonum_00969,Is it bread?\ngeckonum_00969,Is it cut?\n")
    found = by_prompt(read_questions(path, prompts))
    assert [one.question for one in found[3, "geckonum_00969"].values()] == [
        "Is it bread?",
        "Is it cut?",
    ]
    assert len(found[3, "geckonum_00970"]) == 2
    as_json = tmp_path / "questions.json"
    as_json.write_text('[{"dataset_id": "geckonum_00969", "question": "Is it?"}]')
    assert len(by_prompt(read_questions(as_json, prompts))[3, "geckonum_00969"]) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("dataset_id,text\nx,y\n", "lacks the column question"),
        ("dataset_id,question\ngeckonum_99999,Is it?\n", "questions.csv:2: there is no prompt"),
        ("dataset_id,question\ngeckonum_00000,Is it?\n", "only questions of the three types"),
        ("dataset_id,question\ngeckonum_00969,\n", "questions.csv:2 lacks question"),
    ],
)
def test_bad_question_files_are_named(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(content)
    with pytest.raises(BadInput, match=re.escape(words)):
        read_questions(path, make_prompts(Recipe(), np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (prompt("A dog.", "dog:one", "2-additive"), "no whole number"),
        (prompt("A dog.", "dog:1", "counting"), "unknown type"),
        (prompt("A dog near 1 cat.", "dog:1,cat:1", "attribute-spatial"), "no known relation"),
        (prompt("A dog.", "dog:lots,x:1", "approx-2-entity"), "known are fewer"),
        (prompt("A dog.", "dog:few,x:1", "approx-1-entity"), "lacks `There are only a few"),
        (prompt("A dog.", "dog:1", "part-whole"), "give them in a file"),
    ],
)
def test_prompts_without_questions_are_named(broken: Prompt, words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        make_questions([broken])


def test_table_of_questions() -> None:
    found = make_questions([prompt("2 dogs.", "dog:2", "numeric_simple")])
    assert questions_csv(found).splitlines() == [
        "dataset_id,task,question_id,question,truth,lines",
        "geckonum_09999,1,0,How many dogs are in the image?,2,",
    ]
