"""A language model as the reader of replies: a helper, and its agreement with the rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from subitize.benchmarks.capture.extracting import read_extracted
from subitize.commands.rescoring import read
from subitize.records import Response, Trial
from tests.benchmarks.capture_runs import ask, question_of, replying, trials_of
from tests.chat_server import ChatServer
from tests.scored import load_run, score_run

LONG = "Rows of 3 and 4. Twelve in sight, 2 more behind: fourteen, or rather 15. Final answer: 15"
GIVEN = {"tasks": ("total",), "variants": ("occluded",), "items": 4}


class TextServer(ChatServer):
    """Takes questions without a picture too."""

    def _check_picture(self, body: dict[str, Any]) -> None:
        if len(body["messages"][-1]["content"]) > 1:
            super()._check_picture(body)


def answer(body: dict[str, Any]) -> str:
    """A namer that says the same long thing, and an extractor that takes its last number."""
    asked = question_of(body)
    if "Below is a reply" not in asked:
        return LONG
    return re.findall(r"\d+", asked)[-1]


def test_the_language_models_reading_counts_and_agreement_is_reported(tmp_path: Path) -> None:
    with TextServer(replying(answer)) as server:
        server.keep_bodies = True
        outcome, scores = ask(
            tmp_path, url=server.url, settings=GIVEN, reading_model="openai/llama"
        )
        assert len(server.seen) == 8
        extracted = [body for body in server.bodies if body["model"] == "llama"]
        assert all(LONG in question_of(body) for body in extracted)
    assert outcome.complete
    assert scores["states"] == {"read": 4}
    assert {said for _, said, _ in scores["confusion"]["occluded"]["pairs"]} == {15}
    assert scores["reader_agreement"] == {
        "openai/llama": {"replies": 4, "alike": 4, "share": 1.0, "unlike": []}
    }
    by_rules = score_run(outcome.folder, "final")
    assert by_rules["smape"] == scores["smape"]


def test_each_of_several_samples_is_extracted_once_and_coolly(tmp_path: Path) -> None:
    """Samples and their temperature are the model's own; the reader is asked once about each."""
    given = {**GIVEN, "items": 2, "confidence": "samples", "samples": 3}
    with TextServer(replying(answer)) as server:
        server.keep_bodies = True
        outcome, _ = ask(tmp_path, url=server.url, settings=given, reading_model="openai/llama")
        extracted = [body for body in server.bodies if body["model"] == "llama"]
        assert len(server.seen) == 2 * 3 + 2 * 3
        assert not any("temperature" in body for body in extracted)
    answers = load_run(outcome.folder).answers
    about = answers.filter(answers["stage"] == "extract")
    assert sorted(about["of_sample"]) == [0, 0, 1, 1, 2, 2]
    assert set(about["sample"]) == {0}


def test_backoff_waits_for_what_the_language_model_reads(tmp_path: Path) -> None:
    """The rules would read 15; the reader finds nothing until the third, cooler reply."""

    def picky(body: dict[str, Any]) -> str:
        if "Below is a reply" in question_of(body):
            return "15" if "surely" in question_of(body) else "skipped"
        return LONG if body["temperature"] > 0.85 else f"surely {LONG}"

    given = {**GIVEN, "items": 1, "backoff": True}
    with TextServer(replying(picky)) as server:
        outcome, scores = ask(
            tmp_path, url=server.url, settings=given, reading_model="openai/llama"
        )
        assert len(server.seen) == 3 + 3
    assert scores["attempts"] == {"2": 1}
    assert scores["states"] == {"read": 1}
    # By the rules the first attempt was good enough.
    assert set(load_run(outcome.folder, "final").counted["attempt"]) == {0}


def test_where_the_readers_differ_it_is_shown(tmp_path: Path) -> None:
    with TextServer(
        replying(lambda b: "skipped" if "Below is" in question_of(b) else LONG)
    ) as server:
        outcome, before = ask(tmp_path, url=server.url, settings=GIVEN)
        assert "reader_agreement" not in before
        read(outcome.folder, reading_model="openai/llama", base_url=server.url)
        scores = score_run(outcome.folder)
    assert scores["smape"]["occluded"]["skipped"] == 4
    (found,) = scores["reader_agreement"].values()
    assert (found["alike"], found["share"]) == (0, 0.0)
    assert found["unlike"][0]["rules"] == 15
    assert found["unlike"][0]["model"] is None


@pytest.mark.parametrize(
    ("said", "state", "number"),
    [
        ("15", "read", 15),
        ("**15**", "read", 15),
        ("skipped", "no-number", None),
        ("Skipped.", "no-number", None),
        ("It could be 5 or 6", "vague", None),
    ],
)
def test_what_an_extractor_may_say(
    tmp_path: Path, said: str, state: str, number: int | None
) -> None:
    outcome, _ = ask(tmp_path, model="sim/perfect", settings={**GIVEN, "items": 1})
    trial: Trial = trials_of(outcome.folder)[0]
    response = Response(trial.id, "x", "h", 0, 0, "text", said, "stop")
    reading = read_extracted(trial, response)
    assert (reading.state, reading.number) == (state, number)
