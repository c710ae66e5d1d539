"""Models that choose their answer out of a fixed list: ViLT's head for questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from subitize.models.base import Answers, Item, Kind, Reply
from subitize.models.checkpoints import check_numbers
from subitize.models.hf.length import cut_at
from subitize.models.hf.local import Local, Pair, repeatable

KEPT = 5
"""answers that are kept with their probabilities"""
DIGITS = 6


class Classifying(Local):
    """A namer whose answer is the likeliest of its list; the list is a part of the checkpoint."""

    kinds: ClassVar[tuple[Kind, ...]] = ("namer",)

    def load(self) -> tuple[Any, Any]:
        from transformers import AutoModelForVisualQuestionAnswering

        return self.weights(AutoModelForVisualQuestionAnswering), self.processor()

    def name(self, items: Sequence[Item]) -> Answers:
        return self.each(items, self._answer)

    def _answer(self, pair: Pair) -> Reply:
        import torch

        model, processor = self.parts
        item, picture = pair
        longest = model.config.max_position_embeddings
        cut = cut_at(processor.tokenizer, [item.question], longest)
        words = processor.tokenizer(
            [item.question], truncation=True, return_tensors="pt", max_length=longest
        )
        seen = processor.image_processor(images=picture, return_tensors="pt")
        made = words.to(model.device) | seen.to(model.device, model.dtype)
        with repeatable():
            logits = model(**made).logits[0].float()
        check_numbers(logits)
        # answers were trained one by one, each with a sigmoid
        chances, places = torch.sigmoid(logits).topk(min(KEPT, len(logits)))
        labels = [str(model.config.id2label[place]) for place in places.tolist()]
        best = [
            [label, round(chance, DIGITS)]
            for label, chance in zip(labels, chances.tolist(), strict=True)
        ]
        return Reply("text", labels[0], facts={"answers": best, **cut})
