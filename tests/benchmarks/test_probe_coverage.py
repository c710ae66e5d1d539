"""What the probe's intervals cover: the committed table, cell by cell."""

from __future__ import annotations

import json
from zlib import crc32

import numpy as np
import pytest
from bench.coverage_probe import FILE, ITEMS, covered, responders, truths

from subitize.measures.accuracy import proportion_interval, share_interval

TABLE = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_cell_is_there_and_holds_the_truth() -> None:
    assert list(TABLE) == responders()
    for name, row in TABLE.items():
        assert list(row) == [str(items) for items in ITEMS]
        for items, cell in row.items():
            for score in truths(name):
                assert cell[score]["coverage"] >= 0.92, (name, items, score)


@pytest.mark.budget(30)
def test_random_cells_of_the_table_come_out_again() -> None:
    """Other seeds: every coverage within three and a half standard errors of the table's."""
    cells = [(name, items) for name in TABLE for items in ITEMS]
    rng = np.random.default_rng(crc32(FILE.read_bytes()))
    runs = 300
    for at in rng.choice(len(cells), 3, replace=False).tolist():
        name, items = cells[at]
        known = TABLE[name][str(items)]
        found = covered(name, items, runs, seed=int(rng.integers(1, 2**31)))
        for score in truths(name):
            share = min(max(known[score]["coverage"], 0.02), 0.98)
            error = np.sqrt(share * (1 - share) * (1 / runs + 1 / known["runs"]))
            assert found[score]["coverage"] == pytest.approx(
                known[score]["coverage"], abs=3 * error
            ), (name, items, score)


def test_single_sentences_and_copies_of_them() -> None:
    """A trial per picture is Clopper and Pearson's; copies of it add nothing but a little width."""
    values = [1, 0, 1, 1, 0, 1, 1, 1]
    exact = proportion_interval(6, 8)
    alone = share_interval(values, range(8))
    assert (alone.low, alone.high) == pytest.approx((exact.low, exact.high))
    copied = share_interval(np.repeat(values, 5), np.repeat(np.arange(8), 5))
    assert copied.value == exact.value
    assert copied.low is not None
    assert copied.high is not None
    assert exact.low is not None
    assert exact.high is not None
    assert 0 <= exact.low - copied.low < 0.1
    assert 0 <= copied.high - exact.high < 0.05
