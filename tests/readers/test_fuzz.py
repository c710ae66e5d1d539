"""The readers on millions of strings: never an exception, always a reading that holds together.

The suite takes a bounded part. `make long` takes ten million, or as many as SUBITIZE_FUZZ says, in
as many processes as there are cores, and writes what became of them to docs/fuzzing.json. It goes
on from what stands there, if these readers were at it, so that it may be run in parts.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

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


TOLD = ROOT / "docs" / "fuzzing.json"


def these_readers() -> str:
    """A hash of the code that reads, so that what is told holds for no other."""
    package = ROOT / "src" / "subitize"
    files = sorted([*package.glob("readers/*.py"), *package.glob("numerals/*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


@pytest.mark.long
def test_all_of_the_strings() -> None:
    wanted = int(os.environ.get("SUBITIZE_FUZZ", "10_000_000"))
    told: dict[str, Any] = json.loads(TOLD.read_text())
    if told.get("readers") != these_readers():
        told = {"seeds": 0, "states": {}}
    found = Counter(told["states"])
    seeds = range(told["seeds"] + 1, -(-wanted // A_SEED) + 1)
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh) as pool:
        for seed, part in zip(seeds, pool.map(states, seeds, [A_SEED] * len(seeds)), strict=True):
            found += part
            told = {
                "readers": these_readers(), "strings": found.total(), "seeds": seed,
                "states": dict(sorted(found.items())),
            }  # fmt: skip
            TOLD.write_text(json.dumps(told, indent=2) + "\n")
    assert found.total() >= wanted
