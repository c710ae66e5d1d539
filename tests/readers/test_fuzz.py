"""The readers on millions of strings: never an exception, always a reading that holds together.

The suite takes a bounded part. `make long` takes ten million, or as many as SUBITIZE_FUZZ says, in
as many processes as there are cores, and writes what became of them to docs/fuzzing.json.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.readers.fuzzing import PIECES, check, states

IN_THE_SUITE = 30_000
A_SEED = 100_000
"""strings of one seed"""


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
@settings(max_examples=600, deadline=None)
def test_never_an_exception_and_always_a_consistent_reading(text: str) -> None:
    check(text)


@pytest.mark.budget(20)
def test_a_part_of_the_strings() -> None:
    found = states(0, IN_THE_SUITE)
    assert found.total() == IN_THE_SUITE
    assert {"read", "several-numbers", "vague", "not-a-count", "no-number"} <= found.keys()


@pytest.mark.long
def test_all_of_the_strings() -> None:
    wanted = int(os.environ.get("SUBITIZE_FUZZ", "10_000_000"))
    seeds = range(1, -(-wanted // A_SEED) + 1)
    found: Counter[str] = Counter()
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh) as pool:
        for part in pool.map(states, seeds, [min(A_SEED, wanted)] * len(seeds)):
            found += part
    assert found.total() >= wanted
    told = {"strings": found.total(), "seeds": len(seeds), "states": dict(sorted(found.items()))}
    (ROOT / "docs" / "fuzzing.json").write_text(json.dumps(told, indent=2) + "\n")
