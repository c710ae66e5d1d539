"""Pictures that come from a file, with an edit: a box over a part of them.

The recipe of such a stimulus has, beside the file's `sha256`, `box` [x0, y0, x1, y1] in pixels
and `fill`, its colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from subitize.errors import BadInput, ModelError, UnknownName
from subitize.pictures.decode import Pixels, as_image, decode, size_of
from subitize.pictures.encode import Picture, drawn

FILLS: Mapping[str, int] = {"black": 0, "white": 255}
DARK, MOSTLY = 40, 0.98
"""brightness that counts as black after JPEG, and the share of a box that must be"""
HOLE = "hole"
"""the fill of a box that is to be painted: transparent"""


def edited(data: bytes, recipe: Mapping[str, Any], name: str) -> Picture:
    """A file's picture after the edit of its recipe; drawn upon, so it is known by its pixels."""
    fill = str(recipe.get("fill", "black"))
    if fill not in (*FILLS, HOLE):
        raise UnknownName("fill", fill, (*FILLS, HOLE))
    with _told(name):
        pixels = decode(data)
    check_box(recipe["box"], (pixels.shape[1], pixels.shape[0]), name)
    if fill == HOLE:
        return drawn(with_hole(pixels, recipe["box"]))
    x0, y0, x1, y1 = (round(edge) for edge in recipe["box"])
    shown = pixels.copy()
    shown[y0:y1, x0:x1] = FILLS[fill]
    return drawn(shown)


def is_black(data: bytes, box: Sequence[float], name: str) -> bool:
    """Whether a box of a picture is black already; its rim, which JPEG blurs, is not looked at."""
    x0, y0, x1, y1 = (round(edge) for edge in box)
    rim = min(2, (x1 - x0 - 1) // 2, (y1 - y0 - 1) // 2)
    with _told(name):
        inside = decode(data)[y0 + rim : y1 - rim, x0 + rim : x1 - rim]
    return bool(inside.size and (inside.max(axis=2) <= DARK).mean() >= MOSTLY)


def with_hole(pixels: Pixels, box: Sequence[float]) -> Pixels:
    """The picture with a transparent and empty box: what an inpainter is to fill."""
    opacity = np.full((*pixels.shape[:2], 1), 255, np.uint8)
    shown = np.concatenate([pixels, opacity], axis=2)
    shown[_around(box)] = 0
    return shown


def filled(covered: bytes, painted: bytes, box: Sequence[float]) -> Picture:
    """The occluded picture with the painter's version of its box; the rest stays as it was."""
    from PIL import Image

    shown, new = decode(covered).copy(), as_image(decode(painted))
    fitted = np.asarray(new.resize(shown.shape[1::-1], Image.Resampling.LANCZOS))
    shown[_around(box)] = fitted[_around(box)]
    return drawn(shown)


def _around(box: Sequence[float]) -> tuple[slice, slice]:
    """Rows and columns of a box; outwards, so that no rim of what lay there is left."""
    x0, y0 = (max(0, math.floor(edge)) for edge in box[:2])
    return slice(y0, math.ceil(box[3])), slice(x0, math.ceil(box[2]))


def picture_size(data: bytes, name: str) -> tuple[int, int]:
    """Width and height of a file's picture, as shown; the pixels are not decoded."""
    with _told(name):
        return size_of(data)


def check_box(box: Sequence[float], size: tuple[int, int], name: str) -> None:
    """Refuse a box that is empty or leaves the picture."""
    x0, y0, x1, y1 = box
    width, height = size
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        raise BadInput(
            f"The box {list(box)} does not lie in {name}, which has {width} x {height} pixels: "
            "the box and the picture do not belong together, or the picture was resized."
        )


@contextmanager
def _told(name: str) -> Iterator[None]:
    """A file that is no picture is the user's to mend."""
    try:
        yield
    except ModelError as problem:
        raise BadInput(
            f"{name} can't be read as a picture ({problem}): bring the file again."
        ) from None
