"""What is said while a run asks."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from subitize.benchmarks.catalog import get_benchmark
from subitize.models.base import Item, Model, Reply
from subitize.records import Reading, Response
from subitize.runs.progress import OTHER, Progress, told
from subitize.runs.run import RunOptions, run_benchmark


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


def test_silence_is_told_more_and_more_seldom(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress("naming · m", every=0.02) as progress:
        progress.stage("ask", 2)
        progress.still_waiting()
        asked, end = 0, time.monotonic() + 0.5
        while time.monotonic() < end:
            time.sleep(0.005)
            progress.still_waiting()
            asked += 1
    said = capfd.readouterr().err.splitlines()
    assert 1 <= len(said) <= 6 < asked, "each silence is twice as long as the one before"
    assert all("naming · m · ask: nothing has come for 0 s; still waiting" in one for one in said)


class Slow(Model):
    kinds = ("namer",)

    async def name(self, items: Sequence[Item]) -> list[Reply]:
        await asyncio.sleep(0.5)
        return [Reply("text", "1") for _ in items]


def test_a_model_that_gives_nothing_is_no_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    defaults = {"show": None, "every": 0.2}
    monkeypatch.setattr(Progress.__init__, "__kwdefaults__", defaults)
    benchmark = get_benchmark("naming")
    small = {"per_cell": 1, "max": 1, "size": 64, "prompt": "things", "categories": ("dots",)}
    run_benchmark(
        benchmark, benchmark.settings_from(small), Slow("test/slow"), tmp_path, RunOptions()
    )
    assert "nothing has come for" in capfd.readouterr().err


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


def test_what_computes_long_says_so_again_and_again(capfd: pytest.CaptureFixture[str]) -> None:
    def lines() -> list[str]:
        said.append(capfd.readouterr().err)
        return "".join(said).splitlines()

    said: list[str] = []
    with told("naming: scoring 1,000 trials", every=0.01):
        while len(lines()) < 2:
            time.sleep(0.001)
    assert all(re.fullmatch(r"naming: scoring 1,000 trials \(\d+ s so far\)", x) for x in lines())
    ended = len(lines())
    with told("naming: scoring", show=False, every=0.01):
        time.sleep(0.05)
    assert len(lines()) == ended, "nothing after the end, and nothing where nobody wants it"
