"""Runs whose responses are read by a helper: paint, count, ask again for empty pictures."""

from __future__ import annotations

import base64
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import orjson
import pytest
from aiohttp import web
from PIL import Image

from subitize.benchmark import Attempt, Helper
from subitize.benchmarks.catalog import get_benchmark
from subitize.benchmarks.production import Production, ProductionSettings
from subitize.errors import BadInput, UnknownName
from subitize.models.base import Kind, ModelOptions
from subitize.models.catalog import open_model
from subitize.opening import open_helpers
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Row, Trial, make_follower
from subitize.runs.exclusions import write_exclusions
from subitize.runs.plan import read_trials
from subitize.runs.run import Outcome, RunOptions, run_benchmark
from subitize.runs.stored import StoredRun, stored_run
from subitize.stimuli.scattered import draw_scattered
from tests.image_server import REFUSAL, ImageServer
from tests.runs.conftest import QUICK, responses_of
from tests.scored import load_run, score_run

SMALL = {"per_cell": 2, "max": 3, "categories": ("apples", "dots")}
TRIALS = 2 * 3 * 2


def produce(
    out: Path,
    model: str = "painter/shapes?size=128",
    *,
    settings: Mapping[str, Any] | None = None,
    counter: str | None = "counter/blobs",
    url: str | None = None,
    **options: Any,
) -> tuple[Outcome, dict[str, Any]]:
    """One production run from prompt to score."""
    benchmark = get_benchmark("production")
    given = ModelOptions(url, timeout=60.0)
    outcome = run_benchmark(
        benchmark,
        benchmark.settings_from({**SMALL, **(settings or {})}),
        open_model(model, given),
        out,
        RunOptions(progress=False, policy=QUICK, **options),
        {"counter": open_model(counter, given)} if counter else {},
    )
    return outcome, score_run(outcome.folder)


def of_stage(folder: Path, stage: str) -> list[dict[str, Any]]:
    """The lines of the journal that answer trials of one stage."""
    asked = {trial.id for trial in read_trials(folder) if trial.stage == stage}
    return [line for line in responses_of(folder) if line["trial"] in asked]


def readers_of(folder: Path) -> list[dict[str, Any]]:
    """The helpers that read, as run.json lists them."""
    return list(orjson.loads((folder / "run.json").read_bytes())["readers"])


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


def test_refusals_are_a_state_and_never_asked_again(tmp_path: Path) -> None:
    def refuse(body: dict[str, Any], _picture: bytes) -> Any:
        return web.json_response(REFUSAL, status=400) if "apples" in body["prompt"] else None

    with ImageServer(refuse) as server:
        outcome, scores = produce(tmp_path, "openai/x", url=server.url)
        seen = len(server.prompts)
        assert outcome.complete
        assert scores["states"] == {"read": 8, "refused": 4}
        produce(tmp_path, "openai/x", url=server.url)
        assert len(server.prompts) == seen == TRIALS


def test_prompts_that_cannot_be_drawn_are_refused(tmp_path: Path) -> None:
    settings = {"max": 21, "per_cell": 1, "categories": ("dots",)}
    _, scores = produce(tmp_path, "painter/shapes?size=64", settings=settings)
    assert scores["states"] == {"read": 16, "refused": 5}


def test_broken_pictures_are_a_state_and_asked_for_again(tmp_path: Path) -> None:
    """Cut off in the middle: kept as it came, read as empty, asked for again."""
    broken: set[str] = set()

    def cut(body: dict[str, Any], picture: bytes) -> Any:
        if body["prompt"] in broken or "dot" not in body["prompt"]:
            return None
        broken.add(body["prompt"])
        return {"data": [{"b64_json": base64.b64encode(picture[: len(picture) // 2]).decode()}]}

    with ImageServer(cut) as server:
        outcome, scores = produce(tmp_path, "openai/x", url=server.url)
    assert outcome.complete
    assert scores["states"] == {"read": TRIALS}
    unreadable = [line for line in responses_of(outcome.folder) if line["stop"] == "unreadable"]
    assert len(unreadable) == 3
    assert all("can't be read" in line["note"] for line in unreadable)
    assert all((outcome.folder / "images" / line["value"]).exists() for line in unreadable)


def odd_pictures(png: bytes) -> dict[str, bytes]:
    """One drawing in every form a painter may send, and a bomb."""
    rgb = Image.open(BytesIO(png)).convert("RGB")
    wide = Image.fromarray(np.asarray(rgb.convert("L")).astype(np.uint16) * 257)
    clear = rgb.convert("RGBA")
    clear.putalpha(Image.fromarray((np.asarray(rgb.convert("L")) < 250).astype(np.uint8) * 255))
    white = Image.new("RGB", rgb.size, "white")
    return {
        "grey": encoded(rgb.convert("L"), "PNG"),
        "sixteen bits": encoded(wide, "PNG"),
        "transparent": encoded(clear, "PNG"),
        "cmyk": encoded(rgb.convert("CMYK"), "JPEG", quality=95),
        "webp": encoded(rgb, "WEBP", lossless=True),
        "animated": encoded(rgb, "GIF", save_all=True, append_images=[white, white]),
        "bomb": encoded(Image.new("1", (12_000, 12_000), 1), "PNG"),
    }


def encoded(picture: Image.Image, format_: str, **options: Any) -> bytes:
    written = BytesIO()
    picture.save(written, format_, **options)
    return written.getvalue()


@pytest.mark.budget(30)
def test_odd_pictures_are_counted_and_a_bomb_is_a_state(tmp_path: Path) -> None:
    names = list(odd_pictures(draw_scattered("dot", 1, 128, np.random.default_rng(0))))

    def odd(body: dict[str, Any], picture: bytes) -> Any:
        n = int(re.findall(r"\d+", body["prompt"])[0])
        sent = odd_pictures(picture)[names[n - 1]]
        return {"data": [{"b64_json": base64.b64encode(sent).decode()}]}

    settings = {"per_cell": 1, "max": 7, "categories": ("dots",), "reasks": 1}
    with ImageServer(odd) as server:
        outcome, scores = produce(tmp_path, "openai/x", settings=settings, url=server.url)
    assert outcome.complete
    rows = {row["target"]: row for row in load_run(outcome.folder).counted.to_dicts()}
    assert {n: rows[n]["number"] for n in range(1, 7)} == {n: n for n in range(1, 7)}
    assert rows[7]["state"] == "empty"
    assert "too large" in rows[7]["note"]
    assert rows[7]["attempt"] == 1
    assert scores["states"] == {"read": 6, "empty": 1}


def test_what_is_no_picture_fails_alone_and_is_tried_once_a_session(tmp_path: Path) -> None:
    def page(body: dict[str, Any], _picture: bytes) -> Any:
        if "3 apples" not in body["prompt"]:
            return None
        return {"data": [{"b64_json": base64.b64encode(b"<html>no</html>").decode()}]}

    painter = "painter/shapes?blank=0.5"
    with ImageServer(page, painter=painter) as server:
        outcome, scores = produce(tmp_path, "openai/x?seed=1", url=server.url)
        assert not outcome.complete
        assert outcome.failed == 2
        assert scores["states"]["failed"] == 2
        # Blank pictures made it take several turns; what failed was asked for once.
        assert len(server.prompts) > TRIALS
        assert server.prompts.count("An image with 3 apples") == 2
        server.answer = None
        outcome, scores = produce(tmp_path, "openai/x?seed=1", url=server.url)
        assert outcome.complete
        assert "failed" not in scores["states"]


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


class TwoQuestions(Production):
    """Asks two questions about each picture and re-asks where the answers differ."""

    NAME: ClassVar[str] = "two-questions"
    CONDITION: ClassVar[Mapping[str, str | int | float]] = {**Production.CONDITION, "noun": ""}
    combined: ClassVar[list[list[str]]] = []

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: ProductionSettings, kind: Kind
    ) -> Iterator[Trial]:
        for noun in ("apples", "things"):
            about = {**trial.condition, "thing": noun, "noun": noun}
            question = f"How many {noun} are there?"
            yield make_follower((self.NAME, "1", stage), response, question, condition=about)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        numbers = {str(row.trial.condition["noun"]): row.reading.number for row in answers}
        if not numbers:
            return Reading("pending")
        self.combined.append(list(numbers))
        return Reading("read", number=min(n for n in numbers.values() if n is not None))

    def next_attempt(
        self,
        trial: Trial,
        settings: ProductionSettings,
        attempts: Sequence[tuple[Response, Reading]],
    ) -> Attempt | None:
        return Attempt({}) if attempts[-1][1].number and len(attempts) < 2 else None


def test_several_questions_about_one_picture(tmp_path: Path) -> None:
    """The benchmark gets all answers about a response at once, in the order of its questions."""
    benchmark = TwoQuestions()
    settings = benchmark.settings_from(SMALL)
    TwoQuestions.combined.clear()
    counter = open_model("counter/blobs")
    outcome = run_benchmark(
        benchmark,
        settings,
        open_model("painter/shapes?size=128"),
        tmp_path,
        RunOptions(progress=False),
        {"counter": counter},
    )
    assert outcome.complete
    assert len(of_stage(outcome.folder, "paint")) == 2 * TRIALS
    assert TwoQuestions.combined == [["apples", "things"]] * 2 * TRIALS
    path = outcome.folder / "responses.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for journal in (lines, lines[::-1]):  # whichever was answered first
        path.write_bytes(b"".join(journal))
        TwoQuestions.combined.clear()
        answers = stored_run(outcome.folder, benchmark).answers
        assert TwoQuestions.combined == [["apples", "things"]] * 2 * TRIALS
        counted = answers.filter(answers["stage"] == "count").sort("order")
        assert counted["noun"].to_list() == ["apples", "things"] * 2 * TRIALS
        pictures = answers.filter(answers["stage"] == "paint")
        assert set(pictures["state"]) == {"read"}
        assert pictures.filter(pictures["counts"])["attempt"].to_list() == [1] * TRIALS


class TextReading(TwoQuestions):
    """A namer reads pictures; another is asked about the namer's words, without a picture."""

    NAME: ClassVar[str] = "text-reading"
    KINDS: ClassVar[tuple[Kind, ...]] = ("namer",)
    READERS: ClassVar[Mapping[str, Any]] = {"strict": read_strict}
    HELPERS: ClassVar[Mapping[str, Helper]] = {"counter": Helper(("namer",))}

    def follow(
        self, stage: str, trial: Trial, response: Response, settings: ProductionSettings, kind: Kind
    ) -> Iterator[Trial]:
        question = f"Which number is meant? {response.value}"
        yield make_follower((self.NAME, "1", stage), response, question, target=trial.target)

    def combine(self, trial: Trial, response: Response, answers: Sequence[Row]) -> Reading:
        return answers[0].reading if answers else Reading("pending")


def test_replies_in_words_can_be_read_by_a_model(tmp_path: Path) -> None:
    benchmark = TextReading()
    settings = benchmark.settings_from({**SMALL, "reasks": 0})
    outcome = run_benchmark(
        benchmark,
        settings,
        open_model("sim/chatty"),
        tmp_path,
        RunOptions(progress=False),
        {"counter": open_model("sim/perfect")},
    )
    assert outcome.complete
    stored: StoredRun = stored_run(outcome.folder, benchmark)
    asked = {response["trial"]: response for response in of_stage(outcome.folder, "paint")}
    about = [trial for trial in stored.trials.values() if trial.stage == "count"]
    assert len(about) == len(of_stage(outcome.folder, "paint")) == 2 * TRIALS
    said = {(one["trial"], one["attempt"]): one["value"] for one in responses_of(outcome.folder)}
    for trial in about:
        which = trial.stimulus.recipe
        assert trial.stimulus.kind == "response"
        assert (which["respondent"], which["sample"]) == ("sim/chatty", 0)
        assert which["settings_hash"] == asked[which["trial"]]["settings_hash"]
        words = said[which["trial"], which["attempt"]]
        assert trial.question == f"Which number is meant? {words}"
    assert all(line["sha256"] == "" for line in responses_of(outcome.folder))
    (listed,) = readers_of(outcome.folder)
    assert (listed["name"], listed["kind"]) == ("sim/perfect", "namer")
    assert stored.reader == "sim/perfect"
    assert stored.counted["number"].to_list() == stored.counted["target"].to_list()
