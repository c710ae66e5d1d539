"""Batches that fit into a device's memory: halved when one does not, from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from subitize.errors import ModelError
from subitize.models.base import Answers, Reply

T = TypeVar("T")
OUT_OF_MEMORY = "out_of_memory"
"""the fact of a reply that says how many items at once the device could take"""

LACKING = ("out of memory", "alloc_failed", "not enough memory")
"""in the words of CUDA and its libraries, of MPS and of torch's allocator on the processor"""


class Fitting:
    """Asks as many at once as the device can take; what it learns it keeps."""

    def __init__(self) -> None:
        self.most: int | None = None
        """so many items fit; unknown while every batch did"""

    def ask(self, ask: Callable[[list[T]], Answers], items: Sequence[T]) -> Answers:
        """The replies to all items; one that does not fit even alone is an error of its own."""
        found: list[Reply | ModelError] = []
        while len(found) < len(items):
            found += self._part(ask, list(items[len(found) :][: self.most]))
        if self.most is None:
            return found
        told = {OUT_OF_MEMORY: f"{self.most} at once"}
        return [
            replace(reply, facts={**reply.facts, **told}) if isinstance(reply, Reply) else reply
            for reply in found
        ]

    def _part(self, ask: Callable[[list[T]], Answers], items: list[T]) -> Answers:
        import torch

        try:
            return ask(items)
        except RuntimeError as problem:
            if not (isinstance(problem, torch.OutOfMemoryError) or too_large(problem)):
                raise
            if len(items) == 1:
                raise ModelError(
                    "it does not fit into the device's memory, not even alone: give a smaller "
                    "model, dtype=bfloat16 or device=cpu"
                ) from problem
        # Outside of the except: what the failed batch holds is free only here.
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        self.most = len(items) // 2
        return self._part(ask, items[: self.most])


def too_large(problem: RuntimeError) -> bool:
    """Whether memory was lacking, by the words of those that have no class of their own for it.

    >>> too_large(RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"))
    True
    >>> too_large(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"))
    True
    >>> too_large(RuntimeError("expected scalar type Float but found Half"))
    False
    """
    return any(words in str(problem).lower() for words in LACKING)


def told_by(reply: Reply) -> Any:
    """How many items at once the device could take, where a batch was too large for it."""
    return reply.facts.get(OUT_OF_MEMORY)
