"""Clip art for the fast cards: nine kinds, each in one colour with its lighter and darker tones."""

from __future__ import annotations

from collections.abc import Callable

from subitize.stimuli.art.colours import Colour, darker, lighter, named
from subitize.stimuli.art.paths import (
    Points,
    ellipse,
    grown,
    mirrored,
    moved,
    path,
    star,
    stroke,
)
from subitize.stimuli.art.raster import Layer

__all__ = ["CLIPS"]


def _tones(look: str) -> tuple[Colour, Colour, Colour]:
    """Base, pale and ink tone of a colour."""
    base = named(look)
    return base, lighter(base, 0.62), darker(base, 0.6)


def _outlined(shape: Points, fill: Colour, ink: Colour, width: float = 5) -> list[Layer]:
    return [(grown(shape, width), ink), (shape, fill)]


def apple(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    body = path(
        "M 0 -44 C 14 -60 44 -64 64 -48 C 92 -26 88 30 62 66 C 46 90 22 94 0 84"
        " C -22 94 -46 90 -62 66 C -88 30 -92 -26 -64 -48 C -44 -64 -14 -60 0 -44"
    )
    leaf = path("M 4 -62 C 10 -92 40 -104 72 -96 C 66 -68 36 -52 4 -62")
    layers = _outlined(leaf, pale, ink) + _outlined(body, base, ink, 6)
    layers.append((stroke(path("M 0 -38 C 0 -60 -6 -78 -16 -94"), 12), ink))
    layers.append((ellipse(-42, -10, 11, 28, 18), pale))
    return layers


def bell(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    body = path(
        "M 0 -72 C 34 -72 46 -44 48 -10 C 50 24 58 40 76 54 L -76 54"
        " C -58 40 -50 24 -48 -10 C -46 -44 -34 -72 0 -72"
    )
    layers = _outlined(ellipse(0, -80, 13), pale, ink)
    layers += _outlined(ellipse(0, 72, 19), ink, ink)
    layers += _outlined(body, base, ink, 6)
    layers.append((path("M -55 30 L 55 30 L 60 38 L -60 38"), pale))
    layers.append((stroke(path("M -26 -42 C -34 -26 -34 -8 -36 12"), 9), pale))
    return layers


def butterfly(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    upper = path("M 2 -12 C 16 -58 62 -92 92 -78 C 106 -66 96 -16 70 2 C 48 14 20 10 2 2")
    lower = path("M 2 2 C 26 8 58 6 68 28 C 76 52 56 84 38 80 C 20 74 8 40 2 10")
    layers: list[Layer] = []
    for wing in (lower, mirrored(lower), upper, mirrored(upper)):
        layers += _outlined(wing, base, ink, 6)
    for spot in (ellipse(66, -46, 15, 12, -40), ellipse(42, 42, 12)):
        layers += [(spot, pale), (mirrored(spot), pale)]
    feeler = stroke(path("M 2 -38 C 6 -62 14 -78 28 -90"), 6)
    for shape in (feeler, ellipse(28, -90, 7)):
        layers += [(shape, ink), (mirrored(shape), ink)]
    layers += [(ellipse(0, 8, 9, 50), ink), (ellipse(0, -42, 11), ink)]
    return layers


def candy(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    wrap = path("M 30 0 L 86 -40 Q 80 -26 92 -14 Q 82 0 92 14 Q 80 26 86 40")
    layers: list[Layer] = []
    for side in (wrap, mirrored(wrap)):
        layers += _outlined(side, pale, ink)
    fold = stroke(path("M 46 0 L 78 0"), 4)
    layers += [(fold, ink), (mirrored(fold), ink)]
    layers += _outlined(ellipse(0, 0, 48), base, ink, 6)
    for angle in (0.0, 120.0, 240.0):
        swirl = path("M 0 0 C 8 -20 28 -26 44 -18 C 46 -8 46 0 45 6 C 30 -8 14 -8 0 0")
        layers.append((moved(swirl, angle=angle), pale))
    return layers


def car(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    body = path(
        "M -96 34 L -96 8 C -96 -4 -88 -8 -62 -10 C -48 -36 -36 -46 -18 -46 L 22 -46"
        " C 40 -46 52 -30 64 -10 C 84 -8 96 -2 96 14 L 96 34"
    )
    layers = _outlined(body, base, ink)
    layers.append((path("M -48 -10 C -38 -30 -30 -36 -18 -36 L -4 -36 L -4 -10"), pale))
    layers.append((path("M 6 -10 L 6 -36 L 20 -36 C 32 -36 40 -26 50 -10"), pale))
    layers.append((stroke(path("M 1 -4 L 1 28"), 4), ink))
    layers.append((stroke(path("M 10 4 L 24 4"), 5), ink))
    layers.append((ellipse(86, 8, 8, 7), pale))
    for x in (-54.0, 54.0):
        layers += [(ellipse(x, 34, 25), ink), (ellipse(x, 34, 11), pale)]
    return layers


def fish(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    tail = path("M 44 0 C 62 -14 80 -40 96 -44 C 88 -16 88 16 96 44 C 80 40 62 14 44 0")
    fin = path("M -20 -34 C -6 -66 26 -70 42 -58 C 34 -46 34 -34 36 -24")
    belly = path("M -10 36 C 0 60 18 62 28 56 C 22 46 22 38 22 30")
    body = path("M -94 2 C -72 -44 -10 -56 54 -4 L 54 4 C -10 58 -72 46 -94 2")
    layers: list[Layer] = []
    for shape in (tail, fin, belly):
        layers += _outlined(shape, pale, ink)
    layers += _outlined(body, base, ink, 6)
    layers.append((stroke(path("M -42 -32 C -28 -12 -28 14 -42 34"), 6), ink))
    for x in (-12.0, 10.0):
        layers.append((stroke(path(f"M {x} -18 C {x + 10} -6 {x + 10} 6 {x} 18"), 5), pale))
    layers += [(ellipse(-62, -8, 10), pale), (ellipse(-64, -8, 5.5), (20, 20, 24))]
    return layers


def flower(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    layers: list[Layer] = [(stroke(path("M 0 0 C 4 40 2 70 -4 98"), 12), ink)]
    leaf = path("M 0 74 C 14 44 40 38 58 44 C 54 66 30 82 0 74")
    layers += _outlined(leaf, base, ink)
    other = path("M 0 86 C -14 58 -38 52 -54 58 C -50 78 -28 92 0 86")
    layers += _outlined(other, base, ink)
    petals = [moved(ellipse(0, -34, 22, 28), 0, -34, 60.0 * k) for k in range(6)]
    layers += [(grown(petal, 6), ink) for petal in petals]
    layers += [(petal, base) for petal in petals]
    layers += _outlined(ellipse(0, -34, 20), pale, ink)
    return layers


def plane(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    wing = path("M 8 -24 L 92 26 Q 96 34 92 42 L 8 22")
    tail = path("M 4 58 L 38 78 Q 42 86 38 90 L 4 82")
    body = path(
        "M 0 -98 C 14 -92 17 -70 17 -48 L 15 30 L 7 92"
        " L -7 92 L -15 30 L -17 -48 C -17 -70 -14 -92 0 -98"
    )
    layers: list[Layer] = []
    for shape in (wing, tail):
        for side in (shape, mirrored(shape)):
            layers += _outlined(side, base, ink)
    layers += _outlined(body, base, ink)
    layers.append((path("M -11 -66 C -8 -82 8 -82 11 -66 Q 0 -72 -11 -66"), pale))
    for y in (-42.0, -22.0, -2.0, 18.0):
        layers.append((ellipse(0, y, 5), pale))
    return layers


def star_clip(look: str) -> list[Layer]:
    base, pale, ink = _tones(look)
    layers = _outlined(star(5, 92, 38), base, ink, 6)
    layers.append((star(5, 52, 22), pale))
    layers.append((star(5, 40, 17), base))
    return layers


CLIPS: dict[str, Callable[[str], list[Layer]]] = {
    "apple": apple,
    "bell": bell,
    "butterfly": butterfly,
    "candy": candy,
    "car": car,
    "fish": fish,
    "flower": flower,
    "plane": plane,
    "star": star_clip,
}
