"""Naming with the user's own pictures and words, and counting step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from PIL import Image

from subitize.benchmarks.naming import Naming
from subitize.benchmarks.production import Production
from subitize.commands.running import tell
from subitize.errors import BadInput, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import open_helpers, run_and_score
from subitize.runs.how_far import how_far
from subitize.runs.run import RunOptions
from subitize.stimuli.scattered import draw_scattered
from tests.chat_server import ChatServer, completion

QUIET = RunOptions(progress=False)


def go(out: Path, model: str, url: str | None = None, **given: Any) -> Any:
    settings = Naming().settings_from({"control": False, **given})
    opened = open_model(model, ModelOptions(url))
    return run_and_score(Naming(), settings, opened, out, QUIET)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        for category in ("apple", "butterfly"):
            for index in range(2):
                picture = draw_scattered(category, n, 128, rng)
                (folder / f"{n}_{category}_{index}.png").write_bytes(picture)
    return folder


def test_pictures_by_their_names(tmp_path: Path, pictures: Path) -> None:
    outcome, run = go(tmp_path, "counter/blobs", pictures=str(pictures), prompt="things")
    assert outcome.complete
    assert run.scores["states"] == {"read": 12}
    assert run.scores["accuracy"]["value"] == 1.0
    assert set(run.scores["categories"]) == {"apple", "butterfly"}
    assert run.scores["confusion"]["columns"] == [1, 2, 3, 4]
    assert run.scores["flagged_cells"] == []  # two of two were read
    _, chosen = go(
        tmp_path,
        "counter/blobs",
        pictures=str(pictures),
        prompt="things",
        categories="butterfly",
        max=2,
    )
    assert chosen.scores["states"] == {"read": 4}
    with pytest.raises(UnknownName):
        go(tmp_path, "counter/blobs", pictures=str(pictures), categories="dogs")


def test_own_pictures_with_the_control_question_are_a_whole_run(
    tmp_path: Path, pictures: Path
) -> None:
    """No formula tells how many they are, neither of the pictures nor of the control's."""
    for path in pictures.glob("*_apple_*"):
        path.rename(path.with_name(path.name.replace("apple", "apples")))
    given = {"pictures": str(pictures), "prompt": "things", "control": True}
    _, run = go(tmp_path, "sim/perfect", **given)
    assert how_far(run) == (12 + 6, 12 + 6, 0)


def test_no_picture_is_left_out_silently(tmp_path: Path, pictures: Path) -> None:
    with Image.open(pictures / "4_apple_0.png") as picture:
        picture.save(pictures / "4_apple_2.gif")
        picture.save(pictures / "4_apple_3.bmp")
    given = {"pictures": str(pictures), "prompt": "things", "categories": "apple"}
    with pytest.raises(BadInput, match=r"4_apple_3\.bmp is in a format .* save it as one of"):
        go(tmp_path, "counter/blobs", **given)
    (pictures / "4_apple_3.bmp").unlink()
    _, run = go(tmp_path, "counter/blobs", **given)
    assert run.scores["states"] == {"read": 7}
    assert run.scores["accuracy"]["value"] == 1.0


def test_a_file_that_is_no_picture_is_named(tmp_path: Path, pictures: Path) -> None:
    bad = pictures / "4_apple_0.png"
    whole = bad.read_bytes()
    bad.write_bytes(whole[:200])
    given = {"pictures": str(pictures), "prompt": "things"}
    outcome, _ = go(tmp_path, "counter/blobs", **given)
    assert (outcome.failed, outcome.picture) == (1, str(bad))
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("subitize.commands.running.say", said.append)
        tell(outcome, "counter/blobs")
    assert f"Mend {bad}, which can't be decoded, or take it out; then run the same" in said[0]
    bad.write_bytes(whole)
    outcome, run = go(tmp_path, "counter/blobs", **given)
    assert (outcome.failed, outcome.picture) == (0, "")
    # other bytes are another trial; that of the damaged ones stays told
    assert run.scores["states"] == {"read": 12, "failed": 1}


def test_pictures_by_a_manifest(tmp_path: Path, pictures: Path) -> None:
    rows = [
        {"file": path.name, "n": int(path.name.partition("_")[0]), "category": "things of mine"}
        for path in sorted(pictures.iterdir())
    ]
    (pictures / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    _, run = go(tmp_path, "counter/blobs", pictures=str(pictures), prompt="category")
    assert run.scores["states"] == {"read": 12}
    assert set(run.answers["thing"]) == {"things of mine"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", "", "holds no picture"),
        ("manifest.jsonl", '{"file": "lost.png", "n": 1, "category": "a"}', "no picture lost.png"),
        ("manifest.jsonl", '{"file": "lost.png"}', "does not say n"),
    ],
)
def test_folders_without_numbers(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput, match=message):
        go(tmp_path / "runs", "counter/blobs", pictures=str(tmp_path))


def test_own_words_and_step_by_step(tmp_path: Path) -> None:
    asked: list[str] = []

    def steps(number: int, request: web.Request, body: dict[str, Any]) -> web.Response:
        asked.append(body["messages"][-1]["content"][0]["text"])
        return web.json_response(completion("One: 1. Then 2. Then 3. So there are 3 in total."))

    small = {"per_cell": 1, "max": 3, "size": 128, "categories": "apples,fast cards"}
    with ChatServer(steps) as server:
        _, run = go(tmp_path, "openai/x", server.url, prompt="step-by-step", **small)
        assert run.scores["prompt"] == "step-by-step"
        assert run.scores["states"] == {"read": 6}
        assert run.scores["reader"] == run.info["reader"] == "final"  # what each reply concludes
        assert all("one after the other" in words for words in asked)
        assert {"apples", "shapes"} == {words.split()[2] for words in asked}
        asked.clear()
        _, own = go(tmp_path, "openai/x", server.url, question="Count the [things]!", **small)
        assert set(asked) == {"Count the apples!", "Count the shapes!"}
        assert own.scores["prompt"] == "own"
        assert own.scores["reader"] == "strict"
        asked.clear()
        _, best = go(tmp_path, "openai/x", server.url, **small)
        assert len(asked) == 3 * 6
        assert set(best.scores["prompts"]) == {"category", "objects", "things"}
    with pytest.raises(BadInput, match=r"\[things\]"):
        Naming().settings_from({"question": "How many?"})


def test_settings_nobody_uses_are_no_part_of_a_run() -> None:
    assert not {"pictures", "question"} & Naming().settings_from({}).identity().keys()
    assert "prompts" not in Production().settings_from({}).identity()


def test_numgens_prompts(tmp_path: Path) -> None:
    settings = Production().settings_from({"prompts": "numgen", "per_cell": 3})
    trials = list(Production().trials("paint", settings, {}))
    assert len(trials) == Production().size("paint", settings, {}) == 30
    assert sorted(trial.target for trial in trials) == sorted([*range(1, 11)] * 3)
    assert len({trial.condition["category"] for trial in trials}) > 4
    model = open_model("painter/shapes?size=128")
    helpers = open_helpers(Production(), settings, model, None, lambda _: ModelOptions())
    outcome, run = run_and_score(Production(), settings, model, tmp_path, QUIET, helpers)
    assert outcome.complete
    assert run.scores["prompt"] == "numgen"
    assert run.scores["states"]["read"] + run.scores["states"].get("refused", 0) == 30
    assert run.scores["flagged_cells"] == []
    with pytest.raises(BadInput, match="leave out max"):
        Production().settings_from({"prompts": "numgen", "max": 5})
