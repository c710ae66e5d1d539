"""The CAPTURE set as files: both variants of every configuration, with the published names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from subitize.errors import BadInput
from subitize.stimuli import Picture, capture
from subitize.stimuli.capture import Configuration, configurations
from subitize.stimuli.capture.painting import COLOURS
from subitize.stimuli.picture_sets import PictureSet, Recipe, Wanted

KEYS = ("file", "variant", *Configuration.__slots__, "positions", "occluder", "hidden")
"""what a line of the manifest holds, in this order"""


@dataclass(frozen=True)
class CaptureSet(PictureSet):
    """Which pictures a set holds."""

    together: ClassVar[int] = len(capture.PLACES) * len(COLOURS) * len(capture.OBJECTS)
    """a whole pattern to a process: its squares are found once, not in every process"""
    layout: str = "fair"
    """fair or published"""
    size: int = 200
    """side in pixels"""
    seed: int = 0
    """another seed, other squares"""
    patterns: str = ""
    """such as `circle:20,hexagon:19`: 50 configurations of each; the paper's 1,250 when empty"""
    occluder: float | None = None
    """side of the square as a share of the picture's; drawn when not given"""

    def configurations(self) -> tuple[Configuration, ...]:
        if not self.patterns:
            return configurations()
        return configurations(tuple(dict.fromkeys(map(_pattern, self.patterns.split(",")))))

    def recipes(self) -> Wanted:
        """All unoccluded pictures first."""
        known: dict[str, Any] = {"layout": self.layout, "size": self.size, "seed": self.seed}
        known["occluder"] = self.occluder
        return [
            (f"{variant}/{one.name}", capture.recipe(one, variant=variant, **known))
            for variant in capture.VARIANTS
            for one in self.configurations()
        ]

    def hardest(self, wanted: Wanted) -> Iterable[Recipe]:
        """One of every pattern; none of the paper's, whose squares exist but take long to find."""
        if not self.patterns and self.occluder is None:
            return ()
        return {(made["arrangement"], made["count"]): made for _, made in wanted}.values()

    def line(self, name: str, made: Recipe, picture: Picture) -> Mapping[str, Any]:
        known = {"file": name, "variant": made["variant"], **picture.facts}
        return {key: known[key] for key in KEYS}

    def describes(self, line: Mapping[str, Any], made: Recipe) -> bool:
        known = capture.facts(made)
        return all(line[key] == known[key] for key in KEYS[2:])


def _pattern(text: str) -> tuple[str, int]:
    arrangement, _, count = text.strip().partition(":")
    if not count.isdecimal():
        raise BadInput(
            f"The pattern {text.strip()!r} is not of the form ARRANGEMENT:COUNT: for example "
            "circle:20 or hexagon:19."
        )
    return arrangement, int(count)
