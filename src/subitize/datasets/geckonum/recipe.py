"""What a set of GeckoNum prompts is made of: the published recipe, or one from a TOML file.

Source: Kajić et al. (2024), Table A1 (nouns), Table A2 (numbers per type), section 3 and the
released `prompts.csv` (order, pairs, scenes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from subitize.errors import BadInput, MissingExtra, UnknownName
from subitize.files import read_toml
from subitize.nouns import plural

TASK_OF_TYPE: Mapping[str, int] = {
    "numeric_simple": 1, "2-additive": 1, "3-additive": 1, "approx-2-entity": 2,
    "approx-1-entity": 2, "numeric_sentence": 1, "fractional-simple": 3, "part-whole": 3,
    "fractional-complex": 3, "attribute-color": 1, "2-additive-color": 1, "attribute-spatial": 1,
}  # fmt: skip
"""which of the three tasks people get for a type of prompt"""
TYPES = tuple(TASK_OF_TYPE)
"""the twelve types, in the order of the released file"""
DRAWN_TYPES = frozenset({"2-additive", "3-additive", "2-additive-color", "attribute-spatial"})
"""drawn at random; all other types follow from the recipe alone"""

NOUNS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    category: tuple(nouns.split(", ")) for category, nouns in {
        "animals": "dog, fish, cat, ant, fly, axolotl, seahorse, kangaroo, koala, manatee",
        "food": "apple, egg, burger, cookie, pizza, "
                "lychee, parsnip, samosa, chocolate, cinnamon stick",
        "nature": "tree, leaf, flower, coconut, olive, mushroom, durian, bonsai, pistachio, okra",
        "objects": "table, book, bottle, spoon, pencil, crib, paperclip, flute, trowel, corkscrew",
    }.items()
})  # fmt: skip
"""Table A1: the five frequent ones first, but chocolate is frequent too"""
FREQUENT = frozenset({"chocolate", *(noun for nouns in NOUNS.values() for noun in nouns[:5])})

Numbers = tuple[Annotated[int, 1], ...]
_ONE_AND_MANY = {str: ("a word", "words"), float: ("a number", "numbers")}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a set of prompts depends on but the seed; the defaults are the paper's."""

    name: str = "geckonum"
    """what the prompts' ids begin with"""
    types: tuple[str, ...] = TYPES
    """prompt types, in this order"""
    nouns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOUNS)
    """category: its nouns, singular"""
    frequent: frozenset[str] = FREQUENT
    """nouns known to be frequent"""
    rare: frozenset[str] = frozenset(
        noun for nouns in NOUNS.values() for noun in nouns if noun not in FREQUENT
    )
    """nouns known to be rare; all others are looked up in wordfreq"""
    frequent_zipf: float = 3.78
    """a noun that is neither is frequent from this Zipf frequency of wordfreq on: it parts Table
    A1's two columns (the most frequent rare word, cinnamon, has 3.70, the least frequent frequent
    one, ant, 3.86)"""
    plurals: Mapping[str, str] = field(default_factory=dict)
    """plurals that `subitize.nouns` does not know"""
    colours: tuple[str, ...] = ("black", "white", "red", "green")
    """colour words"""
    colour_nouns: tuple[str, ...] = ("apple", "cat", "koala", "mushroom", "bottle")
    """nouns that get a colour"""
    sentence_nouns: tuple[str, ...] = ("fish", "apple", "samosa", "mushroom", "olive")
    """nouns of numeric_sentence"""
    relations: Mapping[str, str] = field(
        default_factory=lambda: {
            "above": "below", "below": "above",
            "to the left of": "to the right of", "to the right of": "to the left of",
        }
    )  # fmt: skip
    """relation: the same seen from the other thing"""
    pairs: tuple[tuple[str, str], ...] = (
        ("kangaroo", "crib"), ("ant", "flute"), ("chocolate", "cinnamon stick"), ("koala", "fly"),
        ("bottle", "apple"), ("pizza", "paperclip"), ("lychee", "spoon"), ("book", "cat"),
        ("egg", "burger"), ("axolotl", "cookie"), ("fish", "seahorse"), ("trowel", "manatee"),
        ("dog", "samosa"), ("table", "pencil"), ("corkscrew", "parsnip"),
    )  # fmt: skip
    """nouns compared in approx-2-entity"""
    scenes: tuple[tuple[str, str, str], ...] = (
        ("flowers", "in", "vase"), ("candles", "on", "cake"), ("plates", "on", "table"),
        ("books", "on", "shelf"), ("pages", "in", "book"), ("seeds", "in", "watermelon"),
        ("olives", "on", "plate"), ("grains of rice", "on", "table"),
    )  # fmt: skip
    """things, preposition and place of approx-1-entity"""
    part_nouns: tuple[str, ...] = ("fork", "pencil", "plate")
    """nouns of part-whole"""
    simple_digits: Numbers = tuple(range(1, 11))
    """numbers of numeric_simple in digits"""
    simple_words: Numbers = tuple(range(1, 6))
    """numbers of numeric_simple in words"""
    colour_numbers: Numbers = tuple(range(1, 5))
    """numbers of attribute-color and 2-additive-color"""
    sentence_numbers: Numbers = tuple(range(1, 6))
    """numbers of numeric_sentence"""
    additive_numbers: Numbers = tuple(range(1, 6))
    """numbers of 2-additive and 3-additive"""
    spatial_numbers: Numbers = tuple(range(1, 6))
    """numbers of attribute-spatial"""
    whole_numbers: Numbers = tuple(range(1, 4))
    """whole things of fractional-simple"""
    part_numbers: Numbers = tuple(range(1, 6))
    """numbers of part-whole"""
    drawn: Annotated[int, 0] = 100
    """prompts of each drawn type"""

    def all_nouns(self) -> tuple[str, ...]:
        """The nouns of all categories."""
        return tuple(noun for nouns in self.nouns.values() for noun in nouns)

    def coloured(self) -> tuple[str, ...]:
        """The nouns that get a colour, in every colour."""
        return tuple(f"{colour} {noun}" for colour in self.colours for noun in self.colour_nouns)

    def plural(self, noun: str) -> str:
        """More than one of it."""
        return plural(noun, self.plurals)

    def relation_in(self, text: str) -> str:
        """The relation that a prompt names, the longest of several; empty if none."""
        longest_first = sorted(self.relations, key=len, reverse=True)
        return next((name for name in longest_first if f" {name} " in text), "")

    def is_frequent(self, noun: str) -> bool:
        """Whether a noun counts as frequent in English."""
        if noun in self.frequent or noun in self.rare:
            return noun in self.frequent
        return zipf(noun) >= self.frequent_zipf


def zipf(noun: str) -> float:
    """Zipf frequency in English; of a phrase that of its first word, as the paper did."""
    try:
        from wordfreq import zipf_frequency
    except ModuleNotFoundError:
        raise MissingExtra(f"Looking up how frequent {noun!r} is", "wordfreq", "words") from None
    return float(zipf_frequency(noun.split(maxsplit=1)[0], "en"))


def load_recipe(path: Path) -> Recipe:
    """A recipe from a TOML file; what it leaves out is as published."""
    content = read_toml(path, "GeckoNum prompts", "Mend it, or see docs/geckonum.md.")
    kinds = get_type_hints(Recipe, include_extras=True)
    for key in content:
        if key not in kinds:
            raise UnknownName(f"setting of GeckoNum prompts in {path}", key, kinds)
    recipe = Recipe(
        **{key: _typed(value, kinds[key], f"{path}: {key}") for key, value in content.items()}
    )
    for name in recipe.types:
        if name not in TYPES:
            raise UnknownName(f"prompt type in {path}", name, TYPES)
    for relation, reverse in recipe.relations.items():
        if recipe.relations.get(reverse) != relation:
            raise BadInput(
                f"{path}: the relation {relation!r} is {reverse!r} from the other side, but "
                f"{reverse!r} is not {relation!r}: list both."
            )
    if not recipe.all_nouns():
        raise BadInput(f'{path} names no noun: give nouns = {{ tools = ["hammer"] }}.')
    for noun in (*recipe.all_nouns(), *recipe.colour_nouns, *recipe.sentence_nouns):
        if ":" in noun or "," in noun:
            raise BadInput(f"{path}: the noun {noun!r} holds a colon or comma: leave it out.")
    return recipe


def _typed(value: Any, kind: Any, where: str) -> Any:
    """A value as its field says: words, numbers, `Annotated[int, least]`, tuples and sets of these,
    tuples of a fixed length, and tables of any of them."""
    origin, parts = get_origin(kind), get_args(kind)
    many = parts[0] if parts else None
    if kind is str and isinstance(value, str) and value.strip():
        return value.strip()
    if kind is float and type(value) in (int, float):
        return float(value)
    if origin is Annotated and type(value) is int and value >= parts[1]:
        return value
    if origin is Mapping and isinstance(value, dict):
        return {key: _typed(one, parts[1], f"{where}.{key}") for key, one in value.items()}
    # a list of words without a word says nothing; one of numbers says that there are none
    if origin in (tuple, frozenset) and isinstance(value, list) and (value or many is not str):
        if origin is tuple and ... not in parts and len(value) != len(parts):
            raise BadInput(f"{where} is {value!r}: give {_words(kind)[0]}.")
        return origin(_typed(one, many, where) for one in value)
    raise BadInput(f"{where} is {value!r}: give {_words(kind)[0]}.")


def _words(kind: Any) -> tuple[str, str]:
    """What a value must be, in words: one of them, and several."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return f"a whole number from {parts[1]}", f"whole numbers from {parts[1]}"
    if origin is Mapping:
        several = _words(parts[1])[1]
        return f"a table of {several}", f"tables of {several}"
    if origin in (tuple, frozenset):
        fixed = f"{len(parts)} " if origin is tuple and ... not in parts else ""
        several = f"{fixed}{_words(parts[0])[1]}"
        return f"a list of {several}", f"lists of {several}"
    return _ONE_AND_MANY[kind]
