"""What is where in a naming picture: kinds, looks, places and diameters, before any pixel."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput
from subitize.stimuli import art, holding, patterns, placing
from subitize.stimuli.art.drawings import CARD_COLOURS, CLIPS
from subitize.stimuli.placing import MARGIN, SMALLEST, Centres, Diameters

__all__ = ["Scene", "scene_of", "tiles_of"]

_KINDS = {"apples": "apple", "people": "person", "butterflies": "butterfly", "dots": "dot"}
_WIDEST = 0.198
"""largest diameter, as a share of the picture's side"""
_VARIETY = 1.8
"""largest diameter divided by the smallest"""
_STEPS = 16
"""diameters come from a ladder of so many steps, so that tiles can be used again"""
_TRIES = 120
"""layouts tried before a cue is given up as impossible to hold"""

Floats = NDArray[np.float64]
Layout = Callable[[float], tuple[Floats, Diameters]]
"""a new random layout with diameters multiplied by a factor: places and diameters"""


class Scene(NamedTuple):
    """What is where."""

    kind: str
    looks: tuple[str, ...]
    centres: Centres
    diameters: Diameters
    pattern: str


def scene_of(recipe: Mapping[str, Any]) -> Scene:
    """The scene that a recipe describes."""
    return _card(recipe) if recipe["category"] == "fast cards" else _scattered(recipe)


def tiles_of(kind: str, looks: Sequence[str], diameters: Diameters) -> list[art.Tile]:
    return [art.tile(kind, look, d) for look, d in zip(looks, diameters.tolist(), strict=True)]


def _generator(*parts: object) -> np.random.Generator:
    """Random numbers that depend on these words alone, so any picture can be drawn by itself."""
    words = "/".join(map(str, ("naming", *parts)))
    digest = hashlib.sha256(words.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def _wished(n: int, size: int, rng: np.random.Generator) -> Floats:
    """Diameters drawn independently of n."""
    ladder = [_WIDEST * size * _VARIETY ** (-k / (_STEPS - 1)) for k in range(_STEPS)]
    return np.array(ladder)[rng.integers(0, _STEPS, n)]


def _scattered(recipe: Mapping[str, Any]) -> Scene:
    """Items of one category at random places."""
    n, size, hold = int(recipe["n"]), int(recipe["size"]), str(recipe["hold"])
    kind = _KINDS[recipe["category"]]
    placing.check_room(n, size, placing.capacity(size))
    rng = _generator(recipe["seed"], recipe["category"], n, recipe["index"])
    names = art.looks(kind)
    looks = tuple(names[k] for k in rng.integers(0, len(names), n))
    wished = _wished(n, size, rng)
    if hold == "area" and n:
        diameters = _same_area(recipe, kind, looks, wished)
        for _ in range(8):
            found = placing.throw_darts(diameters, size, rng)
            if found is not None:
                return Scene(kind, looks, found, diameters, "scattered")
        raise _impossible(recipe)
    if hold and n:
        region = holding.region(_target(recipe), n, size)
        if n > placing.capacity(region):
            raise _impossible(recipe)

        def layout(factor: float) -> tuple[Floats, Diameters]:
            centres, diameters = placing.scatter(wished * factor, region, rng)
            return centres.astype(np.float64), diameters

        centres, diameters = _held_hull(recipe, (kind, looks), layout, rng)
        return Scene(kind, looks, centres, diameters, "scattered")
    centres, diameters = placing.scatter(wished, size, rng)
    return Scene(kind, looks, centres, diameters, "scattered")


def _card(recipe: Mapping[str, Any]) -> Scene:
    """One kind in one colour, regularly placed; every 45 cards of an n show each pair once."""
    n, size, hold = int(recipe["n"]), int(recipe["size"]), str(recipe["hold"])
    index, seed = int(recipe["index"]), recipe["seed"]
    placing.check_room(n, size, patterns.card_capacity(size))
    pairs = [(kind, colour) for kind in CLIPS for colour in CARD_COLOURS]
    dealt = _generator(seed, "deal", n, index // len(pairs)).permutation(len(pairs))
    clip, colour = pairs[dealt[index % len(pairs)]]
    kind, looks = f"clip {clip}", (colour,) * n
    rng = _generator(seed, recipe["category"], n, index)
    wished = np.full(n, _wished(1, size, rng)[0])
    names = patterns.patterns_for(n, flat=hold not in ("hull", "density"))
    if hold == "area" and n:
        wished = _same_area(recipe, kind, looks, wished).astype(np.float64)
    roomy = [name for name in names if _fits(name, n, size, wished if hold == "area" else None)]
    if not roomy:
        raise _impossible(recipe)
    name = roomy[int(rng.integers(len(roomy)))]
    points = patterns.pattern(name, n)
    if hold in ("hull", "density") and n:

        def layout(factor: float) -> tuple[Floats, Diameters]:
            room = patterns.room_for(points, size)
            return points * 100, np.full(n, max(min(wished[0] * factor, room), SMALLEST)).astype(
                int
            )

        centres, diameters = _held_hull(recipe, (kind, looks), layout, rng)
        return Scene(kind, looks, centres, diameters, name)
    diameters = np.floor(np.minimum(wished, patterns.room_for(points, size))).astype(np.int64)
    return Scene(kind, looks, _regular(points, diameters, size, rng), diameters, name)


def _fits(name: str, n: int, size: int, diameters: Floats | None) -> bool:
    """Whether a pattern has room for the smallest items, or for these very ones."""
    least = SMALLEST if diameters is None else float(diameters.max(initial=SMALLEST))
    return patterns.room_for(patterns.pattern(name, n), size) >= least


def _regular(points: Floats, diameters: Diameters, size: int, rng: np.random.Generator) -> Centres:
    """The pattern in the middle of the card, more or less spread out."""
    widest = int(diameters.max(initial=0))
    high = size / 2 - MARGIN - 1 - widest / 2
    low = (widest + placing.GAP + 2) / patterns.separation(points)
    reach = low + (high - low) * float(rng.uniform(0.35, 1.0))
    return np.rint(points * reach + size / 2).astype(np.int64)


def _same_area(
    recipe: Mapping[str, Any], kind: str, looks: Sequence[str], wished: Floats
) -> Diameters:
    size = int(recipe["size"])
    return holding.same_area(
        wished, holding.area_target(size), lambda diameters: tiles_of(kind, looks, diameters)
    )


def _target(recipe: Mapping[str, Any]) -> float:
    n, size = int(recipe["n"]), int(recipe["size"])
    return holding.hull_target(str(recipe["hold"]), n, size, int(recipe.get("largest", n)))


def _held_hull(
    recipe: Mapping[str, Any],
    items: tuple[str, Sequence[str]],
    layout: Layout,
    rng: np.random.Generator,
) -> tuple[Centres, Diameters]:
    """A layout whose hull has the held area, anywhere in the picture.

    Items spread as far as they must. Where few items can't reach the hull by that (one or two
    never can by much) they grow; where many fill it, they shrink.
    """
    n, size, target = int(recipe["n"]), int(recipe["size"]), _target(recipe)
    factor = 1.0
    # a crowd makes each layout dear, and needs much smaller items or none
    shrink, tries = (0.95, _TRIES) if n <= 20 else (0.85, _TRIES // 5)
    for attempt in range(tries):
        points, diameters = layout(factor)
        tiles = tiles_of(*items, diameters)
        if n == 1:
            area = holding.hull_area(points * 0, tiles)
            if attempt > 6 or abs(area / target - 1) < 0.01:
                return _anywhere(points * 0, diameters, size, rng), diameters
            factor *= math.sqrt(target / area)
            continue
        places, area = holding.spread(points, diameters, tiles, size, target)
        if places is not None:
            return _anywhere(places, diameters, size, rng), diameters
        if area > target and int(diameters.max()) == SMALLEST:
            break
        factor *= shrink if area > target else 1.02
    raise _impossible(recipe)


def _anywhere(places: Floats, diameters: Diameters, size: int, rng: np.random.Generator) -> Centres:
    """Places around the origin moved to whole pixels, somewhere inside the margins."""
    radii = ((diameters + 1) // 2)[:, None]
    whole = np.rint(places).astype(np.int64)
    near = MARGIN - (whole - radii).min(axis=0)
    far = size - MARGIN - (whole + radii).max(axis=0)
    moved: Centres = whole + rng.integers(near, np.maximum(far, near), endpoint=True)
    return moved


def _impossible(recipe: Mapping[str, Any]) -> BadInput:
    return BadInput(
        f"The {recipe['hold']} can't be held for {recipe['n']} {recipe['category']} in a picture "
        f"of {recipe['size']} x {recipe['size']} pixels: use a larger --size, fewer items or "
        "another --hold."
    )
