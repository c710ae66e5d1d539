"""One run as the pages see it: a label of its own, its scores and its matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from subitize.records import Row
from subitize.reports.matrices import Matrix, matrix_from
from subitize.reports.page import plain
from subitize.runs.stored import StoredRun

__all__ = ["Respondent", "categories_of", "respondents_from"]


@dataclass(frozen=True)
class Respondent:
    """A model in one run."""

    label: str
    """the model's name, with the run's folder where two runs share a name"""
    run: StoredRun
    overall: Matrix | None
    matrices: Mapping[str, Matrix]
    """by category"""

    @property
    def scores(self) -> Mapping[str, Any]:
        return self.run.scores

    @property
    def nae(self) -> float:
        """What the models are ordered by; unknown comes last."""
        found = (self.scores.get("nae") or {}).get("value")
        return float("inf") if found is None else float(found)

    def scored_rows(self) -> list[Row]:
        """The rows that the scores stand on: the chosen prompt form, not the control question."""
        form = self.scores.get("prompt")
        return [
            row
            for row in self.run.rows
            if row.trial.stage != "control"
            and row.trial.condition.get("form") != "control"
            and (form is None or row.trial.condition.get("form", form) == form)
        ]


def _name(run: StoredRun) -> str:
    model = run.info.get("model") or {}
    return plain(run.scores.get("model") or model.get("name") or run.folder.name, 80)


def respondents_from(runs: Sequence[StoredRun]) -> list[Respondent]:
    """The runs, best NAE first; equal names are told apart by their folders."""
    seen = Counter(_name(run) for run in runs)
    found = []
    for run in runs:
        name = _name(run)
        label = f"{name} ({plain(run.folder.name, 40)})" if seen[name] > 1 else name
        matrices = {
            category: matrix
            for category, scores in (run.scores.get("categories") or {}).items()
            if (matrix := matrix_from(scores)) is not None
        }
        found.append(Respondent(label, run, matrix_from(run.scores), matrices))
    return sorted(found, key=lambda one: (one.nae, one.label))


def categories_of(respondents: Sequence[Respondent]) -> list[str]:
    """All categories, in the order in which the runs name them."""
    return list(dict.fromkeys(name for one in respondents for name in one.matrices))
