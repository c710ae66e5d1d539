"""The PNG writer against Pillow, and pictures that are known by their pixels."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from subitize.errors import BadInput
from subitize.pictures import encode as writer
from subitize.pictures.decode import decode
from subitize.pictures.encode import drawn, encode

SIDES = st.integers(1, 20)
NUMBERS = st.tuples(SIDES, SIDES).flatmap(lambda s: arrays.arrays(np.uint8, s))
FEW = st.tuples(SIDES, SIDES).flatmap(
    lambda s: arrays.arrays(np.uint8, s, elements=st.integers(0, 3))
)
COLOURS = np.random.default_rng(0).integers(0, 256, (256, 3), dtype=np.uint8)


def decoded(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


@given(st.tuples(SIDES, SIDES, st.just(3)).flatmap(lambda s: arrays.arrays(np.uint8, s)))
def test_rgb_round_trip(pixels: np.ndarray) -> None:
    assert np.array_equal(decoded(encode(pixels)), pixels)


@given(NUMBERS)
def test_palette_round_trip(numbers: np.ndarray) -> None:
    assert np.array_equal(decoded(encode(numbers, COLOURS)), COLOURS[numbers])
    assert drawn(numbers, COLOURS).sha256 == drawn(COLOURS[numbers]).sha256
    assert np.array_equal(decoded(encode(numbers))[..., 1], numbers)


@pytest.mark.parametrize("shape", [(301, 400), (3, 70_000), (70_000, 2)])
def test_pictures_of_many_pieces(shape: tuple[int, int]) -> None:
    """Larger than what is packed and hashed at a time, in noise and in large areas."""
    numbers = np.random.default_rng(2).integers(0, 256, shape, dtype=np.uint8)
    numbers[: shape[0] // 2] //= 200
    pixels = COLOURS[numbers]
    assert np.array_equal(decoded(encode(numbers, COLOURS)), pixels)
    assert np.array_equal(decoded(encode(pixels)), pixels)
    assert drawn(numbers, COLOURS).sha256 == drawn(pixels).sha256 == as_documented(pixels)


def as_documented(pixels: np.ndarray) -> str:
    """The hash of docs/stimuli.md, pixel by pixel."""
    seen = [(*colour, 255) for colour in pixels.reshape(-1, 3).tolist()]
    starts = [k for k, colour in enumerate(seen) if k == 0 or colour != seen[k - 1]]
    numbers = struct.pack(f"<{2 + len(starts)}q", *pixels.shape[:2], *starts)
    return hashlib.sha256(numbers + bytes(c for k in starts for c in seen[k])).hexdigest()


@pytest.mark.parametrize(
    "pixels",
    [np.zeros((4, 4, 5), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4), np.uint8)],
    ids=["five channels", "floats", "empty"],
)
def test_what_is_no_picture_is_refused(pixels: np.ndarray) -> None:
    with pytest.raises(BadInput, match="can't be written"):
        encode(pixels)


def test_a_fourth_channel_is_opacity() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (7, 9, 4)).astype(np.uint8)
    with Image.open(io.BytesIO(encode(pixels))) as picture:
        assert picture.mode == "RGBA"
        assert (np.asarray(picture) == pixels).all()


@given(FEW, st.permutations(range(256)))
def test_the_same_pixels_are_one_picture(numbers: np.ndarray, order: list[int]) -> None:
    """By another palette, in RGB, in RGBA, and read back from a file of Pillow's."""
    sha256 = drawn(numbers, COLOURS).sha256
    shuffled = np.empty_like(COLOURS)
    shuffled[order] = COLOURS
    assert drawn(np.array(order, np.uint8)[numbers], shuffled).sha256 == sha256
    pixels = COLOURS[numbers]
    assert drawn(pixels).sha256 == sha256
    opaque = np.full((*numbers.shape, 1), 255, np.uint8)
    assert drawn(np.concatenate([pixels, opaque], axis=2)).sha256 == sha256
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    assert drawn(decode(buffer.getvalue())).sha256 == sha256


@given(FEW)
def test_two_numbers_of_one_colour_are_not_told_apart(numbers: np.ndarray) -> None:
    twins = COLOURS.copy()
    twins[2:4] = COLOURS[:2]
    assert drawn(numbers, twins).sha256 == drawn(numbers % 2, COLOURS).sha256


@given(FEW, st.data())
def test_one_other_pixel_is_another_picture(numbers: np.ndarray, data: st.DataObject) -> None:
    changed = numbers.copy()
    row = data.draw(st.integers(0, len(numbers) - 1))
    column = data.draw(st.integers(0, numbers.shape[1] - 1))
    others = {0, 1, 2, 3, 77} - {int(numbers[row, column])}
    changed[row, column] = data.draw(st.sampled_from(sorted(others)))
    assert drawn(changed, COLOURS).sha256 != drawn(numbers, COLOURS).sha256
    clear = np.concatenate([COLOURS[numbers], np.full((*numbers.shape, 1), 255, np.uint8)], axis=2)
    clear[row, column, 3] = 254
    assert drawn(clear).sha256 != drawn(numbers, COLOURS).sha256


def test_another_shape_is_another_picture() -> None:
    white = np.zeros((4, 6), np.uint8)
    assert drawn(white).sha256 != drawn(white.T).sha256 != drawn(white.reshape(2, 12)).sha256


def test_another_compressor_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.arange(600, dtype=np.uint16).reshape(20, 30).astype(np.uint8) // 9
    before = drawn(numbers, COLOURS)
    monkeypatch.setattr(writer, "isal_zlib", zlib)
    after = drawn(numbers, COLOURS)
    assert after.png != before.png
    assert after.sha256 == before.sha256
