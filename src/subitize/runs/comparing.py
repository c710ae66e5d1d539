"""Comparing runs of one benchmark on the same trials: one way for every benchmark.

A benchmark says by `comparable` which answers stand for a picture; every pair of runs is compared
on the pictures both have, by every measure that applies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from subitize.errors import BadInput
from subitize.measures.accuracy import right_terms
from subitize.measures.error_size import nae_terms, smape_terms
from subitize.measures.paired import Paired, paired_difference
from subitize.measures.ranks import holm
from subitize.measures.trials import Floats
from subitize.runs.stored import StoredRun

if TYPE_CHECKING:
    import polars as pl

LEFT_OUT, WRONG = "left out", "counted wrong"
"""what becomes of pictures that either could not be read on"""
FEWEST = 2
"""pictures that two runs must share"""


class Comparison(NamedTuple):
    """One measure of two runs on the pictures they share."""

    benchmark: str
    first: str
    """model of the first run"""
    second: str
    """model of the second run"""
    measure: str
    """accuracy, nae or smape"""
    unreadable: str
    """pictures that either could not be read on: left out, or counted wrong"""
    first_value: float
    second_value: float
    paired: Paired
    """second − first"""
    p_holm: float
    """corrected for all pairs and measures, by Holm"""
    pictures: int
    """compared"""
    not_read: int
    """pictures that either could not be read on"""

    def as_json(self) -> dict[str, Any]:
        """As `subitize compare --json` prints it."""
        found = {name: getattr(self, name) for name in self._fields if name != "paired"}
        return {
            **found,
            **self.paired._asdict(),
            "difference": self.paired.difference.as_json(),
        }


class _Measure(NamedTuple):
    terms: Callable[[Any, Any], Any]
    """value of each picture from target and answer; an answer of NaN was not read"""
    steps: Callable[[Floats], Any]
    """what an answer that is off by one adds, from the target"""
    bound: float
    skips: bool
    """whether it has a value for a picture that was not read"""


MEASURES = {
    "accuracy": _Measure(right_terms, lambda _: 1.0, 1.0, True),
    "nae": _Measure(nae_terms, lambda target: 1 / target, np.inf, False),
    "smape": _Measure(smape_terms, lambda target: 100 / (2 * target + 1), 100.0, True),
}


def compare_runs(runs: Sequence[StoredRun], *, seed: int = 0) -> list[Comparison]:
    """Every pair of runs by every measure, on the pictures they share; p-values by Holm."""
    if len(runs) < 2:
        raise BadInput(f"There is {len(runs)} run to compare: give at least two.")
    names = {run.benchmark.NAME for run in runs}
    if len(names) > 1:
        raise BadInput(
            f"The runs are of different benchmarks ({', '.join(sorted(names))}): compare those of "
            "one at a time."
        )
    found: list[Comparison] = []
    frames = [run.benchmark.comparable(run.counted, run.settings, _form(run)) for run in runs]
    for one, other in combinations(range(len(runs)), 2):
        # A generator of its own: another run more or less changes no p
        rng = np.random.default_rng([seed, 20251116])
        labels = (_label(runs[one]), _label(runs[other]))
        found += _pair(labels, names.copy().pop(), _joined(frames[one], frames[other], labels), rng)
    adjusted = holm([one.paired.p for one in found]).tolist()
    return [one._replace(p_holm=p) for one, p in zip(found, adjusted, strict=True)]


def _label(run: StoredRun) -> str:
    return str((run.info.get("model") or {}).get("name") or run.folder.name)


def _form(run: StoredRun) -> dict[str, Any]:
    return {**run.info.get("decisions", {}), "prompt_of_scores": run.scores.get("prompt")}


def _joined(first: pl.DataFrame, second: pl.DataFrame, labels: tuple[str, str]) -> pl.DataFrame:
    both = first.join(second, on="picture", how="inner", suffix="_second", maintain_order="left")
    if both.height < FEWEST:
        raise BadInput(
            f"The runs of {labels[0]} and {labels[1]} share {both.height} pictures: compare runs "
            "made with the same settings and seed."
        )
    return both


def _pair(
    labels: tuple[str, str], benchmark: str, both: pl.DataFrame, rng: np.random.Generator
) -> list[Comparison]:
    """Every measure of one pair of runs."""
    target = both["target"].to_numpy()
    given = [both[name].to_numpy() for name in ("answer", "answer_second")]
    strata = both["stratum"].to_numpy().astype(str)
    read = ~(np.isnan(given[0]) | np.isnan(given[1]))
    choices = bool((both["kind"] == "choice").all())
    found = []
    for name, measure in MEASURES.items():
        if choices and name != "accuracy":
            continue
        for treated, kept in ((LEFT_OUT, read), (WRONG, np.ones_like(read))):
            asked = kept & (target > 0) if name == "nae" else kept
            if (treated == WRONG and (read.all() or not measure.skips)) or asked.sum() < FEWEST:
                continue
            one, other = (
                np.asarray(measure.terms(target[asked], answer[asked]), dtype=np.float64)
                for answer in given
            )
            paired = paired_difference(
                one,
                other,
                rng,
                strata=strata[asked],
                steps=measure.steps(target[asked]),
                bound=measure.bound,
            )
            means, many = (float(one.mean()), float(other.mean())), int(asked.sum())
            lost = int((~read).sum())
            found.append(
                Comparison(benchmark, *labels, name, treated, *means, paired, 1.0, many, lost)
            )
    return found
