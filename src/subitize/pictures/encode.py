"""A PNG writer for pictures with few edges, and pictures that are known by their pixels.

Palette rows are packed as they are, colours with the up filter, which makes a row that equals the
one above zeros, by ISA-L's deflate: about a third of the time of zlib's run lengths.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from subitize.errors import BadInput

Pixels = NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_NONE, _UP = 0, 2
_RGB, _PALETTE, _RGBA = 2, 3, 6
_LEVEL = 1
_ZLIB = b"\x78\x01"
"""begins a stream of zlib; Adler's checksum ends it"""
_ADLER = 65_521
_PIECE = 1 << 18
"""values handled at a time, so that they stay in the processor's cache"""
_GREYS: Pixels = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


@dataclass(frozen=True)
class Picture:
    """A picture file and what is known about it."""

    png: bytes = field(repr=False)
    """the encoded file"""
    sha256: str
    """of a drawn or edited picture the hash of its pixels, of a file the hash of its bytes"""
    tell: Callable[[], Mapping[str, Any]] = field(default=dict, repr=False, compare=False)
    """makes the facts: whoever asks a model about the picture does without them"""

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Positions, sizes, colours, … of what was drawn; empty for a file."""
        return self.tell()

    def _repr_png_(self) -> bytes | None:
        """What a notebook shows of it."""
        return self.png if self.png.startswith(_SIGNATURE) else None


def drawn(
    pixels: Pixels,
    palette: Pixels | None = None,
    tell: Callable[[], Mapping[str, Any]] = dict,
) -> Picture:
    """The picture of pixels as `encode` takes them, known by its pixels."""
    return Picture(encode(pixels, palette), pixels_sha256(pixels, palette), tell)


def encode(pixels: Pixels, palette: Pixels | None = None) -> bytes:
    """PNG bytes of an RGB picture (H, W, 3), or of palette indices (H, W) with `palette` (K, 3).

    Indices without a palette are shades of grey; a fourth channel (H, W, 4) is opacity.
    """
    indexed = pixels.ndim == 2
    if pixels.dtype != np.uint8 or not (
        indexed or (pixels.ndim == 3 and pixels.shape[2] in (3, 4))
    ):
        raise BadInput(
            f"A picture of shape {pixels.shape} and type {pixels.dtype} can't be written: give "
            "uint8 of shape (height, width, 3), or (height, width) for a palette."
        )
    height, width = pixels.shape[:2]
    if height == 0 or width == 0:
        raise BadInput(f"A picture of {width} x {height} pixels can't be written: it is empty.")
    colour = _PALETTE if indexed else {3: _RGB, 4: _RGBA}[pixels.shape[2]]
    packer = isal_zlib.compressobj(_LEVEL)
    packed = [packer.compress(rows) for rows in _filtered(pixels.reshape(height, -1), indexed)]
    colours = (_GREYS if palette is None else palette).tobytes() if indexed else b""
    head = _head(width, height, colour, colours)
    return head + _chunk(b"IDAT", b"".join([*packed, packer.flush()])) + _END


def framed(height: int, width: int) -> Pixels:
    """A picture in its palette's first colour, with a column before it that is no part of it.

    PNG has a byte before each row, which tells its filter and is 0 for none: so such a picture can
    be packed where it lies.
    """
    return np.zeros((height, width + 1), np.uint8)


class Weight(NamedTuple):
    """What a thing adds to a picture's checksum, which is made of sums over all pixels."""

    sum: int
    """of the thing's numbers"""
    by_row: int
    """of its numbers, each times its row within the thing"""
    by_column: int

    @classmethod
    def of(cls, numbers: Pixels) -> Weight:
        rows, columns = numbers.sum(axis=1, dtype=np.int64), numbers.sum(axis=0, dtype=np.int64)
        return cls(int(rows.sum()), *(int(line @ np.arange(len(line))) for line in (rows, columns)))


def encode_framed(
    rows: Pixels, palette: Pixels, things: Iterable[tuple[int, int, Weight]]
) -> bytes:
    """PNG bytes of palette indices that lie in a frame (see `framed`): 0 but for these things.

    `things` are top, left and weight of each. So Adler's checksum, for which a packer reads every
    pixel once more (a third of the time of packing), is known without.
    """
    height, width = rows.shape
    head = _head(width - 1, height, _PALETTE, palette.tobytes())
    total = moments = 0
    for top, left, weight in things:
        total += weight.sum
        places = (top * width + left + 1) * weight.sum + width * weight.by_row + weight.by_column
        moments += places
    behind = rows.size * (1 + total) - moments
    adler = behind % _ADLER << 16 | (1 + total) % _ADLER
    packed = isal_zlib.compress(rows, _LEVEL, -15)
    return head + _chunk(b"IDAT", b"".join((_ZLIB, packed, adler.to_bytes(4, "big")))) + _END


def _filtered(rows: Pixels, plain: bool) -> Iterator[Pixels]:
    """The rows piece by piece, each with its filter before it; the next piece overwrites it."""
    height, width = rows.shape
    many = max(1, _PIECE // width)
    pieces = np.empty((min(many, height), width + 1), np.uint8)
    pieces[:, 0] = _NONE if plain else _UP
    for top in range(0, height, many):
        piece = pieces[: height - top]
        piece[:, 1:] = rows[top : top + many]
        if not plain:
            above = rows[max(top - 1, 0) : top + len(piece) - 1]
            piece[len(piece) - len(above) :, 1:] -= above
        yield piece


def _chunk(name: bytes, data: bytes) -> bytes:
    body = name + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


_END = _chunk(b"IEND", b"")


@lru_cache(maxsize=64)
def _head(width: int, height: int, colour: int, palette: bytes) -> bytes:
    """A file up to its pixels."""
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0))
    return _SIGNATURE + head + (_chunk(b"PLTE", palette) if palette else b"")


def pixels_sha256(pixels: Pixels, palette: Pixels | None = None) -> str:
    """Hash of what is seen, the same for any palette, file format and compressor.

    SHA-256 over height and width, then the pixels in reading order as stretches of one colour: the
    place where each begins (all of these as 64-bit little-endian numbers), then the colour of each
    (red, green, blue, opacity, a byte each). Drawings have few stretches, so this is cheap.
    """
    if pixels.ndim == 2:
        numbers = pixels.reshape(-1)
        starts = _starts(numbers)
        colours = as_numbers(_GREYS if palette is None else palette)
        seen = colours.take(numbers.take(starts))
    else:
        seen = as_numbers(pixels.reshape(-1, pixels.shape[2]))
        starts = np.arange(len(seen))
    # two numbers may stand for one colour
    differ = np.append(True, seen[1:] != seen[:-1])
    if not differ.all():
        starts, seen = starts[differ], seen[differ]
    found = hashlib.sha256(struct.pack("<qq", *pixels.shape[:2]))
    found.update(starts.astype("<i8", copy=False).data)
    found.update(seen.astype("<u4", copy=False).data)
    return found.hexdigest()


def things_sha256(height: int, width: int, things: Iterable[tuple[int, int, bytes]]) -> str:
    """Hash of what is seen in a white picture with things on it that nowhere touch each other.

    SHA-256 over height and width, then of each thing, in reading order, the top and the left of its
    box (all of these as 64-bit little-endian numbers) and the hash of its own pixels, which is made
    once however many pictures show it: a tenth of what `pixels_sha256` costs.
    """
    found = [struct.pack("<qq", height, width)]
    found += [struct.pack("<qq", top, left) + pixels for top, left, pixels in sorted(things)]
    return hashlib.sha256(b"".join(found)).hexdigest()


def as_numbers(colours: Pixels) -> NDArray[np.uint32]:
    """Colours (N, 3 or 4) as one number each, opaque where nothing else is said."""
    opaque = np.full((len(colours), 4), 255, np.uint8)
    opaque[:, : colours.shape[1]] = colours
    return opaque.view("<u4").astype(np.uint32, copy=False).reshape(-1)


def _starts(flat: Pixels) -> NDArray[np.int64]:
    """Where the values change, the first place among them."""
    found = [np.zeros(1, np.int64)]
    for at in range(0, len(flat), _PIECE):
        piece = flat[at : at + _PIECE + 1]
        found.append((piece[1:] != piece[:-1]).nonzero()[0] + (at + 1))
    return np.concatenate(found)
