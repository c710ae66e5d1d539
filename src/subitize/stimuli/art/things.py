"""The three pictured things and the dot: apple, person, butterfly.

Each function gives layers from back to front; the first ones are the dark silhouette that shows
as an outline and keeps the item in one piece.
"""

from __future__ import annotations

from typing import NamedTuple

from subitize.stimuli.art.colours import Colour, darker, lighter, named
from subitize.stimuli.art.paths import (
    Points,
    ellipse,
    grown,
    mirrored,
    moved,
    path,
    stroke,
)
from subitize.stimuli.art.raster import Layer

__all__ = ["APPLES", "BUTTERFLIES", "DOTS", "PEOPLE", "apple", "butterfly", "dot", "person"]

APPLES = ("red", "crimson", "green", "lime", "yellow")
DOTS = ("red", "blue", "green", "orange", "purple", "teal", "pink", "brown", "black")
BUTTERFLIES = ("orange", "blue", "purple", "yellow", "teal", "red")

_INK: Colour = (58, 40, 30)

_APPLE = (
    "M 0 -44 C 14 -60 44 -64 64 -48 C 92 -26 88 30 62 66 C 46 90 22 94 0 84"
    " C -22 94 -46 90 -62 66 C -88 30 -92 -26 -64 -48 C -44 -64 -14 -60 0 -44"
)


def apple(look: str) -> list[Layer]:
    """A round fruit with a dent, a stem and one leaf."""
    base = named(look)
    body = path(_APPLE)
    leaf = path("M 4 -62 C 10 -92 40 -104 72 -96 C 66 -68 36 -52 4 -62")
    stem = path("M -6 -36 C -4 -60 -10 -78 -20 -92 L -8 -98 C 4 -80 6 -60 4 -36")
    edge = darker(base, 0.5)
    return [
        (grown(body, 5), edge),
        (grown(leaf, 4), (24, 74, 30)),
        (body, base),
        (
            path("M 64 -46 C 92 -24 88 30 62 66 C 46 90 22 94 0 84 C 46 74 70 20 64 -46"),
            darker(base, 0.16),
        ),
        (ellipse(-42, -14, 12, 27, 18), lighter(base, 0.55)),
        (path("M -22 -42 Q 0 -24 22 -42 Q 0 -34 -22 -42"), edge),
        (leaf, (74, 160, 66)),
        (stroke(path("M 8 -64 Q 36 -72 62 -90"), 3), (36, 98, 40)),
        (grown(stem, 1), (92, 58, 30)),
    ]


class Outfit(NamedTuple):
    """How a person looks."""

    skin: Colour
    hair: Colour
    shirt: Colour
    legs: Colour
    skirt: bool
    long_hair: bool


PEOPLE: dict[str, Outfit] = {
    "red shirt": Outfit((240, 194, 160), (70, 44, 26), (206, 52, 52), (52, 74, 120), False, False),
    "blue shirt": Outfit((150, 98, 64), (28, 24, 24), (52, 116, 196), (88, 84, 80), False, False),
    "green dress": Outfit(
        (236, 184, 148), (150, 84, 34), (56, 152, 92), (236, 184, 148), True, True
    ),
    "yellow shirt": Outfit((110, 70, 46), (22, 20, 22), (236, 178, 44), (62, 92, 72), False, False),
    "purple dress": Outfit(
        (206, 150, 110), (38, 28, 26), (142, 78, 172), (206, 150, 110), True, True
    ),
    "orange shirt": Outfit(
        (244, 202, 170), (196, 138, 54), (232, 120, 48), (70, 60, 92), False, True
    ),
    "teal shirt": Outfit(
        (222, 170, 130), (92, 92, 98), (38, 146, 150), (112, 82, 54), False, False
    ),
    "pink dress": Outfit((132, 84, 56), (30, 24, 26), (226, 100, 146), (132, 84, 56), True, True),
}


def person(look: str) -> list[Layer]:
    """Somebody standing: head with hair and face, arms, trousers or a dress, shoes."""
    wears = PEOPLE[look]
    layers: list[Layer] = []
    skin_edge, hair = darker(wears.skin, 0.45), wears.hair
    leg = path("M 1 20 L 17 20 L 16 84 L 3 84")
    shoe = path("M 2 82 L 16 82 C 24 84 26 92 24 94 L 2 94")
    arm = stroke(path("M 18 -34 C 30 -22 32 -8 33 10"), 11)
    hand = ellipse(33, 12, 7)
    sleeve = stroke(path("M 17 -36 C 26 -28 29 -18 31 -6"), 14)
    if wears.skirt:
        top = path(
            "M 0 -44 L 14 -43 C 20 -42 22 -38 21 -30 L 15 -6 L 30 46 Q 0 54 -30 46"
            " L -15 -6 L -21 -30 C -22 -38 -20 -42 -14 -43"
        )
    else:
        top = path(
            "M 0 -44 L 16 -43 C 22 -42 24 -38 24 -30 L 21 24"
            " L -21 24 L -24 -30 C -24 -38 -22 -42 -16 -43"
        )
    pairs: list[tuple[Points, Colour, Colour]] = [
        (leg, wears.legs, darker(wears.legs, 0.45)),
        (shoe, (48, 38, 36), (20, 16, 16)),
        (arm, wears.skin, skin_edge),
        (hand, wears.skin, skin_edge),
        (sleeve, wears.shirt, darker(wears.shirt, 0.45)),
    ]
    if wears.long_hair:
        back = path("M 0 -98 C 26 -98 28 -70 25 -44 L -25 -44 C -28 -70 -26 -98 0 -98")
        layers += [(grown(back, 2), darker(hair, 0.4)), (back, hair)]
    for shape, fill, edge in pairs:
        for side in (shape, mirrored(shape)):
            layers += [(grown(side, 2), edge), (side, fill)]
    neck = path("M -7 -56 L 7 -56 L 8 -40 Q 0 -34 -8 -40")
    layers += [(grown(top, 2), darker(wears.shirt, 0.45)), (top, wears.shirt)]
    layers += [(grown(neck, 1.5), skin_edge), (neck, wears.skin)]
    head = ellipse(0, -72, 18, 21)
    layers += [(grown(head, 2), skin_edge), (head, wears.skin)]
    fringe = path(
        "M -20 -70 C -24 -102 24 -102 20 -70 C 16 -82 8 -86 -4 -85 C -12 -84 -17 -80 -20 -70"
    )
    layers += [(grown(fringe, 2), darker(hair, 0.4)), (fringe, hair)]
    for x in (-7.0, 7.0):
        layers.append((ellipse(x, -72, 2.4, 3), (36, 28, 26)))
    layers.append((stroke(path("M -7 -62 Q 0 -56 7 -62"), 2.4), darker(wears.skin, 0.6)))
    return layers


def butterfly(look: str) -> list[Layer]:
    """Four wings with spots, a body and two feelers."""
    base = named(look)
    ink: Colour = darker(base, 0.72)
    upper = path("M 4 -12 C 16 -58 62 -92 92 -78 C 106 -66 96 -16 70 2 C 48 14 20 10 4 2")
    lower = path("M 4 2 C 26 8 58 6 68 28 C 76 52 56 84 38 80 C 20 74 8 40 4 10")
    layers: list[Layer] = []
    for side in (lower, upper):
        for wing in (side, mirrored(side)):
            layers.append((grown(wing, 6), ink))
    for side, fill in ((lower, lighter(base, 0.22)), (upper, base)):
        for wing in (side, mirrored(side)):
            layers.append((wing, fill))
    spots = [
        (ellipse(70, -54, 13, 10, -40), lighter(base, 0.7)),
        (ellipse(44, -26, 9, 7, -40), ink),
        (ellipse(80, -26, 7), lighter(base, 0.7)),
        (ellipse(44, 40, 12), ink),
        (ellipse(44, 40, 6), lighter(base, 0.7)),
    ]
    for spot, colour in spots:
        layers += [(spot, colour), (mirrored(spot), colour)]
    feeler = stroke(path("M 2 -38 C 6 -62 14 -78 28 -90"), 5)
    for shape in (feeler, ellipse(28, -90, 6)):
        layers += [(shape, _INK), (mirrored(shape), _INK)]
    layers += [(ellipse(0, 10, 8, 48), _INK), (ellipse(0, -40, 10), _INK)]
    layers.append((moved(ellipse(0, 0, 2.5, 30), -2, 8), lighter(_INK, 0.3)))
    return layers


def dot(look: str) -> list[Layer]:
    """A plain disc."""
    return [(ellipse(0, 0, 100), named(look))]
