"""Grounding DINO (Liu et al. 2023) through transformers' own classes: no compiled extension.

One phrase per query, in the singular: "apple." A box stands for one thing, and a plural invites
boxes around groups; `plural=true` asks "apples." instead. A box's score is the highest
probability over all tokens, the confidence that published thresholds are about. All boxes from
`box_threshold` (.05) on are stored; .40 and the merging at .95 are applied by the reader.

The text threshold (.25) says which box belongs to the phrase: one whose best word of the phrase
reaches it. Of a box below that threshold the best token itself must be such a word.

The published counting pipeline ran with a detector whose weights were never loaded. Here a
checkpoint that lacks a single weight is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from subitize.errors import ModelError
from subitize.measures.boxes import NMS
from subitize.models.base import Answers, Boxes, Item, Kind, ModelOptions, Reply, picture_of, singly
from subitize.models.checkpoints import Checkpoint, check_weights, needs_torch, placed
from subitize.models.names import ModelName, typed_settings
from subitize.nouns import singular
from subitize.pictures.decode import Decoded, as_image, decode_noted

DEFAULTS: Mapping[str, Any] = {
    "checkpoint": "IDEA-Research/grounding-dino-base",
    "revision": "",
    "box_threshold": 0.05,
    "text_threshold": 0.25,
    "threshold": 0.40,
    "plural": False,
    "device": "auto",
}
DIGITS = 4
"""digits of a score and of a pixel that mean something in single precision"""


class GroundingDino(Checkpoint):
    """A Grounding DINO checkpoint from Hugging Face's hub or from a folder.

    Settings: `checkpoint`, `revision` (of the hub), `box_threshold`, `text_threshold`,
    `threshold` (what a reader takes by default), `plural`, `device` (auto, cpu, cuda, …).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("counter",)
    # Padding pictures of a batch to one size moves boxes: one at a time gives the same answers.
    batch_size = 1

    def __init__(self, name: ModelName, settings: Mapping[str, Any]) -> None:
        # Where it computes is not what it is.
        identity = {key: value for key, value in settings.items() if key != "device"}
        super().__init__(name.full, identity, settings["checkpoint"], settings["revision"])
        self._device = settings["device"]

    def count(self, items: Sequence[Item]) -> Answers:
        return singly(self._count, items)

    def _count(self, item: Item) -> Reply:
        phrase = item.thing.strip().lower() if self.settings["plural"] else singular(item.thing)
        if not phrase:
            raise ModelError("Grounding DINO needs the name of the thing to be counted")
        return Reply("boxes", self._boxes(decode_noted(picture_of(item)), phrase))

    def _boxes(self, decoded: Decoded, phrase: str) -> Boxes:
        import torch

        model, tokenizer, processor = self.parts
        height, width = decoded.pixels.shape[:2]
        # One phrase: a dot inside would make it several.
        words = tokenizer([phrase.replace(".", " ") + "."], return_tensors="pt")
        picture = processor(images=as_image(decoded.pixels), return_tensors="pt")
        with torch.inference_mode():
            found = model(
                pixel_values=picture["pixel_values"].to(model.device),
                pixel_mask=picture["pixel_mask"].to(model.device),
                **{key: value.to(model.device) for key, value in words.items()},
            )
        # Tokens beyond the phrase have logits of −inf, which sigmoid makes 0.
        shares = torch.sigmoid(found.logits[0]).float().cpu().numpy()
        scores = shares.max(axis=1)
        ids = words["input_ids"][0].tolist()
        special = {*tokenizer.all_special_ids, tokenizer.convert_tokens_to_ids(".")}
        of_phrase = [place for place, token in enumerate(ids) if token not in special]
        best_word = shares[:, of_phrase].max(axis=1) if of_phrase else scores
        belongs = (best_word >= self.settings["text_threshold"]) | (best_word >= scores)
        kept = belongs & (scores >= self.settings["box_threshold"])
        sides = np.array([width, height, width, height])
        x, y, w, h = (found.pred_boxes[0].double().cpu().numpy() * sides).T
        corners = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2, scores], axis=1)
        value: Boxes = {
            "boxes": corners[kept].round(DIGITS).tolist(),
            "size": [width, height],
            "threshold": self.settings["threshold"],
            "nms": NMS,
            "saturated": bool((scores >= self.settings["threshold"]).all()),
        }
        if decoded.note:
            value["note"] = decoded.note
        return value

    def load(self) -> tuple[Any, Any, Any]:
        """The model, its tokenizer and its image processor; the last without torchvision."""
        from transformers import AutoTokenizer, GroundingDinoForObjectDetection
        from transformers.models.grounding_dino.image_processing_pil_grounding_dino import (
            GroundingDinoImageProcessorPil,
        )

        model, loaded = self.pretrained(GroundingDinoForObjectDetection, output_loading_info=True)
        check_weights(self.source, loaded)
        tokenizer = self.pretrained(AutoTokenizer)
        processor = self.pretrained(GroundingDinoImageProcessorPil)
        return placed(model, self._device), tokenizer, processor


def open_grounding_dino(name: ModelName, _options: ModelOptions) -> GroundingDino:
    needs_torch(f"The counter {name.full}")
    ranges = dict.fromkeys(("box_threshold", "text_threshold", "threshold"), (0.0, 1.0))
    return GroundingDino(name, typed_settings(name, DEFAULTS, ranges))
