"""Generated scenes for the counting probe: several kinds of things, colours and places.

A recipe holds the number that is asked for; what else is in the scene, the question and the
caption follow from it (`wording.plan_of`) without drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, UnknownName
from subitize.pictures.encode import Picture, drawn
from subitize.stimuli import art, generator
from subitize.stimuli.probe.placing import Layout, place_things
from subitize.stimuli.probe.wording import CONDITIONS, MOST_GROUPS, Plan, plan_of

DRAWING_VERSION = 2
"""goes up with every change that alters a single pixel or word"""
IDENTICAL = ("off", "on")
LOOK: Mapping[str, Any] = {
    "size": 256,  # side in pixels
    "conditions": "mixed",  # of the question
    "overlap": 0.0,  # by which share of their diameters things may overlap
    "clutter": 0,  # grey stones behind the things
    "identical": "off",  # on: the things asked for are one thing repeated; off: they differ
}
BOUNDS: Mapping[str, tuple[float, float]] = {
    "n": (0, 40), "size": (64, 4096), "overlap": (0, 0.6), "clutter": (0, 200),
}  # fmt: skip
ROOM = 640
"""square pixels that a scene has for each thing asked for, at least: with fewer, not all of them
and of what stands beside them find a place"""
_SHARE = 25
"""palette colours of each look in a scene: white, ten looks, five greys"""
_GREYS = np.array([[226] * 3, [214] * 3, [202] * 3, [190] * 3, [178] * 3], np.uint8)
_FIRST_GREY = 1 + (MOST_GROUPS + 1) * _SHARE
_SEEN = 0.3
"""least share of a thing that must be visible where things overlap"""
_TRIES = 40

Canvas = NDArray[np.uint8]


class Mark(NamedTuple):
    """A thing ready to be put into a scene."""

    numbers: Canvas
    """1.._SHARE inside its look's part of the palette, 0 where nothing is painted"""
    painted: NDArray[np.bool_]
    left: int
    top: int


def recipe(n: int, index: int, *, seed: int = 0, **look: Any) -> dict[str, Any]:
    """Everything `draw` needs, fit for JSON; nothing is drawn here. `look` as in LOOK."""
    for name in look:
        if name not in LOOK:
            raise UnknownName("setting of a scene", name, LOOK)
    made = {**LOOK, **look}
    for name, known in (("conditions", CONDITIONS), ("identical", IDENTICAL)):
        if made[name] not in known:
            raise UnknownName(f"setting {name} of a scene:", str(made[name]), known)
    for name, (low, high) in BOUNDS.items():
        value = made.get(name, n)
        if not low <= value <= high:
            raise BadInput(f"A scene with {name} = {value} can't be drawn: give {low} to {high}.")
    made["overlap"] = float(made["overlap"])
    whose = {"drawer": "probe", "version": DRAWING_VERSION, "n": n, "index": index, "seed": seed}
    return {**whose, **made}


def check_room(recipes: Iterable[Mapping[str, Any]]) -> None:
    """Raise for scenes that may be too small for what they hold."""
    crowded = [
        (n, size)
        for one in recipes
        if isinstance(n := one.get("n"), int)
        and isinstance(size := one.get("size"), int)
        and size**2 < n * ROOM
    ]
    if crowded:
        n, size = max(crowded)
        raise BadInput(
            f"{n} things asked for may not fit in a scene with size = {size}: give a size of "
            f"{isqrt(n * ROOM - 1) + 1} or more, or a lower highest answer."
        )


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of a recipe, with every fact about it."""
    plan, size = plan_of(recipe), int(recipe["size"])
    rng = generator("probe layout", recipe["seed"], recipe["index"], recipe["n"])
    things = [(group, one) for one, group in enumerate(plan.groups) for _ in range(group.many)]
    looks = [(f"clip {group.kind}", group.colour) for group, _ in things]
    slots = {look: slot for slot, look in enumerate(dict.fromkeys(looks), 1)}
    if plan.tree:
        looks.insert(0, ("tree", "green"))
        slots["tree", "green"] = 0
    same = [group.asked and recipe["identical"] == "on" for group, _ in things]
    # two things of one colour may not come out alike by chance where they should differ
    alike = len({group.colour for group, _ in things if group.asked}) == 1
    sizes = [
        "same" if one else "differ" if group.asked and alike else "any"
        for (group, _), one in zip(things, same, strict=True)
    ]
    mirrored = rng.integers(0, 2, len(looks)).astype(bool)
    mirrored[plan.tree :][np.asarray(same, bool)] = False
    background = _stones(size, int(recipe["clutter"]), rng)
    for attempt in range(_TRIES):
        # where things would hide each other they overlap a little less
        wanted = {"size": size, "overlap": recipe["overlap"] * 0.9**attempt}
        layout = place_things([group.place for group, _ in things], plan.tree, sizes, wanted, rng)
        marks = [
            _mark(*look, diameter, bool(flip))
            for look, diameter, flip in zip(
                looks, layout.diameters.tolist(), mirrored.tolist(), strict=True
            )
        ]
        numbers = [slots[look] for look in looks]
        canvas, visible = _composed(background, marks, numbers, layout, bool(recipe["overlap"]))
        if min(visible, default=1.0) >= _SEEN:
            break
    else:
        raise BadInput("The things of a scene cover each other too much: use less overlap.")
    tell = partial(_facts, plan, layout, marks, mirrored.tolist(), visible)
    return drawn(canvas, _palette(slots), tell)


def _facts(
    plan: Plan,
    layout: Layout,
    marks: Sequence[Mark],
    mirrored: Sequence[bool],
    visible: Sequence[float],
) -> dict[str, Any]:
    groups = [group for group in plan.groups for _ in range(group.many)]
    things = []
    for at, (centre, mark) in enumerate(zip(layout.centres.tolist(), marks, strict=True)):
        group = groups[at - plan.tree] if at >= plan.tree else None
        left, top = centre[0] + mark.left, centre[1] + mark.top
        height, width = mark.numbers.shape
        things.append(
            {
                "kind": group.kind if group else "tree",
                "colour": group.colour if group else "green",
                "asked": bool(group and group.asked),
                "centre": centre,
                "diameter": int(layout.diameters[at]),
                "box": [left, top, left + width, top + height],
                "mirrored": mirrored[at],
                "visible": visible[at],
            }
        )
    return {
        "n": sum(group.many for group in plan.groups if group.asked),
        "question": plan.question,
        "caption": plan.caption,
        "kind": plan.kind,
        "colour": plan.colour,
        "place": plan.place,
        "conditions": plan.conditions,
        "things": things,
    }


def _composed(
    background: Canvas, marks: Sequence[Mark], slots: Sequence[int], layout: Layout, covered: bool
) -> tuple[Canvas, list[float]]:
    """Palette numbers of the scene, and which share of each thing can be seen."""
    canvas = background.copy()
    owner = np.zeros(canvas.shape, np.uint8) if covered else None
    for at, ((x, y), mark, slot) in enumerate(
        zip(layout.centres.tolist(), marks, slots, strict=True), 1
    ):
        left, top = x + mark.left, y + mark.top
        height, width = mark.numbers.shape
        where = slice(top, top + height), slice(left, left + width)
        np.copyto(canvas[where], mark.numbers + slot * _SHARE, where=mark.painted)
        if owner is not None:
            np.copyto(owner[where], np.uint8(at), where=mark.painted)
    if owner is None:
        return canvas, [1.0] * len(marks)
    seen = np.bincount(owner.reshape(-1), minlength=len(marks) + 1)[1:]
    shares = [int(many) / int(mark.painted.sum()) for many, mark in zip(seen, marks, strict=True)]
    return canvas, shares


@lru_cache(maxsize=4096)
def _mark(kind: str, look: str, diameter: int, mirrored: bool) -> Mark:
    tile = art.tile(kind, look, diameter)
    first, numbers = _own_numbers(kind, look)
    found = numbers[tile.numbers - np.uint8(first)] * (tile.numbers > 0)
    left = tile.left
    if mirrored:
        found, left = found[:, ::-1], 1 - tile.left - tile.numbers.shape[1]
    found = np.ascontiguousarray(found, np.uint8)
    return Mark(found, found > 0, left, tile.top)


@lru_cache(maxsize=64)
def _own_numbers(kind: str, look: str) -> tuple[int, Canvas]:
    """A look's first number in its kind's palette, and its numbers here: the nearest colour."""
    first, own = _colours(kind, look)
    kept = own[:_SHARE]
    gaps = ((own[:, None].astype(np.int64) - kept[None]) ** 2).sum(axis=2)
    numbers = np.zeros(256, np.uint8)
    numbers[: len(own)] = 1 + gaps.argmin(axis=1)
    return first, numbers


def _colours(kind: str, look: str) -> tuple[int, Canvas]:
    names = art.looks(kind)
    share = 255 // len(names)
    first = 1 + names.index(look) * share
    return first, art.palette(kind)[first : first + share]


def _palette(slots: Mapping[tuple[str, str], int]) -> Canvas:
    colours = np.full((_FIRST_GREY + len(_GREYS), 3), 255, np.uint8)
    for (kind, look), slot in slots.items():
        own = _colours(kind, look)[1][:_SHARE]
        colours[1 + slot * _SHARE :][: len(own)] = own
    colours[_FIRST_GREY:] = _GREYS
    return colours


def _stones(size: int, many: int, rng: np.random.Generator) -> Canvas:
    """White, with grey ellipses behind everything: never mistaken for a thing, all pale."""
    canvas = np.zeros((size, size), np.uint8)
    places = rng.integers(0, size, (many, 2))
    radii = rng.integers(max(2, size // 40), max(3, size // 12), (many, 2), endpoint=True)
    shades = rng.integers(0, len(_GREYS), many)
    for (x, y), (across, down), shade in zip(
        places.tolist(), radii.tolist(), shades.tolist(), strict=True
    ):
        left, right = max(0, x - across), min(size, x + across + 1)
        top, bottom = max(0, y - down), min(size, y + down + 1)
        corner_x, corner_y = x - across, y - down
        inside = _ellipse(across, down)[
            top - corner_y : bottom - corner_y, left - corner_x : right - corner_x
        ]
        canvas[top:bottom, left:right][inside] = _FIRST_GREY + shade
    return canvas


@lru_cache(maxsize=1024)
def _ellipse(across: int, down: int) -> NDArray[np.bool_]:
    """Which pixels of its box an ellipse with these half axes covers."""
    column = (np.arange(-across, across + 1) * down) ** 2
    row = (np.arange(-down, down + 1) * across) ** 2
    return np.asarray(row[:, None] + column[None] <= (across * down) ** 2)
