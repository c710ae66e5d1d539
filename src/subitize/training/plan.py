"""How long, how fast and how often a model is trained, and where its evaluations fall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from subitize.errors import BadInput, UnknownName

PRECISIONS = ("no", "bf16", "fp16")


@dataclass(frozen=True)
class Plan:
    """The paper's settings (Parcalabescu et al. 2021, appendix A.1) unless said otherwise."""

    epochs: int = 20
    """times that every example is shown"""
    batch: int = 16
    """examples of one step, over all devices together"""
    lr: float = 4e-5
    """learning rate after the warm-up, falling linearly to 0"""
    weight_decay: float = 0.01
    """of AdamW; the paper does not say its own"""
    warmup: float = 0.1
    """share of all steps in which the learning rate rises; the paper does not say its own"""
    evaluations: int = 1
    """per epoch"""
    patience: int = 0
    """evaluations without a better one after which training stops; 0: never"""
    precision: str = "no"
    """mixed precision: no, bf16 or fp16"""
    steps: int = 0
    """steps in all, whatever the epochs; 0: as the epochs have"""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "evaluations"):
            if getattr(self, name) < 1:
                raise BadInput(f"--{name} is {getattr(self, name)}: it must be at least 1.")
        for name in ("lr", "weight_decay", "patience", "steps"):
            if not getattr(self, name) >= 0:
                option = name.replace("_", "-")
                raise BadInput(f"--{option} is {getattr(self, name)}: it must be 0 or more.")
        if not 0 <= self.warmup <= 1:
            raise BadInput(f"--warmup is {self.warmup}: it is a share of the steps, 0 to 1.")
        if self.precision not in PRECISIONS:
            raise UnknownName("precision", self.precision, PRECISIONS)


class Part(NamedTuple):
    """What lies between two evaluations."""

    number: int
    """from 1"""
    first: int
    """its first step, from 0"""
    end: int
    """the step after its last"""
    epoch: float
    """how often everything was shown at its end"""


def parts(plan: Plan, examples: int) -> Iterator[Part]:
    """The parts of a training.

    >>> [(p.first, p.end, p.epoch) for p in parts(Plan(epochs=2, batch=16, evaluations=2), 96)]
    [(0, 3, 0.5), (3, 6, 1.0), (6, 9, 1.5), (9, 12, 2.0)]
    """
    each = per_epoch(plan, examples)
    total = plan.steps or plan.epochs * each
    marks: list[int] = []
    while not marks or marks[-1] < total:
        mark = ceil(each * (len(marks) + 1) / plan.evaluations)
        marks.append(min(max(mark, marks[-1] + 1 if marks else 1), total))
    for number, (first, end) in enumerate(zip([0, *marks], marks, strict=False), 1):
        yield Part(number, first, end, round(end / each, 4))


def per_epoch(plan: Plan, examples: int) -> int:
    """Steps in which everything is shown once."""
    return ceil(examples / plan.batch)
