"""A zlib stream for data that is mostly zeros, with bytes that depend on nothing but the data.

General compressors choose their matches by CPU, version or, as ISA-L was seen to do for about one
picture in a hundred, by what lay in memory before; then the same picture has several hashes. Here
runs of zeros become matches at distance one, all else literals, under one dynamic Huffman code.
Work grows with the bytes that are not zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["compress"]

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]

_LONGEST = 258
_ZERO, _END = 0, 256
_MATCH = 257
"""token of a match of length 3; tokens 0 to 255 are literals, 256 ends the block"""
_TOKENS = _MATCH + _LONGEST - 2
_DEEPEST = 15
_ADLER = 65521
_CODE_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


def _length_codes() -> tuple[Integers, Integers, Integers]:
    """Per token: its symbol in the deflate format, and the value and number of its extra bits."""
    symbols, extras, bits = np.arange(_TOKENS), np.zeros(_TOKENS, int), np.zeros(_TOKENS, int)
    length, symbol = 3, 257
    while length < _LONGEST:
        width = max((symbol - 261) // 4, 0)
        for extra in range(2**width):
            token = _MATCH + length + extra - 3
            symbols[token], extras[token], bits[token] = symbol, extra, width
        length, symbol = length + 2**width, symbol + 1
    symbols[-1], extras[-1], bits[-1] = 285, 0, 0
    return symbols, extras, bits


_SYMBOLS, _EXTRAS, _EXTRA_BITS = _length_codes()


def compress(data: Bytes) -> bytes:
    """The zlib stream of flat bytes."""
    places = _nonzero(data)
    values = data[places]
    tokens = _tokens(places, values, len(data))
    symbol_counts = np.bincount(_SYMBOLS[tokens], minlength=286)
    lengths = _code_lengths(symbol_counts)
    codes = _codes(lengths)
    # behind a match come its extra bits and the distance code, a single 0 bit
    bits = lengths[_SYMBOLS] + _EXTRA_BITS + (np.arange(_TOKENS) >= _MATCH)
    words = codes[_SYMBOLS] | (_EXTRAS << lengths[_SYMBOLS])
    header_words, header_bits = _header(lengths)
    block = _packed(
        np.concatenate([header_words, words[tokens]]), np.concatenate([header_bits, bits[tokens]])
    )
    return b"\x78\x01" + block + _adler(places, values, len(data)).to_bytes(4, "big")


def _nonzero(data: Bytes) -> Integers:
    """Places of the bytes that are not zero; eight at a time first, since most are."""
    whole = len(data) & ~7
    eights = np.flatnonzero(data[:whole].view(np.uint64) != 0)
    inside = np.flatnonzero(data[:whole].reshape(-1, 8)[eights] != 0)
    places = (eights[inside >> 3] << 3) + (inside & 7)
    return np.concatenate([places, whole + np.flatnonzero(data[whole:])])


def _tokens(places: Integers, values: Bytes, size: int) -> Integers:
    """Each stretch of zeros, then the literal behind it; the block's end after the last one."""
    gaps = np.diff(np.append(places, size), prepend=-1) - 1
    zeros = np.flatnonzero(gaps)
    full, rest = np.divmod(gaps[zeros] - 1, _LONGEST)
    matched = rest >= 3
    kinds = np.empty((len(zeros), 3), np.int64)
    kinds[:, 0] = _ZERO
    kinds[:, 1] = _TOKENS - 1
    kinds[:, 2] = np.where(matched, _MATCH + rest - 3, _ZERO)
    times = np.empty_like(kinds)
    times[:, 0] = 1
    times[:, 1] = full
    times[:, 2] = np.where(matched, 1, rest)
    stretches = np.repeat(kinds.ravel(), times.ravel())
    # a literal stands behind all literals and all stretches before it
    before = np.zeros(len(gaps), np.int64)
    before[zeros] = times.sum(axis=1)
    at = np.arange(len(gaps)) + np.cumsum(before)
    tokens = np.empty(len(gaps) + len(stretches), np.int64)
    literal = np.zeros(len(tokens), bool)
    literal[at] = True
    tokens[at[:-1]], tokens[at[-1]] = values, _END
    tokens[~literal] = stretches
    return tokens


def _code_lengths(counts: Integers) -> Integers:
    """Huffman code lengths, at most 15; ties are broken by symbol, so they never vary."""
    used = [(n, symbol) for symbol, n in enumerate(counts.tolist()) if n]
    lengths = np.zeros(len(counts), np.int64)
    if len(used) == 1:
        lengths[used[0][1]] = 1
        return lengths
    while True:
        depths = _depths([n for n, _ in sorted(used)])
        if max(depths) <= _DEEPEST:
            lengths[[symbol for _, symbol in sorted(used)]] = depths
            return lengths
        used = [((n + 1) // 2, symbol) for n, symbol in used]  # flatter counts, shorter codes


def _depths(counts: list[int]) -> list[int]:
    """Depths in the Huffman tree of at least two ascending counts (two queues, no heap)."""
    leaves = len(counts)
    weights, parents = counts.copy(), [0] * (2 * leaves - 1)
    leaf, inner = 0, leaves
    for parent in range(leaves, 2 * leaves - 1):
        weight = 0
        for _ in range(2):
            from_leaf = leaf < leaves and (inner >= parent or counts[leaf] <= weights[inner])
            child = leaf if from_leaf else inner
            leaf, inner = leaf + from_leaf, inner + (not from_leaf)
            parents[child] = parent
            weight += weights[child]
        weights.append(weight)
    depths = [0] * (2 * leaves - 1)
    for node in range(2 * leaves - 3, -1, -1):
        depths[node] = depths[parents[node]] + 1
    return depths[:leaves]


def _codes(lengths: Integers) -> Integers:
    """Canonical codes, turned round because deflate writes them from their highest bit."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    # in this order a code is the sum of the shares that the codes before it take of all codes
    shares = 1 << (_DEEPEST - lengths[order])
    codes = np.zeros(len(lengths), np.int64)
    codes[order] = _turned(np.cumsum(shares) - shares, _DEEPEST)
    return codes


def _turned(numbers: Integers, width: int) -> Integers:
    """The numbers with their lowest `width` bits in reverse."""
    turned = np.zeros_like(numbers)
    for bit in range(width):
        turned |= ((numbers >> bit) & 1) << (width - 1 - bit)
    return turned


def _header(lengths: Integers) -> tuple[Integers, Integers]:
    """The only block's header: every code length plainly in four bits, then one distance code."""
    fields = [(1, 1), (2, 2), (len(lengths) - 257, 5), (0, 5), (len(_CODE_ORDER) - 4, 4)]
    fields += [(4 if symbol < 16 else 0, 3) for symbol in _CODE_ORDER]
    words, bits = zip(*fields, strict=True)
    # canonical codes of sixteen equal lengths are the numbers themselves, highest bit first
    plain = _turned(np.append(lengths, 1), 4)
    return np.append(words, plain), np.append(bits, np.full(len(plain), 4))


def _packed(words: Integers, bits: Integers) -> bytes:
    """The words' bits one after another, lowest first."""
    ends = np.cumsum(bits)
    starts = ends - bits
    cell, shifted = starts >> 5, words << (starts & 31)
    cells = int(ends[-1] >> 5) + 2
    # bits never overlap, so sums below 2**32 are exact in floats too
    low = np.bincount(cell, shifted & 0xFFFFFFFF, cells)
    high = np.bincount(cell + 1, shifted >> 32, cells)
    packed = (low + high).astype("<u4").tobytes()
    return packed[: int(ends[-1] + 7) // 8]


def _adler(places: Integers, values: Bytes, size: int) -> int:
    """Adler-32 of the data, from its nonzero bytes alone."""
    first = 1 + int(values.sum(dtype=np.int64))
    second = size + int(np.sum(values * (size - places)))
    return (second % _ADLER) << 16 | first % _ADLER
