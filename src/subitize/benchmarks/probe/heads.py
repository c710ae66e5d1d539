"""The pair of heads: our own network trained on even numbers, as a figure of foils and head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from subitize.benchmarks.probe.cells import CELLS, FAMILY
from subitize.records import Score
from subitize.reports.cells import Line, as_score, columns, data_table, model_table
from subitize.reports.charts import Series, legend, lines, panels, percent_axis
from subitize.reports.page import Block, Figure, Prose, Section
from subitize.reports.respondents import Respondent
from subitize.reports.style import MUTED, OVER, OWN

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

CHANCE = 0.5
LEAD = (
    "numbernet, trained on even right numbers only and asked about all: does it carry over to odd "
    "ones?"
)
SAYS = (
    "With any foils odd numbers occur in training, but only as wrong ones; with even foils they do "
    "not occur at all. A head of number words has weights for each number by itself; a number line "
    "reads one magnitude and compares it with the number. Chance is 50 %."
)


def heads(name: str, respondents: Sequence[Respondent]) -> list[Section]:
    """A section where all four were asked the same: the first such runs."""
    asked: dict[str, dict[str, Respondent]] = {}
    for one in respondents:
        whole, _, options = str(one.scores.get("model")).partition("?")
        cell = whole.removeprefix(f"{FAMILY}/")
        if cell in CELLS and one.scores.get("task") == "counting" and len(_parity(one)) == 2:
            same = f"{options} {sorted((one.run.info.get('settings') or {}).items())}"
            asked.setdefault(same, {}).setdefault(cell, one)
    found = next((own for own in asked.values() if len(own) == len(CELLS)), None)
    if found is None:
        return []
    rows = [
        (*CELLS[cell], int(n), score.value, score.low, score.high)
        for cell in CELLS
        for n, score in _numbers(found[cell]).items()
    ]
    table = data_table(
        f"{name}-heads-by-number", ("foils", "head", "number", "acc_r", "low", "high"), rows
    )
    shares = {cell: _numbers(found[cell]) for cell in CELLS}
    told = [
        Line(found[cell].label, {"foils": foils, "head": head, **_with_pairs(found[cell])})
        for cell, (foils, head) in CELLS.items()
    ]
    shown = columns(
        "foils:Foils in training; head:Head; even:acc_r even:.1%±; even_pairs:Pairs:n; "
        "odd:acc_r odd:.1%±; odd_pairs:Pairs:n"
    )
    blocks: list[Block] = [
        Figure(
            f"{name}-heads-by-number",
            "acc_r by the right number after training on even numbers, a panel for each head with "
            "each kind of foils; 95 % intervals over pictures.",
            "Four panels; the table below has even and odd of each.",
            partial(_drawn, shares),
            table,
        ),
        model_table(f"{name}-parity", "Even numbers were trained, odd ones were not.", told, shown),
        Prose(SAYS),
    ]
    return [Section(f"{name}-heads", "Foils and heads", LEAD, blocks)]


def _parity(one: Respondent) -> dict[str, Score]:
    return {name: as_score(value) for name, value in (one.scores.get("parity") or {}).items()}


def _with_pairs(one: Respondent) -> dict[str, Score | int | None]:
    """Even and odd, each with how many pairs it stands on."""
    pairs = {f"{name}_pairs": one.at("parity", name, "trials") for name in ("even", "odd")}
    return {**_parity(one), **pairs}


def _numbers(one: Respondent) -> dict[str, Score]:
    found = {n: as_score(own.get("acc_r")) for n, own in (one.scores.get("numbers") or {}).items()}
    return {n: score for n, score in found.items() if score.value is not None}


def _drawn(shares: Mapping[str, Mapping[str, Score]]) -> Drawing:
    figure, grid = panels(len(CELLS), 2, (3.4, 2.0), sharex=True, sharey=True)
    for axes, (cell, (foils, head)) in zip(grid, CELLS.items(), strict=True):
        own = shares[cell]
        axes.axhline(CHANCE, color=MUTED, linewidth=0.6, linestyle=":")
        parts = [
            Series(label, {int(n): s for n, s in own.items() if int(n) % 2 == odd}, colour, mark)
            for odd, label, colour, mark in (
                (0, "even (trained)", OWN, "o"), (1, "odd (not trained)", OVER, "s"),
            )
        ]  # fmt: skip
        lines(axes, [one for one in parts if one.points], joined=False)
        axes.set_title(f"{head}, {foils}")
        axes.set_ylim(-0.02, 1.04)
        percent_axis(axes.yaxis)
    for axes in grid[2:]:
        axes.set_xlabel("right number")
    for axes in grid[::2]:
        axes.set_ylabel("acc_r")
    legend(figure, grid[0])
    return figure
