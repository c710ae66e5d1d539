"""Hard replies of our own wording: read rightly or not at all, by both readers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from subitize.readers.text import final, strict
from subitize.records import Reading
from tests.readers.replies_never_wrong import NAMED

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
