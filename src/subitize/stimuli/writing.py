"""The set of naming pictures, as files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from subitize.errors import BadInput
from subitize.stimuli import Picture
from subitize.stimuli.naming import CATEGORIES, recipe
from subitize.stimuli.picture_sets import PictureSet, Recipe, Wanted


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
        known: dict[str, Any] = {"size": self.size, "hold": self.hold, "seed": self.seed}
        known["largest"] = self.max
        return [
            (f"{n}_{category.replace(' ', '_')}_{index}.png", recipe(category, n, index, **known))
            for category in self.categories
            for n in range(1, self.max + 1)
            for index in range(self.per_cell)
        ]

    def hardest(self, wanted: Wanted) -> Iterable[Recipe]:
        """The most crowded picture of each category."""
        return {made["category"]: made for _, made in wanted if made["n"] == self.max}.values()

    def line(self, name: str, made: Recipe, picture: Picture) -> Mapping[str, Any]:
        sha256 = hashlib.sha256(picture.png).hexdigest()
        known = {"file": name, "sha256": sha256, "pixels": picture.sha256, "recipe": made}
        return {**known, **picture.facts}

    def describes(self, line: Mapping[str, Any], made: Recipe) -> bool:
        return bool(line["recipe"] == made)
