"""Fitting the observer to many targets: a few numbers at a time, and the same result."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from subitize.errors import BadInput
from subitize.measures import observer_fitting, weber
from subitize.measures.baselines import observer_matrix
from subitize.measures.biased_observer import fit_biased_observer
from subitize.measures.trials import Floats
from subitize.measures.weber import fit_observer


def test_parts_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.round(30 * observer_matrix())
    whole = fit_observer(counts)
    monkeypatch.setattr(weber, "HELD_AT_ONCE", 70)
    assert fit_observer(counts) == whole


def test_many_targets_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """6,000 answers to 100 targets: 64 w × 101 limits × 2,500 cells would be 130 MB an array."""
    monkeypatch.setattr(weber, "GRID", 4)
    monkeypatch.setattr(weber, "ZOOM", 3)
    monkeypatch.setattr(weber, "ROUNDS", 1)
    tracemalloc.start()
    try:
        fit_observer(many_targets(100))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 120e6


def many_targets(highest: int) -> Floats:
    rng = np.random.default_rng(0)
    targets = np.repeat(np.arange(1, highest + 1), 6000 // highest)
    given = np.round(rng.normal(targets, 0.15 * targets)).astype(int).clip(1, 2 * highest)
    counts = np.zeros((2 * highest + 1, highest))
    np.add.at(counts, (given, targets - 1), 1)
    return counts


def test_no_observer_is_fitted_to_five_hundred_targets() -> None:
    """It would take minutes and gigabytes, and kill every report with such a run in it."""
    for fit in (fit_observer, lambda counts: fit_biased_observer(counts, np.random.default_rng(0))):
        with pytest.raises(BadInput, match="up to 500"):
            fit(many_targets(500))


def test_fits_in_parts_are_those_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.round(30 * observer_matrix())
    whole = fit_biased_observer(counts, np.random.default_rng(0), samples=5)
    monkeypatch.setattr(observer_fitting, "HELD_AT_ONCE", 3_000)
    parts = fit_biased_observer(counts, np.random.default_rng(0), samples=5)
    assert parts.as_json() == whole.as_json()
