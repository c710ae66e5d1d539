"""Which 255 colours each kind has: those that matter most at its edges beside its flat ones.

`python -m subitize.stimuli.art.choosing` writes palettes.bin anew after a change of drawings (which
is a new version of every drawing); a test compares it with what is found here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subitize.stimuli import art
from subitize.stimuli.art import Colours

_SAMPLES = (24, 48, 160)
"""diameters at which blends are looked at"""


def all_palettes() -> bytes:
    """The palettes of all kinds, as they are stored."""
    return b"".join(_palette(kind).tobytes() for kind in art.KINDS)


def _palette(kind: str) -> NDArray[np.uint8]:
    share, names = art.share_of(kind), art.looks(kind)
    colours = np.full((1 + share * len(names), 3), 255, np.uint8)
    for k, look in enumerate(names):
        own = _colours(kind, look)
        colours[1 + k * share :][: len(own)] = own
    return colours


def _colours(kind: str, look: str) -> Colours:
    """A look's share of the palette."""
    codes, many = [], []
    for diameter in _SAMPLES:
        shown, pixels, painted = art.painted_classes(kind, look, diameter)
        pixels_each = np.bincount(shown.topmost.reshape(-1), minlength=len(pixels))
        codes.append(pixels[painted] @ (1 << 16, 1 << 8, 1))
        many.append(pixels_each[painted])
    seen, which = np.unique(np.concatenate(codes), return_inverse=True)
    weights = np.bincount(which, np.concatenate(many)).astype(np.int64)
    candidates = np.stack([seen >> 16, seen >> 8 & 255, seen & 255], axis=1)[weights > 0]
    weights = weights[weights > 0]
    found = set(map(tuple, candidates.tolist()))
    flat: list[tuple[int, ...]] = [
        c for c in dict.fromkeys(art.layers_of(kind, look)[1]) if c in found
    ]
    chosen = flat[: art.share_of(kind)]
    nearest = _squares(candidates, np.array(chosen)).min(axis=1)
    while len(chosen) < art.share_of(kind) and nearest.any():
        # the colour whose pixels would gain most
        worst = candidates[int(np.argmax(weights * nearest))]
        chosen.append(tuple(worst.tolist()))
        nearest = np.minimum(nearest, _squares(candidates, worst[None])[:, 0])
    return np.array(chosen, np.int64)


def _squares(some: Colours, others: Colours) -> Colours:
    """Squared distances between colours."""
    return np.asarray(((some[:, None] - others[None]) ** 2).sum(axis=2))


if __name__ == "__main__":
    art.STORED.write_bytes(all_palettes())
