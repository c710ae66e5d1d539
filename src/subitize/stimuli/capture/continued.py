"""Two drawers that take an occluded picture's recipe, `of`: for inpainters, and for none.

One leaves a hole where the black square was, the other continues the pattern there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from subitize.pictures.decode import Pixels, decode
from subitize.pictures.editing import with_hole
from subitize.pictures.encode import Picture, drawn
from subitize.records import Stimulus
from subitize.stimuli import render
from subitize.stimuli.capture.arrangements import PUBLISHED
from subitize.stimuli.capture.completing import FAMILIES, completions
from subitize.stimuli.capture.looking import Blob, PatternScene, look
from subitize.stimuli.geometry import Points

DRAWING_VERSION = 1
"""of both; goes up with every change that alters a single pixel"""
_BLUR = 0.8
"""pixels by which a centre may be wrong"""
_STICKING_OUT = 1.5
"""pixels that must stick out of the square to be seen"""


def draw(recipe: Mapping[str, Any]) -> Picture:
    """The picture of the recipe `of`, its black square replaced by what the pattern needs there."""
    covered = render(Stimulus("drawn", recipe["of"]))
    return drawn(continue_pattern(decode(covered.png)), tell=lambda: covered.facts)


def draw_holed(recipe: Mapping[str, Any]) -> Picture:
    """The same picture with its square's place transparent."""
    covered = render(Stimulus("drawn", recipe["of"]))
    return drawn(
        with_hole(decode(covered.png), covered.facts["occluder"]), tell=lambda: covered.facts
    )


def hidden_objects(scene: PatternScene) -> Points:
    """Centres of the objects under the square, those that stick out of it among them.

    Where several patterns agree with the picture, the one that hides least but something is
    taken: an occluder that hides nothing would not be there.
    """
    nothing = np.zeros((0, 2))
    if scene.square is None or len(scene.whole) < 2:
        return nothing
    visible = np.array([[blob.x, blob.y] for blob in scene.whole])
    how = {"tolerance": max(scene.radius / 5, _BLUR), "touching": bool(scene.fragments)}
    for families in (PUBLISHED, tuple(FAMILIES)[len(PUBLISHED) :]):
        found = completions(visible, scene.square, scene.radius, families, **how).found
        agreeing = [hidden for hidden in found if _agrees(hidden, scene)]
        if agreeing:
            return min(agreeing, key=lambda hidden: (len(hidden) == 0, len(hidden)))
    return nothing


def _agrees(hidden: Points, scene: PatternScene) -> bool:
    """Whether just those hidden objects that stick out of the square are seen to do so."""
    if scene.square is None or not scene.fragments:
        return True
    owned: set[Blob] = set()
    (x0, y0, x1, y1), r = scene.square, scene.radius
    for x, y in hidden.tolist():
        # fragments that are part of an object here
        mine = {b for b in scene.fragments if max(abs(b.x - x), abs(b.y - y)) <= r + _BLUR}
        out = max(x0 - (x - r), (x + r) - x1, y0 - (y - r), (y + r) - y1)
        corner = min(abs(x - x0), abs(x - x1)) < r and min(abs(y - y0), abs(y - y1)) < r
        if out > _STICKING_OUT and not mine and not corner:
            return False
        owned |= mine
    return len(owned) == len(scene.fragments)


def continue_pattern(pixels: Pixels) -> Pixels:
    """The picture without its black square: white, and the pattern's objects where they belong.

    A picture without a square comes back as it is. The new objects are copies of a visible one.
    """
    scene = look(pixels)
    if scene.square is None:
        return pixels
    pixels = pixels.copy()
    height, width = pixels.shape[:2]
    # one pixel more on each side, because the square's edge may be blurred
    left, top = (max(0, int(edge) - 1) for edge in scene.square[:2])
    right, bottom = (int(edge) + 1 for edge in scene.square[2:])
    tile, (right_by, down_by) = _copy_of(pixels, scene)
    pixels[top:bottom, left:right] = 255
    for x, y in hidden_objects(scene).tolist():
        rows = np.arange(len(tile)) + round(y - down_by)
        columns = np.arange(len(tile)) + round(x - right_by)
        shown = (rows >= 0) & (rows < height), (columns >= 0) & (columns < width)
        there = np.ix_(rows[shown[0]], columns[shown[1]])
        pixels[there] = np.minimum(pixels[there], tile[np.ix_(*shown)])
    return pixels


def _copy_of(pixels: Pixels, scene: PatternScene) -> tuple[Pixels, tuple[float, float]]:
    """A white tile with one of the visible objects, and its centre there (x, y)."""
    # the radius is that of well covered pixels; a faint rim may lie on either side of them
    reach = int(np.ceil(scene.radius)) + 2
    size = 2 * reach + 1
    tile = np.full((size, size, 3), 255, np.uint8)
    for blob in scene.whole:
        x, y = int(blob.x), int(blob.y)
        x0, y0, x1, y1 = blob.box
        inside = x0 > 0 and y0 > 0 and x1 < pixels.shape[1] and y1 < pixels.shape[0]
        part = pixels[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]
        # a neighbour in the tile would be copied too
        ring = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
        if inside and part.shape == tile.shape and bool((ring > 250).all()):
            return part.copy(), (reach + blob.x - x, reach + blob.y - y)
    return tile, (reach + 0.5, reach + 0.5)
