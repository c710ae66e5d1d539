"""Votes by name: what a plain loop says, on arrays and frames alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subitize.errors import UnknownName
from subitize.readers.votes import RULES, most_common, vote

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
def test_arrays_say_what_a_plain_loop_says(answers: Given, rule: str) -> None:
    names = list(dict.fromkeys(group for group, _ in answers))
    wanted = [by_hand([v for g, v in answers if g == name], rule) for name in names]
    group = np.array([names.index(one) for one, _ in answers])
    value = np.array([np.nan if one is None else one for _, one in answers])
    voted, agreeing, answered = vote(group, value, rule)
    got = [None if np.isnan(one) else one for one in voted.tolist()]
    assert list(zip(got, agreeing, answered, strict=True)) == wanted


@given(answers=ANSWERS)
def test_words_of_a_frame_say_what_a_plain_loop_says(answers: Given) -> None:
    words = [None if one is None else f"w{one}" for _, one in answers]
    names = [f"g{group}" for group, _ in answers]
    frame = pl.DataFrame({"who": names, "said": words}, schema_overrides={"said": pl.String})
    found = most_common(frame, "who", "said")
    assert found.columns == ["who", "said", "agreeing", "answers"]
    for (who, said, agreeing, answered), name in zip(
        found.rows(), dict.fromkeys(names), strict=True
    ):
        own = [value for group, value in answers if f"g{group}" == name]
        value, *counts = by_hand(own, RULES[0])
        wanted = None if value is None else f"w{value}"
        assert (who, said, agreeing, answered) == (name, wanted, *counts)
    assert most_common(frame.clear(), "who", "said").height == 0


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'majority'"):
        vote(np.array([0]), np.array([1.0]), "majorty")
