"""Writing a whole set of naming pictures with its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadInput, UnknownName
from subitize.stimuli import Picture
from subitize.stimuli.holding import check_hold
from subitize.stimuli.naming import CATEGORIES, SMALLEST_SIZE, draw, recipe
from subitize.stimuli.picture_sets import MANIFEST, PictureSet, write_set

__all__ = ["MANIFEST", "NamingSet", "write_naming"]


@dataclass(frozen=True)
class NamingSet:
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

    def check(self) -> None:
        """Raise when no picture or no sensible picture would come out."""
        if self.per_cell < 1:
            raise BadInput(f"--per-cell is {self.per_cell}: give 1 or more pictures per cell.")
        if self.max < 1:
            raise BadInput(f"--max is {self.max}: the largest n must be 1 or more.")
        if self.size < SMALLEST_SIZE:
            raise BadInput(
                f"--size is {self.size}: pictures need {SMALLEST_SIZE} or more pixels a side."
            )
        if not self.categories:
            raise BadInput(f"--categories is empty: give some of {', '.join(CATEGORIES)}.")
        for category in self.categories:
            if category not in CATEGORIES:
                raise UnknownName("category", category, CATEGORIES)
        if len(set(self.categories)) < len(self.categories):
            raise BadInput(f"--categories is {', '.join(self.categories)}: give each once.")
        if not -(2**63) <= self.seed < 2**63:
            raise BadInput(f"--seed is {self.seed}: give a whole number of at most 18 digits.")
        check_hold(self.hold)

    def recipes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """File name and recipe of every picture."""
        for category in self.categories:
            for n in range(1, self.max + 1):
                for index in range(self.per_cell):
                    name = f"{n}_{category.replace(' ', '_')}_{index}.png"
                    yield (
                        name,
                        recipe(
                            category,
                            n,
                            index,
                            size=self.size,
                            hold=self.hold,
                            seed=self.seed,
                            largest=self.max,
                        ),
                    )


def write_naming(out: Path, settings: NamingSet, processes: int | None = None) -> int:
    """Write every picture of a set and its manifest into `out`; gives the number of pictures.

    The bytes do not depend on the number of processes (default: one per core). Written again, a
    set is the same; a folder that holds anything else is refused.
    """
    settings.check()
    wanted = list(settings.recipes())
    # the most crowded pictures first, so that too small a size is known before anything is written
    for category in settings.categories:
        draw(next(r for _, r in wanted if r["category"] == category and r["n"] == settings.max))
    return write_set(out, PictureSet(wanted, _line, _describes), processes)


def _line(name: str, made: Mapping[str, Any], picture: Picture) -> dict[str, Any]:
    sha256 = hashlib.sha256(picture.png).hexdigest()
    known = {"file": name, "sha256": sha256, "pixels": picture.sha256, "recipe": made}
    return {**known, **picture.facts}


def _describes(line: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    return bool(line["recipe"] == made)
