"""Things of one kind at random places, without a recipe: what painter/shapes draws."""

from __future__ import annotations

import numpy as np

from subitize.pictures.encode import encode
from subitize.stimuli import art, placing
from subitize.stimuli.naming import composed
from subitize.stimuli.scenes import Scene

SMALLEST_SHARE, LARGEST_SHARE = 0.11, 0.198
"""diameters, as a share of the picture's side"""
STEPS = 8


def draw_scattered(kind: str, n: int, size: int, rng: np.random.Generator) -> bytes:
    """A PNG of n things of a kind (see `art.KINDS`), none touching another."""
    placing.check_room(n, size, placing.capacity(size))  # before so many numbers are drawn
    names = art.looks(kind)
    looks = tuple(names[k] for k in rng.integers(0, len(names), n))
    # a ladder of few diameters, so that tiles can be used again
    ladder = np.linspace(SMALLEST_SHARE, LARGEST_SHARE, STEPS) * size
    wished = ladder[rng.integers(0, STEPS, n)]
    centres, diameters = placing.scatter(wished, size, rng)
    canvas = composed(Scene(kind, looks, centres, diameters, "scattered"), size)
    return encode(canvas, art.palette(kind))
