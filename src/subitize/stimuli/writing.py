"""The set of naming pictures, as files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from subitize.errors import BadInput, UnknownName
from subitize.stimuli.checking import refuse_impossible
from subitize.stimuli.naming import CATEGORIES, recipe
from subitize.stimuli.orthogonal import CUES, Cues, cues_at, levels
from subitize.stimuli.picture_sets import PictureSet, Recipe, Wanted

MOST = 1_000_000
"""pictures of one set: their recipes are held in memory"""


class Wish(Protocol):
    """Which pictures: a set to be written, or the settings of a run."""

    @property
    def per_cell(self) -> int: ...
    @property
    def max(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def categories(self) -> tuple[str, ...]: ...
    @property
    def hold(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def cues(self) -> str: ...


def refuse_too_many(per_cell: int, highest: int, categories: int) -> None:
    """Raise for a set that nobody can hold: a slip of the hand."""
    if (in_all := per_cell * highest * categories) > MOST:
        raise BadInput(
            f"{per_cell:,} pictures per category and number are {in_all:,} in all: ask for at most "
            f"{MOST:,}, by a smaller --per-cell or --max."
        )


def naming_cells(wish: Wish, many: int | None = None) -> list[list[dict[str, Any]]]:
    """The recipes of every category and number; `many` per cell, where further ones are asked."""
    each = many or wish.per_cell
    refuse_too_many(each, wish.max, len(wish.categories))
    return [
        [naming_recipe(wish, category, n, index) for index in range(each)]
        for category in wish.categories
        for n in range(1, wish.max + 1)
    ]


def naming_recipe(wish: Wish, category: str, n: int, index: int) -> dict[str, Any]:
    """The recipe of one picture of a set."""
    made = recipe(
        category, n, index, size=wish.size, hold=wish.hold, seed=wish.seed, largest=wish.max
    )
    if wish.cues:
        made["cues"] = _cues(wish, category, n, index)._asdict()
    return made


def _cues(wish: Wish, category: str, n: int, index: int) -> Cues:
    """Size and spacing of one picture of a set."""
    if wish.cues not in CUES:
        raise UnknownName("way to vary cues", wish.cues, CUES)
    if wish.hold:
        raise BadInput(
            f"--cues {wish.cues} varies every cue and --hold {wish.hold} holds one: give one of "
            "them."
        )
    plan = levels(len(wish.categories), wish.max, wish.per_cell, wish.seed)
    # further pictures of a cell go through its levels again
    size, spacing = plan[wish.categories.index(category), n - 1, index % wish.per_cell].tolist()
    return cues_at((size, spacing), wish.max, wish.size)


@dataclass(frozen=True)
class NamingSet(PictureSet):
    """Which pictures a set holds."""

    per_cell: int = 50
    """pictures per category and n"""
    max: int = 10
    """n runs from 1 to this"""
    size: int = 1024
    """side in pixels"""
    categories: tuple[str, ...] = CATEGORIES
    """which of the five"""
    hold: str = ""
    """cue held constant over n: area, hull, density or none"""
    seed: int = 0
    """another seed, another set"""
    cues: str = ""
    """orthogonal: size and spacing don't tell the number"""

    def recipes(self) -> Wanted:
        for option, value in (("--per-cell", self.per_cell), ("--max", self.max)):
            if value < 1:
                raise BadInput(f"{option} is {value}: give 1 or more.")
        if not self.categories or len(set(self.categories)) < len(self.categories):
            raise BadInput(
                f"--categories is {', '.join(self.categories) or 'empty'}: give some of "
                f"{', '.join(CATEGORIES)}, each once."
            )
        if not -(2**63) <= self.seed < 2**63:
            raise BadInput(f"--seed is {self.seed}: give a whole number of at most 18 digits.")
        cells = naming_cells(self)
        refuse_impossible(cells)
        return [
            (f"{one['n']}_{one['category'].replace(' ', '_')}_{one['index']}.png", one)
            for recipes in cells
            for one in recipes
        ]

    def hardest(self, wanted: Wanted) -> Iterable[Recipe]:
        """None: all have been looked at."""
        return ()
