"""What a model is told: exact texts, counts from counters and files, inpainted pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.capture.prompts import PROMPTS, WORKED_EXAMPLES, prompt_names, worded
from subitize.benchmarks.capture.scenes import scenes
from subitize.benchmarks.capture.settings import CaptureSettings, fixed_prompt
from subitize.benchmarks.capture.tasks import coordinates_text, helped
from subitize.errors import BadInput
from subitize.models.counters.blobs import find_blobs
from subitize.pictures.decode import decode
from subitize.stimuli import render
from tests.benchmarks.capture_runs import (
    ask,
    decisions_of,
    question_of,
    replying,
    responses_of,
    trials_of,
)
from tests.chat_server import ChatServer


def test_ten_prompts_per_variant_with_those_of_the_paper_among_them() -> None:
    for variant in ("unoccluded", "occluded"):
        names = prompt_names(variant)
        assert len(names) == 10
        assert len({PROMPTS[name].text for name in names}) == 10
    printed = [name for name, prompt in PROMPTS.items() if prompt.source.startswith("appendix D")]
    assert len(printed) == 6
    long = worded(PROMPTS["as-if-no-box-in-frame"].text, "cups")
    assert long == (
        "Count the exact number of cups in the image. Assume the pattern of cups continues behind "
        "any black box. Provide the total number of cups as if the black box were not there. Only "
        "count cups that are visible within the frame (or would be visible without the occluding "
        "box). If cups are partially in the frame (i.e. if any part of cups are visible), count "
        "it. If the cups would be partially in the frame without the occluding box, count it."
    )
    assert worded(PROMPTS["pattern-first-behind"].text, "circles") == (
        "Your task is to count objects in the image. Assume the pattern of circles continues "
        "behind the black box. First, state what the pattern is, then give your final count."
    )


def test_every_prompt_has_a_counterpart_or_fits_both_variants() -> None:
    fits = [name for name in PROMPTS if fixed_prompt(name, "occluded")]
    assert {"as-if-no-box", "pattern-first", "how-many", "final-line"} <= set(fits)
    assert fixed_prompt("in-frame", "occluded") is None
    assert fixed_prompt("describe-behind", "unoccluded") == "describe"


def test_coordinates_are_whole_pixels_from_the_top_left() -> None:
    assert coordinates_text([(0.4, 0.5), (10.5, 99.49), (-6.0, 206.0)]) == (
        "(0, 1), (11, 99), (-6, 206)"
    )


def test_the_oracles_tell_just_what_can_be_told() -> None:
    scene = next(s for s in scenes(CaptureSettings(items=30, size=200), "test") if s.hidden == 2)
    picture = decode(render(scene.pictures["occluded"]).png)
    shown, places = scene.visible, scene.positions or ()
    assert len(places) == scene.total
    assert len(shown) == scene.total - 2
    for x, y in shown:  # a coloured pixel lies where the text says
        assert picture[round(y), round(x)].max() > 100
        assert picture[round(y), round(x)].min() < 60
    for x, y in set(places) - set(shown):
        assert picture[round(y), round(x)].max() == 0
    text = helped("visible-coordinates", "Count the [object].", scene, None)
    assert text == (
        f"Count the {scene.thing}.\n\nThese are the coordinates of the visible {scene.thing} as "
        f"(x, y) in pixels from the top left corner of the image: {coordinates_text(shown)}. "
        f"Estimate the number of {scene.thing} hidden behind the black box, count the coordinates "
        "of the visible ones, and add the two."
    )
    everything = helped("all-coordinates", "Count the [object].", scene, None)
    assert coordinates_text(places) in everything
    assert helped("chain-of-thought", "Count the [object].", scene, None) == (
        f"{WORKED_EXAMPLES}Count the {scene.thing}."
    )


def test_the_worked_examples_are_right() -> None:
    assert 4 * 3 + 1 + 2 == 15
    for sum_ in ("13 + 2 = 15", "9 + 3 = 12", "8 + 2 = 10", "1 + 2 + 3 + 2 = 8"):
        assert sum_ in WORKED_EXAMPLES
        left, right = sum_.split(" = ")
        assert sum(map(int, left.split(" + "))) == int(right)


def test_each_help_is_a_condition_of_its_own_paired_with_the_plain_one(tmp_path: Path) -> None:
    """The server counts coordinates where it gets them and guesses 9 elsewhere."""
    helps = (
        "all-coordinates", "visible-coordinates", "inpainted", "visible-count", "chain-of-thought",
    )  # fmt: skip

    def answer(body: dict[str, Any]) -> str:
        asked = question_of(body)
        return str(asked.count("(") - 1) if "coordinates of all" in asked else "9"

    with ChatServer(replying(answer)) as server:
        outcome, scores = ask(
            tmp_path,
            url=server.url,
            settings={"tasks": ("total",), "help": helps, "size": 256},
        )
        assert server.pictures_ok
        asked = len(server.seen)
        again, _ = ask(
            tmp_path, url=server.url, settings={"tasks": ("total",), "help": helps, "size": 256}
        )
        assert len(server.seen) == asked == 6 * (2 + 5)
    assert again.complete
    assert set(scores["help"]) == set(helps)
    assert scores["help"]["all-coordinates"]["smape"]["value"] == 0.0
    plain = scores["smape"]["occluded"]["value"]
    assert scores["help"]["all-coordinates"]["effect"]["value"] == pytest.approx(-plain)
    assert scores["help"]["chain-of-thought"]["effect"]["value"] == 0.0
    hybrid = scores["help"]["visible-count"]
    counts = decisions_of(outcome.folder)["visible_counts"]
    told = [t for t in trials_of(outcome.folder) if t.condition["help"] == "visible-count"]
    for trial in told:
        about = trial.condition
        seen = about["total"] - about["hidden"]
        assert about["told"] == counts[about["configuration"]] == seen
        assert f"A counting model finds {seen} visible" in trial.question
    alone = [100 * t.condition["hidden"] / (t.target + t.condition["told"]) for t in told]
    assert hybrid["counter_alone"]["value"] == pytest.approx(sum(alone) / len(alone))


def test_visible_counts_from_a_file_and_what_is_wrong_with_one(tmp_path: Path) -> None:
    given = {"tasks": ("total",), "help": ("visible-count",), "items": 2}
    names = [s.name for s in scenes(CaptureSettings(items=2, size=96), "test")]
    file = tmp_path / "counts.json"
    file.write_bytes(orjson.dumps(dict.fromkeys(names, 4)))
    _, scores = ask(tmp_path, model="sim/perfect", settings={**given, "counts": str(file)})
    assert scores["help"]["visible-count"]["counter_alone"]["value"] > 0
    file.write_bytes(orjson.dumps({names[0]: 4}))
    with pytest.raises(BadInput, match=r"no whole number for 1 of 2 pictures"):
        ask(tmp_path / "b", model="sim/perfect", settings={**given, "counts": str(file)})
    with pytest.raises(BadInput, match="There is no file"):
        ask(tmp_path / "c", model="sim/perfect", settings={**given, "counts": "missing.json"})
    with pytest.raises(BadInput, match=r"sees nothing.*as visible name a model that looks"):
        ask(tmp_path / "d", model="sim/perfect", settings={**given, "counter": "sim/perfect"})
    assert not any((tmp_path / name).exists() for name in "cd")


def test_the_built_in_inpainter_shows_the_whole_pattern() -> None:
    from subitize.benchmarks.capture.scenes import inpainted

    for scene in scenes(CaptureSettings(items=25, size=256), "test"):
        filled = decode(render(inpainted(scene, "pattern")).png)
        assert len(find_blobs(filled)) == scene.total


def test_inpainted_pictures_from_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "inpainted"
    folder.mkdir()
    given = {"tasks": ("total",), "help": ("inpainted",), "inpainter": str(folder), "items": 2}
    with pytest.raises(BadInput, match="has 0 inpainted pictures"):
        ask(tmp_path, model="counter/blobs", settings={**given, "size": 256})
    for scene in scenes(CaptureSettings(items=2, size=256), "test"):
        picture = render(scene.pictures["unoccluded"]).png
        (folder / f"{scene.name}.png").write_bytes(picture)
    _, scores = ask(tmp_path, model="counter/blobs", settings={**given, "size": 256})
    assert scores["help"]["inpainted"]["smape"]["value"] == 0.0


def test_a_question_in_own_words(tmp_path: Path) -> None:
    given = {"tasks": ("total",), "question": "Tell me the number of [object]!", "prompt": "best"}
    outcome, scores = ask(tmp_path, model="sim/perfect", settings=given)
    asked = {trial.question for trial in trials_of(outcome.folder)}
    assert asked <= {"Tell me the number of circles!", "Tell me the number of squares!"}
    assert scores["prompt"] == {"unoccluded": "own", "occluded": "own"}


def test_a_limit_counts_the_model_s_own_trials_and_not_its_helper_s(tmp_path: Path) -> None:
    settings = {"tasks": ("total",), "help": ("visible-count",)}
    outcome, _ = ask(tmp_path, model="sim/perfect", settings=settings, limit=14)
    stages = {trial.id: trial.stage for trial in trials_of(outcome.folder)}
    said = Counter(
        (one["respondent"], stages[one["trial"]]) for one in responses_of(outcome.folder)
    )
    told = {("counter/blobs", "visible"): 6, ("sim/perfect", "help"): 2}
    assert said == {("sim/perfect", "total"): 12, **told}
