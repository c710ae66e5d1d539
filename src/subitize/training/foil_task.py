"""Right sentence or foil as a task to learn, on any matcher's backbone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from subitize.models.base import Model
from subitize.records import Trial
from subitize.training.backbone import Backbone
from subitize.training.foils import Data, measured, pairs_of, shown
from subitize.training.loop import Metrics

BATCH = 32
"""pairs that are judged at once"""
FIRST = 16
"""pairs that a new bias is set by"""


class FoilTask:
    """Binary right/foil on a backbone."""

    def __init__(self, model: Model, data: Data, judged_by: str) -> None:
        self._backbone = Backbone(model)
        self.module = self._backbone.module
        self._data = data
        self.examples = len(data.train)
        self.judged_by = ("valid", judged_by)
        self._backbone.centre([shown(pair) for pair in data.train[:FIRST]])

    def inputs(self, chosen: Sequence[int]) -> dict[str, Any]:
        pairs = [self._data.train[place] for place in chosen]
        made = self._backbone.batch([shown(pair) for pair in pairs])
        right = torch.tensor([float(pair.right) for pair in pairs])
        return {"right": right.to(self.module.network.device), **made}

    def evaluate(self) -> Metrics:
        """Every measure on validation, test, both together and the alignment task."""
        self.module.eval()
        scores = {name: self._scores(trials) for name, trials in self._data.judged.items()}
        judged = dict(self._data.judged)
        scores["valid+test"] = scores["valid"] + scores["test"]
        judged["valid+test"] = judged["valid"] + judged["test"]
        return {name: measured(judged[name], scores[name]) for name in judged}

    def _scores(self, trials: Sequence[Trial]) -> list[list[float]]:
        """Of every item the match probability of each sentence."""
        pairs = [shown(pair) for trial in trials for pair in pairs_of(trial)]
        found: list[float] = []
        for first in range(0, len(pairs), BATCH):
            found += self._backbone.chances(pairs[first : first + BATCH])
        each = iter(found)
        return [[next(each) for _ in trial.options] for trial in trials]

    def save(self, folder: Path) -> None:
        self._backbone.save(folder)
