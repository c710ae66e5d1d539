"""Comparing runs of one benchmark on the same pictures: one way for every benchmark.

A benchmark says by `comparable` which answers stand for a picture; several (samples, people, foils)
are one value, their mean. Every pair of runs is compared on the pictures both have, by every
measure that applies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from subitize.errors import BadInput
from subitize.measures.accuracy import right_terms
from subitize.measures.error_size import nae_terms, smape_terms
from subitize.measures.paired import Paired, paired_difference
from subitize.measures.ranks import holm
from subitize.measures.trials import Floats
from subitize.runs.labels import labels
from subitize.runs.stored import StoredRun, each_once

if TYPE_CHECKING:
    import polars as pl

LEFT_OUT, WRONG = "left out", "counted wrong"
"""what becomes of pictures that either could not be read on"""
SECOND = " of the second"
FEWEST = 2
"""pictures that two runs must share"""
SEED = (0, 20251116)


class Comparison(NamedTuple):
    """One measure of two runs on the pictures they share."""

    benchmark: str
    first: str
    """model of the first run, with what tells its runs apart where it has two"""
    second: str
    """the same of the second run"""
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


class Compared(NamedTuple):
    """All pairs of runs."""

    found: list[Comparison]
    strangers: list[tuple[str, str]]
    """pairs that share too few pictures that were read"""
    unread: list[tuple[str, str]]
    """pairs that share too few that both read, so that all pictures are counted wrong of one"""


class _Measure(NamedTuple):
    terms: Callable[[Any, Any], Any]
    """value of each picture from target and answer; an answer of NaN was not read"""
    steps: Callable[[Floats], Any]
    """what an answer that is off by one adds, from the target"""
    bound: float
    skips: bool
    """whether it has a value for an answer that was not read"""


MEASURES = {
    "accuracy": _Measure(right_terms, lambda _: 1.0, 1.0, True),
    "nae": _Measure(nae_terms, lambda target: 1 / target, np.inf, False),
    "smape": _Measure(smape_terms, lambda target: 100 / (2 * target + 1), 100.0, True),
}


def compare_runs(runs: Sequence[StoredRun]) -> Compared:
    """Every pair of runs by every measure, on the pictures they share; p-values by Holm."""
    runs = each_once(runs)
    if len(runs) < 2:
        raise BadInput(f"There is {len(runs)} run to compare: give at least two.")
    names = sorted({run.benchmark.NAME for run in runs})
    if len(names) > 1:
        raise BadInput(
            f"The runs are of different benchmarks ({', '.join(names)}): compare those of one at a "
            "time."
        )
    compared = Compared([], [], [])
    called = labels([_model(run) for run in runs], runs)
    values = [
        _values(run.benchmark.comparable(run.counted, run.settings, _form(run))) for run in runs
    ]
    for one, other in combinations(range(len(runs)), 2):
        # A generator of its own: another run more or less changes no p
        rng = np.random.default_rng(SEED)
        pair = called[one], called[other]
        both = values[one].join(values[other], on="picture", suffix=SECOND, maintain_order="left")
        if measured := _pair(pair, names[0], both, rng):
            compared.found.extend(measured)
            if all(found.unreadable == WRONG for found in measured):
                compared.unread.append(pair)
        else:
            compared.strangers.append(pair)
    if not compared.found:
        for run, name, own in zip(runs, called, values, strict=True):
            if own.is_empty() and _without_targets(run):
                raise BadInput(
                    f"No answer of {name} is right or wrong ({run.benchmark.NAME} has no right "
                    "answers): there is nothing to compare."
                )
        raise BadInput(
            f"The runs of {' and '.join(compared.strangers[0])} share no two pictures that were "
            "read: compare runs made with the same settings and seed."
        )
    adjusted = holm([one.paired.p for one in compared.found]).tolist()
    corrected = zip(compared.found, adjusted, strict=True)
    return compared._replace(found=[one._replace(p_holm=p) for one, p in corrected])


def _model(run: StoredRun) -> str:
    return str((run.info.get("model") or {}).get("name") or run.folder.name)


def _form(run: StoredRun) -> dict[str, Any]:
    return {**run.info.get("decisions", {}), "prompt_of_scores": run.scores.get("prompt")}


def _without_targets(run: StoredRun) -> bool:
    """Whether nothing that was asked has a right answer, as when a metric scores pictures."""
    counted = run.counted
    return bool(counted["target"].is_null().all() and (counted["target_choice"] == "").all())


def _values(answers: pl.DataFrame) -> pl.DataFrame:
    """A row per picture: its target and, of each measure, the mean over the answers that were read
    and that over all."""
    import polars as pl

    target, given = answers["target"].to_numpy(), answers["answer"].to_numpy()
    read, terms = ~np.isnan(given), {}
    for name, measure in MEASURES.items():
        known = target > 0 if name == "nae" else np.ones_like(read)
        each = np.full(given.size, np.nan)
        if known.any():  # of nothing there are no terms
            each[known] = measure.terms(target[known], given[known])
        terms[name, LEFT_OUT] = np.where(read, each, np.nan)
        terms[name, WRONG] = each if measure.skips else np.full(given.size, np.nan)
    columns = {" ".join(key): pl.Series(value, nan_to_null=True) for key, value in terms.items()}
    return (
        answers.select("picture", "stratum", "target", "kind")
        .with_columns(**columns, not_read=pl.Series(~read))
        .group_by("picture", maintain_order=True)
        .agg(
            pl.col("stratum", "target", "kind").first(),
            pl.col(*columns).mean(),
            pl.col("not_read").any(),
        )
    )


def _pair(
    labels: tuple[str, str], benchmark: str, both: pl.DataFrame, rng: np.random.Generator
) -> list[Comparison]:
    """Every measure of one pair of runs."""
    choices = bool((both["kind"] == "choice").all())
    lost = int((both["not_read"] | both[f"not_read{SECOND}"]).sum())
    found = []
    for name, treated in product(MEASURES, (LEFT_OUT, WRONG)):
        measure, column = MEASURES[name], f"{name} {treated}"
        kept = both.drop_nulls([column, column + SECOND])
        if (choices and name != "accuracy") or (treated == WRONG and not lost):
            continue
        if kept.height < FEWEST:
            continue
        one, other = (kept[each].to_numpy() for each in (column, column + SECOND))
        paired = paired_difference(
            one,
            other,
            rng,
            strata=kept["stratum"].to_numpy().astype(str),
            steps=measure.steps(kept["target"].to_numpy()),
            bound=measure.bound,
        )
        means = float(one.mean()), float(other.mean())
        found.append(
            Comparison(benchmark, *labels, name, treated, *means, paired, 1.0, kept.height, lost)
        )
    return found
