"""The figures of the CAPTURE page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from subitize.benchmarks.capture.page_tables import BOTH, NAME, in_order, levels
from subitize.records import Score
from subitize.reports.cells import Line, as_score, at
from subitize.reports.charts import Series, dot_figure, legend, lines, name_row, panels
from subitize.reports.grids import Matrix, keys, side_by_side
from subitize.reports.links import opens
from subitize.reports.page import Figure
from subitize.reports.respondents import Respondent, unfolded
from subitize.reports.style import INK, MUTED, OWN, new_figure

DRAWN = ("hidden", "total", "arrangement")
MOST_MATRICES = 6
MOST_OVERLAID = 4
"""models whose intervals can be told apart in one panel"""


def by_facts(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """Error by number hidden, by total and by arrangement: the paper's Figures 6 and 7."""
    told = []
    for one in respondents:
        by_hidden = [
            f"{line['value']:.1f} with {level} hidden"
            for level, line in levels(one, "hidden").items()
        ]
        ends = ", ".join(dict.fromkeys([*by_hidden[:1], *by_hidden[-1:]]))
        told.append(f"{one.label}: sMAPE {ends}" if ends else f"{one.label}: no occluded pictures")
    facts = [fact for fact in DRAWN if any(levels(one, fact) for one in respondents)]
    figure = Figure(
        f"{NAME}-{set_}-by-facts",
        "Error on occluded pictures by the number of hidden objects, by the total and by the "
        "arrangement, with 95 % intervals. Who counts only what is in sight errs more with every "
        "hidden object; who completes the pattern does not.",
        "; ".join(told),
        partial(_draw_facts, respondents, facts),
    )
    return figure if facts else None


def _draw_facts(respondents: Sequence[Respondent], facts: Sequence[str]) -> Drawing:
    """A few models in one panel per fact; more of them each in a row of panels of its own."""
    alone = len(respondents) > MOST_OVERLAID
    rows = [[place] for place in range(len(respondents))] if alone else [range(len(respondents))]
    size = (7.2 / len(facts), 1.0 if alone else 2.7)
    shared = "col" if alone else False
    figure, every = panels(len(rows) * len(facts), len(facts), size, sharex=shared, sharey=True)
    figure.set_label("")  # each column of panels stays together on a phone
    known = {
        fact: in_order(dict.fromkeys(v for one in respondents for v in levels(one, fact)))
        for fact in facts
    }
    for nth, axes in enumerate(every):
        row, fact = rows[nth // len(facts)], facts[nth % len(facts)]
        _draw_fact(axes, [(n, respondents[n]) for n in row], fact, known[fact])
        if alone and fact == facts[0]:
            axes.set_title(" ", fontsize=8.5, loc="left")
            name_row(axes, respondents[row[0]].label)
        if alone and nth < len(every) - len(facts):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
    # Last, so that the axis which they share has room for all.
    every[0].set_ylim(bottom=0)
    for first in every[:: len(facts)]:
        first.set_ylabel("sMAPE (%)" if alone else "sMAPE of occluded pictures (%)")
    if not alone:
        legend(figure, every[0])
    return figure


def _draw_fact(
    axes: Axes, drawn: Sequence[tuple[int, Respondent]], fact: str, known: Sequence[Any]
) -> None:
    """Models with their places, by the known levels of a fact."""
    series = []
    for place, one in drawn:
        own = {known.index(level): (level, found) for level, found in levels(one, fact).items()}
        points = {at: as_score(found) for at, (_, found) in own.items()}
        opened = {at: _opens(one, fact, level) for at, (level, _) in own.items()}
        look = place if len(drawn) > 1 else 0
        series.append(Series.at(look, one.label, points)._replace(opened=opened))
    names = fact == "arrangement"
    shift = 0.6 / max(1, len(series) - 1) if names else 0.06
    lines(axes, series, joined=not names, shift=shift)
    every = 1 if len(known) <= 12 else 2
    axes.set_xticks(range(0, len(known), every), [str(v) for v in known[::every]])
    axes.set_xlabel(fact if names else f"objects {'hidden' if fact == 'hidden' else 'in all'}")


def _occluded(one: Respondent) -> dict[str, str]:
    """By what the viewer chooses the answers to occluded pictures; not those of the real set.

    Its totals are too many to choose from, and its facts stand here in ranges.
    """
    if one.scores.get("set") != "synthetic":
        return {}
    return {"run": one.run.folder.name, "stage": "total", "variant": "occluded"}


def _opens(one: Respondent, fact: str, level: object) -> str | None:
    return opens(_occluded(one), **{"wanted" if fact == "total" else fact: level})


def price(set_: str, ranked: Sequence[Line]) -> Figure:
    """From the error without to that with an occluder, a line per model."""
    known = [
        line
        for line in ranked
        if not line.label.startswith("Avg.") and at(line.values, "smape", "occluded")
    ]
    series = []
    for own, colour in ((True, OWN), (False, INK)):
        for variant, mark in zip(BOTH, "os", strict=True):
            points = {
                place: Score(as_score(line.values["smape"][variant]).value)
                for place, line in enumerate(known)
                if own is not bool(line.badge) and at(line.values, "smape", variant)
            }
            filled = variant == "occluded"
            series.append(Series(variant, points, colour, mark, filled=filled))
    return dot_figure(
        f"{NAME}-{set_}-price",
        "The price of occlusion: the same configurations without (open circles) and with (filled "
        "squares) a black box; people were asked with the box only. Blue are the runs of this "
        "report, black the paper's.",
        [line.label for line in known],
        series,
        "sMAPE (%)",
        joined=True,
    )


def hybrid(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """Counter alone, model, and model told the counter's visible count: the paper's Figure 5."""
    shown = [one for one in respondents if one.at("help", "visible-count")]
    helped = [one.scores["help"]["visible-count"] for one in shown]
    scores = {
        "counter alone": [one["counter_alone"] for one in helped],
        "model": [one.at("smape", "occluded") for one in shown],
        "model with counter": [one["smape"] for one in helped],
    }
    series = [
        Series(name, dict(enumerate(map(as_score, found))), colour)
        for (name, found), colour in zip(scores.items(), (MUTED, INK, OWN), strict=True)
    ]
    figure = dot_figure(
        f"{NAME}-{set_}-hybrid",
        "A counter alone (its visible count as the answer), the model alone, and the model that is "
        "told the visible count, with 95 % intervals.",
        [one.label for one in shown],
        series,
        "sMAPE of occluded pictures (%)",
        spread=0.5,
    )
    return figure if shown else None


def confusion(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """What was said to which total, occluded pictures."""
    drawn = [one for one in respondents if one.at("confusion", "occluded", "pairs")]
    shown = {
        one.label: np.array(one.at("confusion", "occluded", "pairs"), dtype=float)
        for one in drawn[:MOST_MATRICES]
    }

    labels = ("total (objects)", "response")

    def draw() -> Drawing:
        if set_ != "real":
            chosen = {one.label: _occluded(one) for one in drawn}
            return side_by_side({label: _matrix(pairs)._replace(chosen=chosen[label])
                                 for label, pairs in shown.items()}, labels)  # fmt: skip
        figure, every = panels(len(shown), min(3, len(shown)), (2.4, 2.5))
        for axes, (label, pairs) in zip(every, shown.items(), strict=True):
            _scatter(axes, pairs)
            axes.set(title=label, xlabel=labels[0], ylabel=labels[1])
        return figure

    drawn_as = "A dot is as large as the pair is frequent, on axes that are logarithmic above 10."
    if set_ != "real":
        drawn_as = f"Shades are shares of each total.{keys(map(_matrix, shown.values()))}"
    figure = Figure(
        f"{NAME}-{set_}-confusion",
        "Responses (up) to the totals of occluded pictures (right). "
        f"{drawn_as} Right answers lie on the dotted line. Skipped "
        "replies are left out.",
        f"Confusion matrices of {', '.join(shown)}.",
        draw,
    )
    return figure if shown else None


def _matrix(pairs: Any) -> Matrix:
    """Counts of (total, response, times)."""
    low, high = int(pairs[:, 0].min()), int(pairs[:, 0].max())
    counts = np.zeros((int(max(2 * high, pairs[:, 1].max())) + 1, high - low + 1))
    for total, said, times in pairs.astype(int):
        counts[said, total - low] += times
    return Matrix(counts, first=low)


def _scatter(axes: Axes, pairs: Any) -> None:
    """Real pictures have totals of up to hundreds."""
    axes.scatter(pairs[:, 0], pairs[:, 1], s=4 * pairs[:, 2], color=OWN, alpha=0.4, linewidths=0)
    ends = 0, pairs[:, :2].max()
    axes.plot(ends, ends, color=MUTED, linewidth=0.7, linestyle=(0, (1, 2)))
    axes.set(aspect="equal")
    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("symlog", linthresh=10)
        # Matplotlib's own labels are formulas, which our style does not parse.
        axis.set_major_formatter(lambda value, _: f"{value:g}")


def reliability(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """Confidence against error: the paper's Figures 9 and 10."""
    curves = {
        f"{line.label}, {line.values['variant']}": line.values
        for line in unfolded(respondents, "confidence", "variant")
    }

    def draw() -> Drawing:
        figure = new_figure(4.6, 3.2)
        axes = figure.subplots()
        axes.plot([0, 1], [100, 0], ":", color=MUTED, linewidth=0.8)
        for place, (label, known) in enumerate(curves.items()):
            points = {at["confidence"]: Score(at["error"]) for at in known["curve"]}
            lines(axes, [Series.at(place, label, points)])
        axes.set(xlim=(0, 1), ylim=(0, 100), xlabel="confidence", ylabel="sMAPE (%)")
        axes.legend(frameon=False)
        return figure

    told = (f"{n}: calibration error {k['calibration_error']:.2f}" for n, k in curves.items())
    figure = Figure(
        f"{NAME}-{set_}-reliability",
        "Mean error by confidence, ten bins. Who knows when it errs falls from the upper left to "
        "the lower right (dotted).",
        "; ".join(told),
        draw,
    )
    return figure if curves else None
