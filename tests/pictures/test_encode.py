"""The PNG writer and its compressor against Pillow and zlib."""

from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from subitize.errors import BadInput
from subitize.pictures import deflate
from subitize.pictures.encode import encode

SIDES = st.integers(1, 20)


def decoded(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


@given(st.tuples(SIDES, SIDES, st.just(3)).flatmap(lambda s: arrays.arrays(np.uint8, s)))
def test_rgb_round_trip(pixels: np.ndarray) -> None:
    assert np.array_equal(decoded(encode(pixels)), pixels)


@given(st.tuples(SIDES, SIDES).flatmap(lambda s: arrays.arrays(np.uint8, s)))
def test_palette_round_trip(numbers: np.ndarray) -> None:
    colours = np.random.default_rng(0).integers(0, 256, (256, 3), dtype=np.uint8)
    assert np.array_equal(decoded(encode(numbers, colours)), colours[numbers])


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.binary(max_size=5)), max_size=30),
    st.integers(0, 600),
)
@settings(max_examples=200)
def test_streams_decompress(stretches: list[tuple[int, bytes]], tail: int) -> None:
    """Any mix of zeros and other bytes; zlib checks the Adler sum as well."""
    data = b"".join(bytes(zeros) + literal for zeros, literal in stretches) + bytes(tail)
    assert zlib.decompress(deflate.compress(np.frombuffer(data, np.uint8))) == data


@pytest.mark.parametrize("zeros", range(1, 1100))
def test_every_run_length(zeros: int) -> None:
    data = b"\x07" + bytes(zeros) + b"\x09"
    assert zlib.decompress(deflate.compress(np.frombuffer(data, np.uint8))) == data


def test_codes_stay_short_for_very_uneven_data() -> None:
    """Fibonacci counts make the deepest Huffman tree; the format allows 15 bits."""
    counts = [1, 1]
    while len(counts) < 26:
        counts.append(counts[-1] + counts[-2])
    data = np.repeat(np.arange(1, 27, dtype=np.uint8), counts)
    packed = deflate.compress(data)
    assert zlib.decompress(packed) == data.tobytes()
    assert len(packed) < len(data)


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
