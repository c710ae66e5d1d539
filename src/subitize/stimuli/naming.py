"""Pictures for numerosity naming: five categories, any n, any size, from a recipe alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, UnknownName
from subitize.pictures.encode import Picture, encode_framed, framed, things_sha256
from subitize.stimuli import art, holding, orthogonal
from subitize.stimuli.scenes import Scene, scene_of, tiles_of

DRAWING_VERSION = 2
"""goes up with every change that alters a single pixel"""
CATEGORIES = ("apples", "people", "butterflies", "dots", "fast cards")
SMALLEST_SIZE = 16
LARGEST_SIZE = 16_384
"""a picture of 256 MB before it is packed"""
_KEPT = 4096
"""the largest side of which a canvas is kept"""
_canvas = local()
"""a white canvas of each thread, for its next picture"""


def recipe(
    category: str,
    n: int,
    index: int,
    *,
    size: int = 1024,
    hold: str = "",
    seed: int = 0,
    largest: int = 10,
) -> dict[str, Any]:
    """Everything `draw` needs, fit for JSON; nothing is drawn here.

    `hold` names a cue kept constant over n: area, hull or density. `largest` is the largest n of
    the set and matters for density only, which has to leave it room.
    """
    if category not in CATEGORIES:
        raise UnknownName("category", category, CATEGORIES)
    if hold and hold not in holding.HOLDS:
        raise UnknownName("cue to hold", hold, holding.HOLDS)
    if n < 0:
        raise BadInput(f"A picture of {n} items can't be drawn: n starts at 0.")
    if not SMALLEST_SIZE <= size <= LARGEST_SIZE:
        small = size < SMALLEST_SIZE
        limit = f"{SMALLEST_SIZE} or more" if small else f"{LARGEST_SIZE} or less"
        fault = f"too {'small' if small else 'large'}: use --size {limit}"
        raise BadInput(f"A picture of {size} x {size} pixels is {fault}.")
    if hold == "density" and n > largest:
        raise BadInput(
            f"The density can't be held for {n} items when the largest n is {largest}: "
            "give the largest n of the set as `largest`."
        )
    made: dict[str, Any] = {"drawer": "naming", "version": DRAWING_VERSION, "category": category}
    made |= {"n": n, "index": index, "size": size, "hold": hold, "seed": seed}
    if hold == "density":
        made["largest"] = largest
    return made


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of a recipe, with every fact about it."""
    scene, size = scene_of(recipe), int(recipe["size"])
    rows = _blank(size)
    canvas = rows[:, 1:]
    tiles, boxes = _put(scene, canvas)
    # all things keep apart (see `placing`), so that what is known of each is known of the picture
    places = [(tile, top, left) for tile, (left, top, _, _) in zip(tiles, boxes, strict=True)]
    weights = [(top, left, tile.weight) for tile, top, left in places]
    picture = Picture(
        encode_framed(rows, art.palette(scene.kind), weights),
        things_sha256(size, size, [(top, left, tile.sha256) for tile, top, left in places]),
        partial(_facts, recipe, scene, tiles, boxes),
    )
    for left, top, right, bottom in boxes:
        canvas[top:bottom, left:right] = 0
    if size <= _KEPT:
        _canvas.kept = rows
    return picture


def _facts(
    recipe: Mapping[str, Any], scene: Scene, tiles: Sequence[art.Tile], boxes: list[list[int]]
) -> dict[str, Any]:
    n, hull = int(recipe["n"]), holding.hull_area(scene.centres, tiles)
    facts: dict[str, Any] = {
        "n": n,
        "category": recipe["category"],
        "kind": scene.kind.removeprefix("clip "),
        "pattern": scene.pattern,
        "positions": scene.centres.tolist(),
        "sizes": scene.diameters.tolist(),
        "colours": list(scene.looks),
        "boxes": boxes,
        "area": sum(tile.area for tile in tiles),
        "hull": hull,
        "density": n / hull if hull else 0.0,
    }
    if recipe.get("cues") and n:
        facts |= orthogonal.facts(recipe["cues"], n, facts["area"])
    return facts


def _blank(size: int) -> NDArray[np.uint8]:
    """White of this size: the last picture's, wiped, since new memory costs more than drawing."""
    kept: NDArray[np.uint8] | None = _canvas.__dict__.pop("kept", None)
    return kept if kept is not None and len(kept) == size else framed(size, size)


def composed(scene: Scene, size: int) -> NDArray[np.uint8]:
    """A scene's numbers in its kind's palette."""
    canvas = np.zeros((size, size), np.uint8)
    _put(scene, canvas)
    return canvas


def _put(scene: Scene, canvas: NDArray[np.uint8]) -> tuple[list[art.Tile], list[list[int]]]:
    """Put a scene's things on white; their tiles and boxes."""
    tiles = tiles_of(scene.kind, scene.looks, scene.diameters)
    boxes = []
    for (x, y), tile in zip(scene.centres.tolist(), tiles, strict=True):
        left, top = x + tile.left, y + tile.top
        height, width = tile.numbers.shape
        # white is 0, and boxes of neighbours may overlap where one of them is white
        part = canvas[top : top + height, left : left + width]
        np.maximum(part, tile.numbers, out=part)
        boxes.append([left, top, left + width, top + height])
    return tiles, boxes
