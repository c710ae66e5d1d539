"""A PNG writer for pictures with few edges, and pictures that are known by their pixels.

Run lengths alone (zlib's Z_RLE) suit drawings: of palette rows as they are, and of colours with the
up filter, which makes a row that equals the one above zeros. Pillow's default tries every filter
on every row and takes four times as long. Broad bands of empty rows are not looked at: what zlib
makes of them is kept.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput

Pixels = NDArray[np.uint8]
Bands = Sequence[tuple[int, int, bool]]
"""first row, row behind the last, whether all of it is zeros"""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_NONE, _UP = 0, 2
_RGB, _PALETTE, _RGBA = 2, 3, 6
_ZLIB = b"\x78\x01"
"""how a zlib stream begins"""
_STRATEGY = zlib.Z_RLE
_ADLER = 65521
_MEMORY = 5
"""zlib's memLevel: a new code every 2,048 symbols fits each part of a drawing"""
_BROAD = 16
"""empty rows from which it pays to treat them apart"""
_PIECE = 60_000
"""values handled at a time, so that they stay in the processor's cache; each piece has a packer of
its own, since beyond 64 kB zlib moves all that it keeps again and again"""
_GREYS: Pixels = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


@dataclass(frozen=True)
class Picture:
    """A picture file and what is known about it."""

    png: bytes
    """the encoded file"""
    sha256: str
    """of a drawn or edited picture the hash of its pixels, of a file the hash of its bytes"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """positions, sizes, colours, … of what was drawn; empty for a file"""


def drawn(
    pixels: Pixels, palette: Pixels | None = None, facts: Mapping[str, Any] | None = None
) -> Picture:
    """The picture of pixels as `encode` takes them, known by its pixels."""
    bands = _bands_of(pixels)
    png, sha256 = encode(pixels, palette, bands), pixels_sha256(pixels, palette, bands)
    return Picture(png, sha256, facts or {})


def encode(pixels: Pixels, palette: Pixels | None = None, bands: Bands | None = None) -> bytes:
    """PNG bytes of an RGB picture (H, W, 3), or of palette indices (H, W) with `palette` (K, 3).

    Indices without a palette are shades of grey; a fourth channel (H, W, 4) is opacity. `bands` are
    those of the picture, where somebody has looked for them before.
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
    packed = _packed(pixels.reshape(height, -1), indexed, bands or _bands_of(pixels))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0))]
    if indexed:
        chunks.append((b"PLTE", (_GREYS if palette is None else palette).tobytes()))
    chunks += [(b"IDAT", packed), (b"IEND", b"")]
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _packed(rows: Pixels, plain: bool, bands: Bands) -> bytes:
    """The rows as a zlib stream; a broad band of zeros and what lies between, each by itself."""
    height, width = rows.shape
    adler, packed = 1, [_ZLIB]
    for top, bottom, empty in bands:
        end = zlib.Z_FINISH if bottom == height else zlib.Z_SYNC_FLUSH
        if empty:
            many = (bottom - top) * (width + 1)
            packed.append(_zeros(many, end))
            # they add nothing to the first sum of Adler-32, which each byte adds to the second
            adler = ((adler >> 16) + many * (adler & 0xFFFF)) % _ADLER << 16 | adler & 0xFFFF
            continue
        left = bottom - top
        for piece in _filtered(rows[top:bottom], plain):
            packer = _packer()
            adler = zlib.adler32(piece.data, adler)
            left -= len(piece)
            packed += (
                packer.compress(piece.data),
                packer.flush(zlib.Z_SYNC_FLUSH if left else end),
            )
    return b"".join([*packed, struct.pack(">I", adler)])


def _packer() -> zlib._Compress:
    return zlib.compressobj(wbits=-zlib.MAX_WBITS, memLevel=_MEMORY, strategy=_STRATEGY)


@lru_cache(maxsize=1024)
def _zeros(many: int, end: int) -> bytes:
    packer = _packer()
    return packer.compress(bytes(many)) + packer.flush(end)


def _bands_of(pixels: Pixels) -> Bands:
    """Broad bands of zeros in palette rows and what is between; other pictures are one band."""
    return list(_bands(pixels)) if pixels.ndim == 2 else [(0, len(pixels), False)]


def _bands(rows: Pixels) -> Iterator[tuple[int, int, bool]]:
    # eight bytes at once where rows are made of them
    wide = rows.view(np.uint64) if rows.shape[1] % 8 == 0 and rows.flags.c_contiguous else rows
    used = np.flatnonzero(np.bitwise_or.reduce(wide, axis=1))
    edges = np.concatenate([[-1], used, [len(rows)]])
    top = 0
    for before in np.flatnonzero(np.diff(edges) > _BROAD).tolist():
        begin = int(edges[before]) + 1
        # whole steps, so that the next band is likely to be as broad as one that was kept
        end = begin + (int(edges[before + 1]) - begin) // _BROAD * _BROAD
        if top < begin:
            yield top, begin, False
        yield begin, end, True
        top = end
    if top < len(rows):
        yield top, len(rows), False


def _filtered(rows: Pixels, plain: bool) -> Iterator[Pixels]:
    """The rows piece by piece, each with its filter before it; the next piece overwrites it."""
    height, width = rows.shape
    many = max(1, _PIECE // width)
    pieces = np.full((min(many, height), width + 1), _NONE if plain else _UP, np.uint8)
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


def pixels_sha256(pixels: Pixels, palette: Pixels | None = None, bands: Bands | None = None) -> str:
    """Hash of what is seen, the same for any palette, file format and compressor.

    SHA-256 over height and width, then the pixels in reading order as stretches of one colour: the
    place where each begins (all of these as 64-bit little-endian numbers), then the colour of each
    (red, green, blue, opacity, a byte each). Drawings have few stretches, so this is cheap.
    """
    if pixels.ndim == 2:
        numbers = pixels.reshape(-1)
        starts = _starts_in_bands(pixels, bands or _bands_of(pixels))
        seen = _as_numbers(_GREYS if palette is None else palette)[numbers[starts]]
    else:
        seen = _as_numbers(pixels.reshape(-1, pixels.shape[2]))
        starts = np.arange(len(seen))
    # two numbers may stand for one colour
    differ = _starts(seen)
    parts = (np.array(pixels.shape[:2], "<i8"), starts[differ].astype("<i8"), seen[differ])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def _as_numbers(colours: Pixels) -> NDArray[np.uint32]:
    """Colours (N, 3 or 4) as one number each, opaque where nothing else is said."""
    opaque = np.full((len(colours), 4), 255, np.uint8)
    opaque[:, : colours.shape[1]] = colours
    return opaque.view(np.uint32).reshape(-1)


def _starts_in_bands(rows: Pixels, bands: Bands) -> NDArray[np.intp]:
    """Where the values change; nothing does within a broad band of zeros."""
    flat, width = rows.reshape(-1), rows.shape[1]
    found = [np.zeros(1, np.intp)]
    for top, bottom, empty in bands:
        if not empty:  # from the last value of the band above to the first of the one below
            begin = max(top * width - 1, 0)
            found.append(_starts(flat[begin : bottom * width + 1])[1:] + begin)
    return np.concatenate(found)


def _starts(flat: NDArray[Any]) -> NDArray[np.intp]:
    """Where the values change, the first place among them."""
    found = [np.zeros(1, np.intp)]
    for at in range(0, len(flat), _PIECE):
        piece = flat[at : at + _PIECE + 1]
        found.append((piece[1:] != piece[:-1]).nonzero()[0] + (at + 1))
    return np.concatenate(found)
