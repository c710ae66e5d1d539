"""NumGen's prompts: "An image with {n} {object}", each n equally often, objects at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.nouns import singular

FORM = "An image with {} {}"  # NumGen's README, Prompt Generation
OBJECTS = (
    "apples", "people", "human faces", "dots", "butterflies", "triangles", "dogs", "cars",
    "pencils", "shoes", "guitars",
)  # fmt: skip
HIGHEST = 10


def numgen_entries(count: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Prompts with their number and object; how often two numbers occur differs by at most one.

    >>> entries = numgen_entries(20, np.random.default_rng(0))
    >>> sorted(entry["n"] for entry in entries) == sorted([*range(1, 11)] * 2)
    True
    """
    if count < 0:
        raise BadInput(f"{count} prompts can't be made: give a number of at least 0.")
    whole, rest = divmod(count, HIGHEST)
    numbers = np.repeat(np.arange(1, HIGHEST + 1), whole)
    further = rng.choice(np.arange(1, HIGHEST + 1), rest, replace=False)
    entries = []
    for n in rng.permutation(np.concatenate([numbers, further])).tolist():
        thing = OBJECTS[int(rng.integers(len(OBJECTS)))]
        words = FORM.format(n, singular(thing) if n == 1 else thing)
        entries.append({"prompt": words, "n": n, "object": thing})
    return entries
