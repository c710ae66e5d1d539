"""What is said while a run asks."""

from __future__ import annotations

import pytest

from subitize.records import Reading, Response
from subitize.runs.progress import OTHER, Progress


def answered(number: int) -> Response:
    return Response(f"t{number}", "m", "s", 0, 0, "text", "", "stop", {"total_tokens": 15})


def test_without_a_terminal_a_line_now_and_then(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress("naming · m", every=0.0) as often, Progress("naming · m") as seldom:
        for progress in (often, seldom):
            progress.stage("ask", 2)
            for number in range(2):
                progress.count(answered(number), Reading("read", 1))
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2, "a minute has not gone by for the other"
    assert said[0].startswith("naming · m · ask: 1/2, ")
    assert said[1].endswith("2 read, 30 tokens")


def test_nothing_is_said_where_nobody_wants_it(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress("naming · m", show=False, every=0.0) as silent:
        silent.count(answered(0), Reading("read", 1))
    assert not capfd.readouterr().err


def test_control_questions_are_no_unreadable_replies() -> None:
    progress = Progress("naming · m", show=False)
    progress.count(answered(0), Reading("no-number"), counts=False)
    progress.count(answered(1), Reading("refused"), counts=False)
    progress.count(answered(2), Reading("no-number"))
    assert progress.states == {OTHER: 1, "refused": 1, "no-number": 1}
