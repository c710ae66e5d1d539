"""Votes by name: what a plain loop says, on arrays, frames and short lists alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subitize.errors import UnknownName
from subitize.readers.votes import RULES, vote, vote_frame, vote_readings
from subitize.records import Reading, Votes

Given = list[tuple[int, float | None]]
ANSWERS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0, 1.5, 2.0, None])), min_size=1
)


def by_hand(own: list[float | None], rule: str) -> tuple[float | None, int, int]:
    said = [value for value in own if value is not None]
    if not said:
        return (0.0 if rule == "share" else None), 0, len(own)
    best = (
        said[-1] if rule == "last" else max(said, key=said.count)
    )  # max keeps the first of equals
    times = said.count(best)
    if rule == "share":
        return times / len(own), times, len(own)
    if rule == "majority" and 2 * times <= len(own):
        return None, times, len(own)
    return best, times, len(own)


@pytest.mark.parametrize("rule", RULES)
@given(answers=ANSWERS)
def test_arrays_and_frames_say_what_a_plain_loop_says(answers: Given, rule: str) -> None:
    names = list(dict.fromkeys(group for group, _ in answers))
    wanted = [by_hand([v for g, v in answers if g == name], rule) for name in names]
    group = np.array([names.index(one) for one, _ in answers])
    value = np.array([np.nan if one is None else one for _, one in answers])
    voted, agreeing, answered = vote(group, value, rule)
    got = [None if np.isnan(one) else one for one in voted.tolist()]
    assert list(zip(got, agreeing, answered, strict=True)) == wanted
    frame = pl.DataFrame(
        {"who": [f"g{one}" for one, _ in answers], "number": [one for _, one in answers]},
        schema_overrides={"number": pl.Float64},
    )
    found = vote_frame(frame, ["who"], "number", rule)
    assert found.columns == ["who", "number", "agreeing", "answers"]
    assert found.rows() == [(f"g{n}", *w) for n, w in zip(names, wanted, strict=True)]


def test_words_and_several_keys() -> None:
    frame = pl.DataFrame(
        {
            "picture": ["a", "a", "b", "a", "b", None],
            "task": [1, 1, 1, 2, 1, 1],
            "choice": ["yes", "no", None, "no", None, "yes"],
        }
    )
    voted = vote_frame(frame, ["picture", "task"], "choice")
    assert voted.rows() == [
        ("a", 1, "yes", 1, 2), ("b", 1, None, 0, 2), ("a", 2, "no", 1, 1), (None, 1, "yes", 1, 1),
    ]  # fmt: skip
    shares = vote_frame(frame, ["picture", "task"], "choice", "share")
    assert shares["choice"].to_list() == [0.5, 0.0, 1.0, 1.0]


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'majority'"):
        vote(np.array([0]), np.array([1.0]), "majorty")


def read(*values: int | None) -> list[Reading]:
    return [Reading("no-number") if one is None else Reading("read", one) for one in values]


def test_a_short_list_of_readings() -> None:
    chosen, votes = vote_readings(read(None, 3, 4, 4, 3, 7))
    assert (chosen, votes) == (Reading("read", 3), Votes(3, 2, 6))
    none, votes = vote_readings([Reading("refused"), Reading("vague")])
    assert (none, votes) == (Reading("refused"), Votes(None, 0, 2))
    words = [Reading("read", choice="circle"), Reading("read", choice="line", note="x")] * 2
    assert vote_readings(words[1:])[0] == words[1]
