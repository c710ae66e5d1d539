"""Fitting the observer to many targets: a few numbers at a time, and the same result."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from subitize.measures import weber
from subitize.measures.baselines import observer_matrix
from subitize.measures.weber import fit_observer


def test_parts_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.round(30 * observer_matrix())
    whole = fit_observer(counts)
    monkeypatch.setattr(weber, "HELD_AT_ONCE", 70)
    assert fit_observer(counts) == whole


def test_five_hundred_targets_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """6,000 answers to 500 targets: 64 w × 501 limits × 6,000 cells would be 1.5 GB at once."""
    monkeypatch.setattr(weber, "GRID", 4)
    monkeypatch.setattr(weber, "ZOOM", 3)
    monkeypatch.setattr(weber, "ROUNDS", 1)
    rng = np.random.default_rng(0)
    targets = np.repeat(np.arange(1, 501), 12)
    given = np.clip(np.round(rng.normal(targets, 0.15 * targets)), 1, 1000).astype(int)
    counts = np.zeros((1001, 500))
    np.add.at(counts, (given, targets - 1), 1)
    tracemalloc.start()
    try:
        fit_observer(counts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 120e6
