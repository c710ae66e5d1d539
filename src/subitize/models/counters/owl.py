"""OWLv2 and OWL-ViT (Minderer et al. 2022, 2023) through transformers' own classes.

One query per picture, "a photo of an apple" as the authors ask, or `prompt` with `{thing}` in it;
`plural=true` names "apples". A box's score is the sigmoid of its logit. OWLv2 sees the picture in a
square that is filled up to the right and below, so its boxes are shares of the longer side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from subitize.errors import BadInput
from subitize.models.base import ModelOptions
from subitize.models.checkpoints import check_weights, needs_torch, placed
from subitize.models.counters.detecting import Detector, Found
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import Decoded, as_image

DEFAULTS: Mapping[str, Any] = {
    "checkpoint": "google/owlv2-base-patch16-ensemble",
    "revision": "",
    "prompt": "a photo of a {thing}",
    "box_threshold": 0.02,
    "threshold": 0.20,
    "plural": False,
    "device": "auto",
}
SQUARE = "owlv2"
"""the family whose pictures are filled up to a square"""


class Owl(Detector):
    """A checkpoint of OWLv2 or OWL-ViT; beside a detector's settings `prompt`."""

    def find(self, decoded: Decoded, phrase: str) -> Found:
        import torch

        model, tokenizer, processor = self.parts
        asked = self.settings["prompt"].format(thing=phrase)
        longest = model.config.text_config.max_position_embeddings
        words = tokenizer(
            [asked], padding="max_length", max_length=longest, truncation=True, return_tensors="pt"
        )
        picture = processor(images=as_image(decoded.pixels), return_tensors="pt")
        with torch.inference_mode():
            found = model(
                pixel_values=picture["pixel_values"].to(model.device),
                **{key: value.to(model.device) for key, value in words.items()},
            )
        scores = torch.sigmoid(found.logits[0, :, 0]).double().cpu().numpy()
        places = found.pred_boxes[0].double().cpu().numpy()
        if model.config.model_type == SQUARE:
            height, width = decoded.pixels.shape[:2]
            side = max(height, width)
            places = places * (np.array([side, side, side, side]) / [width, height, width, height])
        return places, scores, np.ones(scores.size, dtype=bool)

    def load(self) -> tuple[Any, Any, Any]:
        """The model, its tokenizer and its image processor; the last without torchvision."""
        from transformers import (
            AutoImageProcessor,
            AutoModelForZeroShotObjectDetection,
            AutoTokenizer,
        )

        model, loaded = self.pretrained(
            AutoModelForZeroShotObjectDetection, output_loading_info=True, **self.trust
        )
        check_weights(self.source, loaded)
        tokenizer = self.pretrained(AutoTokenizer, **self.trust)
        processor = self.pretrained(AutoImageProcessor, backend="pil", **self.trust)
        return placed(model, self.device), tokenizer, processor


def open_owl(name: ModelName, options: ModelOptions) -> Owl:
    needs_torch(f"The counter {name.full}")
    ranges = dict.fromkeys(("box_threshold", "threshold"), (0.0, 1.0))
    settings = typed_settings(name, DEFAULTS, ranges)
    if "{thing}" not in settings["prompt"]:
        raise BadInput(f"The prompt {settings['prompt']!r} has no {{thing}}: say where it stands.")
    return Owl(name, settings, options)
