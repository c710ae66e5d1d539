"""CLIP as a matcher: how alike a picture and a sentence are, by transformers' classes.

Cosines of CLIP are no probabilities, so they are declared uncalibrated. CLIPScore (Hessel et al.
2021) is 2.5 · max(cosine, 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from subitize.errors import Hopeless, MissingExtra, ModelError
from subitize.models.base import Answers, Item, Kind, Model, ModelOptions, Reply
from subitize.models.checkpoints import revision_of
from subitize.models.names import ModelName, typed_settings
from subitize.pictures.decode import as_image, decode

__all__ = ["CLIP_WEIGHT", "Clip", "clipscore", "open_clip"]

CLIP_WEIGHT = 2.5
"""Hessel et al. 2021, section 3"""
DEFAULTS: Mapping[str, Any] = {"revision": ""}
DIGITS = 6
"""digits of a cosine that mean something in single precision"""


def clipscore(cosine: float) -> float:
    """CLIPScore of a cosine.

    >>> clipscore(0.3), clipscore(-0.1)
    (0.75, 0.0)
    """
    return CLIP_WEIGHT * max(cosine, 0.0)


class Clip(Model):
    """A CLIP model from Hugging Face's hub or from a folder.

    Settings: `revision` (branch, tag or commit of the hub).
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)
    batch_size = 8

    def __init__(self, name: ModelName, settings: Mapping[str, Any]) -> None:
        super().__init__(name.full, settings)
        self.source = name.rest
        self.revision = settings["revision"] or revision_of(Path(name.rest))
        self._parts: tuple[Any, Any, Any] | None = None
        self._sentences: dict[str, Any] = {}

    async def open(self) -> None:
        self._loaded()

    def _loaded(self) -> tuple[Any, Any, Any]:
        if self._parts is None:
            from transformers import CLIPModel, CLIPTokenizer
            from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

            chosen = {"revision": self.settings["revision"]} if self.settings["revision"] else {}
            try:
                # from_pretrained leaves the model in evaluation mode
                self._parts = (
                    CLIPModel.from_pretrained(self.source, **chosen),
                    CLIPTokenizer.from_pretrained(self.source, **chosen),
                    CLIPImageProcessorPil.from_pretrained(self.source, **chosen),
                )
            except (OSError, ValueError, RuntimeError) as problem:
                raise Hopeless(
                    f"The CLIP model {self.source!r} can't be loaded "
                    f"({str(problem).splitlines()[0][:200]}): give the id of one on the Hugging "
                    "Face hub, or a folder with its files."
                ) from None
        return self._parts

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

        model, _, processor = self._loaded()
        with torch.inference_mode():
            made = processor(images=as_image(pixels), return_tensors="pt")
            return _unit(model.get_image_features(pixel_values=made["pixel_values"]))

    def _sentence(self, text: str) -> Any:
        """A sentence is asked about many pictures: its direction is kept."""
        import torch

        if text not in self._sentences:
            model, tokenizer, _ = self._loaded()
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
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtra(f"The model {name.full}", package, "hf")
    return Clip(name, typed_settings(name, DEFAULTS))
