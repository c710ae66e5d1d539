"""Fifty million rows: memory stays flat, CPU time grows with the rows. Run by `make long`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.captions import MADE, captions, large, record, write


@pytest.mark.long
def test_fifty_million_rows(tmp_path: Path) -> None:
    """A million written once and listed fifty times; what was measured is kept for the docs."""
    file = write(tmp_path / "made.parquet", captions(MADE, np.random.default_rng(0)))
    found = large(file, 50 * MADE)
    record("large", found)
    assert found["peak_mb"] < found["aim_mb"]
    assert found["of_linear"] < 1.25
