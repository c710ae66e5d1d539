"""How far a run has come: what its settings ask, what was answered, what failed."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from subitize.errors import SubitizeError
from subitize.runs.stored import StoredRun


class HowFar(NamedTuple):
    """Trials of the model under test."""

    wanted: int
    """what the settings ask; where nobody can tell, what was answered"""
    answered: int
    failed: int

    @property
    def complete(self) -> bool:
        return self.answered >= self.wanted and not self.failed


def how_far(run: StoredRun) -> HowFar:
    """How many trials the run's settings ask of the model, and how many were answered.

    Where no formula tells the first, or its data are not here, what was answered is all. A run of
    people has what its own study planned: a trial is answered when as many people as it wants did.
    """
    import polars as pl

    failed = int((run.counted["state"] == "failed").sum())
    if study := run.info.get("study"):
        said = run.answers.filter(pl.col("state") != "failed").group_by("trial")
        people = said.agg(pl.col("respondent").n_unique())["respondent"]
        return HowFar(study["trials"], int((people >= study["annotators"]).sum()), failed)
    sizes: dict[str, int | None] = {}
    # an imported run asks what others planned
    if kind := run.info.get("kind"):
        decisions = run.info.get("decisions") or {}
        with suppress(SubitizeError, KeyError):
            for stage in run.benchmark.stages(run.settings, kind):
                if not stage.role and not stage.follows:
                    sizes[stage.name] = run.benchmark.size(stage.name, run.settings, decisions)
    given = run.answers.filter(pl.col("stage").is_in(list(sizes)) & (pl.col("state") != "failed"))
    # A stage at a time: grouping half a million names at once takes a hundred megabytes.
    of = {name: given.filter(pl.col("stage") == name) for name in sizes}
    answered = {name: own["trial"].n_unique() for name, own in of.items()}
    wanted = sum(answered[name] if size is None else size for name, size in sizes.items())
    return HowFar(wanted, sum(answered.values()), failed)
