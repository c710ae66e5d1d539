"""Ticks of an axis in per cent say where they are."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from subitize.reports.charts import percent_axis


@pytest.mark.parametrize(
    ("value", "shown"), [(0.625, "62.5 %"), (0.6, "60 %"), (0.1 + 0.2, "30 %"), (0.0, "0 %")]
)
def test_a_tick_is_not_rounded(value: float, shown: str) -> None:
    axes = Figure().subplots()
    percent_axis(axes.yaxis)
    assert axes.yaxis.get_major_formatter()(value, 0) == shown
