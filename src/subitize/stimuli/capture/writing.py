"""Writing the CAPTURE set: both variants of every configuration, with the published names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subitize.errors import BadInput
from subitize.stimuli import Picture
from subitize.stimuli.capture import (
    COLOURS,
    OBJECTS,
    PLACES,
    VARIANTS,
    Configuration,
    configurations,
    facts,
    recipe,
)
from subitize.stimuli.picture_sets import PictureSet, write_set

__all__ = ["KEYS", "CaptureSet", "write_capture"]

KEYS = (
    "file",
    "variant",
    "arrangement",
    "count",
    "place",
    "colour",
    "object",
    "positions",
    "occluder",
    "hidden",
)
"""what a line of the manifest holds, in this order"""
_OF_PATTERN = len(PLACES) * len(COLOURS) * len(OBJECTS)
"""pictures of one pattern and variant; they follow each other"""


@dataclass(frozen=True)
class CaptureSet:
    """Which pictures a set holds."""

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
        return tuple(
            Configuration(arrangement, count, place, colour, thing)
            for arrangement, count in dict.fromkeys(map(_pattern, self.patterns.split(",")))
            for place in PLACES
            for colour in COLOURS
            for thing in OBJECTS
        )

    def recipes(self) -> list[tuple[str, dict[str, Any]]]:
        """Path and recipe of every picture, all unoccluded ones first."""
        return [
            (
                f"{variant}/{configuration.name}",
                recipe(
                    configuration,
                    variant=variant,
                    layout=self.layout,
                    size=self.size,
                    seed=self.seed,
                    occluder=self.occluder,
                ),
            )
            for variant in VARIANTS
            for configuration in self.configurations()
        ]


def write_capture(out: Path, settings: CaptureSet, processes: int | None = None) -> int:
    """Write `unoccluded/`, `occluded/` and the manifest into `out`; gives the number of pictures.

    The bytes do not depend on the number of processes (default: one per core).
    """
    wanted = settings.recipes()
    if settings.patterns or settings.occluder is not None:
        # every pattern once, so that an impossible one is known before anything is written; the
        # paper's own are known to be possible, and finding their squares takes a while
        patterns = {(made["arrangement"], made["count"]): made for _, made in wanted}
        for made in patterns.values():
            facts(made)
    # a whole pattern to a process: its squares are found once, not in every process
    return write_set(out, PictureSet(wanted, _line, _describes, _OF_PATTERN), processes)


def _pattern(text: str) -> tuple[str, int]:
    arrangement, _, count = text.strip().partition(":")
    if not count.isdecimal():
        raise BadInput(
            f"The pattern {text.strip()!r} is not of the form ARRANGEMENT:COUNT: for example "
            "circle:20 or hexagon:19."
        )
    return arrangement, int(count)


def _line(name: str, made: Mapping[str, Any], picture: Picture) -> dict[str, Any]:
    known = {"file": name, "variant": made["variant"], **picture.facts}
    return {key: known[key] for key in KEYS}


def _describes(line: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    known = facts(made)
    return all(line[key] == known[key] for key in KEYS[2:])
