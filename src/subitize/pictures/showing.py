"""Pictures made for people to look at: small ones, and ones with boxes drawn on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO

import numpy as np

from subitize.pictures.decode import Pixels, as_image, decode
from subitize.pictures.encode import encode

BOX = (214, 40, 57)
"""colour of the boxes drawn"""
THIN = 200
"""a box's line is the picture's longer side divided by this"""


def annotated(pixels: Pixels, boxes: Iterable[Sequence[float]], side: int | None = None) -> bytes:
    """PNG with boxes [x0, y0, x1, y1, …] drawn on it; made smaller first where `side` is given."""
    from PIL import Image, ImageDraw

    shown = as_image(pixels)
    width, height = shown.size
    if side is not None:
        shown.thumbnail((side, side), Image.Resampling.LANCZOS)
    across, down = shown.size[0] / width, shown.size[1] / height
    pen = ImageDraw.Draw(shown)
    thick = max(1, round(max(shown.size) / THIN))
    for box in boxes:
        x0, y0, x1, y1 = (float(value) for value in box[:4])
        corners = (x0 * across, y0 * down, max(x0, x1 - 1) * across, max(y0, y1 - 1) * down)
        pen.rectangle(corners, outline=BOX, width=thick)
    return encode(np.asarray(shown))


def thumbnail(picture: bytes, side: int) -> bytes:
    """A small PNG in 64 colours: enough for flat drawings, and a third of the bytes."""
    from PIL import Image

    small = as_image(decode(picture))
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    written = BytesIO()
    small.quantize(64, method=Image.Quantize.MEDIANCUT).save(written, "PNG", optimize=True)
    return written.getvalue()
