"""Intervals over prompts, effect sizes, corrections and controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from subitize.benchmarks.geckonum.comparisons import COMPARISONS
from subitize.benchmarks.geckonum.labels import Labelled
from subitize.benchmarks.geckonum.statistics import add_statistics
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.errors import BadInput
from tests.benchmarks.geckonum_data import BY_TEXT, counts, labelled, simulated, write_counts


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    return labelled(simulated(tmp_path_factory.mktemp("gecko") / "a"))


def test_intervals_hold_their_values(found: Labelled) -> None:
    tables = geckonum_tables(found)
    add_statistics(tables, found, np.random.default_rng(0), samples=200)
    with_interval = 0
    for name in ("table2", "figure5", "a3", "a4", "a5", "a6", "a7", "a8"):
        for cell, entry in tables[name].items():
            if "interval" in entry:
                low, high = entry["interval"]
                value = entry["value"]
                assert value is not None
                assert low - 1e-9 <= value <= high + 1e-9, (name, cell)
                with_interval += 1
    assert with_interval >= 3 + 6 + 10 + 9


def test_same_seed_same_intervals(found: Labelled) -> None:
    def once(seed: int) -> object:
        return add_statistics(
            geckonum_tables(found), found, np.random.default_rng(seed), samples=50
        )

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_every_comparison_has_effects_and_controls(found: Labelled) -> None:
    tables = geckonum_tables(found)
    comparisons = add_statistics(tables, found, np.random.default_rng(0), samples=200)
    assert set(comparisons) == set(COMPARISONS)
    for name, models in comparisons.items():
        entry = models["painter_x"]
        one = tables[name]["painter_x|accuracy_1"]["value"]
        other = tables[name]["painter_x|accuracy_2"]["value"]
        assert one is not None
        assert other is not None
        assert entry["difference"]["value"] == pytest.approx(other - one)
        assert np.sign(entry["cohens_h"]) == np.sign(round(other - one, 9))
        assert entry["p"] == tables[name]["painter_x|p"]["value"]
        assert entry["p_holm"] >= entry["p"]
        assert entry["p_bh"] >= entry["p"]
        assert entry["permutation_significant"] <= 0.12
        assert 0 < entry["permutation_p"] <= 1


def test_pictures_of_one_prompt_are_not_independent(tmp_path: Path) -> None:
    """Ten prompts, all right or all wrong: twenty pictures of each tell no more than one."""
    rows = []
    for place, noun in enumerate(("dogs", "cats", "ants", "fish", "flies")):
        for n in (2, 3):
            for seed in range(5):
                answer = str(n if place % 2 else n + 3)
                rows += counts(BY_TEXT[f"{n} {noun}."], [answer] * 3, seed=seed)
    alone = labelled(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    add_statistics(tables, alone, np.random.default_rng(0), samples=2000)
    cell = tables["table2"]["task1|mine|accuracy"]
    low, high = cell["interval"]
    sem = tables["table2"]["task1|mine|sem"]["value"]
    assert sem is not None
    assert high - low > 1.5 * 2 * 1.96 * sem


def test_no_samples_are_refused(found: Labelled) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        add_statistics(geckonum_tables(found), found, np.random.default_rng(0), samples=0)


def test_groups_that_cannot_be_compared_say_so(tmp_path: Path) -> None:
    rows = [*counts(BY_TEXT["2 dogs."], ["2"] * 3), *counts(BY_TEXT["Two dogs."], ["2"] * 3)]
    alone = labelled(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    entry = add_statistics(tables, alone, np.random.default_rng(0), samples=20)["a3"]["mine"]
    assert entry["p"] is None
    assert "can't be compared" in entry["why"]
    assert "can't be compared" in str(tables["a3"]["mine|chi2"]["why"])
