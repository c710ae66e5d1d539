"""CLIP as a matcher: how alike a picture and a sentence are, by transformers' classes.

Cosines of CLIP are no probabilities, so they are declared uncalibrated; `readers.matches` makes
CLIPScore of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from subitize.errors import ModelError
from subitize.models.base import Answers, Item, Kind, ModelOptions, Reply
from subitize.models.checkpoints import Checkpoint, needs_torch
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import as_image, decode

DEFAULTS: Mapping[str, Any] = {"revision": ""}
DIGITS = 6
"""digits of a cosine that mean something in single precision"""


class Clip(Checkpoint):
    """A CLIP model from Hugging Face's hub or from a folder.

    Settings: `revision` (branch, tag or commit of the hub).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)
    batch_size = 8

    def __init__(self, name: ModelName, settings: Mapping[str, Any]) -> None:
        super().__init__(name.full, settings, name.rest, settings["revision"])
        self._sentences: dict[str, Any] = {}

    def load(self) -> tuple[Any, Any, Any]:
        from transformers import CLIPModel, CLIPTokenizer
        from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

        # from_pretrained leaves the model in evaluation mode
        return (
            self.pretrained(CLIPModel),
            self.pretrained(CLIPTokenizer),
            self.pretrained(CLIPImageProcessorPil),
        )

    def match(self, items: Sequence[Item]) -> Answers:
        return [self._match(item) for item in items]

    def _match(self, item: Item) -> Reply | ModelError:
        if item.picture is None:
            return ModelError("CLIP needs a picture, and there is none")
        try:
            pixels = decode(item.picture)
        except ModelError as problem:
            return problem
        picture = self._picture(pixels)
        cosines = [round(float(picture @ self._sentence(text)), DIGITS) for text in item.options]
        return Reply("scores", {"scores": cosines, "calibrated": False, "unit": "cosine"})

    def _picture(self, pixels: Any) -> Any:
        """One at a time: batches round otherwise."""
        import torch

        model, _, processor = self.parts
        with torch.inference_mode():
            made = processor(images=as_image(pixels), return_tensors="pt")
            return _unit(model.get_image_features(pixel_values=made["pixel_values"]))

    def _sentence(self, text: str) -> Any:
        """A sentence is asked about many pictures: its direction is kept."""
        import torch

        if text not in self._sentences:
            model, tokenizer, _ = self.parts
            longest = model.config.text_config.max_position_embeddings
            with torch.inference_mode():
                made = tokenizer([text], truncation=True, max_length=longest, return_tensors="pt")
                self._sentences[text] = _unit(
                    model.get_text_features(
                        input_ids=made["input_ids"], attention_mask=made["attention_mask"]
                    )
                )
        return self._sentences[text]


def _unit(found: Any) -> Any:
    """The projected vector, of length 1; older versions return it bare."""
    vector = getattr(found, "pooler_output", found)[0]
    return vector / vector.norm()


def open_clip(name: ModelName, _options: ModelOptions) -> Clip:
    needs_torch(f"The model {name.full}")
    return Clip(name, typed_settings(name, DEFAULTS))
