"""Grounding DINO (Liu et al. 2023) and MM-Grounding-DINO through transformers' own classes.

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

from collections.abc import Mapping
from typing import Any

from subitize.models.base import ModelOptions
from subitize.models.checkpoints import check_weights, needs_torch, placed
from subitize.models.counters.detecting import Detector, Found
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import Decoded, as_image

DEFAULTS: Mapping[str, Any] = {
    "checkpoint": "IDEA-Research/grounding-dino-base",
    "revision": "",
    "box_threshold": 0.05,
    "text_threshold": 0.25,
    "threshold": 0.40,
    "plural": False,
    "device": "auto",
}


class GroundingDino(Detector):
    """A checkpoint of (MM-)Grounding DINO; beside a detector's settings `text_threshold`."""

    def find(self, decoded: Decoded, phrase: str) -> Found:
        import torch

        model, tokenizer, processor = self.parts
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
        return found.pred_boxes[0].double().cpu().numpy(), scores, belongs

    def load(self) -> tuple[Any, Any, Any]:
        """The model, its tokenizer and its image processor; the last without torchvision."""
        from transformers import AutoModelForZeroShotObjectDetection, AutoTokenizer
        from transformers.models.grounding_dino.image_processing_pil_grounding_dino import (
            GroundingDinoImageProcessorPil,
        )

        model, loaded = self.pretrained(
            AutoModelForZeroShotObjectDetection, output_loading_info=True, **self.trust
        )
        check_weights(self.source, loaded)
        tokenizer = self.pretrained(AutoTokenizer, **self.trust)
        processor = self.pretrained(GroundingDinoImageProcessorPil)
        return placed(model, self.device), tokenizer, processor


def open_grounding_dino(name: ModelName, options: ModelOptions) -> GroundingDino:
    needs_torch(f"The counter {name.full}")
    ranges = dict.fromkeys(("box_threshold", "text_threshold", "threshold"), (0.0, 1.0))
    return GroundingDino(name, typed_settings(name, DEFAULTS, ranges), options)
