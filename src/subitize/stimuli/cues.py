"""How far each non-numerical cue of a set of pictures gives the number away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from subitize.stimuli import art, holding
from subitize.stimuli.orthogonal import Cues
from subitize.stimuli.scenes import scene_of, tiles_of

CUES: Mapping[str, str] = {
    "total_area": "painted pixels",
    "item_area": "mean painted pixels of an item",
    "perimeter": "length of all outlines",
    "hull": "area of the convex hull around everything",
    "density": "items per hull area",
    "nearest": "mean distance to the nearest item, from two items on",
    "size": "total area × item area",
    "spacing": "field × field per item; the hull is the field where none was set",
}
"""cue: what it is"""
ALL = "all"
"""over all categories"""

Recipe = Mapping[str, Any]


def cues_of(recipe: Recipe) -> dict[str, float]:
    """The cues of one picture, without drawing it; what it does not have is NaN."""
    scene = scene_of(recipe)
    n = len(scene.centres)
    tiles = tiles_of(scene.kind, scene.looks, scene.diameters)
    area, hull = sum(tile.area for tile in tiles), holding.hull_area(scene.centres, tiles)
    field = Cues(**recipe["cues"]).field(n) if recipe.get("cues") else hull
    outlines = (
        _outline(scene.kind, look, diameter)
        for look, diameter in zip(scene.looks, scene.diameters.tolist(), strict=True)
    )
    away = np.linalg.norm(scene.centres[:, None] - scene.centres[None], axis=2)
    near = (away + np.diag([np.inf] * n)).min(axis=1, initial=np.inf)
    return {
        "total_area": area,
        "item_area": area / n if n else np.nan,
        "perimeter": sum(outlines),
        "hull": hull,
        "density": n / hull if hull else np.nan,
        "nearest": float(near.mean()) if n > 1 else np.nan,
        "size": area * area / n if n else np.nan,
        "spacing": field * field / n if n else np.nan,
    }


@lru_cache(maxsize=4096)
def _outline(kind: str, look: str, diameter: int) -> float:
    """Length of an item's outline: the sides of its pixels, made as long as smooth lines are."""
    painted = np.pad(art.tile(kind, look, diameter).numbers > 0, 1)
    sides = sum(int(np.count_nonzero(np.diff(painted, axis=axis))) for axis in (0, 1))
    return sides * np.pi / 4


def cue_correlations(recipes: Iterable[Recipe]) -> dict[str, dict[str, float | None]]:
    """Spearman's correlation of the number with each cue, in all pictures and by category.

    None where it is not defined: one number, or a cue that is the same in all pictures.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for recipe in recipes:
        cues = cues_of(recipe)
        for category in (ALL, str(recipe["category"])):
            numbers[category].append(recipe["n"])
            found[category].append(cues)
    return {
        cue: {
            category: _spearman(numbers[category], [cues[cue] for cues in found[category]])
            for category in found
        }
        for cue in CUES
    }


def _ranks(values: Any) -> Any:
    """Ranks from 1, equal values sharing their mean; importing SciPy for it costs half a second."""
    _, place, many = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(many) - (many - 1) / 2)[place]


def _spearman(numbers: list[int], values: list[float]) -> float | None:
    there = ~np.isnan(values)
    ranks = [_ranks(np.asarray(one)[there]) for one in (numbers, values)]
    if any(np.ptp(one) == 0 if len(one) else True for one in ranks):
        return None
    return float(np.corrcoef(ranks)[0, 1])
