"""Colours by name, and lighter and darker ones made from them.

Nothing inside an item may be white: the background is, and an item has to stay one piece.
"""

from __future__ import annotations

__all__ = ["CARD_COLOURS", "Colour", "darker", "lighter", "named"]

Colour = tuple[int, int, int]

NAMED: dict[str, Colour] = {
    "black": (42, 42, 46),
    "blue": (38, 98, 200),
    "green": (46, 150, 62),
    "orange": (240, 130, 22),
    "red": (212, 38, 42),
    "yellow": (246, 200, 40),
    "purple": (136, 66, 168),
    "pink": (236, 110, 160),
    "brown": (124, 78, 42),
    "teal": (22, 148, 152),
    "crimson": (166, 22, 44),
    "lime": (136, 190, 48),
    "grey": (120, 124, 132),
}
CARD_COLOURS = ("black", "blue", "green", "orange", "red")
_PALEST = 236


def named(name: str) -> Colour:
    return NAMED[name]


def lighter(colour: Colour, share: float = 0.4) -> Colour:
    """Towards white, but never white."""
    r, g, b = (min(round(c + (255 - c) * share), _PALEST) for c in colour)
    return r, g, b


def darker(colour: Colour, share: float = 0.4) -> Colour:
    """Towards black."""
    r, g, b = (round(c * (1 - share)) for c in colour)
    return r, g, b
