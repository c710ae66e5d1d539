"""Figure 2 of the paper for any split files: the share of each numeral, a ring per file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from subitize.reports.style import INK, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 4.0
"""parts below so many percent have no number written on them"""


def rings(percents: Mapping[str, Mapping[str, float]]) -> Figure:
    """The first file is the outermost ring; equal numerals have equal colours."""
    from matplotlib import colormaps

    with styled():
        figure = new_figure(4.6, 3.6)
        axes = figure.subplots()
        width = 0.8 / max(2, len(percents))
        numerals = list(next(iter(percents.values())))
        colours = [*colormaps["viridis"](np.linspace(0.05, 0.95, len(numerals)))]
        for place, shares in enumerate(percents.values()):
            wedges, *_ = axes.pie(
                [shares[name] for name in numerals],
                radius=1 - place * width,
                colors=colours,
                startangle=90,
                counterclock=False,
                labels=[f"{shares[one]:.0f}" if shares[one] >= SHOWN else "" for one in numerals],
                labeldistance=1 - width / (2 * (1 - place * width)),
                textprops={"ha": "center", "va": "center", "fontsize": 6, "color": "white"},
                wedgeprops={"width": width * 0.94, "edgecolor": "white", "linewidth": 0.5},
            )
        axes.legend(wedges, numerals, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        order = "\n".join(percents)
        axes.set_title(f"percent of numerals, rings from outside:\n{order}", color=INK, fontsize=7)
    return figure
