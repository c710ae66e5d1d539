"""Whether all pictures of a set can be placed, before the first is drawn.

Most cells (a category and a number) are known to be possible by arithmetic, whatever the index of
a picture. The pictures of the others are placed, each of them, and the cells that can't be are
told all at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from subitize.errors import BadInput
from subitize.stimuli import art, holding, orthogonal, patterns, placing
from subitize.stimuli.orderly import orderly
from subitize.stimuli.orthogonal import Cues
from subitize.stimuli.scenes import KINDS, VARIETY, scene_of

_SURE = 0.9
"""share of the smallest diameter's and of the darts' bounds that a cell must keep to be sure"""
_ENOUGH = 5
"""pictures of a cell that can't be placed after which no others are tried: each takes all darts"""

Recipe = Mapping[str, Any]


def refuse_impossible(cells: Iterable[Sequence[Recipe]]) -> None:
    """Raise with every cell of which a picture can't be placed; the recipes come cell by cell."""
    refused: list[tuple[Recipe, int, int]] = []
    for recipes in cells:
        first = recipes[0]
        room = patterns.card_capacity if first["category"] == "fast cards" else placing.capacity
        placing.check_room(first["n"], first["size"], room(first["size"]))
        sure = all(map(_surely, recipes if "cues" in first else [first]))
        odd = () if sure else (one for one in recipes if not _can_be_placed(one))
        if failed := sum(1 for _ in islice(odd, _ENOUGH)):
            refused.append((first, failed, len(recipes)))
    if refused:
        size = refused[0][0]["size"]
        what = refused[0][0]["hold"] or "size and spacing"
        raise BadInput(
            f"The {what} can't be held in pictures of {size} x {size} pixels for "
            f"{_told(refused)}: use a larger --size, a smaller --max or another --hold or --cues."
        )


def _told(refused: Iterable[tuple[Recipe, int, int]]) -> str:
    """Cells in words, numbers that follow each other and fail alike together."""
    found: list[tuple[int, int, tuple[str, int, int]]] = []
    for recipe, failed, many in refused:
        n, alike = recipe["n"], (recipe["category"], failed, many)
        first = found.pop()[0] if found and found[-1][1:] == (n - 1, alike) else n
        found.append((first, n, alike))
    parts = []
    for first, last, (category, failed, many) in found:
        which = f"{first} to {last}" if first < last else f"{last}"
        often = f"{failed} or more" if _ENOUGH == failed < many else f"{failed}"
        parts.append(f"{which} {category} ({often} of {many}{' each' * (first < last)})")
    return ", ".join(parts)


def _can_be_placed(recipe: Recipe) -> bool:
    try:
        scene_of(recipe)
    except BadInput:
        return False
    return True


def _surely(recipe: Recipe) -> bool:
    """Whether a picture of this cell can be placed whatever its index."""
    n, size, hold, kinds = recipe["n"], recipe["size"], recipe["hold"], KINDS[recipe["category"]]
    if n and "cues" in recipe:
        return all(orthogonal.is_sure(kind, n, Cues(**recipe["cues"])) for kind in kinds)
    if not hold or not n:
        return True
    if hold == "area":
        return all(_area_is_sure(kind, n, size) for kind in kinds)
    target = holding.hull_target(recipe)
    return all(orderly(kind, n, size, target) is not None for kind in kinds)


def _area_is_sure(kind: str, n: int, size: int) -> bool:
    """Whether the painted area can be shared by items that are all large enough and have room."""
    # the root of all squared diameters together, and of a mean one
    together = math.sqrt(holding.AREA_SHARE * size * size / art.least_area(kind))
    mean = together / math.sqrt(n)
    card = kind.startswith("clip ")
    # small tiles paint more of their circle, so that their diameters are smaller
    if mean / (1 if card else VARIETY) * _SURE**2 < placing.SMALLEST:
        return False
    if card:
        names = patterns.patterns_for(n)
        return any(patterns.room_for(name, n, size) * _SURE >= mean for name in names)
    taken = (together + placing.GAP * math.sqrt(n)) ** 2 * math.pi / 4
    return taken <= _SURE * placing.FILL * (size - 2 * placing.MARGIN) ** 2
