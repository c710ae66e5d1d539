"""What is where in a naming picture: kinds, looks, places and diameters, before any pixel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from subitize.errors import BadInput
from subitize.stimuli import art, generator, holding, orthogonal, passing, patterns, placing
from subitize.stimuli.art.drawings import CARD_COLOURS, CLIPS
from subitize.stimuli.geometry import Points
from subitize.stimuli.holding import AREA_SHARE, TilesOf
from subitize.stimuli.orderly import orderly
from subitize.stimuli.orthogonal import Cues
from subitize.stimuli.placing import MARGIN, SMALLEST, Centres, Diameters

KINDS: Mapping[str, tuple[str, ...]] = {
    "apples": ("apple",),
    "people": ("person",),
    "butterflies": ("butterfly",),
    "dots": ("dot",),
    "fast cards": tuple(f"clip {name}" for name in CLIPS),
}
"""category: kinds of items in its pictures"""
_PAIRS = [(kind, colour) for kind in KINDS["fast cards"] for colour in CARD_COLOURS]
_WIDEST = 0.198
"""largest diameter, as a share of the picture's side"""
VARIETY = 1.8
"""largest diameter divided by the smallest"""
_STEPS = 8
"""diameters come from a ladder of so many steps, so that tiles can be used again"""
_TRIES = 120
"""layouts tried before a cue is given up as impossible to hold"""

Recipe = Mapping[str, Any]
Layout = Callable[[float], tuple[Points, Diameters]]
"""a new random layout with diameters multiplied by a factor: places and diameters"""


class Scene(NamedTuple):
    """What is where."""

    kind: str
    looks: tuple[str, ...]
    centres: Centres
    diameters: Diameters
    pattern: str


def scene_of(recipe: Recipe) -> Scene:
    """The scene that a recipe describes."""
    card = recipe["category"] == "fast cards"
    size = recipe["size"]
    room = patterns.card_capacity(size) if card else placing.capacity(size)
    placing.check_room(recipe["n"], size, room)
    rng = passing("naming", recipe["seed"], recipe["category"], recipe["n"], recipe["index"])
    if recipe.get("cues") and recipe["n"]:
        return _orthogonal(recipe, rng)
    return _card(recipe, rng) if card else _scattered(recipe, rng)


def tiles_of(kind: str, looks: Sequence[str], diameters: Diameters) -> list[art.Tile]:
    return [art.tile(kind, look, d) for look, d in zip(looks, diameters.tolist(), strict=True)]


def _wished(n: int, size: int, rng: np.random.Generator) -> Points:
    """Diameters drawn independently of n."""
    return _ladder(size)[rng.integers(0, _STEPS, n)]


@lru_cache(maxsize=16)
def _ladder(size: int) -> Points:
    return np.array([_WIDEST * size * VARIETY ** (-k / (_STEPS - 1)) for k in range(_STEPS)])


def _scattered(recipe: Recipe, rng: np.random.Generator) -> Scene:
    """Items of one category at random places."""
    n, size, hold = int(recipe["n"]), recipe["size"], recipe["hold"] if recipe["n"] else ""
    kind, looks = _chosen(recipe, rng)
    tiles = partial(tiles_of, kind, looks)
    wished = _wished(n, size, rng)
    centres: Centres | None
    if hold == "area":
        diameters = holding.same_area(wished, AREA_SHARE * size * size, tiles)
        tries = (placing.throw_darts(diameters, size, rng) for _ in range(8))
        centres = next((found for found in tries if found is not None), None)
        if centres is None:
            raise _impossible(recipe)
    elif hold:
        region = holding.region(holding.hull_target(recipe), n, size)

        def layout(factor: float) -> tuple[Points, Diameters]:
            places, wide = placing.scatter(wished * factor, region, rng)
            return places.astype(np.float64), wide

        random = layout if n <= placing.capacity(region) else None
        centres, diameters = _held_hull(recipe, kind, tiles, random, rng)
    else:
        centres, diameters = placing.scatter(wished, size, rng)
    return Scene(kind, looks, centres, diameters, "scattered")


def _dealt(recipe: Recipe) -> tuple[str, tuple[str, ...]]:
    """Kind and looks of a card."""
    deal, card = divmod(recipe["index"], len(_PAIRS))
    kind, colour = _PAIRS[_deal(recipe["seed"], recipe["n"], deal)[card]]
    return kind, (colour,) * recipe["n"]


@lru_cache(maxsize=64)
def _deal(seed: int, n: int, deal: int) -> list[int]:
    """The order in which the pairs are dealt."""
    dealt = generator("naming", seed, "deal", n, deal).permutation(len(_PAIRS))
    return [int(pair) for pair in dealt]


def _chosen(recipe: Recipe, rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Kind and looks of things that are no cards."""
    (kind,) = KINDS[recipe["category"]]
    names = art.looks(kind)
    return kind, tuple(names[k] for k in rng.integers(0, len(names), int(recipe["n"])).tolist())


def _orthogonal(recipe: Recipe, rng: np.random.Generator) -> Scene:
    """Items of one diameter in a field, both as size and spacing ask for."""
    n, cues = int(recipe["n"]), Cues(**recipe["cues"])
    card = recipe["category"] == "fast cards"
    kind, looks = _dealt(recipe) if card else _chosen(recipe, rng)
    diameters = holding.same_area(np.ones(n), cues.total_area(n), partial(tiles_of, kind, looks))
    centres = orthogonal.places(diameters, cues, recipe["size"], rng)
    if centres is None:
        raise _impossible(recipe)
    return Scene(kind, looks, centres, diameters, "scattered")


def _card(recipe: Recipe, rng: np.random.Generator) -> Scene:
    """One kind in one colour, regularly placed; every 45 cards of an n show each pair once."""
    n, size, hold = recipe["n"], recipe["size"], recipe["hold"] if recipe["n"] else ""
    kind, looks = _dealt(recipe)
    tiles = partial(tiles_of, kind, looks)
    wished = np.full(n, _wished(1, size, rng)[0])
    least = float(SMALLEST)
    if hold == "area":
        wished = holding.same_area(wished, AREA_SHARE * size * size, tiles).astype(np.float64)
        least = float(wished.max(initial=SMALLEST))
    names = patterns.patterns_for(n, flat=recipe["hold"] not in ("hull", "density"))
    roomy = [name for name in names if patterns.room_for(name, n, size) >= least]
    if not roomy:
        raise _impossible(recipe)
    name = roomy[int(rng.integers(len(roomy)))]
    points = patterns.pattern(name, n)
    room = patterns.room_for(name, n, size)
    if hold in ("hull", "density"):

        def layout(factor: float) -> tuple[Points, Diameters]:
            wide = max(min(wished[0] * factor, room), SMALLEST)
            return points * 100, np.full(n, wide).astype(int)

        return Scene(kind, looks, *_held_hull(recipe, kind, tiles, layout, rng), name)
    diameters = np.floor(np.minimum(wished, room)).astype(np.int64)
    return Scene(kind, looks, _regular(name, diameters, size, rng), diameters, name)


def _regular(name: str, diameters: Diameters, size: int, rng: np.random.Generator) -> Centres:
    """The pattern in the middle of the card, more or less spread out."""
    n = len(diameters)
    widest = int(diameters.max(initial=0))
    high = size / 2 - MARGIN - 1 - widest / 2
    low = (widest + placing.GAP + 2) / patterns.apart(name, n)
    reach = low + (high - low) * float(rng.uniform(0.35, 1.0))
    return np.rint(patterns.pattern(name, n) * reach + size / 2).astype(np.int64)


def _held_hull(
    recipe: Recipe, kind: str, tiles_of: TilesOf, layout: Layout | None, rng: np.random.Generator
) -> tuple[Centres, Diameters]:
    """A layout whose hull has the held area, anywhere in the picture.

    Items spread as far as they must. Where few items can't reach the hull by that (one or two
    never can by much) they grow; where many fill it, they shrink. Where nothing random will do,
    they stand in order.
    """
    n, size, target = recipe["n"], recipe["size"], holding.hull_target(recipe)
    found = None if layout is None else _random_hull((n, size, target), tiles_of, layout)
    if found is None and (order := orderly(kind, n, size, target)) is not None:
        diameters = np.full(n, order.diameter)
        tiles = tiles_of(diameters)
        places: Points | None = order.points
        if n > 1:
            places, _ = holding.spread(order.points, diameters, tiles, size, target)
        found = None if places is None else (places, diameters)
    if found is None:
        raise _impossible(recipe)
    return _anywhere(*found, size, rng), found[1]


def _random_hull(
    wanted: tuple[int, int, float], tiles_of: TilesOf, layout: Layout
) -> tuple[Points, Diameters] | None:
    n, size, target = wanted
    factor = 1.0
    # a crowd makes each layout dear, and needs much smaller items or none
    shrink, tries = (0.95, _TRIES) if n <= 20 else (0.85, _TRIES // 5)
    for attempt in range(tries):
        points, diameters = layout(factor)
        tiles = tiles_of(diameters)
        if n == 1:
            area = holding.hull_area(points * 0, tiles)
            off = abs(area / target - 1)
            if attempt > 6 or off < 0.01:
                # the next diameter is a pixel away, which is much in small pictures
                return (points * 0, diameters) if off < 0.03 + 2.5 / diameters[0] else None
            factor *= math.sqrt(target / area)
            continue
        places, area = holding.spread(points, diameters, tiles, size, target)
        if places is not None:
            return places, diameters
        if area > target and int(diameters.max()) == SMALLEST:
            break
        factor *= shrink if area > target else 1.02
    return None


def _anywhere(places: Points, diameters: Diameters, size: int, rng: np.random.Generator) -> Centres:
    """Places around the origin moved to whole pixels, somewhere inside the margins."""
    radii = ((diameters + 1) // 2)[:, None]
    whole = np.rint(places).astype(np.int64)
    near = MARGIN - (whole - radii).min(axis=0)
    far = size - MARGIN - (whole + radii).max(axis=0)
    moved: Centres = whole + rng.integers(near, np.maximum(far, near), endpoint=True)
    return moved


def _impossible(recipe: Recipe) -> BadInput:
    what, side = recipe["hold"] or "size and spacing", recipe["size"]
    return BadInput(
        f"The {what} can't be held for {recipe['n']} {recipe['category']} in a picture of {side} x "
        f"{side} pixels: use a larger --size, fewer items or another --hold or --cues."
    )
