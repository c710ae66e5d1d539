"""Who gets what: k people per item, nobody twice, nobody far ahead."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from subitize.humans.pool import Pool


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 99), st.data())
def test_a_pool_stays_balanced(items: int, annotators: int, seed: int, data: st.DataObject) -> None:
    names = [f"i{n}" for n in range(items)]
    pool, rng = Pool(names, annotators), np.random.default_rng(seed)
    had: dict[int, set[str]] = {}
    for _ in range(data.draw(st.integers(0, 80))):
        person = data.draw(st.integers(0, 7))
        own = had.setdefault(person, set())
        chosen = pool.choose(rng, lambda item, own=own: item not in own)  # type: ignore[misc]
        open_ = [item for item in names if pool.taken[item] < annotators and item not in own]
        assert (chosen is None) == (not open_)
        if chosen is None:
            continue
        assert pool.taken[chosen] == min(pool.taken[item] for item in open_)
        own.add(chosen)
        pool.change(chosen, 1)
    taken = Counter(item for own in had.values() for item in own)
    assert {item: taken[item] for item in names} == pool.taken
    for level, listed in enumerate(pool.levels):
        assert sorted(listed) == sorted(n for n in names if min(taken[n], annotators) == level)
    assert pool.open == any(count < annotators for count in pool.taken.values())


def test_who_goes_away_gives_back_and_a_dropped_item_is_given_to_nobody() -> None:
    pool, rng = Pool(["a", "b"], 2), np.random.default_rng(0)
    pool.change("a", 2)
    pool.remove("b")
    assert pool.choose(rng, lambda _: True) is None
    pool.change("a", -1)
    assert pool.choose(rng, lambda _: True) == "a"
    pool.restore("b")
    assert pool.choose(rng, lambda _: True) == "b"
    assert pool.choose(rng, lambda item: item != "b") == "a"
