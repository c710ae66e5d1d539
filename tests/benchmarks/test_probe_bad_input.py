"""What can be wrong with the probe's data and models: counted, named, explained; exit 2."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from subitize.cli import main
from subitize.datasets.probe.released import ProbeItem, as_entry
from subitize.stimuli.scattered import draw_scattered
from tests.models import tiny_matchers
from tests.models.tiny_matchers import WIDE

PARKED = "How many cars are parked?"


def subitize(capsys: pytest.CaptureFixture[str], *words: object, code: int = 2) -> Any:
    """What a command says as it fails, or the result of one that works."""
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words), *(() if code else ("--json",))])
    said = capsys.readouterr()
    assert ended.value.code == code, said.err
    if not code:
        return json.loads(said.out)
    assert "Traceback" not in said.err
    return said.err


def write_split(folder: Path, items: list[ProbeItem], pictures: int | None = None) -> list[object]:
    """A split file with pictures beside it; the settings that name both."""
    rng = np.random.default_rng(0)
    folder.mkdir(exist_ok=True)
    shown = folder / "shown"
    shown.mkdir(exist_ok=True)
    for one in items[:pictures]:
        (shown / one.picture).write_bytes(draw_scattered("apple", one.answer, 64, rng))
    path = folder / "split.json"
    path.write_text(json.dumps({one.id: as_entry(one, "fluent") for one in items}))
    return ["--set", f"file={path}", "--set", f"pictures={shown}"]


def item(place: int, question: str = PARKED, foils: tuple[int, ...] = (4, 5, 6)) -> ProbeItem:
    return ProbeItem(f"item_{place}", f"{place}.png", question, place % 3 + 1, foils)


def test_scenes_too_small_for_their_things_are_told_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crowded = ["run", "probe", "--model", "sim/perfect", "--set", "size=64", "--out", tmp_path]
    said = subitize(capsys, *crowded, "--set", "answers=flat", "--set", "items=60")
    assert "10 things asked for may not fit in a scene with size = 64: give a size of 80" in said
    assert not list(tmp_path.iterdir())
    subitize(capsys, *crowded, "--set", "highest=4", "--set", "items=5", code=0)


def test_questions_that_match_no_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = "How many is it?"
    named = write_split(tmp_path, [item(0), item(1), item(2, odd), item(3, odd)])
    [scores] = subitize(
        capsys, "run", "probe", "--model", "sim/perfect", *named, "--out", tmp_path / "runs", code=0
    )
    assert scores["unusable"] == {"no-template": 2}
    assert scores["unusable_first"] == {"no-template": [f"item_2: {odd}", f"item_3: {odd}"]}
    assert scores["items"] == 2
    page = tmp_path / "page.html"
    done = CliRunner().invoke(_root(), ["report", str(tmp_path / "runs"), "--out", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "2 items could not be asked: no template makes a statement" in text
    assert "item_2" in text
    # none at all is an error that says how to go on
    named = write_split(tmp_path / "none", [item(0, odd), item(1, odd)])
    said = subitize(capsys, "run", "probe", "--model", "sim/perfect", *named)
    assert "None of 2 items can be asked: 2 no-template" in said
    assert "format=qa needs none" in said
    assert "item_0: How many is it?" in said
    # and a build leaves them out, counted, with examples
    source = tmp_path / "train.json"
    rows = [{"image": f"{n}.png", "question": odd if n == 3 else PARKED, "answer": n}
            for n in range(1, 9)]  # fmt: skip
    source.write_text(json.dumps(rows))
    told = subitize(
        capsys, "probe", "build", "standard", "--from", "tallyqa", "--file", source, "--out",
        tmp_path / "built", code=0,
    )  # fmt: skip
    assert told["dropped"]["no-template"] == 1
    assert told["dropped_examples"]["no-template"] == [odd]


def _root() -> Any:
    from subitize.cli import root

    return root


def test_answers_that_are_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "train.json"
    rows = [{"image": f"{n}.png", "question": PARKED, "answer": "a lot" if n == 2 else n}
            for n in range(1, 9)]  # fmt: skip
    source.write_text(json.dumps(rows))
    told = subitize(
        capsys, "probe", "build", "standard", "--from", "tallyqa", "--file", source, "--out",
        tmp_path / "built", code=0,
    )  # fmt: skip
    assert told["dropped"]["answer-not-a-number"] == 1
    assert told["dropped_examples"]["answer-not-a-number"] == [f"{PARKED} a lot"]
    # in a file that is run as it is, the place is named
    named = write_split(tmp_path, [item(0)])
    path = tmp_path / "split.json"
    entries = json.loads(path.read_text())
    entries["item_0"]["answer"] = "two"
    path.write_text(json.dumps(entries))
    said = subitize(capsys, "run", "probe", "--model", "sim/perfect", *named)
    assert "split.json: item_0: 'two' is no whole number" in said
    assert "probe build" in said


def test_pictures_that_are_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = write_split(tmp_path, [item(n) for n in range(9)], pictures=2)
    said = subitize(capsys, "run", "probe", "--model", "sim/perfect", *named)
    assert "7 of 9 pictures are not in" in said
    assert "2.png, 3.png, 4.png, 5.png, 6.png, …" in said
    assert "missing=skip" in said
    [scores] = subitize(
        capsys, "run", "probe", "--model", "sim/perfect", *named, "--set", "missing=skip", "--out",
        tmp_path / "runs", code=0,
    )  # fmt: skip
    assert scores["missing_pictures"] == {
        "count": 7, "first": ["2.png", "3.png", "4.png", "5.png", "6.png"]
    }  # fmt: skip
    said = subitize(
        capsys, "finetune", "foils", "--model", "hf/nowhere", "--train", tmp_path / "split.json",
        "--valid", tmp_path / "split.json", "--test", tmp_path / "split.json", "--pictures",
        tmp_path / "shown",
    )  # fmt: skip
    assert "7 of 9 pictures are not in" in said


def test_parts_that_share_pictures_stop_a_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_split(tmp_path, [item(n) for n in range(4)])
    path = tmp_path / "split.json"
    words = ("finetune", "foils", "--model", "hf/nowhere", "--pictures", tmp_path / "shown")
    said = subitize(capsys, *words, "--train", path, "--valid", path, "--test", path)
    assert "4 pictures of training occur in validation or test, the first is 0.png" in said
    assert "--allow-leak" in said
    said = subitize(capsys, *words, "--train", path)
    assert "Give --valid and --test too" in said


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("transformers")
    kinds = ("ViltForImageAndTextRetrieval", "ViltForMaskedLM", "LxmertForPreTraining")
    return tiny_matchers.save(tmp_path_factory.mktemp("models"), kinds)


def test_a_model_without_the_needed_head(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retrieval = f"hf/{models['ViltForImageAndTextRetrieval']}"
    said = subitize(capsys, "run", "probe", "--model", retrieval, "--set", "task=mlm")
    assert "filler" in said
    assert "matcher" in said
    said = subitize(
        capsys, "finetune", "foils", "--model", f"hf/{models['ViltForMaskedLM']}", "--set",
        "items=4", "--judged", "2", "--out", tmp_path,
    )  # fmt: skip
    assert "can't be trained to tell right sentences from foils" in said
    masked, out = f"hf/{models['ViltForMaskedLM']}", tmp_path / "runs"
    said = subitize(capsys, "run", "probe", "--model", masked, "--out", out)
    assert "says numbers only, never yes or no" in said
    assert not out.exists()


def test_a_vocabulary_without_number_words(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers import BertTokenizer

    folder = tmp_path / "mute"
    folder.mkdir()
    for path in models["ViltForMaskedLM"].iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    known = BertTokenizer.from_pretrained(folder).get_vocab()
    numbers = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
    vocabulary = {
        f"x{place}" if word in numbers or word.isdigit() else word: place
        for word, place in known.items()
    }
    BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    said = subitize(
        capsys, "run", "probe", "--model", f"hf/{folder}?isolated=false", "--set", "task=mlm",
        "--set", "items=5", "--out", tmp_path / "runs",
    )  # fmt: skip
    assert "vocabulary has no number word" in said
    assert "whose tokenizer knows words such as two" in said


def test_region_features_of_the_wrong_size_or_for_other_pictures(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = write_split(tmp_path, [item(n) for n in range(3)])
    hashes = [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((tmp_path / "shown").iterdir())
    ]

    def run(boxes: int, wide: int, of: list[str], **code: int) -> Any:
        rng = np.random.default_rng(0)
        arrays = {}
        for name in of:
            arrays[f"{name}/boxes"] = rng.random((boxes, 4), dtype=np.float32)
            arrays[f"{name}/features"] = rng.random((boxes, wide), dtype=np.float32)
        np.savez(tmp_path / "seen.npz", **arrays)  # type: ignore[arg-type]
        model = f"hf/{models['LxmertForPreTraining']}?features={tmp_path}/seen.npz&isolated=false"
        return subitize(
            capsys, "run", "probe", "--model", model, *named, "--out", tmp_path / "runs", **code
        )

    said = run(3, WIDE + 1, hashes)
    assert "3 of 3 pictures are wrong" in said
    assert f"features have the shape (3, {WIDE + 1}), not (3, {WIDE})" in said
    said = run(0, WIDE, hashes)
    assert "3 of 3 pictures are wrong" in said
    assert "its boxes have the shape (0, 4), not [1 to 100, 4]" in said
    said = run(3, WIDE, hashes[:1])
    assert "2 of 3 pictures have no region features" in said
    assert hashes[1] in said
    [scores] = run(3, WIDE, hashes, code=0)
    assert scores["states"] == {"read": 3}


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[str, str]:
    """What a command that works writes for people: stdout and stderr."""
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return said.out, said.err


def test_people_are_told_what_was_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = "How many legs is he using?"
    below = ProbeItem("below", "0.png", PARKED, -2, (4, 5, 6))
    named = write_split(tmp_path, [item(0), item(1, odd), item(2, foils=(9, 9, 8))])
    path = tmp_path / "split.json"
    entries = json.loads(path.read_text()) | {below.id: as_entry(below, "fluent")}
    path.write_text(json.dumps(entries))
    words = ("run", "probe", "--model", "sim/perfect", *named, "--out", tmp_path / "runs")
    out, _ = printed(capsys, *words)
    assert f"1 no-template (the first: item_1: {odd})" in out
    assert "1 negative-number (the first: below: -2)" in out
    assert "2: 1 repeated-foil, 1 negative-number" in out
    [scores] = subitize(capsys, *words, code=0)
    assert scores["asked"] == 2
    out, err = printed(capsys, "probe", "statements", path)
    assert f"1 of 4 questions match no template; the first is item_1: {odd}" in err
    assert f"– {odd}" in out
    out, _ = printed(capsys, "probe", "statements", path, "--check")
    assert "questions without a template: 1" in out
