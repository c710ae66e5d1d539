"""Benchmarks that have their responses read in ways of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from subitize.benchmark import Attempt, Helper
from subitize.benchmarks.production import Production, ProductionSettings
from subitize.models.base import Kind
from subitize.models.catalog import open_model
from subitize.readers.text import read_strict
from subitize.records import Reading, Response, Row, Trial, make_follower
from subitize.runs.run import RunOptions, run_benchmark
from subitize.runs.stored import StoredRun, stored_run
from tests.runs.conftest import responses_of
from tests.runs.production_runs import SMALL, TRIALS, of_stage, readers_of


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
    HELPERS: ClassVar[Mapping[str, Helper]] = {"counter": Helper(("namer",), told=True)}

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
