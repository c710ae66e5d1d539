"""CAPTURE from the first question to the scores, against a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from subitize.benchmarks.capture.prompts import CONFIDENCE, PROMPTS, prompt_names
from subitize.benchmarks.capture.scenes import DrawnScenes, scenes
from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, UnknownName, UsageError
from tests.benchmarks.capture_runs import (
    ask,
    decisions_of,
    question_of,
    replying,
    responses_of,
    trials_of,
)
from tests.chat_server import ChatServer


def test_all_tasks_in_one_run(tmp_path: Path) -> None:
    with ChatServer(
        replying(lambda body: "circle" if "(A)" in question_of(body) else "9")
    ) as server:
        outcome, scores = ask(tmp_path, url=server.url)
        assert server.pictures_ok
    assert outcome.complete
    trials = trials_of(outcome.folder)
    stages = [trial.stage for trial in trials]
    assert {name: stages.count(name) for name in set(stages)} == {
        "total": 12,
        "hidden": 6,
        "pattern": 12,
    }
    assert scores["asked"] == scores["trials"] == 30
    assert scores["smape"]["occluded"]["trials"] == 6
    assert scores["smape"]["occluded"]["skipped"] == 0
    # the same answer to both pictures of a configuration: occlusion costs nothing
    price = scores["price_of_occlusion"]
    assert (price["value"], price["trials"]) == (0.0, 6)
    assert price["low"] < 0 < price["high"]  # six pictures leave room for errors never seen
    circles = sum(t.target_choice == "circle" for t in trials if t.stage == "pattern")
    assert scores["pattern"]["occluded"]["value"] == pytest.approx(100 * circles / 12)
    assert not any("price" in name for name in scores["undefined"])


def test_a_run_is_counted_before_its_scenes_are_made() -> None:
    """The line before a run tells how many questions come; the first of them waits for it."""
    capture = get_benchmark("capture")
    settings = capture.settings_from({"items": 40, "seed": 977, "tasks": "total,hidden,pattern"})
    stages = ("total", "hidden", "pattern")
    told = {stage: capture.size(stage, settings, {}) for stage in stages}
    every = scenes(settings, "test")
    assert isinstance(every, DrawnScenes)
    assert every.made <= 1
    assert told == {stage: len(list(capture.trials(stage, settings, {}))) for stage in stages}
    assert every.made == 40


def test_hidden_targets_are_the_pictures_own(tmp_path: Path) -> None:
    _, scores = ask(tmp_path, model="sim/perfect")
    assert scores["hidden"]["value"] == 0.0
    assert scores["exact"]["occluded"]["value"] == 100.0
    assert scores["pattern"]["unoccluded"]["value"] == 100.0
    outcome, _ = ask(tmp_path, model="sim/perfect")
    for trial in trials_of(outcome.folder):
        about = trial.condition
        assert 1 <= about["hidden"] <= 6
        expected = {"total": about["total"], "hidden": about["hidden"]}
        assert trial.target == expected.get(about["task"])
        assert trial.target_choice == (about["arrangement"] if about["task"] == "pattern" else "")


def test_choices_are_shuffled_by_the_seed_and_alike_for_both_variants(tmp_path: Path) -> None:
    settings = {"tasks": ("pattern",), "items": 30}
    outcome, _ = ask(tmp_path / "a", model="sim/perfect", settings=settings)
    orders = {}
    for trial in trials_of(outcome.folder):
        assert sorted(trial.options) == ["circle", "rectangle", "triangle"]
        name = trial.condition["configuration"]
        assert orders.setdefault(name, trial.options) == trial.options
        for place, option in enumerate(trial.options):
            assert f"({'ABC'[place]}) {option}" in trial.question
    assert len({tuple(order) for order in orders.values()}) > 3


def test_the_best_prompt_is_chosen_once_per_variant(tmp_path: Path) -> None:
    """Only one prompt per variant is answered rightly by this server; it must win, once."""
    wanted = {"occluded": "two-sums", "unoccluded": "describe"}

    def answer(body: dict) -> str:
        asked = question_of(body)
        open_one = asked.startswith("Describe how") and "black box" not in asked
        return "10" if open_one or asked.startswith("A black box hides some of") else "1000"

    given = {"prompt": "best", "tasks": ("total",), "items": 4, "validation": 3}
    with ChatServer(replying(answer)) as server:
        outcome, scores = ask(tmp_path, url=server.url, settings=given)
        assert decisions_of(outcome.folder) == {"prompt": wanted}
        assert scores["prompt"] == wanted
        asked = len(server.seen)
        assert asked == 3 * 20 + 8
        # another day the server would choose otherwise: the decision stands, nothing is asked
        server.behave = replying(lambda body: "7")
        again, _ = ask(tmp_path, url=server.url, settings=given)
        assert len(server.seen) == asked
    assert again.complete
    assert decisions_of(again.folder) == {"prompt": wanted}
    for variant, table in scores["prompts"].items():
        assert sorted(table) == sorted(prompt_names(variant))
        assert all(one["trials"] == 3 for one in table.values())


def test_ties_between_prompts_go_to_the_first(tmp_path: Path) -> None:
    given = {"prompt": "best", "tasks": ("total",)}
    outcome, _ = ask(tmp_path, model="sim/perfect", settings=given)
    first = next(iter(PROMPTS))
    assert decisions_of(outcome.folder)["prompt"] == {"unoccluded": first, "occluded": first}


def test_validation_and_test_parts_share_no_picture(tmp_path: Path) -> None:
    given = {"prompt": "best", "tasks": ("total",), "items": 40, "validation": 100}
    outcome, _ = ask(tmp_path, model="sim/perfect", settings=given)
    parts: dict[str, set[str]] = {}
    for trial in trials_of(outcome.folder):
        parts.setdefault(trial.stage, set()).add(trial.condition["configuration"])
    assert len(parts["prompts"]) == 100
    assert not parts["prompts"] & parts["total"]


def test_backoff_lowers_the_temperature_and_records_every_attempt(tmp_path: Path) -> None:
    """The server babbles above 0.75: attempts at 1.0, 0.9, 0.8, then a number at 0.7."""
    given = {"tasks": ("total",), "variants": ("occluded",), "items": 2, "backoff": True}

    def answer(body: dict) -> str:
        return "Hmm, what a pattern." if body["temperature"] > 0.75 else "12"

    with ChatServer(replying(answer)) as server:
        server.keep_bodies = True
        outcome, scores = ask(tmp_path, url=server.url, settings=given)
        assert sorted({body["temperature"] for body in server.bodies}) == [0.7, 0.8, 0.9, 1.0]
        assert len(server.seen) == 8
    assert scores["attempts"] == {"3": 2}
    backed = scores["backoff"]["occluded"]
    assert backed["first"]["value"] == 100
    assert backed["with_backoff"] == scores["smape"]["occluded"]
    assert backed["effect"]["value"] == pytest.approx(backed["with_backoff"]["value"] - 100)
    assert (backed["rescued"]["value"], backed["rescued"]["trials"]) == (1.0, 2)
    assert scores["smape"]["occluded"]["skipped"] == 0
    attempts = sorted(response["attempt"] for response in responses_of(outcome.folder))
    assert attempts == [0, 0, 1, 1, 2, 2, 3, 3]


def test_words_of_settings() -> None:
    """backoff=on, layout=published: one word each."""
    benchmark = get_benchmark("capture")
    assert benchmark.settings_from({"backoff": "on"}).backoff
    assert not benchmark.settings_from({"backoff": "off"}).backoff
    assert benchmark.settings_from({"layout": "published"}).size == 200
    assert benchmark.settings_from({"layout": "published", "size": "512"}).size == 512
    assert benchmark.settings_from({}).size == 512


def test_the_version_of_the_layout_is_a_part_of_runs_that_use_it() -> None:
    benchmark = get_benchmark("capture")
    told = {
        name: benchmark.settings_from(given).identity().get("layout_version")
        for name, given in {
            "new": {}, "old": {"layout_version": "1"}, "published": {"layout": "published"},
        }.items()
    }  # fmt: skip
    assert told == {"new": 2, "old": None, "published": None}
    with pytest.raises(BadInput, match="1 and 2"):
        benchmark.settings_from({"layout_version": "3"})


def test_backoff_ends_at_zero_and_is_off_by_default(tmp_path: Path) -> None:
    given = {"tasks": ("total",), "variants": ("occluded",), "items": 1}
    with ChatServer(replying(lambda body: "No idea at all.")) as server:
        server.keep_bodies = True
        _, plain = ask(tmp_path, url=server.url, settings=given)
        assert len(server.seen) == 1
        assert "temperature" not in server.bodies[0]
        _, scores = ask(tmp_path, url=server.url, settings={**given, "backoff": True})
        asked = [body["temperature"] for body in server.bodies[1:]]
    assert asked == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    assert plain["backoff"] == {}
    assert scores["backoff"]["occluded"]["rescued"]["value"] == 0
    for found in (plain, scores):
        assert found["smape"]["occluded"]["value"] == 100.0
        assert found["smape"]["occluded"]["skipped"] == 1


def test_a_prompt_too_long_is_a_state_scores_100_and_is_not_asked_again(tmp_path: Path) -> None:
    from aiohttp import web

    problem = {"error": {"code": "context_length_exceeded", "message": "maximum context length"}}
    given = {
        "tasks": ("total",), "variants": ("occluded",), "items": 2, "backoff": True,
        "help": ("all-coordinates",),
    }  # fmt: skip

    def behave(_n: int, _r: object, body: dict) -> web.Response | None:
        if "coordinates" in question_of(body):
            return web.json_response(problem, status=400)
        return replying(lambda _: "9")(_n, _r, body)

    with ChatServer(behave) as server:
        _, scores = ask(tmp_path, url=server.url, settings=given)
        assert len(server.seen) == 4
    helped = scores["help"]["all-coordinates"]
    assert helped["smape"]["value"] == 100.0
    assert helped["smape"]["skipped_states"] == {"too-long": 2}


def test_samples_are_asked_at_temperature_one_and_the_most_common_counts(tmp_path: Path) -> None:
    given = {
        "tasks": ("total",), "variants": ("occluded",), "items": 2, "confidence": "samples",
        "samples": 5,
    }  # fmt: skip
    said = iter(["9", "8", "8", "who knows", "9"] * 10)
    with ChatServer(replying(lambda body: next(said))) as server:
        server.keep_bodies = True
        outcome, scores = ask(tmp_path, url=server.url, settings=given, concurrency=1)
        assert {body["temperature"] for body in server.bodies} == {1.0}
        assert len(server.seen) == 10
    known = scores["confidence"]["occluded"]
    # 9 and 8 twice each of five: the first met counts, and a skip is among the samples
    assert [(one["low"], one["trials"], one["confidence"]) for one in known["curve"]] == [
        (0.4, 2, pytest.approx(0.4))
    ]
    pairs = scores["confusion"]["occluded"]["pairs"]
    assert {said for _, said, _ in pairs} == {9}
    assert sorted({response["sample"] for response in responses_of(outcome.folder)}) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_a_confidence_asked_for_is_taken_out_before_the_number_is_read(tmp_path: Path) -> None:
    given = {"tasks": ("total",), "variants": ("occluded",), "items": 4, "confidence": "asked"}
    with ChatServer(replying(lambda body: "I count 9 in all.\nConfidence: 85%")) as server:
        server.keep_bodies = True
        _, scores = ask(tmp_path, url=server.url, settings=given)
        assert all(question_of(body).endswith(CONFIDENCE) for body in server.bodies)
    assert {said for _, said, _ in scores["confusion"]["occluded"]["pairs"]} == {9}
    known = scores["confidence"]["occluded"]
    assert known["source"] == "asked"
    assert [(one["low"], one["trials"]) for one in known["curve"]] == [(0.8, 4)]


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("There are 3 red and 4 green ones.", "several-numbers"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("Quite a few.", "vague"),
        ("A lovely picture.", "no-number"),
    ],
)
def test_every_reply_without_a_number_scores_100(tmp_path: Path, reply: str, state: str) -> None:
    given = {"tasks": ("total",), "variants": ("occluded",), "items": 1}
    with ChatServer(replying(lambda body: reply)) as server:
        _, scores = ask(tmp_path, url=server.url, settings=given)
    assert scores["smape"]["occluded"]["value"] == 100.0
    assert scores["smape"]["occluded"]["skipped_states"] == {state: 1}


def test_counters_are_asked_for_totals_only(tmp_path: Path) -> None:
    # so many that the intervals can show both effects
    given = {"prompt": "best", "size": 256, "items": 40,
             "help": ("inpainted", "visible-coordinates")}  # fmt: skip
    outcome, scores = ask(tmp_path, model="counter/blobs", settings=given)
    assert {t.stage for t in trials_of(outcome.folder)} == {"total", "inpainted"}
    assert decisions_of(outcome.folder) == {}
    assert scores["smape"]["unoccluded"]["value"] == 0.0
    assert scores["price_of_occlusion"]["low"] > 0
    assert scores["help"]["inpainted"]["effect"]["high"] < 0
    assert "hidden" in scores["undefined"]


def test_the_demo_shows_what_the_paper_shows(tmp_path: Path) -> None:
    """Counting what is visible fails with the number hidden; completing the pattern does not."""
    benchmark = get_benchmark("capture")
    given = {**benchmark.DEMO["fast"], "tasks": ("total",)}
    by_model = {}
    for model in ("counter/blobs", "counter/pattern"):
        _, scores = ask(tmp_path, model=model, settings=given)
        lines = scores["breakdowns"]["occluded"]["hidden"]
        by_model[model] = [line["value"] for line in lines]
        assert scores["smape"]["unoccluded"]["value"] == 0.0
    assert by_model["counter/pattern"] == [0.0] * len(by_model["counter/pattern"])
    assert min(by_model["counter/blobs"]) > 2
    assert by_model["counter/blobs"][-1] > 2 * by_model["counter/blobs"][0]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"set": "imagined"}, UnknownName, "synthetic"),
        ({"tasks": ("totals",)}, UnknownName, "total"),
        ({"tasks": ("all", "total")}, BadInput, "alone"),
        ({"variants": ()}, BadInput, "empty"),
        ({"help": ("luck",)}, UnknownName, "inpainted"),
        ({"help": ("inpainted",), "variants": ("unoccluded",)}, BadInput, "occluded"),
        ({"prompt": "nicely"}, UnknownName, "prompt"),
        ({"question": "How many?"}, BadInput, "[object]"),
        ({"confidence": "some"}, UnknownName, "samples"),
        ({"backoff": True, "confidence": "samples"}, BadInput, "temperature"),
        ({"samples": 1}, BadInput, "2 to"),
        ({"items": -1}, BadInput, "0 or more"),
        ({"subset": "fsc-test"}, BadInput, "set=real"),
        ({"set": "real", "tasks": ("pattern",)}, BadInput, "pattern"),
        ({"set": "real", "help": ("inpainted",)}, BadInput, "folder"),
        ({"layout": "unfair"}, UnknownName, "fair"),
    ],
)
def test_settings_that_make_no_sense(given: dict, error: type[UsageError], words: str) -> None:
    with pytest.raises(error) as problem:
        get_benchmark("capture").settings_from(given)
    assert words in str(problem.value)


def test_pictures_too_small_to_draw_are_refused_before_asking(tmp_path: Path) -> None:
    with ChatServer() as server, pytest.raises(BadInput, match="larger size"):
        ask(tmp_path, url=server.url, settings={"size": 20})
    assert not server.seen
