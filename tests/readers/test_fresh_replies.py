"""The readers on replies in the manner of many models, labelled before a reader saw them.

Right/wrong of the readers as they were when they first saw them, in %, of 410 (`strict` 97.1/1.5,
`final` 94.1/2.7), after rules for what was wrong in those, of 181 others (97.2/2.2, 92.3/3.9),
and later of 364 of other classes (97.3/2.5, 90.9/3.3). Of these five are left unread by `final` and
were labelled with the number alone; they say `Perhaps` now. Of 60 with caveats, seen once the
rules were there, it was 90.0/3.3 and 86.7/1.7. Of 169 more, in the manners of chat, reasoning and
local models, 94.7/2.4 and 91.7/4.1; eight that stayed unread say `Perhaps` now, and two that can be
told with their question alone stand below. Of 433 in the manner of the shared replies' models
`strict` read 1.8 % wrongly and `final` 3.5 %; those and what became readable by their rules stand
in the fifth set.
They are meant to be hard: the shares of genuine replies are in `test_real_replies.py`.
"""

from __future__ import annotations

import pytest

from subitize.readers.text import final, strict
from subitize.records import Reading
from tests.readers import (
    fresh_replies_caveats,
    fresh_replies_fifth,
    fresh_replies_fourth,
    fresh_replies_parts,
    fresh_replies_plain,
    fresh_replies_second,
    fresh_replies_third,
    fresh_replies_third_parts,
)
from tests.readers.reply_cases import Fresh, Perhaps

CASES: list[Fresh] = [
    *fresh_replies_plain.CASES,
    *fresh_replies_parts.CASES,
    *fresh_replies_second.CASES,
    *fresh_replies_third.CASES,
    *fresh_replies_third_parts.CASES,
    *fresh_replies_caveats.CASES,
    *fresh_replies_fourth.CASES,
    *fresh_replies_fifth.CASES,
]


def agrees(reading: Reading, expected: int | None) -> bool:
    if reading.number is None and isinstance(expected, Perhaps):
        return True
    return reading.number == expected


@pytest.mark.parametrize("asked", [False, True], ids=["reply alone", "with the question"])
def test_fresh_replies(asked: bool) -> None:
    assert len(CASES) > 1000
    wrong = []
    for question, reply, by_strict, by_final in CASES:
        given = question if asked else ""
        for reader, expected in ((strict, by_strict), (final, by_final)):
            reading = reader(reply, given)
            if not agrees(reading, expected):
                wrong.append((reader.__name__, reply, reading, expected))
    assert not wrong


def test_things_that_were_asked_for_and_denied_are_no_other_number() -> None:
    """Alone the reply counts cans; whoever knows that bottles were asked for takes no 3."""
    reply, question = "There are 3 cans but no bottles.", "How many bottles are in the image?"
    for reader in (strict, final):
        assert reader(reply, question).number in (None, 0)
        assert reader("There are 3 bottles and no other bottles.", question).number == 3


def test_the_number_that_meets_the_bound_of_the_question_is_the_answer() -> None:
    question = "How many students scored more than 15 points?"
    for reply in (
        "4 scored more than 15 points, and the total number of students was 20.",
        "There were a total of 20 students. Of those, 4 students scored more than 15 points.",
        "Among the 20, only four scored more than 15 points, which means 16 scored less than 15.",
        "There are 4 students who scored more than 15 points: Ann has 18, Ben 17 and Cem 19.",
    ):
        for reader in (strict, final):
            assert reader(reply, question).number == 4, reply
    for reply in (
        "The students who scored more than 15 points are Ann (18), Ben (17) and Cem (19).",
        "Only class 5 and class 7 scored more than 15 points.",
        "More than 15 points.",
        'The student of row "3 6" has more than 15 points.',
    ):
        for reader in (strict, final):
            assert reader(reply, question).number is None, reply
    other = "In 2 classes, 5 students scored at most 15 points. So 3 are left."
    assert final(other, question).number == 3
