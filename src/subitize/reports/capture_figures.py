"""The figures of the CAPTURE page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator

from subitize.published import capture as paper
from subitize.reports.capture_tables import found, in_order
from subitize.reports.page import Figure
from subitize.reports.respondents import Respondent
from subitize.reports.style import FAINT, INK, MUTED, OWN, new_figure, styled

__all__ = ["by_facts", "confusion", "hybrid", "price", "reliability"]

NAME = "capture"
COLOURS = (OWN, "#d67a1f", "#2e8b6f", "#a24b8f", "#8a6d3b", "#c23b3b", "#5b6ee1", "#5f6b7a")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
MOST_MATRICES = 6
_SHADES = LinearSegmentedColormap.from_list("shades", ["#ffffff", "#9fc1e0", OWN, "#0f2f4d"])


def _value(score: Mapping[str, Any] | None) -> float | None:
    return None if score is None else float(score["value"])


def by_facts(set_: str, respondents: Sequence[Respondent]) -> Figure:
    """Error by number hidden, by total and by arrangement: the paper's Figures 6 and 7."""
    facts = [
        fact
        for fact in ("hidden", "total", "arrangement")
        if any(_levels(one, fact) for one in respondents)
    ]

    def draw() -> Drawing:
        with styled():
            figure = new_figure(7.6, 2.9)
            panels = np.atleast_1d(figure.subplots(1, len(facts), sharey=True))
            for axes, fact in zip(panels, facts, strict=True):
                _lines(axes, respondents, fact)
            panels[0].set_ylabel("sMAPE of occluded pictures (%)")
            figure.legend(
                *panels[0].get_legend_handles_labels(),
                loc="outside upper left", ncols=4, frameon=False, fontsize=7,
            )  # fmt: skip
        return figure

    return Figure(
        f"{NAME}-{set_}-by-facts",
        "Error on occluded pictures by the number of hidden objects, by the total and by the "
        "arrangement, with 95 % intervals. Who counts only what is in sight errs more with every "
        "hidden object; who completes the pattern does not.",
        "; ".join(_told(one) for one in respondents),
        draw,
    )


def _levels(one: Respondent, fact: str) -> Sequence[Mapping[str, Any]]:
    occluded = (one.scores.get("breakdowns") or {}).get("occluded") or {}
    lines: Sequence[Mapping[str, Any]] = occluded.get(fact, ())
    return lines


def _told(one: Respondent) -> str:
    by_hidden = _levels(one, "hidden")
    if not by_hidden:
        return f"{one.label}: no occluded pictures"
    first, last = by_hidden[0], by_hidden[-1]
    return (
        f"{one.label}: sMAPE {first['value']:.1f} with {first['level']} hidden, "
        f"{last['value']:.1f} with {last['level']} hidden"
    )


def _lines(axes: Axes, respondents: Sequence[Respondent], fact: str) -> None:
    known = dict.fromkeys(line["level"] for one in respondents for line in _levels(one, fact))
    levels = in_order(known)
    names = fact == "arrangement"
    width = 0.6 / max(1, len(respondents) - 1)
    for place, one in enumerate(respondents):
        lines = _levels(one, fact)
        shift = (place - (len(respondents) - 1) / 2) * (width if names else 0.06)
        x = np.array([levels.index(line["level"]) for line in lines]) + shift
        y = np.array([line["value"] for line in lines])
        ends = np.array(
            [[line["value"] - line["low"], line["high"] - line["value"]] for line in lines]
        )
        colour = COLOURS[place % len(COLOURS)]
        axes.errorbar(
            x, y, yerr=np.maximum(ends.T, 0) if len(lines) else None, color=colour,
            marker=MARKS[place % len(MARKS)], markersize=3.5, linewidth=0 if names else 1.2,
            elinewidth=0.8, label=one.label, clip_on=False,
        )  # fmt: skip
    every = 1 if len(levels) <= 12 else 2
    axes.set_xticks(range(0, len(levels), every), [str(level) for level in levels[::every]])
    axes.set_xlabel({"hidden": "objects hidden", "total": "total"}.get(fact, fact))
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)


def price(set_: str, respondents: Sequence[Respondent]) -> Figure:
    """From the error without to that with an occluder, a line per model."""
    lines: list[tuple[str, float, float, bool]] = []
    for one in respondents:
        ends = [_value(found(one.scores, "smape", v)) for v in ("unoccluded", "occluded")]
        if ends[0] is not None and ends[1] is not None:
            lines.append((one.label, ends[0], ends[1], True))
    for model in dict.fromkeys(row.model for row in paper.rows("Table 2") if not row.average):
        seen, covered = (paper.value("Table 2", model, set_, v) for v in ("unoccluded", "occluded"))
        if seen is not None and covered is not None:
            lines.append((model, seen, covered, False))
    lines.sort(key=lambda line: line[2])

    def draw() -> Drawing:
        with styled():
            figure = new_figure(7.6, 0.23 * len(lines) + 0.8)
            axes = figure.subplots()
            for place, (_, seen, covered, own) in enumerate(lines):
                colour = OWN if own else INK
                axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
                axes.plot([seen, covered], [place, place], color=colour, linewidth=1.4, alpha=0.5)
                axes.plot(
                    [seen], [place], "o", color=colour, markersize=4.5, markerfacecolor="white",
                    clip_on=False,
                )  # fmt: skip
                axes.plot([covered], [place], "s", color=colour, markersize=4.5, clip_on=False)
            axes.set_yticks(
                range(len(lines)),
                [name if own else f"{name} (published)" for name, *_, own in lines],
            )
            axes.set_ylim(len(lines) - 0.4, -0.6)
            axes.set_xlim(left=0)
            axes.set_xlabel("sMAPE (%): open circle unoccluded, filled square occluded")
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        return figure

    return Figure(
        f"{NAME}-{set_}-price",
        "The price of occlusion: the same configurations without (open circles) and with (filled "
        "squares) a black box. Blue are the runs of this report, black the paper's Table 2.",
        "; ".join(f"{name}: {seen:.1f} to {covered:.1f}" for name, seen, covered, _ in lines),
        draw,
    )


def hybrid(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """Counter alone, model, and model told the counter's visible count: the paper's Figure 5."""
    shown = [
        (one, helped)
        for one in respondents
        if (helped := (one.scores.get("help") or {}).get("visible-count"))
    ]
    if not shown:
        return None

    def draw() -> Drawing:
        with styled():
            figure = new_figure(7.6, 0.62 * len(shown) + 0.9)
            axes = figure.subplots()
            for place, (one, helped) in enumerate(shown):
                bars = (
                    ("counter alone", helped["counter_alone"], MUTED),
                    ("model", found(one.scores, "smape", "occluded"), INK),
                    ("model with counter", helped["smape"], OWN),
                )
                for nth, (name, score, colour) in enumerate(bars):
                    if score is None:
                        continue
                    y = place + (nth - 1) * 0.25
                    axes.barh(
                        y, score["value"], 0.22, color=colour, label=name if not place else ""
                    )
                    axes.plot([score["low"], score["high"]], [y, y], color=FAINT, linewidth=1.4)
            axes.set_yticks(range(len(shown)), [one.label for one, _ in shown])
            axes.set_ylim(len(shown) - 0.4, -0.6)
            axes.set_xlabel("sMAPE of occluded pictures (%)")
            axes.legend(frameon=False, fontsize=7, loc="best")
        return figure

    return Figure(
        f"{NAME}-{set_}-hybrid",
        "A counter alone (its visible count as the answer), the model alone, and the model that is "
        "told the visible count.",
        "; ".join(
            f"{one.label}: counter {_value(helped['counter_alone'])}, with counter "
            f"{_value(helped['smape'])}"
            for one, helped in shown
        ),
        draw,
    )


def confusion(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """What was said to which total, occluded pictures; rows are totals as in the paper."""
    shown = [
        one
        for one in respondents
        if ((one.scores.get("confusion") or {}).get("occluded") or {}).get("pairs")
    ][:MOST_MATRICES]
    if not shown:
        return None

    def draw() -> Drawing:
        with styled():
            columns = min(3, len(shown))
            lines = -(-len(shown) // columns)
            figure = new_figure(7.6, 2.5 * lines + 0.2)
            panels = figure.subplots(lines, columns, squeeze=False)
            for axes in panels.flat[len(shown) :]:
                axes.set_visible(False)
            for axes, one in zip(panels.flat, shown, strict=False):
                _matrix(axes, one, set_)
        return figure

    return Figure(
        f"{NAME}-{set_}-confusion",
        "Totals of occluded pictures (up) and the numbers said (right). "
        + (
            "A dot is as large as the pair is frequent. "
            if set_ == "real"
            else "Shades are shares of each total's answers. "
        )
        + "Right answers lie on the dotted line. Skipped replies are left out.",
        f"Confusion matrices of {', '.join(one.label for one in shown)}.",
        draw,
    )


def _matrix(axes: Axes, one: Respondent, set_: str) -> None:
    pairs = np.array(one.scores["confusion"]["occluded"]["pairs"], dtype=float)
    low, high = pairs[:, 0].min(), pairs[:, 0].max()
    if set_ == "real":
        axes.scatter(
            pairs[:, 1], pairs[:, 0], s=4 * pairs[:, 2], color=OWN, alpha=0.4, linewidths=0
        )
        for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
            scale("symlog", linthresh=10)
            # Matplotlib's own labels are formulas, which our style does not parse.
            axis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        widest = int(min(max(pairs[:, 1].max(), high), 2 * high))
        grid = np.zeros((int(high - low) + 1, widest + 1))
        for total, said, times in pairs:
            grid[int(total - low), int(min(said, widest))] += times
        sums = grid.sum(axis=1, keepdims=True)
        axes.imshow(
            grid / np.where(sums, sums, 1), origin="lower", cmap=_SHADES, vmin=0, vmax=1,
            aspect="auto", extent=(-0.5, widest + 0.5, low - 0.5, high + 0.5),
        )  # fmt: skip
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(6, integer=True))
    axes.plot([low, high], [low, high], ":", color=MUTED, linewidth=0.8)
    axes.set_title(one.label)
    axes.set_xlabel("said")
    axes.set_ylabel("total")


def reliability(set_: str, respondents: Sequence[Respondent]) -> Figure | None:
    """Confidence against error: the paper's Figures 9 and 10."""
    curves = [
        (f"{one.label}, {variant}", known)
        for one in respondents
        for variant, known in (one.scores.get("confidence") or {}).items()
        if known
    ]
    if not curves:
        return None

    def draw() -> Drawing:
        with styled():
            figure = new_figure(4.6, 3.2)
            axes = figure.subplots()
            axes.plot([0, 1], [100, 0], ":", color=MUTED, linewidth=0.8)
            for place, (label, known) in enumerate(curves):
                axes.plot(
                    [one["confidence"] for one in known["curve"]],
                    [one["error"] for one in known["curve"]],
                    color=COLOURS[place % len(COLOURS)], marker=MARKS[place % len(MARKS)],
                    markersize=4, linewidth=1.2, label=label, clip_on=False,
                )  # fmt: skip
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 100)
            axes.set_xlabel("confidence")
            axes.set_ylabel("sMAPE (%)")
            axes.legend(frameon=False, fontsize=7)
        return figure

    return Figure(
        f"{NAME}-{set_}-reliability",
        "Mean error by confidence, ten bins. Who knows when it errs falls from the upper left to "
        "the lower right (dotted).",
        "; ".join(f"{n}: calibration error {k['calibration_error']:.2f}" for n, k in curves),
        draw,
    )
