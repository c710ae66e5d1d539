"""A language model as the reader of replies: a run of its own, and its agreement with the rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from subitize.benchmarks.capture.extracting import read_extracted
from subitize.benchmarks.catalog import get_benchmark
from subitize.commands.running import read
from subitize.models.base import ModelOptions
from subitize.models.catalog import open_model
from subitize.records import Response, Trial
from subitize.runs.reading import run_with_reading
from subitize.runs.run import RunOptions
from subitize.runs.stored import read_trials
from tests.benchmarks.capture_runs import QUICK, SMALL, ask, question_of, replying
from tests.chat_server import ChatServer
from tests.scored import score_run

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
    benchmark = get_benchmark("capture")
    with TextServer(replying(answer)) as server:
        server.keep_bodies = True
        options = ModelOptions(server.url, timeout=5.0)
        outcome = run_with_reading(
            benchmark,
            benchmark.settings_from({**SMALL, **GIVEN}),
            open_model("openai/x", options),
            tmp_path,
            RunOptions(progress=False, policy=QUICK),
            open_model("openai/llama", options),
        )
        assert len(server.seen) == 8
        extracted = [body for body in server.bodies if body["model"] == "llama"]
        assert all(LONG in question_of(body) for body in extracted)
        scores = score_run(outcome.folder)
    assert outcome.complete
    assert scores["states"] == {"read": 4}
    assert {said for _, said, _ in scores["confusion"]["occluded"]["pairs"]} == {15}
    (found,) = scores["reader_agreement"].values()
    assert found == {"replies": 4, "alike": 4, "share": 1.0, "unlike": []}
    by_rules = score_run(outcome.folder, "final")
    assert by_rules["smape"] == scores["smape"]


def test_where_the_readers_differ_it_is_shown(tmp_path: Path) -> None:
    with TextServer(
        replying(lambda b: "skipped" if "Below is" in question_of(b) else LONG)
    ) as server:
        outcome, before = ask(tmp_path, url=server.url, settings=GIVEN)
        assert "reader_agreement" not in before
        read(outcome.folder, None, None, "openai/llama", server.url, None)
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
    trial: Trial = next(read_trials(outcome.folder))
    response = Response(trial.id, "x", "h", 0, 0, "text", said, "stop")
    reading = read_extracted(trial, response)
    assert (reading.state, reading.number) == (state, number)
