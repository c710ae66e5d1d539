"""What a set of GeckoNum prompts is made of: the published recipe, or one from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from subitize.datasets.geckonum import words
from subitize.errors import BadInput, MissingExtra, UnknownName

__all__ = ["DRAWN_TYPES", "RULED_TYPES", "TYPES", "Recipe", "load_recipe"]

TYPES = (
    "numeric_simple",
    "2-additive",
    "3-additive",
    "approx-2-entity",
    "approx-1-entity",
    "numeric_sentence",
    "fractional-simple",
    "part-whole",
    "fractional-complex",
    "attribute-color",
    "2-additive-color",
    "attribute-spatial",
)
"""the twelve types, in the order of the released file"""
DRAWN_TYPES = frozenset({"2-additive", "3-additive", "2-additive-color", "attribute-spatial"})
"""drawn at random; all other types follow from the recipe alone"""
RULED_TYPES = tuple(name for name in TYPES if name not in DRAWN_TYPES)


def _upto(last: int) -> tuple[int, ...]:
    return tuple(range(1, last + 1))


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a set of prompts depends on but the seed; the defaults are the paper's."""

    name: str = "geckonum"
    """what the prompts' ids begin with"""
    types: tuple[str, ...] = TYPES
    """prompt types, in this order"""
    nouns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: words.CATEGORIES)
    """category: its nouns, singular"""
    frequent: frozenset[str] = words.FREQUENT
    """nouns known to be frequent"""
    rare: frozenset[str] = frozenset(
        noun for nouns in words.CATEGORIES.values() for noun in nouns if noun not in words.FREQUENT
    )
    """nouns known to be rare; all others are looked up in wordfreq"""
    frequent_zipf: float = words.FREQUENT_ZIPF
    """a noun that is neither is frequent from this Zipf frequency on"""
    plurals: Mapping[str, str] = field(default_factory=lambda: words.IRREGULAR_PLURALS)
    """plurals that are not noun + s"""
    colours: tuple[str, ...] = words.COLOURS
    """colour words"""
    colour_nouns: tuple[str, ...] = words.COLOUR_NOUNS
    """nouns that get a colour"""
    sentence_nouns: tuple[str, ...] = words.SENTENCE_NOUNS
    """nouns of numeric_sentence"""
    relations: Mapping[str, str] = field(default_factory=lambda: words.RELATIONS)
    """relation: the same seen from the other thing"""
    pairs: tuple[tuple[str, ...], ...] = words.PAIRS
    """nouns compared in approx-2-entity"""
    scenes: tuple[tuple[str, ...], ...] = words.SCENES
    """things, preposition and place of approx-1-entity"""
    part_nouns: tuple[str, ...] = words.PART_NOUNS
    """nouns of part-whole"""
    simple_digits: tuple[int, ...] = _upto(10)
    """numbers of numeric_simple in digits"""
    simple_words: tuple[int, ...] = _upto(5)
    """numbers of numeric_simple in words"""
    colour_numbers: tuple[int, ...] = _upto(4)
    """numbers of attribute-color and 2-additive-color"""
    sentence_numbers: tuple[int, ...] = _upto(5)
    """numbers of numeric_sentence"""
    additive_numbers: tuple[int, ...] = _upto(5)
    """numbers of 2-additive and 3-additive"""
    spatial_numbers: tuple[int, ...] = _upto(5)
    """numbers of attribute-spatial"""
    whole_numbers: tuple[int, ...] = _upto(3)
    """whole things of fractional-simple"""
    part_numbers: tuple[int, ...] = _upto(5)
    """numbers of part-whole"""
    drawn: int = 100
    """prompts of each drawn type"""

    def all_nouns(self) -> tuple[str, ...]:
        """The nouns of all categories."""
        return tuple(noun for nouns in self.nouns.values() for noun in nouns)

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
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as problem:
        raise BadInput(f"Can't read {path}: {problem.strerror}. Give a TOML file.") from None
    except UnicodeDecodeError as problem:
        raise BadInput(
            f"{path} is not UTF-8 text (byte {problem.start}): save it as UTF-8."
        ) from None
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(
            f"{path} is not TOML: {problem}. Mend it, or see docs/geckonum.md."
        ) from None
    kinds = {entry.name: str(entry.type) for entry in fields(Recipe)}
    given: dict[str, Any] = {}
    for key, value in content.items():
        if key not in kinds:
            raise UnknownName(f"setting of GeckoNum prompts in {path}", key, kinds)
        given[key] = _READ[kinds[key]](f"{path}: {key}", value)
    recipe = Recipe(**given)
    _check(recipe, path)
    return recipe


def _wrong(where: str, found: object, wanted: str) -> BadInput:
    return BadInput(f"{where} is {found!r}: give {wanted}.")


def _text(where: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(where, value, "a word")
    return value.strip()


def _texts(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise _wrong(where, value, 'a list of words such as ["cup", "box"]')
    return tuple(_text(where, entry) for entry in value)


def _numbers(where: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(n) is int and n > 0 for n in value):
        raise _wrong(where, value, "a list of whole numbers from 1 such as [1, 2, 3]")
    return tuple(value)


def _number(where: str, value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _wrong(where, value, "a number")
    return float(value)


def _whole(where: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise _wrong(where, value, "a whole number from 0")
    return value


def _named_texts(where: str, value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        raise _wrong(where, value, 'a table such as { tools = ["hammer", "saw"] }')
    return {name: _texts(f"{where}.{name}", entry) for name, entry in value.items()}


def _named_text(where: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _wrong(where, value, 'a table such as { mouse = "mice" }')
    found = {name: _text(f"{where}.{name}", entry) for name, entry in value.items()}
    if where.endswith("plurals"):
        return {**words.IRREGULAR_PLURALS, **found}
    return found


def _rows(where: str, value: object) -> tuple[tuple[str, ...], ...]:
    width = 3 if where.endswith("scenes") else 2
    if not isinstance(value, list):
        raise _wrong(where, value, f"a list of lists of {width} words")
    found = tuple(_texts(where, entry) for entry in value)
    for entry in found:
        if len(entry) != width:
            raise _wrong(where, list(entry), f"{width} words in each list")
    return found


_READ: Mapping[str, Callable[[str, object], Any]] = {
    "str": _text,
    "int": _whole,
    "float": _number,
    "tuple[str, ...]": _texts,
    "frozenset[str]": lambda where, value: frozenset(_texts(where, value)),
    "tuple[int, ...]": _numbers,
    "Mapping[str, tuple[str, ...]]": _named_texts,
    "Mapping[str, str]": _named_text,
    "tuple[tuple[str, ...], ...]": _rows,
}


def _check(recipe: Recipe, path: Path) -> None:
    for name in recipe.types:
        if name not in TYPES:
            raise UnknownName(f"prompt type in {path}", name, TYPES)
    for relation, reverse in recipe.relations.items():
        if recipe.relations.get(reverse) != relation:
            raise BadInput(
                f"{path}: the relation {relation!r} is {reverse!r} from the other side, but "
                f"{reverse!r} is not {relation!r}: list both."
            )
    for noun in (*recipe.all_nouns(), *recipe.colour_nouns, *recipe.sentence_nouns):
        if ":" in noun or "," in noun:
            raise BadInput(f"{path}: the noun {noun!r} holds a colon or comma: leave it out.")
