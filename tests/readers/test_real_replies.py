"""The readers on genuine replies of 57 models, which nobody here wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from subitize.readers.text import final, strict
from subitize.records import Reading

LEAST = {  # by reader and source: the least share read rightly, the largest read wrongly
    "strict": {"BLINK": (0.975, 0.004), "MathVista": (0.43, 0.004), "MATH-V": (0.68, 0.004)},
    "final": {"BLINK": (0.985, 0.005), "MathVista": (0.88, 0.018), "MATH-V": (0.992, 0.004)},
}


NONE = {"strict": 0.012, "final": 0.04}
"""the largest share with a reading, of MathVista's replies in which its authors read no number;
of the other sources' such replies many do have one ("Three", "13!"), so they prove nothing"""


@pytest.fixture(scope="module")
def every_reply(data_dir: Path) -> list[dict[str, Any]]:
    lines = (data_dir / "replies" / "real_replies.jsonl").read_bytes().splitlines()
    return [orjson.loads(line) for line in lines]


@pytest.fixture(scope="module")
def replies(every_reply: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in every_reply if one["number"] is not None]


@pytest.mark.parametrize("reader", [strict, final])
@pytest.mark.parametrize("asked", [False, True], ids=["reply alone", "with the question"])
def test_replies_that_give_no_answer(
    reader: Any, asked: bool, every_reply: list[dict[str, Any]]
) -> None:
    """Most refuse, and repeat the numbers of the question: none of them is an answer."""
    none = [
        reader(one["reply"], one["question"] if asked else "").number
        for one in every_reply
        if one["source"] == "MathVista" and one["number"] is None
    ]
    assert len(none) > 300
    share = sum(number is not None for number in none) / len(none)
    assert share <= NONE[reader.__name__], share


@pytest.mark.parametrize("reader", [strict, final])
@pytest.mark.parametrize("asked", [False, True], ids=["reply alone", "with the question"])
def test_real_replies(reader: Any, asked: bool, replies: list[dict[str, Any]]) -> None:
    found: dict[str, list[tuple[Reading, float]]] = {}
    for one in replies:
        # BLINK's questions are ids, not words
        question = one["question"] if asked and one["source"] != "BLINK" else ""
        read = reader(one["reply"], question)
        found.setdefault(one["source"], []).append((read, one["number"]))
    for source, pairs in found.items():
        right = sum(read.number == number for read, number in pairs) / len(pairs)
        wrong = sum(read.number not in (None, number) for read, number in pairs) / len(pairs)
        least, most = LEAST[reader.__name__].get(source, (1.0, 0.0))
        assert right >= least, (source, right, wrong)
        assert wrong <= most, (source, right, wrong)


@pytest.mark.parametrize("reader", [strict, final])
def test_the_question_only_helps(reader: Any, replies: list[dict[str, Any]]) -> None:
    """Nowhere fewer right or more wrong ones than for the reply alone."""
    tallies: dict[str, list[int]] = {}
    for one in replies:
        if one["source"] == "BLINK":
            continue  # its questions are ids, not words
        alone, asked = (reader(one["reply"], question).number for question in ("", one["question"]))
        tally = tallies.setdefault(one["source"], [0, 0])
        tally[0] += (asked == one["number"]) - (alone == one["number"])
        tally[1] += (asked not in (None, one["number"])) - (alone not in (None, one["number"]))
    for source, (right, wrong) in tallies.items():
        assert right >= 0, (source, right, wrong)
        assert wrong <= 0, (source, right, wrong)
