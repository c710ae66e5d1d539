"""The words of GeckoNum's prompts, in the order of the released file.

Source: Kajić et al. (2024), Table A1 (nouns), Table A2 (numbers per type), section 3 and the
released `prompts.csv` (order, pairs, scenes, cuts).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "CATEGORIES",
    "COLOURS",
    "COLOUR_NOUNS",
    "CUTS",
    "FREQUENT",
    "FREQUENT_ZIPF",
    "HALVED",
    "PAIRS",
    "PART_NOUNS",
    "RELATIONS",
    "SCENES",
    "SENTENCES",
    "SENTENCE_NOUNS",
]

CATEGORIES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "animals": (
        "dog", "fish", "cat", "ant", "fly",
        "axolotl", "seahorse", "kangaroo", "koala", "manatee",
    ),
    "food": (
        "apple", "egg", "burger", "cookie", "pizza",
        "lychee", "parsnip", "samosa", "chocolate", "cinnamon stick",
    ),
    "nature": (
        "tree", "leaf", "flower", "coconut", "olive",
        "mushroom", "durian", "bonsai", "pistachio", "okra",
    ),
    "objects": (
        "table", "book", "bottle", "spoon", "pencil",
        "crib", "paperclip", "flute", "trowel", "corkscrew",
    ),
})  # fmt: skip
FREQUENT = frozenset({
    "dog", "fish", "cat", "ant", "fly", "apple", "egg", "burger", "cookie", "pizza", "chocolate",
    "tree", "leaf", "flower", "coconut", "olive", "table", "book", "bottle", "spoon", "pencil",
})  # fmt: skip
FREQUENT_ZIPF = 3.78
"""from this Zipf frequency of wordfreq on a new noun is frequent: it parts Table A1's two columns
(the most frequent rare word, cinnamon, has 3.70, the least frequent frequent one, ant, 3.86)"""

COLOURS = ("black", "white", "red", "green")
COLOUR_NOUNS = ("apple", "cat", "koala", "mushroom", "bottle")
SENTENCE_NOUNS = ("fish", "apple", "samosa", "mushroom", "olive")
SENTENCES = (
    "An image showing {things}.",
    "There {verb} {things}.",
    "There {verb} {things} in this image.",
    "A picture of {things}.",
)
RELATIONS: Mapping[str, str] = MappingProxyType(
    {
        "above": "below",
        "below": "above",
        "to the left of": "to the right of",
        "to the right of": "to the left of",
    }
)
"""relation: the same seen from the other thing"""

PAIRS: tuple[tuple[str, str], ...] = (
    ("kangaroo", "crib"), ("ant", "flute"), ("chocolate", "cinnamon stick"), ("koala", "fly"),
    ("bottle", "apple"), ("pizza", "paperclip"), ("lychee", "spoon"), ("book", "cat"),
    ("egg", "burger"), ("axolotl", "cookie"), ("fish", "seahorse"), ("trowel", "manatee"),
    ("dog", "samosa"), ("table", "pencil"), ("corkscrew", "parsnip"),
)  # fmt: skip
SCENES: tuple[tuple[str, str, str], ...] = (
    ("flowers", "in", "vase"), ("candles", "on", "cake"), ("plates", "on", "table"),
    ("books", "on", "shelf"), ("pages", "in", "book"), ("seeds", "in", "watermelon"),
    ("olives", "on", "plate"), ("grains of rice", "on", "table"),
)  # fmt: skip
"""things, preposition, place"""

CUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("loaf of bread", ("thirds", "quarters", "five parts")),
    ("apple", ("thirds", "quarters", "5 pieces")),
    ("cake", ("thirds", "quarters", "5 pieces")),
    ("pizza", ("3 slices", "4 slices", "5 slices")),
)
PART_NOUNS = ("fork", "pencil", "plate")
HALVED: tuple[tuple[str, str], ...] = (
    ("pencil", "A pencil broken into two pieces."),
    ("banana", "A banana is cut into two pieces."),
)
"""noun, and how the release says that it is in two pieces"""
HALF_COLOURS = (("red", "blue"), ("orange", "black"))
