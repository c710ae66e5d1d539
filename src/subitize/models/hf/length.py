"""Texts longer than a model takes: cut where it was trained so, else refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from subitize.errors import ModelError
from subitize.models.base import CUT

SPECIAL = 4
"""tokens that a tokenizer may put around a text"""


def cut_at(tokenizer: Any, texts: Sequence[str], longest: int) -> dict[str, int]:
    """The fact of a reply that texts were cut, if they were; an error where what tells them apart
    is gone: equal scores would say nothing about the model."""
    if all(len(text) + SPECIAL <= longest for text in texts):
        return {}
    given = list(texts)
    whole = tokenizer(given, truncation=False, verbose=False)["input_ids"]
    most = max(map(len, whole))
    if most <= longest:
        return {}
    kept = tokenizer(given, truncation=True, max_length=longest)["input_ids"]
    if len(set(map(tuple, kept))) < len(set(map(tuple, whole))):
        raise ModelError(
            f"the sentences have up to {most} tokens, and the model takes {longest}: where they "
            "differ is cut off"
        )
    return {CUT: longest}


def places(model: Any) -> int | None:
    """How many tokens of text a model that writes has learned places for; None: without end.

    Beyond them it fails, on a graphics card with its whole process.
    """
    from torch.nn import Embedding

    known = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    sizes = {
        part.num_embeddings - getattr(part, "offset", 0)
        for name, part in model.named_modules()
        if isinstance(part, Embedding) and "position" in name.rpartition(".")[2]
    }
    return known if known in sizes else None


def room(known: int | None, asked: int, apart: bool, wanted: int) -> int:
    """How many tokens an answer may have; `apart`: it has places of its own.

    >>> room(None, 600, False, 512), room(64, 8, False, 512), room(64, 8, True, 512)
    (512, 56, 63)
    """
    if known is None:
        return wanted
    left = known - asked
    if left < (0 if apart else 1):
        raise ModelError(
            f"the question has {asked} tokens, and the model takes {known}: ask in fewer words"
        )
    return min(wanted, known - 1 if apart else left)
