"""Intervals over prompts, effect sizes, corrections and controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from subitize.benchmarks.geckonum.comparisons import COMPARISONS, add_statistics
from subitize.benchmarks.geckonum.tables import geckonum_tables
from subitize.datasets.geckonum.questions import make_questions
from subitize.errors import BadInput
from tests.benchmarks.geckonum_data import (
    BY_TEXT,
    PROMPTS,
    counts,
    labels,
    simulated,
    write_counts,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return labels(simulated(tmp_path_factory.mktemp("gecko") / "a"))


def test_intervals_hold_their_values(found: pl.DataFrame) -> None:
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


def test_same_seed_same_intervals(found: pl.DataFrame) -> None:
    def once(seed: int) -> object:
        return add_statistics(
            geckonum_tables(found), found, np.random.default_rng(seed), samples=50
        )

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_every_comparison_has_effects_and_controls(found: pl.DataFrame) -> None:
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
    alone = labels(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    add_statistics(tables, alone, np.random.default_rng(0), samples=2000)
    cell = tables["table2"]["task1|mine|accuracy"]
    low, high = cell["interval"]
    sem = tables["table2"]["task1|mine|sem"]["value"]
    assert sem is not None
    assert high - low > 1.5 * 2 * 1.96 * sem


def test_no_samples_are_refused(found: pl.DataFrame) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        add_statistics(geckonum_tables(found), found, np.random.default_rng(0), samples=0)


def test_groups_that_cannot_be_compared_say_so(tmp_path: Path) -> None:
    rows = [*counts(BY_TEXT["2 dogs."], ["2"] * 3), *counts(BY_TEXT["Two dogs."], ["2"] * 3)]
    alone = labels(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    entry = add_statistics(tables, alone, np.random.default_rng(0), samples=20)["a3"]["mine"]
    assert entry["p"] is None
    assert "can't be compared" in entry["why"]
    assert "can't be compared" in str(tables["a3"]["mine|chi2"]["why"])


def test_groups_that_are_all_right_or_all_wrong_have_intervals(tmp_path: Path) -> None:
    """Three prompts in digits all right, three in words all wrong: still only three prompts."""
    rows = []
    for n, word in ((2, "Two"), (3, "Three"), (4, "Four")):
        for seed in range(5):
            rows += counts(BY_TEXT[f"{n} dogs."], [str(n)] * 3, seed=seed)
            rows += counts(BY_TEXT[f"{word} dogs."], ["9"] * 3, seed=seed)
    alone = labels(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    entry = add_statistics(tables, alone, np.random.default_rng(0), samples=50)["a3"]["mine"]
    low, high = tables["a3"]["mine|accuracy_1"]["interval"]
    assert high == 100
    assert low == pytest.approx(100 * 0.025 ** (1 / 3))
    low, high = tables["a3"]["mine|accuracy_2"]["interval"]
    assert low == 0
    assert high == pytest.approx(100 * (1 - 0.025 ** (1 / 3)))
    assert entry["difference"]["value"] == -100
    assert entry["difference"]["low"] == -100
    assert entry["difference"]["high"] == pytest.approx(100 * (2**0.5 * (1 - 0.025 ** (1 / 3)) - 1))


def test_drops_between_groups_that_are_all_alike_have_intervals(tmp_path: Path) -> None:
    two = next(one for one in PROMPTS if one.prompt_type == "2-additive" and ":1" in one.entities)
    asked = [one for one in make_questions([two]) if one.task == 1]
    which = next(place for place, one in enumerate(asked) if one.truth == 1)
    rows = [*counts(BY_TEXT["1 dog."], ["1"] * 3), *counts(two, ["7"] * 3, question=which)]
    alone = labels(write_counts(tmp_path / "a", rows))
    tables = geckonum_tables(alone)
    add_statistics(tables, alone, np.random.default_rng(0), samples=50)
    cell = tables["a5"]["mine|numeric_simple->2-additive|1"]
    assert cell["value"] == -100
    low, high = cell["interval"]
    assert low == -100
    assert high > 0  # one prompt of each kind shows nothing
