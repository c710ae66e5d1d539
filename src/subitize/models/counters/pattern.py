"""A counter that completes a pattern behind a black square.

It finds the objects and the square in the pixels, asks which patterns agree with them, and gives
a box for every visible object and for every one that the pattern needs under the square. It never
sees the manifest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subitize.models.base import ModelOptions
from subitize.models.counters.classical import Box, ClassicalCounter
from subitize.models.names import ModelName, typed_settings
from subitize.stimuli.capture.continued import hidden_objects
from subitize.stimuli.capture.looking import look


class Pattern(ClassicalCounter):
    """Counts what is visible and what the pattern hides."""

    revision = "1"

    def find(self, pixels: NDArray[np.uint8]) -> list[Box]:
        scene = look(pixels)
        hidden = hidden_objects(scene)
        seen = [blob.box for blob in scene.whole]
        if not len(hidden):  # what sticks out of the square is an object in any case
            seen += [blob.box for blob in scene.fragments]
        boxes = [[*map(float, box), 1.0] for box in seen]
        r = scene.radius
        return boxes + [[x - r, y - r, x + r, y + r, 1.0] for x, y in hidden.tolist()]


def open_pattern(name: ModelName, _options: ModelOptions) -> Pattern:
    return Pattern(name.full, typed_settings(name, {}))
