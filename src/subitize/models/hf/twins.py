"""Two encoders that never look at each other's input: CLIP, SigLIP and their kin, as matchers.

Cosines of CLIP are no probabilities, so they are declared uncalibrated; `readers.matches` makes
CLIPScore of them. SigLIP was trained pair by pair, with a sigmoid: its scores are probabilities
(Zhai et al. 2023, algorithm 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from subitize.models.base import Answers, Item, Kind, Reply
from subitize.models.hf.local import Local, Pair

DIGITS = 6
"""digits of a cosine that mean something in single precision"""
FULL = ("siglip", "siglip2")
"""families whose sentences are always padded to their longest, as in their training"""


class Twins(Local):
    """A model with an encoder for pictures and one for sentences."""

    kinds: ClassVar[tuple[Kind, ...]] = ("matcher",)

    def load(self) -> tuple[Any, Any, Any]:
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

        self._sentences: dict[str, Any] = {}
        return (
            self.weights(AutoModel),
            self.pretrained(AutoTokenizer, **self.trust),
            self.pretrained(AutoImageProcessor, backend="pil", **self.trust),
        )

    def match(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._match)

    def _match(self, pair: Pair) -> Reply:
        item, picture = pair
        model = self.parts[0]
        seen = self._picture(picture)
        cosines = [float(seen @ self._sentence(text)) for text in item.options]
        if getattr(model, "logit_bias", None) is None:
            found = [round(cosine, DIGITS) for cosine in cosines]
            return Reply("scores", {"scores": found, "calibrated": False, "unit": "cosine"})
        import torch

        with torch.inference_mode():
            logits = torch.tensor(cosines) * model.logit_scale.exp().cpu() + model.logit_bias.cpu()
            chances = torch.sigmoid(logits.double()).tolist()
        found = [round(chance, 2 * DIGITS) for chance in chances]
        return Reply("scores", {"scores": found, "calibrated": True, "unit": "probability"})

    def _picture(self, picture: Any) -> Any:
        """One at a time: batches round otherwise."""
        import torch

        model, _, processor = self.parts
        with torch.inference_mode():
            made = processor(images=picture, return_tensors="pt").to(model.device, model.dtype)
            return _unit(model.get_image_features(**made))

    def _sentence(self, text: str) -> Any:
        """A sentence is asked about many pictures: its direction is kept."""
        import torch

        if text not in self._sentences:
            model, tokenizer, _ = self.parts
            words = tokenizer(
                [text],
                truncation=True,
                max_length=model.config.text_config.max_position_embeddings,
                padding="max_length" if self.family in FULL else False,
                return_tensors="pt",
            )
            taken = {key: words[key] for key in ("input_ids", "attention_mask") if key in words}
            if self.family in FULL:
                taken.pop("attention_mask", None)  # padding is a part of the sentence
            with torch.inference_mode():
                moved = {key: value.to(model.device) for key, value in taken.items()}
                self._sentences[text] = _unit(model.get_text_features(**moved))
        return self._sentences[text]


def _unit(found: Any) -> Any:
    """The projected vector, of length 1; older versions return it bare."""
    vector = getattr(found, "pooler_output", found)[0].float()
    return vector / vector.norm()
