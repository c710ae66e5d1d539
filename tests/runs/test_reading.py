"""Runs whose responses are read by a helper: paint, count, ask again for empty pictures."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.errors import BadInput, UnknownName
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import open_helpers
from subitize.runs.exclusions import write_exclusions
from subitize.runs.plan import read_trials
from tests.image_server import ImageServer
from tests.runs.conftest import responses_of
from tests.runs.production_runs import TRIALS, of_stage, produce, readers_of
from tests.scored import load_run, score_run


def test_an_exact_painter_is_counted_as_exact(tmp_path: Path) -> None:
    outcome, scores = produce(tmp_path)
    assert outcome.complete
    assert scores["accuracy"]["value"] == 1
    assert scores["states"] == {"read": TRIALS}
    assert scores["reader"] == "counter/blobs"
    answers = of_stage(outcome.folder, "count")
    assert len(answers) == TRIALS
    assert all(answer["kind"] == "boxes" for answer in answers)
    assert all(orjson.loads(answer["value"])["boxes"] for answer in answers)
    assert {answer["respondent"] for answer in answers} == {"counter/blobs"}
    (listed,) = readers_of(outcome.folder)
    assert (listed["name"], listed["role"], listed["kind"]) == (
        "counter/blobs", "counter", "counter",
    )  # fmt: skip
    assert not (outcome.folder / "readings").exists()


@pytest.mark.budget(60)
def test_the_weber_fraction_put_in_comes_out(tmp_path: Path) -> None:
    _, scores = produce(
        tmp_path,
        "painter/shapes?size=256&w=0.15&seed=4",
        settings={"per_cell": 15, "max": 10, "categories": ("apples", "dots", "butterflies")},
    )
    assert scores["states"] == {"read": 450}
    found = scores["weber_fraction"]
    assert found["low"] <= 0.15 <= found["high"]
    assert found["high"] - found["low"] < 0.06
    assert scores["subitizing_limit"] == 4


def test_empty_pictures_are_asked_for_again_and_every_attempt_is_kept(tmp_path: Path) -> None:
    painter = "painter/shapes?blank=0.6&size=128"
    outcome, scores = produce(tmp_path, painter, settings={"per_cell": 6, "reasks": 2})
    made = of_stage(outcome.folder, "paint")
    attempts = Counter(line["trial"] for line in made)
    assert set(attempts.values()) == {1, 2, 3}
    empty = scores["states"]["empty"]
    assert 0 < empty < scores["trials"] == 36
    # Whoever ended empty was asked three times; nobody was asked after a picture was found.
    assert sum(n == 3 for n in attempts.values()) >= empty
    assert len(made) == len(of_stage(outcome.folder, "count"))
    assert scores["accuracy"]["value"] == 1
    assert sum(scores["attempts"].values()) == 36
    again, same = produce(tmp_path, painter, settings={"per_cell": 6, "reasks": 2})
    assert (again.received, same) == (0, scores)


def test_without_a_counter_pictures_wait_and_a_counter_can_come_later(tmp_path: Path) -> None:
    with ImageServer() as server:
        outcome, scores = produce(tmp_path, "openai/x", counter=None, url=server.url)
        assert outcome.complete
        assert scores["states"] == {"pending": TRIALS}
        assert scores["accuracy"] is None
        assert "accuracy" in scores["undefined"]
        outcome, scores = produce(tmp_path, "openai/x", url=server.url)
        assert len(server.prompts) == TRIALS
        assert scores["accuracy"]["value"] == 1


def test_a_namer_can_read_pictures_and_several_readers_stay_side_by_side(tmp_path: Path) -> None:
    with ImageServer() as server:
        produce(tmp_path, "openai/x", url=server.url)
        outcome, scores = produce(tmp_path, "openai/x", counter="openai/y", url=server.url)
        assert len(server.prompts) == TRIALS == len(server.questions)
        assert set(server.questions) == {
            "How many apples are there in the picture?",
            "How many dots are there in the picture?",
        }
    assert scores["accuracy"]["value"] == 1
    names = [one["name"] for one in readers_of(outcome.folder)]
    assert names == ["counter/blobs", "openai/y"]
    assert scores["reader"] == "openai/y"
    first, second = (score_run(outcome.folder, name) for name in names)
    assert first["accuracy"] == second["accuracy"]
    strict = score_run(outcome.folder, f"{names[0]}?threshold=1")
    assert strict["reader"] == "counter/blobs?threshold=1"
    with pytest.raises(UnknownName, match="no reader of production 'other'"):
        load_run(outcome.folder, "other")


def test_another_counters_doubts_do_not_change_the_first_ones_scores(tmp_path: Path) -> None:
    """A counter that sees nothing has every picture made again; the other was content before."""
    outcome, scores = produce(tmp_path)
    _, blind = produce(tmp_path, counter="counter/blobs?contrast=255", settings={})
    assert blind["states"] == {"empty": TRIALS}
    assert blind["attempts"] == {"4": TRIALS}
    assert len(of_stage(outcome.folder, "paint")) == 4 * TRIALS
    # The first counter was not asked about what the second one wanted.
    asked = Counter(line["respondent"] for line in of_stage(outcome.folder, "count"))
    assert asked == {"counter/blobs": TRIALS, "counter/blobs?contrast=255": 4 * TRIALS}
    again = score_run(outcome.folder, scores["reader"])
    assert again == scores
    assert set(load_run(outcome.folder, scores["reader"]).counted["attempt"]) == {0}


def test_one_budget_for_asking_and_reading(tmp_path: Path) -> None:
    with ImageServer() as server:
        options = {"url": server.url, "counter": "openai/y", "concurrency": 1}
        outcome, _ = produce(tmp_path, "openai/x", budget_calls=TRIALS + 3, **options)
        # Each picture is read as soon as it is there: both sorts of call draw on the budget.
        assert len(server.prompts) + len(server.questions) == TRIALS + 3
        assert 0 < len(server.questions) <= len(server.prompts) < TRIALS
        assert outcome.calls == TRIALS + 3 == len(responses_of(outcome.folder))
        assert not outcome.complete
        assert "budget" in outcome.stopped
        outcome, scores = produce(tmp_path, "openai/x", budget_calls=TRIALS - 3, **options)
        assert outcome.complete
        assert outcome.calls == TRIALS - 3
        assert (len(server.prompts), len(server.questions)) == (TRIALS, TRIALS)
        assert scores["states"] == {"read": TRIALS}


def test_a_moved_run_goes_on_and_scores_alike(tmp_path: Path) -> None:
    _, scores = produce(tmp_path / "here")
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert not (tmp_path / "here").exists()
    moved, same = produce(tmp_path / "there")
    assert (moved.received, same) == (0, scores)
    # Another counter finds the pictures where they are now.
    counted, others = produce(tmp_path / "there", counter="counter/blobs?split=false")
    assert (counted.complete, counted.received) == (True, TRIALS)
    assert others["states"] == {"read": TRIALS}
    assert str(tmp_path).encode() not in (moved.folder / "trials.jsonl").read_bytes()


def test_a_picture_that_was_changed_is_not_counted(tmp_path: Path) -> None:
    outcome, _ = produce(tmp_path, counter=None)
    picture = next((outcome.folder / "images").iterdir())
    picture.write_bytes(picture.read_bytes() + b"x")
    stopped, _ = produce(tmp_path)
    assert not stopped.complete
    assert "has changed" in stopped.stopped


def test_pictures_can_be_left_out_by_hand(tmp_path: Path) -> None:
    outcome, _ = produce(tmp_path)
    picture = responses_of(outcome.folder)[0]["value"]
    listed = tmp_path / "out.csv"
    listed.write_text(f"{picture},shows reflections\n", encoding="utf-8")
    assert write_exclusions(outcome.folder, listed) == 1
    assert score_run(outcome.folder)["states"] == {"excluded": 1, "read": TRIALS - 1}


def test_counts_stand_behind_what_was_counted_in_the_order_of_the_plan(tmp_path: Path) -> None:
    outcome, _ = produce(tmp_path, "painter/shapes?blank=0.4&size=128")
    stored = load_run(outcome.folder)
    planned = [trial.id for trial in read_trials(outcome.folder) if trial.stage == "paint"]
    answers = stored.answers.sort("order", "sample", "attempt")
    painted = answers.filter(answers["stage"] == "paint").select("trial", "sample", "attempt")
    counted = answers.filter(answers["stage"] == "count")
    assert list(dict.fromkeys(painted["trial"])) == planned
    assert painted.height > TRIALS, "no picture was asked for again"
    about = counted.select("of_trial", "of_sample", "of_attempt").rows()
    assert about == painted.rows()
    # The counts come right behind the pictures of their own trial, before the next trial's.
    whose = [of or trial for of, trial in answers.select("of_trial", "trial").iter_rows()]
    assert [trial for trial, _ in groupby(whose)] == planned


def test_the_wrong_kind_of_reading_model_fails_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="needs a counter or a namer"):
        produce(tmp_path / "runs", counter="painter/shapes")
    assert not (tmp_path / "runs").exists()


def test_a_benchmark_without_reading_model_says_so() -> None:
    def helpers(name: str, model: str, counter: str | None) -> Mapping[str, Any]:
        benchmark = get_benchmark(name)
        settings = benchmark.settings_from({})
        return open_helpers(
            benchmark, settings, open_model(model), counter, lambda _: ModelOptions()
        )

    assert helpers("naming", "sim/perfect", None) == {}
    assert helpers("production", "painter/shapes", "none") == {}
    assert helpers("production", "painter/shapes", None)["counter"].respondent == "counter/blobs"
    with pytest.raises(BadInput, match="leave out --counter"):
        helpers("naming", "sim/perfect", "blobs")
    with pytest.raises(BadInput, match="needs a counter or a namer, but painter/shapes"):
        helpers("production", "painter/shapes", "painter/shapes")
