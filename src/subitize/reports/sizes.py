"""Scores against the size of models: do larger versions of one family count better?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from subitize.reports.cells import Line, as_score, data_table
from subitize.reports.charts import Series, legend, panels, percent_axis
from subitize.reports.page import Column, Figure
from subitize.reports.style import MUTED, SMALLEST, log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

FEWEST = 2
"""models of known size that make a figure"""
_SIZE = re.compile(r"[\s_-]*\b\d+(\.\d+)?[bBmM]\b")
_VERSION = re.compile(r"[\s_-]\d+(\.\d+)*$")


def family(model: str) -> str:
    """A model's name without its size, or else without its version.

    >>> [family(name) for name in ("Qwen2.5-VL 72B", "hf/org/It-7b-chat", "Stable Diffusion 3.5")]
    ['Qwen2.5-VL', 'hf/org/It-chat', 'Stable Diffusion']
    """
    sizeless = _SIZE.sub("", model)
    return _VERSION.sub("", model) if sizeless == model else sizeless


def size_figure(name: str, lines: Sequence[Line], columns: Sequence[Column]) -> list[Figure]:
    """A panel per measure with every line whose size is known; versions of a family are joined."""
    families: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if isinstance(line.values.get("parameters"), int | float):
            families.setdefault((line.badge, family(line.label)), []).append(line)
    families = {
        key: own
        for key, own in families.items()
        if any(line.cell(column).value is not None for line in own for column in columns)
    }
    sized = [line for own in families.values() for line in own]
    measured = [
        column
        for column in columns
        if sum(line.cell(column).value is not None for line in sized) > 1
    ]
    if len(sized) < FEWEST or not measured:
        return []

    def draw() -> Drawing:
        figure, row = panels(len(measured), 2, (3.6, 2.6))
        for axes, column in zip(row, measured, strict=True):
            for nth, own in enumerate(families.values()):
                _family(axes, nth, own, column)
            _dressed(axes, column)
        legend(figure, row[0])
        return figure

    said = " and ".join(column.label for column in measured)
    told = [f"{said} against the size of the model"]
    if any(
        sum(line.cell(column).value is not None for line in own) > 1
        for own in families.values()
        for column in measured
    ):
        told.append("versions of one family are joined")
    if not all(line.badge for line in sized):
        told.append("filled: runs of this report, with 95 % intervals")
    if any(line.badge for line in sized):
        told.append("open: published values")
    rows = [
        (line.label, line.badge, line.values["parameters"], *(line.cell(c).value for c in measured))
        for line in sized
    ]
    heads = ("model", "mark", "billions", *(column.name for column in measured))
    return [
        Figure(
            f"{name}-sizes",
            f"{'; '.join(told)}.",
            f"{said} of {', '.join(line.label for line in sized)} by size.",
            draw,
            data_table(f"{name}-sizes", heads, rows),
        )
    ]


def _family(axes: Axes, nth: int, own: Sequence[Line], column: Column) -> None:
    """The versions of one family, from the smallest to the largest."""
    look = Series.at(nth, family(own[0].label), {})
    ordered = sorted(own, key=lambda line: float(line.values["parameters"]))
    known = [(line, as_score(line.cell(column))) for line in ordered]
    known = [(line, score) for line, score in known if score.value is not None]
    sizes = [float(line.values["parameters"]) for line, _ in known]
    for size, (_, score) in zip(sizes, known, strict=True):
        if score.low is not None and score.high is not None:
            axes.plot([size] * 2, [score.low, score.high], color=look.colour, linewidth=1)
    label = look.label + " (published)" * bool(own[0].badge)
    axes.plot(
        sizes, [score.value or 0.0 for _, score in known], color=look.colour, marker=look.mark,
        markersize=5, markerfacecolor="white" if own[0].badge else look.colour, linewidth=1,
        label=label,
    )  # fmt: skip


def _dressed(axes: Axes, column: Column) -> None:
    axes.set(xscale="log", xlabel="parameters (billions)", ylabel=column.label)
    axes.margins(x=0.15)
    log_ticks(axes.xaxis)
    axes.tick_params(axis="x", which="minor", color=MUTED, labelsize=SMALLEST)
    if column.form.endswith("%"):
        percent_axis(axes.yaxis)
        axes.set_ylim(-0.02, 1.02)
    else:
        axes.set_ylim(0, 1.08 * axes.get_ylim()[1])  # room for a mark at the top
