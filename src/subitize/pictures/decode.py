"""One decoder for all counters: any picture a person or a painter may hand over → RGB array.

What comes out is always height × width × 3, `uint8`. Transparent parts are white, grey and
palette pictures become RGB, CMYK is converted, 16 bits are scaled to 8, a camera's turn (EXIF
orientation) is undone, and of an animation the first frame counts. Whatever can't be made into
such an array is a `ModelError` in plain words.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subitize.errors import ModelError

MOST_PIXELS = 36_000_000
"""a picture with more (6000 × 6000) is not decoded: a small file can unpack to any number of them,
and each takes up to 12 bytes of memory on its way"""
_ORIENTATION = 0x0112
"""EXIF's tag for how a camera was held"""
SIXTEEN_BIT = ("I;16", "I;16L", "I;16B", "I;16N")
Pixels = NDArray[np.uint8]


class Decoded(NamedTuple):
    """A picture ready to be counted."""

    pixels: Pixels
    """height × width × 3"""
    note: str = ""
    """what was done to it that may matter: 'first of 3 frames'"""


def decode(picture: bytes | Path | str) -> Pixels:
    """An encoded picture (or the file that holds it) as an RGB array."""
    return decode_noted(picture).pixels


def decode_noted(picture: bytes | Path | str) -> Decoded:
    """The same, with a note about what was done to it."""
    with _opened(picture if isinstance(picture, bytes) else _read(Path(picture))) as opened:
        return decoded(opened)


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height as shown; the pixels are not decoded."""
    with _opened(picture) as opened:
        width, height = opened.size
        # values from 5 on turn the picture on its side
        on_its_side = opened.getexif().get(_ORIENTATION, 1) >= 5
    return (height, width) if on_its_side else (width, height)


def as_image(pixels: Pixels) -> Any:
    """Pillow's image of an array: what the image processors of transformers take."""
    from PIL import Image

    return Image.fromarray(pixels)


def shrunk(pixels: Pixels, side: int) -> Pixels:
    """The whole picture as a square: each pixel the mean of what it covers."""
    from PIL import Image

    return np.asarray(as_image(pixels).resize((side, side), Image.Resampling.BOX))


def with_hole(picture: bytes) -> tuple[Pixels, Pixels]:
    """The pixels on white, and where the picture is transparent: 255 there, 0 elsewhere."""
    with _opened(picture) as opened:
        pixels = decoded(opened).pixels
        opacity = np.asarray(opened.convert("RGBA"))[..., 3]
    return pixels, np.where(opacity == 0, 255, 0).astype(np.uint8)


class _Quiet:
    """Pillow's warnings are ignored while any thread decodes.

    The filters belong to the whole process: threads that set and restore them in turn would leave
    those of another behind, so the first that comes sets them and the last that goes restores them.
    """

    def __init__(self) -> None:
        self._lock, self._threads = threading.Lock(), 0
        self._before = warnings.catch_warnings()

    def __enter__(self) -> None:
        from PIL import Image

        with self._lock:
            self._threads += 1
            if self._threads == 1:
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                # Pillow only warns of a large picture; ours has its own limit, below its error.
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                # A damaged EXIF block or an odd palette is no reason to refuse the pixels.
                warnings.simplefilter("ignore", UserWarning)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._threads -= 1
            if self._threads == 0:
                self._before.__exit__(None, None, None)


_QUIET = _Quiet()


@contextmanager
def _opened(content: bytes) -> Iterator[Any]:
    """Pillow's image of a file; whatever goes wrong while it is used is told in plain words."""
    if not content:
        raise ModelError("the picture is empty: it has 0 bytes")
    from PIL import Image, UnidentifiedImageError

    try:
        with _QUIET, Image.open(BytesIO(content)) as opened:
            yield opened
    except UnidentifiedImageError:
        raise ModelError(
            f"the picture can't be read: its {len(content)} bytes are no picture format known here"
        ) from None
    except Image.DecompressionBombError:
        raise _too_large("far more") from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as problem:
        # Pillow's format readers raise all of these on damaged files.
        said = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise ModelError(f"the picture can't be read: {said}") from None
    except MemoryError:
        raise ModelError("the picture does not fit into memory") from None


def decoded(opened: Any) -> Decoded:
    """Pillow's image as an array."""
    from PIL import ImageOps

    width, height = opened.size
    if width * height > MOST_PIXELS:
        raise _too_large(f"{width} × {height}")
    frames = int(getattr(opened, "n_frames", 1))
    note = f"first of {frames} frames" if frames > 1 else ""
    opened.seek(0)
    opened.load()
    ImageOps.exif_transpose(opened, in_place=True)
    pixels = np.ascontiguousarray(np.asarray(_rgb(opened), dtype=np.uint8))
    return Decoded(pixels, note)


def _rgb(picture: Any) -> Any:
    """The picture in mode RGB, transparent parts on white."""
    from PIL import Image

    if picture.mode in (*SIXTEEN_BIT, "I", "F"):
        return Image.fromarray(_eight_bits(np.asarray(picture), picture.mode)).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info:
        clear = picture if picture.mode == "RGBA" else picture.convert("RGBA")
        white = Image.new("RGBA", clear.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, clear).convert("RGB")
    return picture if picture.mode == "RGB" else picture.convert("RGB")


def _eight_bits(values: NDArray[Any], mode: str) -> Pixels:
    """Grey values of more than 8 bits, scaled; of those without a fixed top, as far as they go."""
    if mode in SIXTEEN_BIT:
        return (values.astype(np.uint32) // 257).astype(np.uint8)
    wide = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    largest = float(wide.max(initial=0.0))
    # PNGs of 16 grey bits arrive as 32-bit integers in some versions of Pillow.
    top = 255.0 if largest <= 255 else 65535.0 if largest <= 65535 else largest
    if mode == "F" and largest <= 1:
        top = 1.0
    return np.clip(wide * (255.0 / top), 0, 255).astype(np.uint8)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise ModelError(f"{path} can't be read: {problem.strerror or problem}") from None


def _too_large(found: str) -> ModelError:
    return ModelError(
        f"the picture is too large: {found} pixels, of which {MOST_PIXELS:,} "
        "are taken at most; make it smaller"
    )
