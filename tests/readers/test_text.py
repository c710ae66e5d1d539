"""The number readers, on a table of replies and on any text at all."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.numerals import to_words
from subitize.readers.text import final, read_final, read_strict, strict, take_confidence
from subitize.records import Reading, Response, Stimulus, make_trial
from tests.readers.replies import REPLIES
from tests.speed import cpu_of, within


def said(reading: Reading) -> int | float | str | None:
    return reading.number if reading.state == "read" else reading.state


@pytest.mark.parametrize(("reply", "expected", "_"), REPLIES)
def test_strict(reply: str, expected: int | str, _: int | str) -> None:
    assert said(strict(reply)) == expected


@pytest.mark.parametrize(("reply", "_", "expected"), REPLIES)
def test_final(reply: str, _: int | str, expected: int | str) -> None:
    assert said(final(reply)) == expected


def test_the_table_is_large_and_has_no_doubles() -> None:
    assert len(REPLIES) >= 300
    assert len({reply for reply, _, _ in REPLIES}) == len(REPLIES)


PUBLIC_SCORERS = [  # replies that five public scorers judge differently: reply, truth, right
    ("seven", 7, True),
    ("There are 7 cups.", 7, True),
    ("17", 7, False),
    ("21", 21, True),
    ("twenty-one", 21, True),
    ("-1", 1, False),
]


@pytest.mark.parametrize(("reply", "truth", "right"), PUBLIC_SCORERS)
def test_what_public_scorers_disagree_on(reply: str, truth: int, right: bool) -> None:
    assert (strict(reply).number == truth) is right
    assert (final(reply).number == truth) is right


WRAPPINGS = [
    "{}", " {} ", "\n\n{}\n", "**{}**", "*{}*", "__{}__", "`{}`", "```\n{}\n```", "```{}```",
    '"{}"', "'{}'", "“{}”", "({})", "{}.", "{}!", "\\boxed{{{}}}", "$\\boxed{{{}}}$",
    '{{"count": "{}"}}',
    '{{"answer": "{}"}}', "<answer>{}</answer>", "<think>5 or 6</think>{}", "# {}", "> {}", "- {}",
    "Answer: {}", "The answer is {}.", "{} apples", "There are {} apples.", "\ufeff{}", "{}\r\n",
    "| {} |", "<b>{}</b>", "**Answer:** {}", "{}\u200b", "I count {}.", "{} in total",
]  # fmt: skip


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_wrappings_do_not_matter(wrapping: str) -> None:
    for number in (0, 1, 2, 7, 10, 12, 20, 21, 100, 105, 1024, 20_000):
        for written in (str(number), f"{number:,}", to_words(number), to_words(number).title()):
            reply = wrapping.format(written)
            assert said(strict(reply)) == number, reply
            assert said(final(reply)) == number, reply


@given(st.integers(0, 10**12), st.lists(st.sampled_from(WRAPPINGS[:12]), max_size=2))
@settings(max_examples=150, deadline=None)
def test_wrapped_twice(number: int, wrappings: list[str]) -> None:
    for written in (str(number), f"{number:,}", to_words(number)):
        reply = written
        for wrapping in wrappings:
            reply = wrapping.format(reply)
        assert said(strict(reply)) == number
        assert said(final(reply)) == number


@given(st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=100, deadline=None)
def test_a_number_is_never_part_of_another(first: int, second: int) -> None:
    reading = strict(f"There are {first} apples.")
    assert (reading.number == second) is (first == second)
    total = first + second
    assert final(f"{first} + {second} = {total}").number == total


ENORMOUS = [
    "1 " * 500_000, "7" * 1_000_000, "one " * 250_000, "1-" * 500_000, "a" * 1_000_000,
    "<" * 1_000_000, "<a" * 500_000, "{" * 1_000_000, '{"a": ' * 160_000, "$" * 1_000_000,
    "*" * 1_000_000, "[" * 1_000_000, "\\boxed{" * 140_000, " " * 1_000_000, "\n" * 1_000_000,
    "<think>" * 140_000, "so " * 330_000, "no " * 330_000, "(" * 1_000_000, "1. a\n" * 200_000,
    "in total " * 110_000, "> " * 500_000, "_" * 1_000_000, "`" * 1_000_000, "~" * 1_000_000,
    "confidence " * 90_000, "\\" * 1_000_000, "answer " * 140_000, "1,111," * 160_000,
    "-" * 1_000_000,
    "no a b " * 140_000, "single " * 140_000, "1 or " * 200_000,
    "|" * 1_000_000, "#" * 1_000_000,
    "12 = " * 200_000, "egg 1 " * 160_000, "n't provide any " * 65_000, "[1,2,3," * 140_000,
    "how many a b c more than 3 " * 37_000, "out of 6, 4 are " * 62_000,
    "&" * 1_000_000, "a " * 500_000, "confidence: " * 80_000, " confidence in " * 66_000,
]  # fmt: skip


@pytest.mark.budget(90)
@pytest.mark.parametrize("text", ENORMOUS, ids=[text[:8].strip() + "…" for text in ENORMOUS])
def test_a_megabyte_takes_linear_time(text: str) -> None:
    used = sum(cpu_of(partial(read, text)) for read in (strict, final, take_confidence))
    assert within(used, 4)


def test_the_end_of_an_enormous_reply_is_read() -> None:
    assert final("word " * 300_000 + "\nFinal answer: 16").number == 16
    assert strict(" " * 1_000_000 + "7").number == 7


CONFIDENCES = [
    ("12\nConfidence: 80%", "12\n", 0.8),
    ("12\n**Confidence:** 80 %", "12\n", 0.8),
    ("12\n**Confidence: 95%**", "12\n", 0.95),
    ("confidence = 0.7\n12", "\n12", 0.7),
    ("12\nCONFIDENCE: 60 percent.", "12\n", 0.6),
    ("12\nConfidence level: 75/100", "12\n", 0.75),
    ("12\nConfidence (0-100): 85", "12\n", 0.85),
    ("12\nConfidence: high", "12\n", None),
    ("12\nConfidence: 150%", "12\n", None),
    ("12\nConfidence: 0%", "12\n", 0.0),
    ("12\n- Confidence: 99.5%", "12\n", 0.995),
    ("12\nConfidence: ８０%", "12\n", 0.8),
    ("I have confidence in 12", "I have confidence in 12", None),
    ("12 dots", "12 dots", None),
    ("", "", None),
]


@pytest.mark.parametrize(("reply", "rest", "confidence"), CONFIDENCES)
def test_take_confidence(reply: str, rest: str, confidence: float | None) -> None:
    assert take_confidence(reply) == (rest, confidence)


def test_confidence_inside_a_line_does_not_disturb_the_number() -> None:
    rest, confidence = take_confidence("There are 12 dots. Confidence: 80%")
    assert (strict(rest).number, confidence) == (12, 0.8)
    rest, confidence = take_confidence("12 (confidence: 80%)")
    assert (strict(rest).number, confidence) == (12, 0.8)


ENDS = [
    ("stop", "7", 7),
    ("end_turn", "7", 7),
    ("failed", "", "failed"),
    ("failed", "7", "failed"),
    ("refused", "7", "refused"),
    ("content_filter", "", "refused"),
    ("length", "There are 7", "truncated"),
    ("too-long", "", "too-long"),
    ("stop", "", "no-number"),
]


@pytest.mark.parametrize(("stop", "value", "expected"), ENDS)
@pytest.mark.parametrize("reader", [read_strict, read_final])
def test_how_a_response_ended(reader, stop: str, value: str, expected: int | str) -> None:  # type: ignore[no-untyped-def]
    trial = make_trial(("naming", "1", "main"), Stimulus("prompt", {"text": ""}), "How many?")
    response = Response(trial.id, "sim/chatty", "", 0, 0, "text", value, stop)
    assert said(reader(trial, response)) == expected
