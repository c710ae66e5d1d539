"""Patterns behind a black square (CAPTURE): a recipe in, a picture and its facts out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Literal

import numpy as np

from subitize.errors import BadInput, UnknownName
from subitize.pictures.encode import Picture, drawn
from subitize.stimuli import generator
from subitize.stimuli.capture.arrangements import PUBLISHED, SHIFTS, places
from subitize.stimuli.capture.occluders import VERSIONS, fair_square, published_square
from subitize.stimuli.capture.painting import COLOURS, paint, palette
from subitize.stimuli.geometry import Points

DRAWING_VERSION = 2
"""goes up with every change that alters a single pixel"""
LAYOUTS = ("fair", "published")
VARIANTS = ("unoccluded", "occluded")
OBJECTS = ("dots", "boxes")
PLACES = range(len(SHIFTS))
RELEASED_SIZE = 200
"""side of the published pictures in pixels"""
SMALLEST_RADIUS = 1.0
"""in pixels; smaller objects can't be told apart"""
Pattern = tuple[str, int]
"""arrangement and count"""
VALIDATION: Mapping[Pattern, tuple[int, ...]] = {
    ("circle", 5): (13, 36, 39, 40),
    ("circle", 6): (0, 12, 15, 24, 41, 42),
    ("circle", 7): (2, 4, 8, 33, 41),
    ("circle", 8): (2, 3, 4, 12),
    ("circle", 9): (22, 27),
    ("circle", 10): (27, 42),
    ("circle", 11): (28, 43),
    ("circle", 12): (4, 5, 8),
    ("circle", 13): (9, 17, 25, 29, 31, 32, 36, 38, 46),
    ("circle", 14): (5, 31, 42),
    ("circle", 15): (29, 43, 48),
    ("triangle", 6): (21,),
    ("triangle", 10): (1, 9, 12, 18, 22, 39, 43, 48),
    ("triangle", 15): (36, 43, 47),
    ("rectangle", 5): (37,),
    ("rectangle", 6): (6, 10, 23, 26, 36, 39),
    ("rectangle", 7): (3, 18, 49),
    ("rectangle", 8): (9,),
    ("rectangle", 9): (0, 1, 7, 14, 23, 26, 32),
    ("rectangle", 10): (15, 16, 23, 31),
    ("rectangle", 11): (2, 7, 21, 34),
    ("rectangle", 12): (16, 27, 35, 44),
    ("rectangle", 13): (2, 5, 11, 27, 43, 47),
    ("rectangle", 14): (5, 16, 28),
    ("rectangle", 15): (0, 4, 17, 23, 25, 34),
}
"""the published validation part: which of a pattern's 50 pictures (`Configuration.nth`), 100 in
all, those that the released test metadata does not hold; no rule tells them"""
_PATTERNS: tuple[Pattern, ...] = tuple(
    (arrangement, count)
    for count in range(5, 16)
    for arrangement in PUBLISHED
    if arrangement != "triangle" or count in (6, 10, 15)
)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One of the set's patterns."""

    arrangement: str
    """circle, triangle, rectangle; also hexagon, staggered, rings"""
    count: int
    """how many objects, hidden ones included"""
    place: int
    """0 centre, 1 (-, -), 2 (+, -), 3 (-, +), 4 (+, +)"""
    colour: str
    """blue, green, red, orange, purple"""
    object: str
    """dots or boxes"""

    @property
    def name(self) -> str:
        """Name of its file, as published."""
        shown = f"{self.arrangement}_{self.count}_dots_{self.place}"
        return f"{shown}_{self.colour}_{self.object}.png"

    @classmethod
    def of(cls, recipe: Mapping[str, Any]) -> Configuration:
        """The configuration that a recipe, a line of the manifest or a picture's facts tell of."""
        return cls(*(recipe[name] for name in cls.__slots__))

    @property
    def nth(self) -> int:
        """Which of the 50 pictures of its pattern it is."""
        colour = tuple(COLOURS).index(self.colour)
        return (self.place * len(COLOURS) + colour) * len(OBJECTS) + OBJECTS.index(self.object)


@lru_cache(maxsize=4)
def configurations(patterns: tuple[Pattern, ...] = _PATTERNS) -> tuple[Configuration, ...]:
    """50 of each pattern; all 1,250 of the paper, in the order of the published file."""
    return tuple(
        Configuration(*pattern, place, colour, thing)
        for pattern, place, colour, thing in product(patterns, PLACES, COLOURS, OBJECTS)
    )


def part(configuration: Configuration) -> Literal["validation", "test"]:
    """Whether a pattern is among the paper's 100 on which prompts are chosen.

    The same for every seed, size and layout; patterns beyond the paper's are all for testing.
    """
    chosen = VALIDATION.get((configuration.arrangement, configuration.count), ())
    return "validation" if configuration.nth in chosen else "test"


def recipe(
    configuration: Configuration,
    *,
    variant: str,
    layout: str = "fair",
    size: int = 512,
    seed: int = 0,
    occluder: float | None = None,
    layout_version: int = VERSIONS[-1],
) -> dict[str, Any]:
    """Everything `draw` needs, fit for JSON; nothing is drawn here.

    `occluder` fixes the square's side, as a share of the picture's; by default it is drawn.
    `layout_version` is of the layout `fair`; a recipe without one is of the first.
    """
    for what, value, known in (
        ("variant", variant, VARIANTS),
        ("colour", configuration.colour, COLOURS),
        ("object", configuration.object, OBJECTS),
    ):
        if value not in known:
            raise UnknownName(what, value, known)
    if configuration.place not in PLACES:
        raise BadInput(f"There is no place {configuration.place}: give 0, 1, 2, 3 or 4.")
    if occluder is not None and not 0 < occluder < 1:
        raise BadInput(
            f"The occluder's side is {occluder:g} of the picture's: give a share above 0 and below "
            "1, or the occluder is larger than the picture."
        )
    share = places(configuration.arrangement, configuration.count, layout).radius
    if share * size < SMALLEST_RADIUS:
        raise BadInput(
            f"In a picture of {size} pixels the objects of a {configuration.arrangement} of "
            f"{configuration.count} have a radius of {share * size:.2f} pixels and can't be told "
            f"apart: use a larger size ({math.ceil(SMALLEST_RADIUS / share)} or more)."
        )
    made = {"drawer": "capture", "version": DRAWING_VERSION, **asdict(configuration)}
    made |= {"variant": variant, "layout": layout, "size": size, "seed": seed}
    if layout == "fair" and layout_version > 1:
        made["layout_version"] = layout_version
    if occluder is not None:
        made["occluder"] = occluder
    return made


def facts(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What the picture of a recipe shows and hides, without drawing it."""
    configuration = Configuration.of(recipe)
    layout = places(configuration.arrangement, configuration.count, recipe["layout"])
    size, shift = recipe["size"], np.array(SHIFTS[configuration.place]) + 0.5
    radius = round(layout.radius * size, 4)
    positions = np.round((layout.points + shift) * size, 2)
    if recipe["layout"] == "published":
        # the release rounds at its own size; other sizes scale what it says
        released = np.round((layout.points + shift) * RELEASED_SIZE, 2)
        positions = np.round(released * (size / RELEASED_SIZE), 2)
    known = asdict(configuration) | {"positions": positions.tolist(), "radius": radius}
    known |= {"occluder": None, "hidden": []}
    if recipe["variant"] == "occluded":
        box = _square(recipe, configuration, shift)
        known |= {"occluder": box, "hidden": _touched(positions, radius, box, configuration.object)}
    return known


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of a recipe, with every fact about it."""
    known = facts(recipe)
    return drawn(paint(recipe["size"], known), palette(known["colour"]), lambda: known)


def _square(recipe: Mapping[str, Any], configuration: Configuration, shift: Points) -> list[float]:
    arrangement, count = configuration.arrangement, configuration.count
    side, seed = recipe.get("occluder"), recipe["seed"]
    if recipe["layout"] == "fair":
        version = recipe.get("layout_version", 1)
        square = fair_square(arrangement, count, configuration.nth, seed, side, version=version)
    else:
        rng = generator("capture", "occluder", seed, configuration.name)
        square = published_square(places(arrangement, count, "published"), rng, side)
    return [round(float(corner) * recipe["size"], 2) for corner in square.box(*shift)]


def _touched(positions: Points, radius: float, box: list[float], thing: str) -> list[int]:
    """Indices of the objects that the square touches."""
    nearest = np.clip(positions, box[:2], box[2:])
    away = np.abs(positions - nearest)
    distance = away.max(axis=1) if thing == "boxes" else np.hypot(away[:, 0], away[:, 1])
    return np.flatnonzero(distance <= radius).tolist()
