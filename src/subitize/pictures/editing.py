"""Pictures that come from a file, with an edit: a box over a part of them.

The recipe of such a stimulus has, beside the file's `sha256`, `box` [x0, y0, x1, y1] in pixels
and `fill`, its colour.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, UnknownName
from subitize.pictures.decode import decode
from subitize.pictures.encode import encode

__all__ = ["FILLS", "HOLE", "check_box", "edited", "filled", "picture_size", "with_hole"]

FILLS: Mapping[str, int] = {"black": 0, "white": 255}
HOLE = "hole"
"""the fill of a box that is to be painted: transparent"""
_ORIENTATION = 0x0112
"""EXIF's tag for how a camera was held"""


def edited(data: bytes, recipe: Mapping[str, Any], name: str) -> bytes:
    """The file's bytes after the edits of its recipe; without any, the very same bytes."""
    if "box" not in recipe:
        return data
    fill = str(recipe.get("fill", "black"))
    if fill not in (*FILLS, HOLE):
        raise UnknownName("fill", fill, (*FILLS, HOLE))
    from PIL import ImageOps

    with _opened(data, name) as picture:
        # a camera's turn is undone, since a box is placed on what people see
        pixels = np.array(ImageOps.exif_transpose(picture).convert("RGB"))
    height, width = pixels.shape[:2]
    check_box(recipe["box"], (width, height), name)
    if fill == HOLE:
        return with_hole(pixels, recipe["box"])
    x0, y0, x1, y1 = (round(edge) for edge in recipe["box"])
    pixels[y0:y1, x0:x1] = FILLS[fill]
    return encode(pixels)


def with_hole(pixels: NDArray[np.uint8], box: Sequence[float]) -> bytes:
    """PNG of a picture whose box is transparent and empty: what an inpainter is to fill."""
    height, width = pixels.shape[:2]
    # outwards, so that no rim of what lay there is left
    x0, y0 = (max(0, math.floor(edge)) for edge in box[:2])
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    opacity = np.full((height, width, 1), 255, np.uint8)
    shown = np.concatenate([pixels, opacity], axis=2)
    shown[y0:y1, x0:x1] = 0
    return encode(shown)


def filled(covered: bytes, painted: bytes, box: Sequence[float]) -> bytes:
    """The occluded picture with the painter's version of its box; the rest stays as it was."""
    from PIL import Image

    shown = decode(covered).copy()
    height, width = shown.shape[:2]
    new = Image.open(BytesIO(encode(decode(painted))))
    pixels = np.asarray(new.resize((width, height), Image.Resampling.LANCZOS).convert("RGB"))
    x0, y0 = (max(0, math.floor(edge)) for edge in box[:2])
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    shown[y0:y1, x0:x1] = pixels[y0:y1, x0:x1]
    return encode(shown)


def picture_size(data: bytes, name: str) -> tuple[int, int]:
    """Width and height as shown; the pixels are not decoded."""
    with _opened(data, name) as picture:
        width, height = picture.size
        # values from 5 on turn the picture on its side
        on_its_side = picture.getexif().get(_ORIENTATION, 1) >= 5
    return (height, width) if on_its_side else (width, height)


def check_box(box: Sequence[float], size: tuple[int, int], name: str) -> None:
    """Refuse a box that is empty or leaves the picture."""
    x0, y0, x1, y1 = box
    width, height = size
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        raise BadInput(
            f"The box {list(box)} does not lie in {name}, which has {width} x {height} pixels: "
            "the box and the picture do not belong together, or the picture was resized."
        )


def _opened(data: bytes, name: str) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(BytesIO(data))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as problem:
        raise BadInput(
            f"{name} can't be read as a picture ({problem}): bring the file again."
        ) from None
