"""What detectors that are asked by a phrase share: the phrase, the boxes, the stored value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadInput, ModelError
from subitize.measures.boxes import NMS
from subitize.models.base import (
    Answers,
    Boxes,
    Item,
    Kind,
    ModelOptions,
    Reply,
    picture_of,
    singly,
)
from subitize.models.checkpoints import Checkpoint, check_code, check_numbers
from subitize.models.hf.facts import look
from subitize.models.hf.room import told
from subitize.models.hf.standing import COUNTERS, architecture, foreign, standing
from subitize.models.names import ModelName
from subitize.nouns import singular
from subitize.pictures.decode import Decoded, decode_noted

TESTED = (
    "GroundingDinoForObjectDetection", "MMGroundingDinoForObjectDetection",
    "Owlv2ForObjectDetection", "OwlViTForObjectDetection", "SamModel",
)  # fmt: skip
"""architectures of which our tests build a tiny one"""
DIGITS = 4
"""digits of a score and of a pixel that mean something in single precision"""

Found = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]
"""[x, y, width, height] of every box as shares of the picture's sides, x and y its middle; their
scores; which of them belong to the phrase"""


class Detector(Checkpoint):
    """A checkpoint that finds what a phrase names; a subclass writes `load` and `find`.

    Settings: `checkpoint`, `revision` (of the hub), `box_threshold` (least score of a box that is
    stored), `threshold` (what a reader takes by default), `plural`, `device` (auto, cpu, cuda, …).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)
    # Padding pictures of a batch to one size moves boxes: one at a time gives the same answers.
    batch_size = 1
    limited: ClassVar[bool] = True
    """gives a fixed number of boxes, so that there may be more things than it can find"""

    def __init__(self, name: ModelName, settings: Mapping[str, Any], options: ModelOptions) -> None:
        # A hub that can't be reached is told here, within seconds.
        self.facts = look(settings["checkpoint"], settings["revision"])
        own = f"{name.prefix}/{name.rest}"
        family = str(self.facts.config.get("model_type", ""))
        if (asked_by := COUNTERS.get(family, own)) != own:
            source = settings["checkpoint"]
            raise BadInput(
                f"{source} is a checkpoint of the family {family}: ask it by "
                f"{asked_by}?checkpoint={source}."
            )
        check_code(name.full, foreign(self.facts.config), options)
        self.trusted = options.trust_remote_code
        self.parameters = self.facts.parameters
        # Where it computes is not what it is.
        identity = {key: value for key, value in settings.items() if key != "device"}
        super().__init__(name.full, identity, settings["checkpoint"], settings["revision"])
        self.device = settings["device"]

    def told(self) -> dict[str, Any]:
        """What `subitize doctor` says of it before anything is downloaded or loaded."""
        config = self.facts.config
        return {
            **standing(config, TESTED, TESTED), "architecture": architecture(config),
            **told(self.facts, self.revision, "auto", self.device),
        }  # fmt: skip

    def find(self, decoded: Decoded, phrase: str) -> Found:
        """Every box that the model gives."""
        raise NotImplementedError

    def count(self, items: Sequence[Item]) -> Answers:
        return singly(self._count, items)

    def _count(self, item: Item) -> Reply:
        phrase = item.thing.strip().lower() if self.settings["plural"] else singular(item.thing)
        if not phrase:
            raise ModelError("a detector needs the name of the thing to be counted")
        decoded = decode_noted(picture_of(item))
        places, scores, belongs = self.find(decoded, phrase)
        check_numbers(places, scores)
        return Reply("boxes", self._value(decoded, places, scores, belongs))

    def _value(
        self,
        decoded: Decoded,
        places: NDArray[np.float64],
        scores: NDArray[np.float64],
        belongs: NDArray[np.bool_],
    ) -> Boxes:
        height, width = decoded.pixels.shape[:2]
        kept = belongs & (scores >= self.settings["box_threshold"])
        x, y, w, h = (places * np.array([width, height, width, height])).T
        corners = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2, scores], axis=1)
        value: Boxes = {
            "boxes": corners[kept].round(DIGITS).tolist(),
            "size": [width, height],
            "threshold": self.settings["threshold"],
            "nms": NMS,
            "saturated": self.limited and bool((scores >= self.settings["threshold"]).all()),
        }
        if decoded.note:
            value["note"] = decoded.note
        return value
