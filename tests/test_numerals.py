"""Numbers in words and digits, and where they stand in a text."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.numerals import (
    LARGEST,
    NUMBER_WORDS,
    find_numbers,
    from_words,
    to_ordinal_words,
    to_words,
)
from tests.speed import cpu_of, within


def test_words_and_digits_agree_up_to_ten_thousand() -> None:
    for number in range(10_001):
        assert from_words(to_words(number)) == number
        assert from_words(to_words(number, and_=True)) == number
        assert from_words(str(number)) == from_words(f"{number:,}") == number


@given(st.integers(-LARGEST, LARGEST))
@settings(max_examples=300, deadline=None)
def test_words_round_trip(number: int) -> None:
    assert from_words(to_words(number)) == number
    assert from_words(to_words(number).upper()) == number
    assert from_words(to_words(number).replace("-", " ")) == number


@given(st.integers(0, LARGEST))
@settings(max_examples=200, deadline=None)
def test_thousands_separators_agree(number: int) -> None:
    for sign in (",", "_", " ", "\u00a0", "\u202f", "'"):
        assert from_words(f"{number:,}".replace(",", sign)) == number


@given(st.integers(0, 10**9), st.sampled_from([0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE]))
@settings(max_examples=200, deadline=None)
def test_digits_of_every_script(number: int, zero: int) -> None:
    assert from_words("".join(chr(zero + int(digit)) for digit in str(number))) == number


@given(st.integers(1, 99_999))
@settings(max_examples=200, deadline=None)
def test_ordinals_are_no_cardinals(number: int) -> None:
    found = find_numbers(to_ordinal_words(number))
    assert [one.kind for one in found] == ["ordinal"]
    assert from_words(to_ordinal_words(number)) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a dozen", 12), ("two dozen", 24), ("half a dozen", 6), ("a half dozen", None),
        ("half-dozen", 6), ("a hundred", 100), ("one hundred and five", 105),
        ("two thousand three hundred", 2300), ("twelve hundred", 1200), ("1.5 million", 1_500_000),
        ("3 hundred", 300), ("二十一", 21), ("一百零五", 105), ("十", 10), ("二〇二四", 2024),
        ("7️⃣", 7), ("five apples", None), ("", None), ("five six", None), ("3.5", None),
        ("minus one", -1), ("-1", -1), ("third", None), ("hundred", 100), ("fourty", 40),
    ],
)  # fmt: skip
def test_from_words(text: str, number: int | None) -> None:
    assert from_words(text) == number


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3 apples and twenty-one pears", ["cardinal 3", "cardinal 21"]),
        ("4-5", ["range 4", "range 5"]), ("four to five", ["range 4", "range 5"]),
        ("between 5 and 7", ["range 5", "range 7"]), ("5 and 7", ["cardinal 5", "cardinal 7"]),
        ("1/2", ["fraction 1", "fraction 2"]), ("½", ["fraction None"]),
        ("two thirds", ["fraction None"]), ("half", ["fraction None"]),
        ("40 %", ["percentage 40"]), ("forty percent", ["percentage 40"]),
        ("100 Percent Wool", ["percentage 100"]), ("35TH Street", ["ordinal 35"]),
        ("Two To Three", ["range 2", "range 3"]), ("Two Hundred And Five", ["cardinal 205"]),
        ("3rd", ["ordinal 3"]), ("the third", ["ordinal 3"]), ("3.25", ["decimal None"]),
        ("minus two", ["negative -2"]), ("12 minus 2", ["cardinal 12", "cardinal 2"]),
        ("12 - 2 = 10", ["cardinal 12", "cardinal 2", "cardinal 10"]),
        ("GPT-4", ["code 4"]), ("12:30", ["code 12", "code 30"]), ("$5", ["code 5"]),
        ("640x480", ["code 640", "code 480"]), ("1.2.3", ["code None"]),
        ("2024-05-01", ["code 2024", "code 5", "code 1"]), ("5-pointed", ["modifier 5"]),
        ("a pair", ["group 2"]), ("two pairs", ["group 4"]),
        ("several hundred", ["indefinite None"]),
        ("dozens", ["indefinite None"]), ("3, 4, 5", ["cardinal 3", "cardinal 4", "cardinal 5"]),
        ("someone often weighs a ton", []), ("一些", []), ("第三", []),
        ("9" * 18, ["cardinal " + "9" * 18]), ("9" * 19, ["code None"]),
    ],
)  # fmt: skip
def test_kinds(text: str, kinds: list[str]) -> None:
    assert [f"{found.kind} {found.value}" for found in find_numbers(text)] == kinds


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_spans_are_in_order_and_inside_the_text(text: str) -> None:
    place = 0
    for found in find_numbers(text):
        assert place <= found.start < found.end <= len(text)
        place = found.end


def test_letters_that_match_in_any_case_read_as_what_they_match() -> None:
    for text, value in (("\u017fix", 6), ("N\u0130NE", 9), ("f\u0131ve", 5), ("\u017fEVEN", 7)):
        assert [number.value for number in find_numbers(text)] == [value]
    letters = "abcdefghijklmnopqrstuvwxyz"
    for place in range(0x80, 0x110000):
        if re.match(f"[{letters}]", chr(place), re.IGNORECASE):
            find_numbers("".join(chr(place) if c in "ski" else c for c in "six nine seven"))


def test_too_large_a_number_has_no_words() -> None:
    with pytest.raises(ValueError, match="largest"):
        to_words(LARGEST + 1)


def test_the_list_of_words_reads_as_numbers() -> None:
    assert all(from_words(word) is not None for word in NUMBER_WORDS)


HARD = [
    "1" * 100, "1,111,", "one ", "twenty-", "hundred and ", "minus ", "half a ", "a ", "七", "no.",
    "1-", "1/2/", "1 ", "- ", "between 1 and ", "1,1111,", "٧", "7️⃣", "one hundred ", "1x",
]  # fmt: skip


@pytest.mark.budget(60)
@pytest.mark.parametrize("piece", HARD)
def test_time_is_linear(piece: str) -> None:
    """Eight times the text takes about eight times as long; quadratic would be 64 times."""

    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        return min(cpu_of(lambda: find_numbers(text)) for _ in range(3))

    small, large = seconds(30_000), seconds(240_000)
    assert large < 30 * small + 0.1


def test_a_megabyte_of_prose_and_digits_is_quick() -> None:
    text = "There are 12 apples and 1,024 pears between the twenty-first and 22nd of May, or so. "
    text *= 1_000_000 // len(text)
    texts = (text, "1" * 1_000_000, "," * 1_000_000)
    assert within(sum(cpu_of(partial(find_numbers, text)) for text in texts), 4)
