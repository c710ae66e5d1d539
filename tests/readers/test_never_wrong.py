"""Hard replies of our own wording: read rightly or not at all, by both readers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from subitize.readers.text import final, strict
from subitize.records import Reading
from tests.readers import replies_never_wrong, replies_never_wrong_forms

NAMED = {**replies_never_wrong.NAMED, **replies_never_wrong_forms.NAMED}
EVERY = [(reply, number) for replies in NAMED.values() for reply, number in replies]


@pytest.mark.parametrize("read", [strict, final])
@pytest.mark.parametrize("kind", NAMED)
def test_no_other_number_is_read(read: Callable[[str], Reading], kind: str) -> None:
    wrong = [
        (reply, said, number)
        for reply, number in NAMED[kind]
        if (said := read(reply).number) not in (None, number)
    ]
    assert wrong == []


def test_final_reads_nearly_all_of_them() -> None:
    named = [(reply, number) for reply, number in EVERY if number is not None]
    unread = [reply for reply, number in named if final(reply).number is None]
    assert len(named) > 200
    assert len(unread) < len(named) / 10, unread


ASKED = [  # question, reply, its number
    ("How many forks are there?", "I see 4 plates but no forks.", 0),
    ("How many lions are in the picture?", "No lions. I only see 3 zebras.", 0),
    ("How many bars are above 20?", "No bars are above 20.", 0),
    ("How many bars are above 20?", "I can't tell how many bars are above 20.", None),
    ("How many of the 12 eggs are broken?", "Of the 12 eggs, 5 are broken.", 5),
    ("How many of the 12 eggs are broken?", "None of the 12 eggs are broken.", 0),
    ("How many numbers are less than 30?", "12, 15, 21 are less than 30, so three.", 3),
    ("How many numbers are less than 30?", "12, 15 and 21 are less than 30: 3 of them.", 3),
    ("How many students scored exactly 10 points?", "7 students scored exactly 10 points.", 7),
    ("Subtract all red things. How many objects are left?", "9 at first; 6 objects are left.", 6),
]


@pytest.mark.parametrize("read", [strict, final])
@pytest.mark.parametrize(("question", "reply", "number"), ASKED)
def test_nor_with_the_question(
    read: Callable[[str, str], Reading], question: str, reply: str, number: int | None
) -> None:
    assert read(reply, question).number in (None, number)
