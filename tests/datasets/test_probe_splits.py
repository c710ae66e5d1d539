"""Splits: the released ones counted as the paper counts, and our own without a leak."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from subitize.cli import root
from subitize.datasets.probe.alignment import draw_pairs, read_captions, read_pairs, scene_pairs
from subitize.datasets.probe.questions import PARTS, read_all, read_questions
from subitize.datasets.probe.released import read_split
from subitize.datasets.probe.splits import CAP, build, first_items, scene_questions
from subitize.datasets.probe.statistics import part_statistics, statistics
from subitize.errors import BadInput, SubitizeError
from subitize.published.probe import TABLE_6, TABLE_7

RELEASED = {
    ("standard", "test"): "standard_split.test",
    ("hard", "test"): "hard_split.test",
    ("interpolated", "train"): "interpolation_split.train",
    ("interpolated", "test"): "interpolation_split.test",
}


@pytest.mark.parametrize(("split", "part"), RELEASED)
def test_the_released_splits_are_counted_as_in_tables_6_and_7(
    probe_split: Callable[[str], Path], split: str, part: str
) -> None:
    path = probe_split(RELEASED[split, part])
    told = part_statistics(read_split(path))
    assert (told["correct"], told["foiled"], told["total"]) == TABLE_6[split, part]
    for numeral, printed in TABLE_7.get((split, part), {}).items():
        if (split, part, numeral) != ("standard", "test", "two"):
            assert told["percent"][numeral] == pytest.approx(printed, abs=0.6)
    assert told["pictures"] == told["correct"]


def test_the_paper_s_table_7_has_one_slip(probe_split: Callable[[str], Path]) -> None:
    path = probe_split("standard_split.test")
    assert TABLE_7["standard", "test"]["two"] == 19
    assert round(part_statistics(read_split(path))["percent"]["two"]) == 29


def test_odd_numbers_are_only_foils_in_the_released_training(
    probe_split: Callable[[str], Path],
) -> None:
    path = probe_split("interpolation_split.train")
    only = statistics({"train": read_split(path)})["only_foils_in_training"]
    assert {1, 3, 5, 7, 9} <= set(only)


def visual7w(folder: Path) -> Path:
    images = []
    for place in range(300):
        pairs = [
            {"qa_id": 10 * place, "question": "How many cats are there?", "type": "how",
             "answer": f"{place % 7}.", "multiple_choices": ["1.", "8.", "Nine."]},
            {"qa_id": 10 * place + 1, "question": "how many  dogs?", "type": "how",
             "answer": "Two.", "multiple_choices": ["2.", "3.", "3."]},
            {"qa_id": 10 * place + 2, "question": "How many legs is he using?", "type": "how",
             "answer": "2.", "multiple_choices": []},
            {"qa_id": 10 * place + 3, "question": "What is it?", "type": "what",
             "answer": "A cat.", "multiple_choices": ["a", "b", "c"]},
            {"qa_id": 10 * place + 4, "question": "How many hairs?", "type": "how",
             "answer": "Many.", "multiple_choices": ["1", "2", "3"]},
        ]  # fmt: skip
        split = ("train", "val", "test")[place % 3]
        images.append({"filename": f"v7w_{place}.jpg", "split": split, "qa_pairs": pairs})
    path = folder / "dataset_v7w_telling.json"
    path.write_bytes(orjson.dumps({"dataset": "visual7w-telling", "images": images}))
    return path


@pytest.mark.parametrize("split", ["standard", "hard", "interpolated"])
def test_a_visual7w_file_becomes_a_split(tmp_path: Path, split: str) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(
        root,
        ["probe", "build", split, "--from", "visual7w", "--file", str(visual7w(tmp_path)),
         "--out", str(out), "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = orjson.loads(done.stdout)
    assert told["leaks"] == 0
    assert told["dropped"]["no-template"] == told["dropped"]["answer-not-a-number"] == 300
    assert told["dropped"]["not-a-how-many-question"] == 300
    assert told["dropped_examples"]["answer-not-a-number"][0] == "How many hairs? Many."
    for part, place in (("train", 0), ("valid", 1), ("test", 2)):
        items = read_split(out / f"visual7w_counting_{split}_split.{part}.json")
        assert len({one.picture for one in items}) == len(items)
        assert all(not one.faults and one.part == part for one in items)
        assert all(int(one.picture[4:-4]) % 3 == place for one in items)
        assert all(one.statement and len(one.foil_statements) == 3 for one in items)
        if split == "interpolated":
            assert all(one.answer % 2 == (part != "train") for one in items)
    assert told["repaired"]


def test_hard_caps_each_answer_and_leaves_large_ones_out_of_training() -> None:
    found = scene_questions(4000, seed=1, highest=24)
    made = build(found, "hard", seed=1, mode="fluent")
    told = statistics(made.parts)["parts"]
    for part in told.values():
        assert max(one["right"] for one in part["numbers"].values()) <= CAP
    assert max(one["right"] for one in told["train"]["numbers"].values()) == CAP
    assert max(one.answer for one in made.parts["train"]) <= 20
    assert max(one.answer for one in made.parts["test"]) > 20
    # a larger foil in training would be a shortcut: it is never right there
    assert max(number for one in made.parts["train"] for number in one.foils) <= 20


def test_even_foils_leave_no_number_that_is_only_a_foil() -> None:
    found = scene_questions(2000, seed=0)
    shown = {}
    for rule in ("any", "even"):
        made = build(found, "interpolated", seed=0, foils=rule, mode="fluent")
        shown[rule] = statistics(made.parts)["only_foils_in_training"]
    assert shown == {"any": [1, 3, 5, 7, 9], "even": []}
    with pytest.raises(BadInput, match="interpolated split"):
        build(found, "hard", seed=0, foils="even", mode="fluent")


def test_tallyqa_and_vqa_files_are_read(tmp_path: Path) -> None:
    tally = tmp_path / "train.json"
    entry = {"image": "VG_100K/1.jpg", "answer": 3, "issimple": True, "question_id": 7,
             "question": "How many birds are there?", "data_source": "imported_genome"}  # fmt: skip
    tally.write_bytes(orjson.dumps([entry]))
    (one,) = read_questions("tallyqa", tally).questions
    assert (one.picture, one.answer, one.part, one.foils) == ("VG_100K/1.jpg", 3, "train", None)
    asked, told = tmp_path / "q.json", tmp_path / "a.json"
    questions = [{"image_id": 42, "question": "How many cats?", "question_id": 1},
                 {"image_id": 43, "question": "How many cats?", "question_id": 2}]  # fmt: skip
    asked.write_bytes(orjson.dumps({"data_subtype": "val2014", "questions": questions}))
    told.write_bytes(
        orjson.dumps({"annotations": [{"question_id": 1, "multiple_choice_answer": "2"}]})
    )
    found = read_questions("vqa", asked, told)
    (one,) = found.questions
    assert (one.picture, one.part) == ("COCO_val2014_000000000042.jpg", "valid")
    assert found.dropped == {"answer-not-a-number": 1}
    with pytest.raises(BadInput, match="--annotations"):
        read_questions("vqa", asked)


def test_ids_that_come_twice_lose_no_item(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    entries = [
        {"image": f"{source}/{at}.jpg", "answer": at % 7, "question_id": at,
         "question": "How many birds are there?", "data_source": source}
        for source in ("imported_genome", "amt")
        for at in range(30)
    ]  # fmt: skip
    path.write_bytes(orjson.dumps(entries))
    out = tmp_path / "built"
    asked = ["probe", "build", "standard", "--from", "tallyqa", "--file", str(path), "--json"]
    found = CliRunner().invoke(root, [*asked, "--out", str(out)])
    assert orjson.loads(found.stdout)["parts"]["train"]["correct"] == 60
    items = read_split(out / "tallyqa_counting_standard_split.train.json")
    assert {one.picture for one in items} == {entry["image"] for entry in entries}


def test_several_files_and_drawn_parts(tmp_path: Path) -> None:
    for part, first in (("train", 0), ("test", 300)):
        entries = [
            {"image": f"{place}.jpg", "answer": place % 5, "question_id": place,
             "question": "How many birds are there?"}
            for place in range(first, first + 300)
        ]  # fmt: skip
        (tmp_path / f"{part}.json").write_bytes(orjson.dumps(entries))
    files = [word for part in ("train", "test") for word in ("--file", f"{tmp_path}/{part}.json")]
    told = {}
    for parts in ("own", "drawn"):
        done = CliRunner().invoke(
            root,
            ["probe", "build", "standard", "--from", "tallyqa", *files, "--parts", parts, "--out",
             str(tmp_path / parts), "--json"],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        found = orjson.loads(done.stdout)["parts"]
        told[parts] = {name: part["correct"] for name, part in found.items()}
        for path in (tmp_path / parts).glob("*_split.*.json"):
            assert read_split(path)
    assert told["own"] == {"train": 300, "test": 300}
    assert orjson.loads((tmp_path / "own/statistics.json").read_bytes())["empty"] == ["valid"]
    assert not list((tmp_path / "own").glob("*valid*"))
    assert sum(told["drawn"].values()) == 600
    assert told["drawn"]["train"] > told["drawn"]["test"] > told["drawn"]["valid"] > 60


def test_figure_2_is_drawn_of_any_files(tmp_path: Path) -> None:
    words = ["probe", "build", "standard", "--many", "200", "--out", str(tmp_path)]
    assert CliRunner().invoke(root, words).exit_code == 0
    files = [str(tmp_path / f"scenes_counting_standard_split.{part}.json") for part in PARTS]
    drawn = [*files, "--figure", str(tmp_path / "rings.svg"), "--json"]
    done = CliRunner().invoke(root, ["probe", "statistics", *drawn])
    assert done.exit_code == 0, done.output
    assert orjson.loads(done.stdout)["parts"].keys() == set(PARTS)
    assert "percent of numerals" in (tmp_path / "rings.svg").read_text()


def test_what_build_needs_is_said(tmp_path: Path) -> None:
    for words, said in (
        (["standard", "--from", "tallyqa"], "needs --file"),
        (["alignment", "--from", "coco"], "needs --file"),
        (["alignment", "--many", "-1"], "gives no pairs"),
        (["alignment", "--from", "cc", "--file", "a", "--file", "b"], "from one --file"),
        (["soft"], "no split 'soft'"),
        (["standard", "--from", "elsewhere", "--file", "x"], "no source of questions"),
        (["standard", "--parts", "some"], "no kind of parts"),
        (["standard", "--foils", "odd"], "no rule on foils"),
    ):
        done = CliRunner().invoke(root, ["probe", "build", *words, "--out", str(tmp_path)])
        assert isinstance(done.exception, SubitizeError)
        assert done.exception.exit_code == 2
        assert said in str(done.exception)


@pytest.mark.parametrize("content", ["[1]", "{}", '{"images": [{}]}', '{"questions": 3}', "nope"])
@pytest.mark.parametrize("source", ["visual7w", "tallyqa", "vqa"])
def test_files_of_another_kind_are_told_apart(tmp_path: Path, source: str, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(SubitizeError):
        read_questions(source, path, path)


BROKEN = {
    '{"images": [{"filename": "a", "split": "train", "qa_pairs": 5}]}': "qa_pairs is 5",
    '{"images": [{"filename": "a", "split": "train", "qa_pairs": [{"question": "How many cats?", '
    '"answer": "2", "multiple_choices": 7, "qa_id": 1}]}]}': "multiple_choices is 7",
    '{"annotations": [], "questions": [{"image_id": "abc", "question": "", "question_id": 1}]}': (
        "question 1: image_id is 'abc'"
    ),
}


@pytest.mark.parametrize(("content", "said"), BROKEN.items())
def test_a_damaged_entry_is_told_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    source = "visual7w" if "images" in content else "vqa"
    with pytest.raises(SubitizeError, match=re.escape(said)):
        read_questions(source, path, path)


def test_numbers_and_pictures_that_cannot_be_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    entry = {"image": "a.jpg", "question": "How many cats?", "answer": 2}
    path.write_bytes(orjson.dumps([entry, entry | {"answer": -4}, entry | {"image": "../b.jpg"}]))
    found = read_questions("tallyqa", path)
    assert len(found.questions) == 1
    assert found.dropped == {"answer-not-a-number": 1, "picture-outside-the-folder": 1}


def test_a_question_with_a_wordy_foil_stays_and_is_no_dropped_one(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    pair = {"question": "How many cats?", "answer": "2", "qa_id": 1}
    pair |= {"multiple_choices": ["Many.", "1", "3"]}
    path.write_bytes(
        orjson.dumps({"images": [{"filename": "a", "split": "train", "qa_pairs": [pair]}]})
    )
    built = build(read_questions("visual7w", path), "standard", seed=0, mode="fluent")
    assert not +built.dropped
    assert built.repaired["foil-not-a-number"] == 1
    assert not built.parts["train"][0].faults


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ([], "fewer-than-three-foils"),
        (["1", "3"], "fewer-than-three-foils"),
        (["-1", "1", "3"], "foil-not-a-number"),
        (["1", "1", "3"], "repeated-foil"),
        (["Two.", "1", "3"], "foil-equals-answer"),
    ],
)
def test_every_broken_foil_is_counted_and_replaced(
    tmp_path: Path, choices: list[str], why: str
) -> None:
    path = tmp_path / "x.json"
    pair = {"question": "How many cats?", "answer": "2", "qa_id": 1, "multiple_choices": choices}
    image = {"filename": "a", "split": "train", "qa_pairs": [pair]}
    path.write_bytes(orjson.dumps({"images": [image]}))
    built = build(read_questions("visual7w", path), "standard", seed=0, mode="fluent")
    assert built.repaired[why] == 1
    (item,) = built.parts["train"]
    assert not item.faults


def test_a_picture_under_two_spellings_of_its_name_stays_in_one_part(tmp_path: Path) -> None:
    for part, image in (("train", "VG_100K/1.jpg"), ("test", "./VG_100K//1.jpg")):
        entry = {"image": image, "question": "How many cats?", "answer": 2}
        (tmp_path / f"{part}.json").write_bytes(orjson.dumps([entry]))
    found = read_all("tallyqa", [tmp_path / "train.json", tmp_path / "test.json"])
    built = build(found, "standard", seed=0, mode="fluent")
    assert [len(items) for items in built.parts.values()] == [1, 0, 0]
    assert built.dropped["picture-in-two-parts"] == 1


def pictures(folder: Path, names: list[str]) -> Path:
    made = folder / "pictures"
    made.mkdir(exist_ok=True)
    for name in names:
        (made / name).write_bytes(b"x")
    return made


def test_coco_captions_become_pairs(tmp_path: Path) -> None:
    names = [f"{place:012d}.jpg" for place in range(40)]
    annotations = [
        {"image_id": place, "caption": f"picture {place}  told {way}\n"}
        for place in range(40)
        for way in range(5)
    ]
    given: dict[str, Any] = {
        "images": [{"id": place, "file_name": name} for place, name in enumerate(names)],
        "annotations": annotations,
    }
    path = tmp_path / "captions_val2017.json"
    path.write_bytes(orjson.dumps(given))
    folder = pictures(tmp_path, names[:30])
    done = CliRunner().invoke(
        root,
        ["probe", "build", "alignment", "--from", "coco", "--file", str(path), "--pictures",
         str(folder), "--many", "20", "--out", str(tmp_path / "out"), "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = orjson.loads(done.stdout)
    assert told["pairs"] == 20
    assert told["missing_pictures"]["count"] == 10
    pairs = read_pairs(Path(told["file"]))
    assert len({one.picture for one in pairs}) == 20
    for one in pairs:
        own = f"picture {int(one.picture[:-4])} told"
        assert one.caption.startswith(own)
        assert not one.foil.startswith(own)


def test_captions_that_are_no_objects_are_told(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_text('{"images": [1], "annotations": [2]}')
    with pytest.raises(BadInput, match="should be objects"):
        read_captions("coco", path, pictures(tmp_path, ["a.jpg"]))


def test_conceptual_captions_are_named_by_line_or_column(tmp_path: Path) -> None:
    path = tmp_path / "cc.tsv"
    path.write_text("a dog\thttp://x/1\na cat\thttp://x/2\na cow\thttp://x/3\tcow.jpg\n")
    folder = pictures(tmp_path, ["1.jpg", "000002.png", "cow.jpg"])
    found = read_captions("cc", path, folder)
    assert found.captions == {"1.jpg": ["a dog"], "000002.png": ["a cat"], "cow.jpg": ["a cow"]}
    assert all(one.caption != one.foil for one in draw_pairs(found, "cc"))
    path.write_text("no tab here\n")
    with pytest.raises(BadInput, match=r"cc\.tsv:1"):
        read_captions("cc", path, folder)


@pytest.mark.parametrize(
    ("split", "part", "foils", "answers", "highest"),
    [
        ("standard", "test", "any", "zipf", 10),
        ("standard", "train", "any", "flat", 20),
        ("standard", "valid", "any", "zipf", 40),
        ("interpolated", "train", "even", "zipf", 10),
        ("interpolated", "test", "any", "zipf", 10),
    ],
)
@pytest.mark.parametrize("many", [12, 600])
def test_the_first_items_are_those_of_the_whole_split(
    split: str, part: str, foils: str, answers: str, highest: int, many: int
) -> None:
    """A run begins before all scenes of its pool are thought out; its items stay what they were."""
    found = scene_questions(many, seed=5, answers=answers, highest=highest)
    whole = build(found, split, seed=5, foils=foils, mode="fluent").parts[part]
    assert (
        first_items(many, (split, part, 40), seed=5, answers=answers, highest=highest, foils=foils)
        == whole[:40]
    )


def test_scene_pairs_have_wrong_foils() -> None:
    pairs = scene_pairs(50, seed=3)
    assert len(pairs) == 50
    assert all(one.caption != one.foil and one.recipe for one in pairs)
    assert pairs == scene_pairs(50, seed=3)


def built(*words: object) -> Any:
    done = CliRunner().invoke(root, ["probe", "build", *map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return orjson.loads(done.stdout)


def test_scenes_are_built_with_every_setting_of_their_look(tmp_path: Path) -> None:
    look = {"size": 128, "conditions": "2", "overlap": 0.2, "clutter": 9, "identical": "on"}
    given = [word for name, value in look.items() for word in ("--set", f"{name}={value}")]
    built("standard", "--many", 40, *given, "--out", tmp_path)
    built("alignment", "--many", 6, *given, "--out", tmp_path)
    recipes = [one.recipe for path in tmp_path.glob("*_split.*.json") for one in read_split(path)]
    recipes += [one.recipe for one in read_pairs(tmp_path / "scenes_alignment.json")]
    assert len(recipes) == 46
    assert all(recipe.items() >= look.items() for recipe in recipes)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("standard", "--set", "task=mlm"), "no setting of a scene 'task'"),
        (("alignment", "--set", "clutter=900"), "clutter = 900"),
        (("standard", "--from", "tallyqa", "--file", "a.json", "--set", "size=99"), "leave it out"),
    ],
)
def test_settings_that_do_not_fit_leave_no_folder(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "built"
    done = CliRunner().invoke(root, ["probe", "build", *words, "--out", str(out)])
    assert said in str(done.exception)
    assert not out.exists()


def test_two_files_of_one_part_are_counted_each_by_itself(tmp_path: Path) -> None:
    first = built("standard", "--many", 80, "--out", tmp_path)
    second = built("interpolated", "--many", 80, "--out", tmp_path)
    files = sorted(str(path) for path in tmp_path.glob("*.train.json"))
    done = CliRunner().invoke(root, ["probe", "statistics", *files, "--json"])
    told = orjson.loads(done.stdout)
    for name, whole in (("interpolated", second), ("standard", first)):
        assert told["parts"][f"scenes_counting_{name}_split.train"] == whole["parts"]["train"]
    wanted = {*first["only_foils_in_training"], *second["only_foils_in_training"]}
    assert set(told["only_foils_in_training"]) == wanted
    assert 3 in wanted
    assert told["leaks"] == 0


@pytest.mark.parametrize("foils", ["any", "even"])
def test_no_drawn_foil_lies_above_the_highest_answer(tmp_path: Path, foils: str) -> None:
    """TallyQA has no wrong answers of its own: what we draw makes no shortcut."""
    path = tmp_path / "train.json"
    entries = [
        {"image": f"{n}.jpg", "question": "How many dogs are there?", "answer": n % 16}
        for n in range(320)
    ]
    path.write_bytes(orjson.dumps(entries))
    words = ("interpolated", "--from", "tallyqa", "--file", path, "--foils", foils)
    told = built(*words, "--out", tmp_path / "out")
    odd = list(range(1, 14, 2))  # 14 is the highest even answer
    assert told["only_foils_in_training"] == (odd if foils == "any" else [])
