"""A set of generated scenes, as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from subitize.errors import BadInput
from subitize.stimuli.picture_sets import PictureSet, Recipe, Wanted
from subitize.stimuli.probe import recipe


@dataclass(frozen=True)
class ProbeSet(PictureSet):
    """Which scenes a set holds."""

    per_number: int = 30
    """scenes for each number"""
    highest: int = 10
    """numbers run from 0 to this"""
    look: Mapping[str, Any] = field(default_factory=dict)
    """as in `subitize.stimuli.probe.LOOK`"""
    seed: int = 0
    """another seed, another set"""

    def recipes(self) -> Wanted:
        if self.per_number < 1 or self.highest < 0:
            raise BadInput(
                f"{self.per_number} scenes for numbers up to {self.highest} are none: give "
                "--per-number 1 or more and --highest 0 or more."
            )
        return [
            (f"{n}_{index}.png", recipe(n, index, seed=self.seed, **self.look))
            for n in range(self.highest + 1)
            for index in range(self.per_number)
        ]

    def hardest(self, wanted: Wanted) -> Iterable[Recipe]:
        """The most crowded scenes."""
        return [made for _, made in wanted if made["n"] == self.highest][:4]
