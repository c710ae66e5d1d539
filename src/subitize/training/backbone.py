"""Any matcher of transformers as something to train: right sentence or foil, by one logit.

The head that says how well a sentence fits is trained on: of two logits the one that means "fits"
minus the other, of one logit that. Two encoders get a bias beside their scale, as SigLIP has it.
What is saved is a checkpoint of the same class, so that `hf/FOLDER` opens it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, pad

from subitize.errors import BadInput
from subitize.models.base import Item, Model
from subitize.models.hf import crossing, twins
from subitize.models.hf.heads import MATCHES
from subitize.models.hf.local import repeatable

DIGITS = 6
"""after the point that a chance is told with"""
WORDS = ("input_ids", "input_ids_masked")
"""inputs that are filled up with the tokenizer's padding; all others with 0"""


class RightOrFoil(nn.Module):
    """A network with one logit per pair of picture and sentence."""

    def __init__(self, network: Any, family: str, bias: bool) -> None:
        super().__init__()
        self.network = network
        self.family = family
        self.bias = nn.Parameter(torch.zeros((), device=network.device)) if bias else None

    def logit(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """How much a sentence fits: above 0 more likely than not."""
        if self.family not in MATCHES:
            return self._twins(inputs)
        head = MATCHES[self.family]
        found: Tensor = getattr(self.network(**inputs, **head.options), head.output)
        if head.fits is None:
            return found.reshape(-1)
        both = found.reshape(-1, 2)
        return both[:, head.fits] - both[:, 1 - head.fits]

    def _twins(self, inputs: Mapping[str, Tensor]) -> Tensor:
        seen = {k: v for k, v in inputs.items() if k.startswith("pixel")}
        told = {k: v for k, v in inputs.items() if k not in seen}
        picture = twins.unit(self.network.get_image_features(**seen))
        sentence = twins.unit(self.network.get_text_features(**told))
        scaled = (picture * sentence).sum(-1) * self.network.logit_scale.exp()
        bias = self.network.logit_bias if self.bias is None else self.bias
        found: Tensor = scaled + bias
        return found

    def forward(self, right: Tensor, **inputs: Tensor) -> Tensor:
        """The loss of each pair."""
        logits = self.logit(inputs).float()
        return binary_cross_entropy_with_logits(logits, right, reduction="none")


class Backbone:
    """A matcher opened to be trained."""

    def __init__(self, model: Model) -> None:
        if isinstance(model, twins.Twins):
            network = model.parts[0]
            tokenizer = model.parts[1]
        elif isinstance(model, crossing.Crossing) and "matcher" in model.kinds:
            network, tokenizer = model.head("match"), model.tokenizer
        else:
            raise BadInput(
                f"{model.respondent} can't be trained to tell right sentences from foils: give a "
                "matcher of transformers (hf/ID-or-path; docs/hf.md lists the families)."
            )
        self.model: Any = model
        own = getattr(network, "logit_bias", None) is not None
        self.module = RightOrFoil(
            network.float(), model.family, bias=isinstance(model, twins.Twins) and not own
        )
        self._padding = int(tokenizer.pad_token_id or 0)

    def batch(self, pairs: Sequence[tuple[bytes, str]]) -> dict[str, Tensor]:
        """The inputs of pictures with a sentence each."""
        rows = []
        for picture, sentence in pairs:
            item = Item("", "", picture)
            rows.append(self.model.seen(sentence, (item, self.model.opened(item))))
        device = self.module.network.device
        return {
            key: stacked(
                [row[key] for row in rows], self._padding if key in WORDS else 0
            ).to(device)
            for key in rows[0]
        }  # fmt: skip

    def centre(self, pairs: Sequence[tuple[bytes, str]]) -> None:
        """Where cosines become probabilities: let the first bias make these pairs even."""
        bias = self.module.bias
        if bias is not None:
            with repeatable():
                middle = self.module.logit(self.batch(pairs)).mean()
            with torch.no_grad():
                bias.sub_(middle)

    def chances(self, pairs: Sequence[tuple[bytes, str]]) -> list[float]:
        """How likely each sentence is right; without the last digits, so that two sentences which
        are one to the tokenizer come out even."""
        with repeatable():
            found = self.module.logit(self.batch(pairs)).double().sigmoid().tolist()
        return [round(chance, DIGITS) for chance in found]

    def save(self, folder: Path) -> None:
        network = self.module.network
        if self.module.bias is not None:
            setattr(network.config, twins.TUNED, float(self.module.bias.detach()))
        else:
            setattr(network.config, crossing.TUNED, True)
        network.save_pretrained(folder)
        self.model.save_inputs(folder)


def stacked(rows: Sequence[Tensor], fill: int) -> Tensor:
    """Rows of a batch, filled up to the largest of them at the end of each dimension.

    >>> stacked([torch.ones(1, 2), torch.ones(1, 3)], 0).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """
    largest = [max(row.shape[axis] for row in rows) for axis in range(1, rows[0].dim())]
    full = []
    for row in rows:
        room = [(0, want - have) for want, have in zip(largest, row.shape[1:], strict=True)]
        wanted = [end for pair in reversed(room) for end in pair]
        full.append(pad(row, wanted, value=fill))
    return torch.cat(full)
