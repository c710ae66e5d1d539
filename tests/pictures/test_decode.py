"""One decoder for every picture anybody may hand over."""

from __future__ import annotations

import struct
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.errors import ModelError
from subitize.pictures.decode import MOST_PIXELS, decode, decode_noted
from subitize.pictures.showing import annotated


def saved(picture: Image.Image, format_: str = "PNG", **options: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, format_, **options)
    return buffer.getvalue()


def test_transparent_parts_are_white() -> None:
    picture = Image.new("RGBA", (4, 3), (0, 0, 0, 0))
    picture.putpixel((1, 1), (255, 0, 0, 255))
    found = decode(saved(picture))
    assert found.shape == (3, 4, 3)
    assert found[0, 0].tolist() == [255, 255, 255]
    assert found[1, 1].tolist() == [255, 0, 0]


def test_a_palette_with_a_transparent_colour_is_on_white() -> None:
    picture = Image.new("P", (3, 2), 1)
    picture.putpalette([10, 20, 30, 200, 100, 0])
    picture.putpixel((0, 0), 0)
    found = decode(saved(picture, transparency=1))
    assert found[0, 0].tolist() == [10, 20, 30]
    assert found[1, 2].tolist() == [255, 255, 255]


MODES = [
    ("L", "PNG"),
    ("1", "PNG"),
    ("CMYK", "TIFF"),
    ("LA", "PNG"),
    ("I;16", "PNG"),
    ("RGB", "WEBP"),
]


@pytest.mark.parametrize(("mode", "format_"), MODES)
def test_every_mode_becomes_rgb_and_stays_white(mode: str, format_: str) -> None:
    if mode == "I;16":
        picture = Image.fromarray(np.full((5, 6), 65535, dtype=np.uint16))
    else:
        picture = Image.new("RGB", (6, 5), "white").convert(mode)
    found = decode(saved(picture, format_))
    assert found.shape == (5, 6, 3)
    assert found.dtype == np.uint8
    assert (found >= 254).all()


def test_sixteen_bits_are_scaled_not_cut() -> None:
    values = np.array([[0, 32896, 65535]], dtype=np.uint16)
    found = decode(saved(Image.fromarray(values)))
    assert found[0, :, 0].tolist() == [0, 128, 255]


def test_of_an_animation_the_first_frame_counts_and_is_noted() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue", "lime")]
    animated = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    found = decode_noted(animated)
    assert found.note == "first of 3 frames"
    assert found.pixels[0, 0].tolist() == [255, 0, 0]


def test_a_turned_camera_is_turned_back() -> None:
    picture = Image.new("RGB", (8, 2), "white")
    exif = Image.Exif()
    exif[0x0112] = 6
    assert decode(saved(picture, "JPEG", exif=exif)).shape == (8, 2, 3)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is huge."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    content = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100))
    return b"\x89PNG\r\n\x1a\n" + content + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [int(MOST_PIXELS**0.5) + 10, 9_400, 60_000])
def test_a_decompression_bomb_is_refused_before_it_is_unpacked(side: int) -> None:
    with pytest.raises(ModelError, match="too large"):
        decode(bomb(side, side))


def test_what_is_no_picture_says_so(tmp_path: Path) -> None:
    whole = saved(Image.effect_noise((64, 64), 50))
    for content, message in (
        (b"", "empty"),
        (b"not a picture", "no picture format"),
        (whole[: len(whole) // 2], "can't be read"),
        (b"\x89PNG\r\n\x1a\n", "can't be read|no picture"),
    ):
        with pytest.raises(ModelError, match=message):
            decode(content)
    with pytest.raises(ModelError, match="No such file"):
        decode(tmp_path / "absent.png")
    with pytest.raises(ModelError, match="directory"):
        decode(tmp_path)


def test_a_jpeg_cut_at_any_place_is_an_error() -> None:
    whole = saved(Image.effect_noise((48, 48), 50).convert("RGB"), "JPEG")
    for cut in range(0, len(whole) - 2, 29):
        with pytest.raises(ModelError, match=r".{20,}"):
            decode(whole[:cut])
    assert decode(whole).shape == (48, 48, 3)


def test_boxes_are_drawn_on_the_picture() -> None:
    drawn = decode(annotated(np.full((20, 30, 3), 255, dtype=np.uint8), [[2, 3, 10, 12, 0.9]]))
    assert drawn.shape == (20, 30, 3)
    assert drawn[3, 2].tolist() == [214, 40, 57]
    assert drawn[8, 6].tolist() == [255, 255, 255]


def test_threads_leave_the_filters_of_warnings_as_they_were() -> None:
    """Set and restored by each thread in turn, those of one would stay for all."""
    picture = saved(Image.new("RGB", (60, 60)))
    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            assert len(list(pool.map(decode, [picture] * 40))) == 40
    assert list(warnings.filters) == before
