"""A painter that draws what a numerosity prompt asks for, exactly or with a known error.

It makes the whole way from prompt to score testable: put a Weber fraction in, get it back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from subitize.errors import BadInput
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.names import ModelName, typed_settings
from subitize.models.simulated import estimate
from subitize.nouns import plural, singular
from subitize.numerals import find_numbers
from subitize.stimuli import naming
from subitize.stimuli.scattered import draw_scattered

DEFAULTS = {"w": 0.0, "limit": 4, "lapse": 0.0, "blank": 0.0, "size": 512, "seed": 0}
RANGES = {
    "w": (0.0, 5.0), "lapse": (0.0, 1.0), "blank": (0.0, 1.0), "size": (naming.SMALLEST_SIZE, 8192),
}  # fmt: skip
THINGS: Mapping[str, str] = {
    "apple": "apple", "person": "person", "human": "person", "butterfly": "butterfly", "dot": "dot",
    "bell": "clip bell", "candy": "clip candy", "car": "clip car", "fish": "clip fish",
    "flower": "clip flower", "plane": "clip plane", "airplane": "clip plane", "star": "clip star",
}  # fmt: skip
"""what a prompt may call one thing, and what is drawn then"""
_WORD = re.compile(r"[^\W\d_]+")


class Shapes(Model):
    """Draws n things on white.

    Settings: `w`, `limit` and `lapse` as those of sim/observer (w = 0 draws exactly n), `blank`
    (share of pictures that come out white), `size` (pixels) and `seed`.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("painter",)
    batch_size = 16
    revision = f"1.{naming.DRAWING_VERSION}"

    def paint(self, items: Sequence[Item]) -> Answers:
        return [self._paint(item) for item in items]

    def _paint(self, item: Item) -> Reply:
        rng = np.random.default_rng(item.seed)
        try:
            n, kind = parse_prompt(item.question)
            if rng.random() < self.settings["blank"]:
                n = 0
            drawn = estimate(n, self.settings, rng) if n and self._errs else n
            return Reply("picture", draw_scattered(kind, drawn, self.settings["size"], rng))
        except BadInput as problem:
            return Reply("text", str(problem), "refused")

    @property
    def _errs(self) -> bool:
        return bool(self.settings["w"] or self.settings["lapse"])


def parse_prompt(prompt: str) -> tuple[int, str]:
    """The number and the kind of thing that a prompt asks for.

    >>> parse_prompt("An image with 3 apples"), parse_prompt("seven filled dots")
    ((3, 'apple'), (7, 'dot'))
    """
    shown = prompt if len(prompt) <= 80 else f"{prompt[:80]}…"
    numbers = [found for found in find_numbers(prompt) if found.kind in ("cardinal", "group")]
    values = {found.value for found in numbers if found.value is not None}
    if len(values) != 1:
        said = "no number" if not values else f"{len(values)} different numbers"
        raise BadInput(f"The prompt {shown!r} names {said}: ask for one number of things.")
    words = map(singular, _WORD.findall(prompt[numbers[0].end :]))
    kind = next((THINGS[word] for word in words if word in THINGS), None)
    if kind is None:
        known = ", ".join(sorted(map(plural, THINGS)))
        raise BadInput(f"The prompt {shown!r} names nothing that can be drawn here: {known}.")
    return values.pop(), kind


def open_shapes(name: ModelName, _options: ModelOptions) -> Shapes:
    return Shapes(name.full, typed_settings(name, DEFAULTS, RANGES))
