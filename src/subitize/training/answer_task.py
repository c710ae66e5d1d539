"""A model that writes, trained to answer counting questions: the answer's tokens are its loss.

The prompt is the one that the model is asked with, the answer the bare number and the end of text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from subitize.errors import BadInput
from subitize.models.base import Item, Model
from subitize.models.hf.generating import Generating
from subitize.training.answers import measured, picture_of
from subitize.training.backbone import stacked
from subitize.training.loop import Metrics
from subitize.training.mixtures import Question, Sets

IGNORED = -100
"""label of a token that is no part of an answer"""
PREFIX_FAMILIES = ("paligemma",)
"""families that see their whole prompt at once and mark the answer's tokens with 1"""


class AnswerLoss(nn.Module):
    """A network whose forward call gives the loss of each answer."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, labels: Tensor, **inputs: Tensor) -> Tensor:
        found = self.network(**inputs).logits[:, :-1].float()
        wanted = labels[:, 1:]
        each = cross_entropy(found.transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none")
        known = wanted != IGNORED
        return each.sum(dim=1) / known.sum(dim=1).clamp(min=1)


class AnswerTask:
    """Counting questions on a generative model."""

    def __init__(self, model: Model, sets: Sets, judged_by: tuple[str, str]) -> None:
        if not isinstance(model, Generating):
            raise BadInput(
                f"{model.respondent} does not write its answers: give a model that does, such as "
                "hf/google/paligemma-3b-pt-448."
            )
        network, processor = model.parts
        if getattr(network.config, "is_encoder_decoder", False):
            raise BadInput(
                f"{model.respondent} has an encoder and a decoder of its own; only models that "
                "continue their prompt can be trained here."
            )
        self._model: Any = model
        self._tokenizer = processor.tokenizer
        self.module = AnswerLoss(network.float())
        self._sets = sets
        self.examples = len(sets.train)
        self.judged_by = judged_by

    def inputs(self, chosen: Sequence[int]) -> dict[str, Any]:
        rows = [self._row(self._sets.train[place]) for place in chosen]
        fills = {"input_ids": int(self._tokenizer.pad_token_id or 0), "labels": IGNORED}
        return {key: stacked([row[key] for row in rows], fills.get(key, 0)) for key in rows[0]}

    def _row(self, question: Question) -> dict[str, Tensor]:
        """The inputs of one prompt with its answer behind it."""
        item = _item(question)
        made = dict(self._model.prepared([(item, self._model.opened(item))]))
        asked = made["input_ids"].shape[1]
        ids = self._tokenizer(str(question.entry.answer), add_special_tokens=False)["input_ids"]
        answer = torch.tensor([[*ids, self._tokenizer.eos_token_id]])
        answer = answer.to(made["input_ids"].device)
        behind = {"input_ids": answer, "attention_mask": torch.ones_like(answer)}
        if self._model.family in PREFIX_FAMILIES:
            made["token_type_ids"] = torch.zeros_like(made["input_ids"])
            behind["token_type_ids"] = torch.ones_like(answer)
        for key, value in made.items():
            if value.shape == (1, asked):
                made[key] = torch.cat([value, behind.get(key, torch.zeros_like(answer))], dim=1)
        before = torch.full((1, asked), IGNORED, device=answer.device)
        return {**made, "labels": torch.cat([before, answer], dim=1)}

    def evaluate(self) -> Metrics:
        """The accuracy on every set, by asking as any run asks."""
        self.module.eval()
        return {
            name: measured(questions, self._replies(questions))
            for name, questions in self._sets.judged.items()
        }

    def _replies(self, questions: Sequence[Question]) -> list[Any]:
        found: list[Any] = []
        size = self._model.batch_size
        for first in range(0, len(questions), size):
            found += self._model.name([_item(one) for one in questions[first : first + size]])
        return found

    def save(self, folder: Path) -> None:
        self.module.network.save_pretrained(folder)
        self._model.save_inputs(folder)


def _item(question: Question) -> Item:
    return Item("", question.entry.question, picture_of(question))
