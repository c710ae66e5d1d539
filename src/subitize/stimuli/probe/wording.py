"""What a generated scene is asked and called: questions with up to two conditions, and captions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from subitize.nouns import article, plural
from subitize.stimuli import generator
from subitize.stimuli.art.drawings import CARD_COLOURS

KINDS = ("apple", "bell", "butterfly", "candy", "car", "fish", "flower", "plane", "star")
COLOURS = CARD_COLOURS
PLACES: Mapping[str, str] = {
    "left": "left of the tree",
    "right": "right of the tree",
    "above": "above the tree",
    "below": "below the tree",
}
OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}
CONDITIONS = ("mixed", "0", "1", "2")
"""how many conditions a question has beside the kind: none, colour or place, both"""
MOST_GROUPS = 9
"""kinds in their colours that one scene can hold beside the tree"""


class Group(NamedTuple):
    """Things of one kind in one colour at one side of the tree."""

    kind: str
    colour: str
    place: str
    """a key of PLACES, or empty: anywhere"""
    many: int
    asked: bool
    """whether the question is about them"""


class Plan(NamedTuple):
    """What a scene holds, before any place is chosen."""

    kind: str
    """the kind that is asked for"""
    colour: str
    """condition on the colour; empty: none"""
    place: str
    """condition on the place; empty: none"""
    groups: tuple[Group, ...]

    @property
    def tree(self) -> bool:
        """Whether there is a tree to be left of."""
        return bool(self.place)

    @property
    def conditions(self) -> int:
        return bool(self.colour) + bool(self.place)

    @property
    def question(self) -> str:
        """How many …?"""
        things = f"{self.colour} {plural(self.kind)}".strip()
        return f"How many {things} are {PLACES[self.place] if self.place else 'there'}?"

    @property
    def caption(self) -> str:
        """What is in the picture, in one sentence."""
        counts: dict[tuple[str, str, str], int] = {}
        for one in self.groups:
            key = (one.colour, one.kind, one.place)
            counts[key] = counts.get(key, 0) + one.many
        parts = [
            _told(f"{colour} {kind}", many) + (f" {PLACES[place]}" if place else "")
            for (colour, kind, place), many in counts.items()
            if many
        ]
        if self.tree:
            parts.append("a tree")
        if not parts:
            return "An empty picture."
        head = ", ".join(parts[:-1])
        said = f"{head} and {parts[-1]}" if head else parts[-1]
        return f"{said[:1].upper()}{said[1:]}."


def _told(thing: str, many: int) -> str:
    return article(thing) if many == 1 else f"{many} {plural(thing)}"


def plan_of(recipe: Mapping[str, object]) -> Plan:
    """What a recipe's scene holds; nothing is placed or drawn here."""
    rng = generator("probe plan", recipe["seed"], recipe["index"], recipe["n"])
    many = _conditions(str(recipe["conditions"]), rng)
    kind = KINDS[int(rng.integers(len(KINDS)))]
    by_colour = many == 2 or (many == 1 and bool(rng.integers(2)))
    by_place = many == 2 or (many == 1 and not by_colour)
    colour = COLOURS[int(rng.integers(len(COLOURS)))]
    place = list(PLACES)[int(rng.integers(len(PLACES)))] if by_place else ""
    identical = recipe["identical"] == "on"
    asked = _asked(kind, colour, place, int(str(recipe["n"])), by_colour or identical, rng)
    groups = [*asked, *_others(kind, colour if by_colour else "", place, rng)]
    used = {(one.kind, one.colour) for one in groups}
    others = [one for one in KINDS if one != kind]
    for chosen in rng.permutation(len(others))[: int(rng.integers(1, 4))]:
        look = (others[chosen], COLOURS[int(rng.integers(len(COLOURS)))])
        if len(used | {look}) <= MOST_GROUPS:
            used.add(look)
            groups.append(Group(*look, "", int(rng.integers(1, 4)), False))
    return Plan(kind, colour if by_colour else "", place, tuple(groups))


def _conditions(wanted: str, rng: np.random.Generator) -> int:
    drawn = int(rng.integers(3))
    return drawn if wanted == "mixed" else int(wanted)


def _asked(
    kind: str, colour: str, place: str, n: int, one_colour: bool, rng: np.random.Generator
) -> list[Group]:
    """The things asked for: of one colour, or of any."""
    if one_colour:
        return [Group(kind, colour, place, n, True)]
    counts = np.bincount(rng.integers(0, len(COLOURS), n), minlength=len(COLOURS)).tolist()
    return [
        Group(kind, name, place, many, True)
        for name, many in zip(COLOURS, counts, strict=True)
        if many
    ]


def _others(kind: str, colour: str, place: str, rng: np.random.Generator) -> list[Group]:
    """Things of the same kind that fail just one condition."""
    found = []
    if colour:
        wrong = [one for one in COLOURS if one != colour]
        other = wrong[int(rng.integers(len(wrong)))]
        found.append(Group(kind, other, place, int(rng.integers(0, 4)), False))
    if place:
        same = colour or COLOURS[int(rng.integers(len(COLOURS)))]
        found.append(Group(kind, same, OPPOSITE[place], int(rng.integers(0, 4)), False))
    return [one for one in found if one.many]
