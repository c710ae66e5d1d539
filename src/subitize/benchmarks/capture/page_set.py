"""CAPTURE's set in numbers: how many objects there are, how many are hidden, which kinds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator

from subitize.benchmarks.capture.page_tables import NAME
from subitize.published import capture as paper
from subitize.reports.cells import Line, columns, model_table, text
from subitize.reports.charts import panels
from subitize.reports.page import Block, Column, Figure, Section
from subitize.reports.respondents import Respondent
from subitize.reports.style import OWN

SHOWN = columns(
    "pictures:Configurations:n; total:Mean total:.2f; hidden:Mean hidden:.2f; kinds::wide"
)
MOST_KINDS = 6
"""kinds of object that are named"""
BINS = 30


def set_section(set_: str, respondents: Sequence[Respondent]) -> list[Section]:
    """What the models of a set were shown, each configuration once."""
    every = pl.concat(
        one.run.counted.filter(
            (pl.col("stage") == "total") & (pl.col("variant") == "occluded")
        ).select("configuration", "total", "hidden", "arrangement", "object")
        for one in respondents
    ).unique("configuration", maintain_order=True)
    if not every.height:
        return []
    known = every.filter(pl.col("hidden") > 0)
    lines = [Line("this report", _facts(every, known))]
    if printed := paper.SETS.get(set_):
        lines.append(Line("the paper", printed, "published", "not printed"))
    said = f"Mean total {text(lines[0].values['total'], '.1f')} objects."
    figure = Figure(
        f"{NAME}-{set_}-set",
        "How many objects the configurations hold, and how many of them the occluder hides.",
        f"Two histograms over {every.height:,} configurations. {said}",
        partial(_histograms, {"objects in all": every["total"].to_list(),
                              "objects hidden": known["hidden"].to_list()}),
    )  # fmt: skip
    caption = "The configurations of the occluded pictures that were asked about."
    blocks: list[Block] = [
        model_table(f"{NAME}-{set_}-set", caption, lines, SHOWN, first=Column("set", "Set")),
        figure,
    ]
    lead = "Errors mean little without it: hiding 2 of 5 is not hiding 2 of 50."
    return [Section(f"{NAME}-{set_}-set-section", "The set in numbers", lead, blocks)]


def _facts(every: pl.DataFrame, known: pl.DataFrame) -> dict[str, object]:
    kinds = [
        f"{name} {text(many, ',.0f')}"
        for fact in ("arrangement", "object")
        for name, many in every[fact].value_counts(sort=True).head(MOST_KINDS).iter_rows()
        if name
    ]
    objects = every["object"].n_unique()
    more = f"; {objects} kinds of object" if objects > MOST_KINDS else ""
    return {
        "pictures": every.height,
        "total": every["total"].mean(),
        "hidden": known["hidden"].mean(),
        "kinds": f"{', '.join(kinds)}{more}",
    }


def _histograms(numbers: dict[str, list[int]]) -> Drawing:
    shown = {label: found for label, found in numbers.items() if found}
    figure, row = panels(len(shown), 2, (3.6, 2.0))
    for axes, (label, found) in zip(row, shown.items(), strict=True):
        low, high = min(found), max(found)
        step = max(1, -(-(high - low + 1) // BINS))
        axes.hist(
            found,
            bins=[edge - 0.5 for edge in range(low, high + step + 1, step)],
            color=OWN,
            rwidth=0.9,
        )
        axes.set(xlabel=label, ylabel="configurations")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(6, integer=True))
    return figure
