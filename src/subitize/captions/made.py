"""Made-up captions with known numbers: for the demo, and to test what the counting finds."""

from __future__ import annotations

import numpy as np

from subitize.numerals import to_words

THINGS = (
    "dogs", "cats", "birds", "trees", "houses", "boats", "chairs", "apples", "flowers", "horses",
    "people", "children", "women", "men", "books", "cars", "windows", "bottles", "candles", "shoes",
)  # fmt: skip
KINDS = ("red", "old", "small", "young", "wooden", "beautiful", "white", "happy", "large", "green")
PLACES = (
    "on the beach", "in a garden", "near the river", "at sunset", "under a bridge", "by the road",
)  # fmt: skip
OTHERS = (
    "sunset over the mountains", "portrait of a woman in a hat", "a 5 km run through the forest",
    "Porsche 911 parked outside a hotel", "35th anniversary party", "1965 car in the desert",
    "a $20 bill on a table", "50% discount banner", "chapter 3 summary",
    "one of the dogs is asleep",
    "a 3-bedroom house for rent", "3 pm sunlight in the kitchen", "table for two",
)  # fmt: skip
HIGHEST = 300


def made_captions(
    many: int, rng: np.random.Generator, *, exponent: float = 2.0, decades: float = 3.0
) -> tuple[list[str], list[int | None]]:
    """Captions, and the number that each counts; none in every other one.

    Numbers follow a power law up to 300, with decades so many times as frequent.

    >>> texts, numbers = made_captions(3, np.random.default_rng(0))
    >>> len(texts), len(numbers)
    (3, 3)
    """
    numbers = np.arange(1, HIGHEST + 1)
    shares = numbers.astype(np.float64) ** -exponent
    shares[numbers % 10 == 0] *= decades
    drawn = rng.choice(numbers, many, p=shares / shares.sum())
    texts: list[str] = []
    counted: list[int | None] = []
    for number in drawn.tolist():
        if rng.random() < 0.5:
            texts.append(OTHERS[int(rng.integers(len(OTHERS)))])
            counted.append(None)
            continue
        written = to_words(number) if number <= 20 and rng.random() < 0.5 else str(number)
        kind = f"{KINDS[int(rng.integers(len(KINDS)))]} " if rng.random() < 0.5 else ""
        thing = THINGS[int(rng.integers(len(THINGS)))]
        texts.append(f"{written} {kind}{thing} {PLACES[int(rng.integers(len(PLACES)))]}")
        counted.append(number)
    return texts, counted
