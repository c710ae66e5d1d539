"""What a checkpoint can never do is said once, before anything is asked: exit 2, nothing stored."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.cli import main
from subitize.models.base import CUT, Reply
from subitize.models.catalog import open_model
from subitize.numerals.finder import from_words
from tests.models.test_hf_matchers import FILLING, ITEMS, MATCHING, arrays, opened
from tests.models.tiny_matchers import WIDE

SCENES = ["--set", "items=3", "--set", "size=80", "--set", "answers=flat"]
HERE = "isolated=false"


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("features") / "made.npz"
    np.savez(path, **arrays())  # type: ignore[arg-type]
    return path


def ended(words: list[str]) -> Any:
    """How a command ended."""
    with pytest.raises(SystemExit) as end:
        main(words)
    return end.value.code


def probe(model: str, out: Path, *more: str) -> Any:
    return ended(["run", "probe", "--model", model, "--out", str(out), *SCENES, *more])


def stored(out: Path) -> list[str]:
    """What was kept of responses, failures among them."""
    kept = out.glob("*/responses/*.jsonl") if out.exists() else ()
    return [line for path in kept for line in path.read_text().splitlines()]


@pytest.mark.parametrize("kind", ["LxmertForPreTraining", "VisualBertForPreTraining"])
def test_drawn_scenes_without_regions_are_told_before_anything_is_asked(
    matchers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    assert ended(["probe", "sentences", "--out", str(tmp_path / "drawn"), *SCENES]) == 0
    lines = (tmp_path / "drawn" / "sentences.jsonl").read_text().splitlines()
    names = sorted({json.loads(line)["sha256"] for line in lines})
    rng = np.random.default_rng(0)
    made = {
        f"{name}/{part}": rng.random((5, wide), dtype=np.float32)
        for name in names
        for part, wide in (("boxes", 4), ("features", WIDE))
    }
    whole, torn = tmp_path / "whole.npz", tmp_path / "torn.npz"
    np.savez(whole, **made)  # type: ignore[arg-type]
    np.savez(torn, **{key: one for key, one in made.items() if not key.startswith(names[0])})  # type: ignore[arg-type]
    capsys.readouterr()
    out = tmp_path / "runs"
    for task in ("counting", "mlm"):
        model = f"hf/{matchers[kind]}?{HERE}&features="
        assert probe(f"{model}{torn}", out, "--set", f"task={task}") == 2
        said = capsys.readouterr().err
        assert f"1 of {len(names)} pictures have no region features in {torn}" in said
        assert names[0] in said
        assert "subitize probe sentences --out FOLDER" in said
        assert not out.exists()
        # what that command wrote is what is asked about, whatever the task
        assert probe(f"{model}{whole}", tmp_path / task, "--set", f"task={task}") == 0


def without_numbers(folder: Path, to: Path) -> Path:
    """The same checkpoint, whose tokenizer calls numbers by other names."""
    shutil.copytree(folder, to)
    path = to / "tokenizer.json"
    listed = json.loads(path.read_text())
    words = listed["model"]["vocab"]
    listed["model"]["vocab"] = {
        f"z{word}z" if from_words(word) is not None else word: place
        for word, place in words.items()
    }
    path.write_text(json.dumps(listed))
    return to


@pytest.mark.budget(60)
@pytest.mark.parametrize("where", [HERE, "dtype=float32"])
def test_a_vocabulary_without_numbers_ends_the_run_once(
    matchers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    """In this process, and in one of its own as users have it."""
    folder = without_numbers(matchers["ViltForMaskedLM"], tmp_path / "numberless")
    for task in ("mlm", "vqa"):
        out = tmp_path / task
        assert probe(f"hf/{folder}?{where}", out, "--set", f"task={task}") == 2
        said = capsys.readouterr().err
        assert said.count("no number word") == 1
        assert "again" not in said
        assert stored(out) == []
        if where != HERE:
            break


@pytest.mark.parametrize(
    ("kind", "task", "lacks"),
    [
        ("BridgeTowerForImageAndTextRetrieval", "mlm", "mlm_score"),
        ("BridgeTowerForMaskedLM", "counting", "itm_score"),
    ],
)
def test_a_missing_head_ends_the_run_once(
    matchers: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    kind: str, task: str, lacks: str,
) -> None:  # fmt: skip
    assert probe(f"hf/{matchers[kind]}?{HERE}", tmp_path, "--set", f"task={task}") == 2
    said = capsys.readouterr().err
    assert lacks in said
    assert "again" not in said
    assert stored(tmp_path) == []


LONG = tuple(f"{word} " + "cats and " * 60 for word in ("two", "five"))


@pytest.mark.parametrize("kind", [*MATCHING, "CLIPModel"])
def test_sentences_that_are_cut_are_told_and_never_compared_where_they_are_alike(
    matchers: dict[str, Path], features: Path, tmp_path: Path, kind: str
) -> None:
    if kind == "CLIPModel":
        from tests.models.tiny_clip import save_tiny_clip

        model: Any = open_model(f"hf/{save_tiny_clip(tmp_path / 'clip')}")
    else:
        model = opened(matchers[kind], features)
    short, long = (model.match([replace(ITEMS[0], options=one)])[0] for one in (("cats",), LONG))
    assert CUT not in short.facts
    assert isinstance(long, Reply)
    assert 0 < long.facts[CUT] < 512
    alike = tuple(f"{'cats and ' * 60} {word}" for word in ("two", "five"))
    [refused] = model.match([replace(ITEMS[0], options=alike)])
    assert f"the model takes {long.facts[CUT]}: where they differ is cut off" in str(refused)


@pytest.mark.parametrize(
    "kind", [*FILLING, "ViltForQuestionAnswering", "LxmertForQuestionAnswering"]
)
def test_questions_that_are_cut_are_told(
    matchers: dict[str, Path], features: Path, kind: str
) -> None:
    model: Any = opened(matchers[kind], features)
    ask = model.fill if kind in FILLING else model.name
    mask = "[MASK] " if kind in FILLING else ""
    [reply] = ask([replace(ITEMS[0], question=mask + "many cats " * 300, options=())])
    assert isinstance(reply, Reply), reply
    assert reply.facts[CUT] > 0


@pytest.mark.parametrize("kind", ["BlipForQuestionAnswering", "BlipForConditionalGeneration"])
def test_a_model_that_writes_stops_where_its_places_end(
    matchers: dict[str, Path], kind: str
) -> None:
    """Its answer ends there, and a question that is longer is refused with both numbers."""
    model: Any = open_model(f"hf/{matchers[kind]}")
    places = json.loads((matchers[kind] / "config.json").read_text())["text_config"][
        "max_position_embeddings"
    ]
    [reply] = model.name([replace(ITEMS[0], question="how many cats are there ?")])
    assert isinstance(reply, Reply), reply
    assert 0 < reply.usage["completion_tokens"] < places
    with pytest.raises(Exception, match=rf"question has \d+ tokens, and the model takes {places}"):
        model.name([replace(ITEMS[0], question="how many cats are there ? " * 20)])
