"""What classical counters share: a decoded picture in, boxes that are certain out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.models.base import Answers, Boxes, Item, Kind, Model, Reply, picture_of, singly
from subitize.pictures.decode import decode_noted

NOT_PLAIN = (
    "this is no drawing on a plain background, so its number means little: take a detector, such "
    "as counter/grounding-dino"
)
Box = list[float]
"""x0, y0, x1, y1, score"""


class ClassicalCounter(Model):
    """A counter that computes on pixels; a subclass writes `find`."""

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)
    batch_size = 8

    def find(self, pixels: NDArray[np.uint8]) -> list[Box]:
        """The boxes of everything that counts in an RGB picture."""
        raise NotImplementedError

    def doubt(self, pixels: NDArray[np.uint8]) -> str:
        """Why its number may mean little; empty where nothing speaks against it."""
        return ""

    def count(self, items: Sequence[Item]) -> Answers:
        return singly(self._count, items)

    def _count(self, item: Item) -> Reply:
        decoded = decode_noted(picture_of(item))
        height, width = decoded.pixels.shape[:2]
        boxes = self.find(decoded.pixels)
        # Every box has the score 1, and no two of them are the same: nothing is merged.
        value: Boxes = {"boxes": boxes, "size": [width, height], "threshold": 0.5, "nms": 1.0}
        if notes := "; ".join(filter(None, (decoded.note, self.doubt(decoded.pixels)))):
            value["note"] = notes
        return Reply("boxes", value)
