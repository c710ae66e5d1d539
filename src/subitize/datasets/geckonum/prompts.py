"""GeckoNum's prompts: made by rule, drawn from a seed, or read from the released file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from subitize.datasets.geckonum.recipe import DRAWN_TYPES, Recipe
from subitize.errors import BadInput
from subitize.files import read_entries
from subitize.nouns import article
from subitize.numerals import to_words

SENTENCES = (
    "An image showing {things}.",
    "There {verb} {things}.",
    "There {verb} {things} in this image.",
    "A picture of {things}.",
)
CUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("loaf of bread", ("thirds", "quarters", "five parts")),
    ("apple", ("thirds", "quarters", "5 pieces")),
    ("cake", ("thirds", "quarters", "5 pieces")),
    ("pizza", ("3 slices", "4 slices", "5 slices")),
)
HALVED: tuple[tuple[str, str], ...] = (
    ("pencil", "A pencil broken into two pieces."),
    ("banana", "A banana is cut into two pieces."),
)
"""noun, and how the release says that it is in two pieces"""
HALF_COLOURS = (("red", "blue"), ("orange", "black"))
MOST_TRIES = 1000
"""draws in a row that may repeat an earlier prompt before the recipe is called too small"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One line of prompts.csv, its columns in their order."""

    index: int
    """place in the file, from 0"""
    prompt: str
    """the words given to the painter"""
    has_numeral: int
    """1 if a number stands as a word, 0 if only digits"""
    is_frequent: int
    """1 frequent noun, 0 rare noun, −1 not asked (all types but numeric_simple)"""
    entities: str
    """what should be seen: thing:how many, separated by commas"""
    prompt_type: str
    """one of the twelve types"""
    dataset_id: str
    """id that pictures' names begin with"""

    def things(self) -> tuple[tuple[str, str], ...]:
        """The entities apart: (thing, how many), colour included.

        >>> Prompt(0, "2 red cats and 1 dog.", 0, -1, "red cat:2, dog:1", "2-additive", "x_0"
        ...        ).things()
        (('red cat', '2'), ('dog', '1'))
        """
        parts = (part.strip().rpartition(":") for part in self.entities.split(","))
        return tuple((thing, number) for thing, _, number in parts)

    def wrong(self, why: str) -> BadInput:
        """What to raise about a prompt that can't be used."""
        return BadInput(f"Prompt {self.dataset_id} ({self.prompt!r}, {self.entities!r}) {why}")


COLUMNS = tuple(entry.name for entry in fields(Prompt))
Draft = tuple[str, int, int, str]
"""prompt, has_numeral, is_frequent, entities"""


def make_prompts(recipe: Recipe, rng: np.random.Generator) -> list[Prompt]:
    """All prompts of a recipe; only the drawn types depend on the generator.

    >>> made = make_prompts(Recipe(), np.random.default_rng(0))
    >>> len(made), made[0].prompt, made[967].prompt
    (1386, '1 dog.', 'There are 5 olives in this image.')
    """
    found: list[Prompt] = []
    for kind in recipe.types:
        for draft in _MAKERS[kind](recipe, rng):
            index = len(found)
            found.append(Prompt(index, *draft, kind, f"{recipe.name}_{index:05}"))
    return found


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _counted(recipe: Recipe, number: int, noun: str, *, word: bool) -> str:
    """`3 dogs`, `three dogs`, `1 dog`."""
    several = noun if number == 1 else recipe.plural(noun)
    return f"{to_words(number) if word else number} {several}"


def _verb(number: int) -> str:
    return "is" if number == 1 else "are"


def _simple(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for nouns in recipe.nouns.values():
        frequent = {noun: int(recipe.is_frequent(noun)) for noun in nouns}
        for number in sorted({*recipe.simple_digits, *recipe.simple_words}):
            both = ((False, recipe.simple_digits), (True, recipe.simple_words))
            words = [word for word, numbers in both if number in numbers]
            for word, noun in product(words, nouns):
                text = _sentence(_counted(recipe, number, noun, word=word))
                yield text, int(word), frequent[noun], f"{noun}:{number}"


def _colour(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    kinds = product(recipe.colours, recipe.colour_numbers, (False, True), recipe.colour_nouns)
    for colour, number, word, noun in kinds:
        text = _sentence(_counted(recipe, number, f"{colour} {noun}", word=word))
        yield text, int(word), -1, f"{colour} {noun}:{number}"


def _sentences(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for noun in recipe.sentence_nouns:
        for number in recipe.sentence_numbers:
            things = _counted(recipe, number, noun, word=False)
            for template in SENTENCES:
                text = template.format(things=things, verb=_verb(number))
                yield text, 0, -1, f"{noun}:{number}"


def _drawn(kind: str, recipe: Recipe, rng: np.random.Generator) -> Iterator[Draft]:
    """Two or three things with random numbers, each as digit or word.

    No two prompts have the same words; the release repeats one, which adds nothing.
    """
    many = 3 if kind == "3-additive" else 2
    choices, numbers = recipe.all_nouns(), recipe.additive_numbers
    if kind == "2-additive-color":
        choices, numbers = recipe.coloured(), recipe.colour_numbers
    elif kind == "attribute-spatial":
        numbers = recipe.spatial_numbers
    if len(choices) < many:
        raise BadInput(f"{kind} prompts need {many} different things: found {len(choices)}.")
    seen: set[str] = set()
    repeated = 0
    while len(seen) < recipe.drawn:
        things = [choices[place] for place in rng.choice(len(choices), many, replace=False)]
        asked = rng.choice(list(numbers), many).tolist()
        as_word = rng.integers(0, 2, many).tolist()
        named = list(zip(things, asked, as_word, strict=True))
        counted = [_counted(recipe, n, thing, word=bool(word)) for thing, n, word in named]
        text = _sentence(f"{', '.join(counted[:-1])} and {counted[-1]}")
        if kind == "attribute-spatial":
            relation = str(rng.choice(list(recipe.relations)))
            # the release says "There is 4 fish"; we count the fish, not the letter s
            text = f"There {_verb(asked[0])} {counted[0]} {relation} {counted[1]}."
        repeated = repeated + 1 if text in seen else 0
        if repeated == MOST_TRIES:
            raise BadInput(
                f"Only {len(seen)} different {kind} prompts were found, {recipe.drawn} are wanted: "
                "give the recipe more nouns or numbers, or a smaller `drawn`."
            )
        if not repeated:
            seen.add(text)
            entities = (f"{thing}:{number}" for thing, number, _ in named)
            yield text, int(any(as_word)), -1, ("," if many == 2 else ", ").join(entities)


def _approx_one(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for things, where, place in recipe.scenes:
        for phrase, quantity in (("only a few", "few"), ("many", "many"), ("no", "no")):
            text = f"An image of {article(place)}. "
            text += f"There are {phrase} {things} {where} the {place}."
            # the release names the thing by cutting off the last letter, also of "rice"
            yield text, 0, -1, f"{things[:-1]}:{quantity},{place}:1"


def _approx_two(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for first, second in recipe.pairs:
        one, other = recipe.plural(first), recipe.plural(second)
        for quantity, joint in (("fewer", "than"), ("as many", "as"), ("more", "than")):
            text = f"An image with some {one} and some {other}. "
            text += f"There are {quantity} {one} {joint} {other}."
            yield text, 0, -1, f"{first}:{quantity},{second}:X"


def _fractions(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for noun, cuts in CUTS:
        for cut in cuts:
            yield _sentence(f"{article(noun)} cut into {cut}"), 0, -1, f"{noun}:{cut}"
        for part, size in (("half", 0.5), ("quarter", 0.25)):
            for number in recipe.whole_numbers:
                whole = _counted(recipe, number, noun, word=True)
                text = f"There {_verb(number)} {whole} and {part} of another {noun.split()[0]}"
                yield f"{text} on the table.", 1, -1, f"{noun}:{number + size}"


def _parts(recipe: Recipe, _: np.random.Generator) -> Iterator[Draft]:
    for noun in recipe.part_nouns:
        for number in recipe.part_numbers:
            broken = "it" if number == 1 else f"one {noun}"
            text = f"There {_verb(number)} {_counted(recipe, number, noun, word=False)} "
            text += f"on the table, but {broken} is broken into two pieces."
            yield text, 1, -1, f"{noun}:{number}"


def _complex(_: Recipe, __: np.random.Generator) -> Iterator[Draft]:
    for noun, in_two in HALVED:
        yield f"{in_two} One piece is twice the size of the other.", 1, -1, f"{noun}:1/3+2/3"
        for one, other in HALF_COLOURS:
            text = f"An image of {article(noun)} where one half of it is {one} "
            text += f"and the other half is {other}."
            yield text, 1, -1, f"{noun}:1/2{one}+1/2{other}"


_MAKERS: Mapping[str, Callable[[Recipe, np.random.Generator], Iterator[Draft]]] = {
    "numeric_simple": _simple,
    "approx-2-entity": _approx_two,
    "approx-1-entity": _approx_one,
    "numeric_sentence": _sentences,
    "fractional-simple": _fractions,
    "part-whole": _parts,
    "fractional-complex": _complex,
    "attribute-color": _colour,
    **{kind: partial(_drawn, kind) for kind in DRAWN_TYPES},
}


def read_prompts(path: Path) -> list[Prompt]:
    """Prompts from a file with the released columns; what is wrong is named with its line."""
    repair = (
        "Give prompts.csv of the release or the output of `subitize prompts geckonum --format csv`."
    )
    found = {}
    for where, row in read_entries(path, "the prompts", COLUMNS, repair=repair):
        for name in ("index", "has_numeral", "is_frequent"):
            try:
                row[name] = int(row[name])
            except ValueError:
                raise BadInput(
                    f"{where}: {name} is {row[name]!r}, which is no whole number."
                ) from None
        prompt = Prompt(**{name: row[name] for name in COLUMNS})
        if prompt.dataset_id in found:
            raise BadInput(
                f"{where}: the id {prompt.dataset_id} stands there twice: every prompt needs its "
                "own."
            )
        found[prompt.dataset_id] = prompt
    if not found:
        raise BadInput(f"{path} holds no prompts: only the line of column names was found.")
    return list(found.values())
