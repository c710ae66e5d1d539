"""Two encoders that never look at each other's input: CLIP, SigLIP and their kin, as matchers.

Cosines of CLIP are no probabilities, so they are declared uncalibrated; `readers.matches` makes
CLIPScore of them. SigLIP was trained pair by pair, with a sigmoid: its scores are probabilities
(Zhai et al. 2023, algorithm 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from subitize.models.base import Answers, Item, Kind, Reply
from subitize.models.checkpoints import check_numbers
from subitize.models.hf.length import cut_at
from subitize.models.hf.local import Local, Pair
from subitize.models.hf.masked import with_separator

DIGITS = 6
"""digits of a cosine that mean something in single precision"""
TUNED = "subitize_bias"
"""in the config of a checkpoint that `subitize finetune` made: its cosines became probabilities"""
SENTENCES = 10_000
"""whose directions are kept: 20 MB of them"""
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
        model, tokenizer, _ = self.parts
        told = [with_separator(text, tokenizer) for text in item.options]
        cut = cut_at(tokenizer, told, model.config.text_config.max_position_embeddings)
        seen = self._picture(picture)
        cosines = [float(seen @ self._sentence(text)) for text in item.options]
        bias = self.bias()
        if bias is None:
            found = [round(cosine, DIGITS) for cosine in cosines]
            value = {"scores": found, "calibrated": False, "unit": "cosine"}
            return Reply("scores", value, facts=cut)
        import torch

        with torch.inference_mode():
            logits = torch.tensor(cosines) * self.parts[0].logit_scale.exp().cpu() + bias
            chances = torch.sigmoid(logits.double()).tolist()
        found = [round(chance, 2 * DIGITS) for chance in chances]
        value = {"scores": found, "calibrated": True, "unit": "probability"}
        return Reply("scores", value, facts=cut)

    def bias(self) -> Any:
        """What makes a probability of a cosine: SigLIP's own, or that of our fine-tuning."""
        own = getattr(self.parts[0], "logit_bias", None)
        return self.config.get(TUNED) if own is None else own.cpu()

    def seen(self, text: str, pair: Pair) -> dict[str, Any]:
        """All inputs of both encoders."""
        return {**self._pixels(pair[1]), **self._words(text)}

    def _pixels(self, picture: Any) -> dict[str, Any]:
        return dict(self.parts[2](images=picture, return_tensors="pt"))

    def _words(self, text: str) -> dict[str, Any]:
        model, tokenizer, _ = self.parts
        words = tokenizer(
            [with_separator(text, tokenizer)],
            truncation=True,
            max_length=model.config.text_config.max_position_embeddings,
            padding="max_length" if self.family in FULL else False,
            return_tensors="pt",
        )
        # in SigLIP padding is a part of the sentence
        wanted = ("input_ids",) if self.family in FULL else ("input_ids", "attention_mask")
        return {key: words[key] for key in wanted if key in words}

    def save_inputs(self, folder: Path) -> None:
        for part in self.parts[1:]:
            part.save_pretrained(folder)

    def _picture(self, picture: Any) -> Any:
        """One at a time: batches round otherwise."""
        import torch

        model = self.parts[0]
        with torch.inference_mode():
            made = {k: v.to(model.device, model.dtype) for k, v in self._pixels(picture).items()}
            return unit(model.get_image_features(**made))[0]

    def _sentence(self, text: str) -> Any:
        """A sentence is asked about many pictures: its direction is kept."""
        import torch

        if text not in self._sentences:
            if len(self._sentences) >= SENTENCES:  # every picture may have sentences of its own
                self._sentences.clear()
            model = self.parts[0]
            with torch.inference_mode():
                moved = {key: value.to(model.device) for key, value in self._words(text).items()}
                self._sentences[text] = unit(model.get_text_features(**moved))[0]
        return self._sentences[text]


def unit(found: Any) -> Any:
    """The projected vectors, of length 1; older versions return them bare."""
    vectors = getattr(found, "pooler_output", found).float()
    directions = vectors / vectors.norm(dim=-1, keepdim=True)
    check_numbers(directions)
    return directions
