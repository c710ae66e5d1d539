"""How well replies are read that nobody here wrote, beside the usual rules, and how fast.

The replies lie in `SUBITIZE_DATA` (default ../shared/data): 57 models on four sets of counting
questions, with the number that each set's own authors read in them. Right is the same number;
a reply of which no number is known is left out. Wrong is worse than unread. Of MathVista's replies
in which its authors read none, almost all refuse: a reading of one of them is wrong.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from subitize.readers.text import final, strict

FILE = Path(os.environ.get("SUBITIZE_DATA", "../shared/data")) / "replies" / "real_replies.jsonl"
SPEED_LENGTHS = range(100, 201)
ROUNDS = 5
Rule = Callable[[str, str, float], float | None]


def _integers(reply: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+", reply)]


def _first(reply: str, question: str, number: float) -> float | None:
    return next(iter(_integers(reply)), None)


def _last(reply: str, question: str, number: float) -> float | None:
    return next(reversed(_integers(reply)), None)


def _substring(reply: str, question: str, number: float) -> float | None:
    """As harnesses score: right wherever the digits stand, so it never reads a wrong number."""
    return number if f"{number:g}" in reply else -1.0


def _text2num(reply: str, question: str, number: float) -> float | None:
    from text_to_num import alpha2digit  # type: ignore[import-not-found]  of the extra `bench`

    return _last(alpha2digit(reply, "en"), question, number)


def rules() -> dict[str, Rule]:
    """Every way to read, by name; text2num only where it is installed."""
    known: dict[str, Rule] = {
        "strict": lambda reply, question, number: strict(reply).number,
        "strict, with the question": lambda reply, question, n: strict(reply, question).number,
        "final": lambda reply, question, number: final(reply).number,
        "final, with the question": lambda reply, question, n: final(reply, question).number,
        "first integer": _first,
        "last integer": _last,
        "substring": _substring,
    }
    try:
        _text2num("one", "", 1)
    except ImportError:
        return known
    return {**known, "last number by text2num": _text2num}


def read_all(lines: list[dict[str, Any]], rule: Rule) -> dict[str, tuple[int, float, float]]:
    """By source: how many replies, and the shares read rightly and wrongly."""
    found: dict[str, list[int]] = {}
    for line in lines:
        # BLINK's questions are ids, not words
        question = "" if line["source"] == "BLINK" else str(line["question"])
        said = rule(line["reply"], question, float(line["number"]))
        tally = found.setdefault(line["source"], [0, 0, 0])
        tally[0] += 1
        tally[1] += said == line["number"]
        tally[2] += said is not None and said != line["number"]
    return {
        source: (many, right / many, wrong / many) for source, (many, right, wrong) in found.items()
    }


def load() -> tuple[list[dict[str, Any]], list[str]]:
    """The replies with a known number, and those of MathVista without one."""
    lines = [orjson.loads(line) for line in FILE.read_bytes().splitlines()]
    without = [one for one in lines if one["number"] is None and one["source"] == "MathVista"]
    return [one for one in lines if one["number"] is not None], [one["reply"] for one in without]


def speed(read: Callable[[str], Any], replies: list[str]) -> float:
    """Replies per CPU second, the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for reply in replies:
            read(reply)
        best = min(best, time.process_time() - begun)
    return len(replies) / best


def main() -> None:
    if not FILE.exists():
        print(f"no replies at {FILE}: set SUBITIZE_DATA to the folder that holds them")
        return
    lines, without = load()
    for name, rule in rules().items():
        told = read_all(lines, rule)
        print(f"{name:26}", end="")
        for source, (many, right, wrong) in told.items():
            print(f"  {source} ({many}) {right:6.1%} right {wrong:5.1%} wrong", end="")
        print()
    for read in (strict, final):
        many = sum(read(reply).number is not None for reply in without)
        print(f"{read.__name__}: a number read in {many} of {len(without)} replies without one")
    short = [line["reply"] for line in lines if len(line["reply"]) in SPEED_LENGTHS]
    for read in (strict, final):
        print(
            f"{read.__name__}: {speed(read, short):,.0f} replies of 100 to 200 characters a CPU s"
        )
    long = "word " * 1_000_000
    begun = time.process_time()
    final(long)
    print(f"a reply of {len(long):,} characters: {time.process_time() - begun:.2f} CPU s")
